//! Reads points from the vertices of a PLY file.

use super::Points;
use super::ply::{PropertyKind, Vertices};

const NAMES: [&str; 6] = ["x", "y", "z", "vx", "vy", "vz"];

pub(super) fn read(bytes: &[u8], most: usize) -> Result<Points, String> {
    let vertices = Vertices::read(bytes, most, |name| NAMES.contains(&name))?;
    check(&vertices)?;
    let column = |name: &str| vertices.properties.iter().position(|(known, _)| known == name);
    let columns = NAMES.map(|name| column(name).map(|place| vertices.values[place].as_slice()));
    let count = columns[0].map_or(0, <[f64]>::len);
    let value = |column: usize, row: usize| columns[column].map_or(0.0, |values| values[row] as f32);
    Ok(Points {
        positions: (0..count).map(|row| [0, 1, 2].map(|column| value(column, row))).collect(),
        velocities: (0..count).map(|row| [3, 4, 5].map(|column| value(column, row))).collect(),
    })
}

/// Rejects vertices without all three coordinates, or with only some components of the velocity.
fn check(vertices: &Vertices) -> Result<(), String> {
    let kind_of = |name: &str| vertices.properties.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
    let moving = NAMES[3..].iter().any(|&name| kind_of(name).is_some());
    for &name in &NAMES[..if moving { NAMES.len() } else { 3 }] {
        match kind_of(name) {
            None => return Err(format!("its vertices have no property \"{name}\"; add it")),
            Some(PropertyKind::List) => {
                return Err(format!("its vertices' property \"{name}\" is a list, but must be a number"));
            }
            Some(PropertyKind::Number) => {}
        }
    }
    Ok(())
}
