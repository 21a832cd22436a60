//! Everything that commands print. The standard output may be a pipe that its reader has closed, or a full disk:
//! neither may end a run before its files are written, as `println!` would by its panic.

use std::fmt;
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

/// The first failure of the standard output, after which nothing more is written to it.
static FAILURE: Mutex<Option<io::ErrorKind>> = Mutex::new(None);

/// Prints a line to the standard output, with the arguments of `println!`.
macro_rules! outln {
    () => { $crate::command::output::print(format_args!("\n")) };
    ($($argument:tt)*) => { $crate::command::output::print(format_args!("{}\n", format_args!($($argument)*))) };
}

/// Prints to the standard output without ending the line, with the arguments of `print!`.
macro_rules! out {
    ($($argument:tt)*) => { $crate::command::output::print(format_args!($($argument)*)) };
}

/// Prints text to the standard output, unless that has failed before. Control characters, which could change the
/// terminal and come from titles and paths, are replaced by their escapes.
pub fn print(text: fmt::Arguments<'_>) {
    let mut failure = FAILURE.lock().unwrap_or_else(PoisonError::into_inner);
    if failure.is_some() {
        return;
    }
    let written = io::stdout().lock().write_all(without_controls(&text.to_string(), Breaks::Kept).as_bytes());
    *failure = written.err().map(|error| error.kind());
}

/// Writes out what is still buffered. Returns why something could not be printed; a pipe that its reader closed, as
/// `head` does, counts as success.
///
/// # Errors
/// When the standard output could not be written, for example because the disk is full.
pub fn finish() -> Result<(), io::ErrorKind> {
    let mut failure = FAILURE.lock().unwrap_or_else(PoisonError::into_inner);
    if failure.is_none() {
        *failure = io::stdout().lock().flush().err().map(|error| error.kind());
    }
    match *failure {
        None | Some(io::ErrorKind::BrokenPipe) => Ok(()),
        Some(kind) => Err(kind),
    }
}

/// Prints a sentence about a failure to the standard error, on a single line. Nothing can be done if that fails.
pub fn complain(sentence: &dyn fmt::Display) {
    let line = without_controls(&sentence.to_string(), Breaks::Joined);
    let _ = writeln!(io::stderr().lock(), "nearwater: {line}");
}

/// What becomes of line breaks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Kept,
    /// Lines are joined by a blank, without their indentation.
    Joined,
}

/// The text with escapes in place of control characters.
fn without_controls(text: &str, breaks: Breaks) -> String {
    let joined = match breaks {
        Breaks::Kept => text.to_owned(),
        Breaks::Joined => text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "),
    };
    let mut clean = String::with_capacity(joined.len());
    for letter in joined.chars() {
        if letter.is_control() && letter != '\n' {
            clean.extend(letter.escape_unicode());
        } else {
            clean.push(letter);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::{Breaks, without_controls};

    #[test]
    fn control_characters_are_shown_and_do_not_act() {
        let text = "a \u{1b}[31mred\u{7}\u{9b}1m title\nand a line";
        assert_eq!(without_controls(text, Breaks::Kept), "a \\u{1b}[31mred\\u{7}\\u{9b}1m title\nand a line");
        assert_eq!(without_controls("one\n\n    two\r\nthree", Breaks::Joined), "one two three");
    }
}
