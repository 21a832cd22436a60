//! Present values in the texts of lessons: `{candidates}` or `{candidates / neighbors}` stands for the value that the
//! running program has. Braces in code are left alone.

use super::Expression;
use super::expression::Source;

/// What stands in the place of a value that was not measured yet.
const NOT_YET: &str = "…";

/// A part of a text.
enum Piece<'a> {
    Text(&'a str),
    /// The text between braces, and its position.
    Value(&'a str, usize),
}

/// Splits a text at the braces that are not in code.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut in_code, mut from) = (false, 0);
    let mut characters = text.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '`' => in_code = !in_code,
            '{' if !in_code => {
                let Some(length) = text[place..].find('}') else { break };
                pieces.push(Piece::Text(&text[from..place]));
                pieces.push(Piece::Value(&text[place + 1..place + length], place));
                from = place + length + 1;
                while characters.as_str().len() > text.len() - from {
                    characters.next();
                }
            }
            _ => {}
        }
    }
    pieces.push(Piece::Text(&text[from..]));
    pieces
}

/// The expressions in a text.
pub(super) fn values_in(text: &str) -> Vec<&str> {
    let value = |piece| if let Piece::Value(value, _) = piece { Some(value) } else { None };
    pieces(text).into_iter().filter_map(value).collect()
}

/// Checks the expressions in a text.
///
/// # Errors
/// The number of line breaks before the wrong expression plus one, and what is wrong.
pub(super) fn check_values(text: &str) -> Result<(), (usize, String)> {
    for piece in pieces(text) {
        if let Piece::Value(value, place) = piece
            && let Err(reason) = Expression::parse(value)
        {
            let line = 1 + text[..place].matches('\n').count();
            return Err((line, format!("{{{value}}} is no value: {reason}")));
        }
    }
    Ok(())
}

/// The text with the present values.
pub(super) fn with_values(text: &str, source: Source<'_>) -> String {
    with_written(text, |value| {
        let value = Expression::parse(value).ok()?.value(source)?;
        Some(value.written())
    })
}

/// The text with the values that a function writes.
pub(super) fn with_written(text: &str, written: impl Fn(&str) -> Option<String>) -> String {
    let piece = |piece| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Value(value, _) => written(value).unwrap_or_else(|| NOT_YET.to_owned()),
    };
    pieces(text).into_iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::lessons::tests::with_source;

    #[test]
    fn values_are_written_and_code_is_left_alone() {
        with_source(|source| {
            let text = "a {search} b `{c}` ```\n{d}\n``` {2 * 3} {candidates}, ü";
            assert_eq!(with_values(text, source), "a green b `{c}` ```\n{d}\n``` 6 …, ü");
            assert_eq!(values_in(text), ["search", "2 * 3", "candidates"]);
        });
        assert_eq!(check_values("ok {particles}\n\n{partikles}").map_err(|(line, _)| line), Err(3));
        assert_eq!(check_values("no end {particles"), Ok(()));
    }
}
