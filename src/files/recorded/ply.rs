//! A frame as the vertices of a PLY file, ASCII or binary.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};

use super::MOST_PARTICLES;
use super::columns::Columns;

/// The numbers of a vertex in the order of the header.
struct Vertex(Vec<f64>);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn set_property(&mut self, _: &str, property: Property) -> PropertyAccessResult {
        self.0.push(match property {
            Property::Char(number) => number.into(),
            Property::UChar(number) => number.into(),
            Property::Short(number) => number.into(),
            Property::UShort(number) => number.into(),
            Property::Int(number) => number.into(),
            Property::UInt(number) => number.into(),
            Property::Float(number) => number.into(),
            Property::Double(number) => number,
            _ => f64::NAN,
        });
        PropertyAccessResult::Set
    }
}

/// Reads every property of the vertices; lists become NaN.
pub(super) fn read(file: &Path) -> Result<Columns, String> {
    let opened = File::open(file).map_err(|error| error.to_string())?;
    let parser = Parser::<Vertex>::new();
    let mut reader = Reader::new(BufReader::new(opened));
    let header = parser.read_header(&mut reader).map_err(|error| one_line(&error))?;
    let vertices = header.elements.get("vertex").ok_or("it has no element \"vertex\"")?;
    if vertices.count > MOST_PARTICLES {
        return Err(format!("it has more than {MOST_PARTICLES} vertices; leave some out"));
    }
    // The elements before the vertices have no stored size, so they must be parsed to be skipped.
    for element in header.elements.values().take_while(|element| element.name != "vertex") {
        parser.read_payload_for_element(&mut reader, element, &header).map_err(|error| one_line(&error))?;
    }
    let read = parser.read_payload_for_element(&mut reader, vertices, &header).map_err(|error| one_line(&error))?;
    let names: Vec<String> = vertices.properties.keys().cloned().collect();
    let number_column = names.iter().position(|name| Columns::is_index(name));
    let values = (0..names.len())
        .map(|place| read.iter().map(|Vertex(row)| row.get(place).map_or(f32::NAN, |&number| number as f32)).collect());
    let values = values.collect();
    let order = number_column
        .map(|place| read.iter().map(|Vertex(row)| row.get(place).copied().unwrap_or_default() as u64).collect());
    Ok(Columns { names, values, order })
}

fn one_line(error: &ParseError) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
