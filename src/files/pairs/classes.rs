//! Reads the class of each particle (border or inner) that another program assigned.

use std::path::Path;

use super::text::columns;
use super::{Numbers, with_numbers};
use crate::files::FileError;

/// Accepted names of the column of classes.
const CLASS_NAMES: [&str; 3] = ["class", "border", "is_border"];

/// Reads the class of each of `particle_count` particles; the result is true for border particles. Text has one value
/// per line, in the column `class` where columns are named; an NPY array has one dimension. A border particle is 1,
/// `true` or `border`; an inner particle is 0, `false` or `inner`.
///
/// # Errors
/// When the file cannot be read, contains another value, or does not have `particle_count` classes.
pub fn read_classes(path: &Path, particle_count: u32) -> Result<Vec<bool>, FileError> {
    with_numbers(path, |numbers| {
        let classes = match numbers {
            Numbers::Text(text) => {
                let column = match text.names() {
                    Some([_]) | None => 0,
                    Some(names) => names.iter().position(|name| CLASS_NAMES.contains(&name.as_str())).ok_or(
                        "it has no column \"class\"; give that name to the column with 0 for inner and 1 for border",
                    )?,
                };
                // In a file of one column, a first line that is the name of a class is a value and not a header.
                let first = text.names().filter(|names| names.len() == 1).and_then(|names| class(names[0].as_bytes()));
                let mut classes: Vec<bool> = first.into_iter().collect();
                let blank = text.is_blank_separated();
                text.lines(|line, record| {
                    let field = columns(record, blank).nth(column).unwrap_or_default();
                    let class = class(field).ok_or_else(|| {
                        let text: String = String::from_utf8_lossy(field).chars().take(40).collect();
                        format!(
                            "line {line}: \"{}\" is not a class; write 0 for inner, 1 for border",
                            text.escape_debug()
                        )
                    })?;
                    classes.push(class);
                    Ok(())
                })?;
                classes
            }
            numbers @ Numbers::Array(_) => {
                let (mut classes, mut wrong) = (Vec::new(), None);
                numbers.flat(|number| {
                    if !(0..=1).contains(&number) && wrong.is_none() {
                        wrong = Some((classes.len(), number));
                    }
                    classes.push(number == 1);
                })?;
                if let Some((element, number)) = wrong {
                    return Err(format!("element {element}: {number} is not a class; write 0 for inner, 1 for border"));
                }
                classes
            }
        };
        if classes.len() != particle_count as usize {
            return Err(format!(
                "it has {} classes, but there are {particle_count} particles; give one class per particle",
                classes.len()
            ));
        }
        Ok(classes)
    })
}

fn class(field: &[u8]) -> Option<bool> {
    match field.to_ascii_lowercase().as_slice() {
        b"0" | b"0.0" | b"false" | b"inner" => Some(false),
        b"1" | b"1.0" | b"true" | b"border" => Some(true),
        _ => None,
    }
}
