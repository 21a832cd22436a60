//! A frame as the vertices of a PLY file, ASCII or binary.

use std::path::Path;

use super::MOST_PARTICLES;
use super::columns::Columns;
use crate::files::ply::Vertices;
use crate::files::read_bytes;

/// Largest size of a frame, bytes: 64 for each of [`MOST_PARTICLES`].
const MOST_BYTES: u64 = 64 * MOST_PARTICLES as u64;

/// Reads every property of the vertices; lists become NaN.
pub(super) fn read(file: &Path) -> Result<Columns, String> {
    let Vertices { properties, values } = Vertices::read(&read_bytes(file, MOST_BYTES)?, MOST_PARTICLES, |_| true)?;
    let names: Vec<String> = properties.into_iter().map(|(name, _)| name).collect();
    let number_column = names.iter().position(|name| Columns::is_index(name));
    let order = number_column.map(|place| values[place].iter().map(|&number| number as u64).collect());
    let values = values.into_iter().map(|column| column.into_iter().map(|number| number as f32).collect()).collect();
    Ok(Columns { names, values, order })
}
