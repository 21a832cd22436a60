//! The rows of a PLY file in text.

use super::header::{Element, Header, PropertyKind, line};
use super::{Columns, quoted};

/// Reads all rows, and keeps the numbers of the vertices.
pub(super) fn read(header: &Header, content: &[u8], columns: &mut Columns) -> Result<(), String> {
    let mut rows = Rows { rest: content, number: header.lines };
    for element in &header.elements {
        for row in 0..element.count {
            let Some(text) = rows.next()? else {
                return Err(format!(
                    "it ends after {row} of {} rows of the element {}; export it again",
                    element.count,
                    quoted(&element.name)
                ));
            };
            let at = rows.number;
            let mut keep = |property, value| columns.push(property, value);
            let mut ignore = |_, _| {};
            let keep: &mut dyn FnMut(usize, f64) = if element.name == "vertex" { &mut keep } else { &mut ignore };
            read_row(element, text, at, keep)?;
        }
    }
    let first = rows.next()?.map(|_| rows.number);
    let Some(first) = first else { return Ok(()) };
    let mut count = 1;
    while rows.next()?.is_some() {
        count += 1;
    }
    let last = header.elements.iter().rev().find(|element| element.count > 0);
    let before = last.map_or_else(
        || "header".to_owned(),
        |element| match (element.name.as_str(), element.count) {
            ("vertex", 1) => "vertex".to_owned(),
            ("vertex", count) => format!("{count} vertices"),
            (name, count) => format!("{count} rows of {}", quoted(name)),
        },
    );
    let lines = if count == 1 { "1 line follows".to_owned() } else { format!("{count} lines follow") };
    Err(format!("line {first}: {lines} the {before} that the header counts; correct the count or remove them"))
}

fn read_row(element: &Element, text: &str, at: usize, keep: &mut dyn FnMut(usize, f64)) -> Result<(), String> {
    let mut words = text.split_ascii_whitespace();
    let found = || text.split_ascii_whitespace().count();
    let unequal = || {
        let (found, needed) = (found(), element.properties.len());
        let numbers = if found == 1 { "number" } else { "numbers" };
        let name = quoted(&element.name);
        format!("line {at} has {found} {numbers}, and the properties of {name} need {needed}; correct it")
    };
    for (place, property) in element.properties.iter().enumerate() {
        let word = words.next().ok_or_else(unequal)?;
        match property.kind {
            PropertyKind::Number => {
                let value =
                    word.parse().map_err(|_| format!("line {at}: {} is not a number; correct it", quoted(word)))?;
                keep(place, value);
            }
            PropertyKind::List => {
                let length: usize = word
                    .parse()
                    .map_err(|_| format!("line {at}: {} is not the length of a list; correct it", quoted(word)))?;
                for _ in 0..length {
                    words
                        .next()
                        .ok_or_else(|| format!("line {at} ends within a list of {length} numbers; correct it"))?;
                }
                keep(place, f64::NAN);
            }
        }
    }
    if words.next().is_some() { Err(unequal()) } else { Ok(()) }
}

/// The lines after the header that are not empty.
struct Rows<'a> {
    rest: &'a [u8],
    /// Number of the last line, counted from 1.
    number: usize,
}

impl<'a> Rows<'a> {
    fn next(&mut self) -> Result<Option<&'a str>, String> {
        while !self.rest.is_empty() {
            let (first, rest) = line(self.rest);
            (self.rest, self.number) = (rest, self.number + 1);
            if first.iter().any(|byte| !byte.is_ascii_whitespace()) {
                let text = str::from_utf8(first);
                return text.map(Some).map_err(|_| format!("line {} is not text; export the file again", self.number));
            }
        }
        Ok(None)
    }
}
