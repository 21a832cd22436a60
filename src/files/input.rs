//! Reads input files completely, after checking their kind and size, so that a pipe or a device without end cannot
//! stop the program.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Reads a regular file of at most `most_bytes`.
///
/// # Errors
/// Why it cannot be read, and the mend, as the second half of a sentence.
pub fn read_bytes(path: &Path, most_bytes: u64) -> Result<Vec<u8>, String> {
    let reason = |error: io::Error| plain_reason(&error);
    let about = fs::metadata(path).map_err(reason)?;
    if !about.is_file() {
        return Err("it is not a regular file; give one".to_owned());
    }
    let too_large = |bytes: u64| format!("it has {bytes} bytes, and at most {most_bytes} are read; shorten it");
    if about.len() > most_bytes {
        return Err(too_large(about.len()));
    }
    let mut bytes = Vec::with_capacity(about.len() as usize);
    // The size may be wrong, as that of files in /proc is, which are regular and say that they are empty.
    File::open(path).and_then(|file| file.take(most_bytes + 1).read_to_end(&mut bytes)).map_err(reason)?;
    if bytes.len() as u64 > most_bytes { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

/// As [`read_bytes`], for text in UTF-8; a byte order mark is left out.
///
/// # Errors
/// As [`read_bytes`], and when the file is not UTF-8 text.
pub fn read_text(path: &Path, most_bytes: u64) -> Result<String, String> {
    let bytes = read_bytes(path, most_bytes)?;
    let not_text = |error: std::str::Utf8Error| {
        let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
        format!("line {line} is not UTF-8 text; save it in this encoding")
    };
    str::from_utf8(without_mark(&bytes)).map(str::to_owned).map_err(not_text)
}

/// The content of a text file without the byte order mark that some editors put before it.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The operating system's message without its number, which only a programmer could look up.
pub fn plain_reason(reason: &dyn std::fmt::Display) -> String {
    let mut text = reason.to_string();
    while let Some(begin) = text.find(" (os error ") {
        let Some(length) = text[begin..].find(')') else { break };
        text.replace_range(begin..=begin + length, "");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{plain_reason, read_bytes, read_text};

    #[test]
    fn only_regular_files_up_to_the_limit_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("water.ron");
        fs::write(&file, "\u{feff}text").expect("it can be written");
        assert_eq!(read_text(&file, 7).expect("it is short enough"), "text");
        let told = read_bytes(&file, 6).expect_err("it has a byte more");
        assert!(told.contains("7 bytes") && told.contains("at most 6"), "{told}");
        fs::write(&file, b"a\nb\xff").expect("it can be written");
        assert!(read_text(&file, 9).expect_err("no text").contains("line 2 is not UTF-8"));
        assert!(read_bytes(folder.path(), 9).expect_err("a folder").contains("not a regular file"));
        let lost = read_bytes(&folder.path().join("lost"), 9).expect_err("no file");
        assert_eq!(lost, "No such file or directory");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn files_without_an_end_are_refused() {
        assert!(read_bytes(Path::new("/dev/zero"), 100).expect_err("a device").contains("not a regular file"));
        // A regular file that says that it is empty.
        let told = read_bytes(Path::new("/proc/cpuinfo"), 10).expect_err("it is longer");
        assert!(told.contains("at most 10"), "{told}");
    }

    #[test]
    fn numbers_of_errors_are_left_out() {
        assert_eq!(plain_reason(&"File exists (os error 17)"), "File exists");
        assert_eq!(plain_reason(&"a (os error 1) b (os error 2): c"), "a b: c");
    }
}
