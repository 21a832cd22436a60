//! A frame as a table: a row a particle, a column a number, named with its unit.

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
        // The shortest digits that are read back as the same float.
        writer.write_field(frame.indices[place].to_string())?;
        for number in [x, y, z].into_iter().chain(velocity).chain([frame.densities[place], frame.pressures[place]]) {
            writer.write_field(number.to_string())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    Ok(writer.flush()?)
}
