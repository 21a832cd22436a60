//! Writes a frame as CSV: one row per particle, one column per component, with the unit in the column's name.

use std::io::Write;

use super::Frame;
use super::frame::{DENSITY, INDEX, PRESSURE};

const COLUMNS: [&str; 9] = [INDEX, "x_m", "y_m", "z_m", "vx_m_per_s", "vy_m_per_s", "vz_m_per_s", DENSITY, PRESSURE];

pub(super) fn write(frame: &Frame, writer: impl Write) -> csv::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    writer.write_record(COLUMNS)?;
    for place in 0..frame.count() {
        let [x, y, z] = frame.positions[place];
        let velocity = frame.velocities[place];
        // `to_string` gives the shortest decimal number that parses back to the same float.
        writer.write_field(frame.indices[place].to_string())?;
        for number in [x, y, z].into_iter().chain(velocity).chain([frame.densities[place], frame.pressures[place]]) {
            writer.write_field(number.to_string())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    Ok(writer.flush()?)
}
