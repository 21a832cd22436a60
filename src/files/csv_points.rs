//! Reads points from a CSV file with a header.

use std::io::Read;

use super::Points;
use super::point_set::too_many;

/// Accepted names of each column: the short name, and the name with unit that an exported frame has.
const POSITION: [[&str; 2]; 3] = [["x", "x_m"], ["y", "y_m"], ["z", "z_m"]];
const VELOCITY: [[&str; 2]; 3] = [["vx", "vx_m_per_s"], ["vy", "vy_m_per_s"], ["vz", "vz_m_per_s"]];

pub(super) fn read(file: impl Read, most: usize) -> Result<Points, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(file);
    let header: Vec<_> =
        reader.headers().map_err(|error| sentence(&error))?.iter().map(str::to_ascii_lowercase).collect();
    let position = columns(&header, &POSITION)?.ok_or("it has no columns \"x\", \"y\" and \"z\"")?;
    let velocity = columns(&header, &VELOCITY)?;
    let mut points = Points::default();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| sentence(&error))? {
        if points.positions.len() == most {
            return Err(too_many(most));
        }
        let number = |column: usize| {
            let text = &record[column];
            text.parse::<f32>().map_err(|_| {
                let line = record.position().map_or(0, csv::Position::line);
                format!("line {line}, column \"{}\": \"{text}\" is not a number", header[column])
            })
        };
        let numbers = |[x, y, z]: [usize; 3]| Ok::<_, String>([number(x)?, number(y)?, number(z)?]);
        points.positions.push(numbers(position)?);
        points.velocities.push(velocity.map_or(Ok([0.0; 3]), numbers)?);
    }
    Ok(points)
}

/// Positions of three columns in the header; `None` when all three are absent.
///
/// # Errors
/// When one of them occurs twice, or only some of them are present.
fn columns(header: &[String], names: &[[&str; 2]; 3]) -> Result<Option<[usize; 3]>, String> {
    let mut places = [None; 3];
    for (place, names) in places.iter_mut().zip(names) {
        let mut found = (0..header.len()).filter(|&column| names.contains(&header[column].as_str()));
        *place = found.next();
        if found.next().is_some() {
            return Err(format!("it has two columns \"{}\"; remove one of them", names[0]));
        }
    }
    if places == [None; 3] {
        return Ok(None);
    }
    let mut missing = places.iter().zip(names).filter(|(place, _)| place.is_none());
    if let Some((_, [plain, with_unit])) = missing.next() {
        return Err(format!("it has no column \"{plain}\" (or \"{with_unit}\"); add it"));
    }
    Ok(Some(places.map(Option::unwrap_or_default)))
}

/// The library's error as a sentence for the user.
fn sentence(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line} has {len} columns, but the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { pos, .. } => {
            format!("line {} is not valid UTF-8 text", pos.as_ref().map_or(0, csv::Position::line))
        }
        _ => error.to_string(),
    }
}
