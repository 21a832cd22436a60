//! Reads points from the vertices of a PLY file, ASCII or binary.

use std::io::BufRead;

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{ElementDef, Property, PropertyAccess, PropertyAccessResult, PropertyType};

use super::Points;
use super::point_set::too_many;

const NAMES: [&str; 6] = ["x", "y", "z", "vx", "vy", "vz"];

/// The properties of an element that are read, in the order of [`NAMES`].
struct Vertex([f32; NAMES.len()]);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self([0.0; NAMES.len()])
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let Some(place) = NAMES.iter().position(|&known| known == name) else { return PropertyAccessResult::Ignored };
        self.0[place] = match property {
            Property::Char(number) => number.into(),
            Property::UChar(number) => number.into(),
            Property::Short(number) => number.into(),
            Property::UShort(number) => number.into(),
            Property::Int(number) => number as f32,
            Property::UInt(number) => number as f32,
            Property::Float(number) => number,
            Property::Double(number) => number as f32,
            _ => return PropertyAccessResult::Ignored,
        };
        PropertyAccessResult::Set
    }
}

pub(super) fn read(file: impl BufRead, most: usize) -> Result<Points, String> {
    let parser = Parser::<Vertex>::new();
    let mut reader = Reader::new(file);
    let header = parser.read_header(&mut reader).map_err(|error| one_line(&error))?;
    let vertices = header.elements.get("vertex").ok_or("it has no element \"vertex\"")?;
    if vertices.count > most {
        return Err(too_many(most));
    }
    check(vertices)?;
    // The elements before the vertices have no stored size, so they must be parsed to be skipped.
    for element in header.elements.values().take_while(|element| element.name != "vertex") {
        parser.read_payload_for_element(&mut reader, element, &header).map_err(|error| one_line(&error))?;
    }
    let read = parser.read_payload_for_element(&mut reader, vertices, &header).map_err(|error| one_line(&error))?;
    Ok(Points {
        positions: read.iter().map(|Vertex([x, y, z, ..])| [*x, *y, *z]).collect(),
        velocities: read.iter().map(|Vertex([.., vx, vy, vz])| [*vx, *vy, *vz]).collect(),
    })
}

/// Rejects vertices without all three coordinates, or with only some components of the velocity.
fn check(vertices: &ElementDef) -> Result<(), String> {
    let moving = NAMES[3..].iter().any(|&name| vertices.properties.contains_key(name));
    for &name in &NAMES[..if moving { NAMES.len() } else { 3 }] {
        match vertices.properties.get(name) {
            None => return Err(format!("its vertices have no property \"{name}\"; add it")),
            Some(property) if matches!(property.data_type, PropertyType::List(..)) => {
                return Err(format!("its vertices' property \"{name}\" is a list, but must be a number"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The library's message on one line.
fn one_line(error: &ParseError) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
