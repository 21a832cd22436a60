//! Writes a frame as binary little-endian PLY with one element `vertex` per particle.

use std::io::{self, Write};

use ply_rs_bw::ply::{ElementDef, Encoding, Header, PropertyAccess, PropertyDef, PropertyType, ScalarType};
use ply_rs_bw::writer::Writer;

use super::Frame;
use super::frame::{DENSITY, INDEX, PRESSURE, VELOCITY};

/// The floating point properties. Viewers identify the first three by these names, so the units are given in comments
/// of the header instead.
const FLOATS: [&str; 8] = ["x", "y", "z", "vx", "vy", "vz", "density", "pressure"];

struct Vertex {
    index: u32,
    floats: [f32; FLOATS.len()],
}

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self { index: 0, floats: [0.0; FLOATS.len()] }
    }

    fn get_float(&self, name: &str) -> Option<f32> {
        FLOATS.iter().position(|&float| float == name).map(|place| self.floats[place])
    }

    fn get_uint(&self, name: &str) -> Option<u32> {
        (name == INDEX).then_some(self.index)
    }
}

pub(super) fn write(frame: &Frame, writer: &mut impl Write) -> io::Result<()> {
    let mut element = ElementDef::new("vertex".to_owned());
    element.count = frame.count();
    let floats = FLOATS.map(|name| (name, ScalarType::Float));
    for (name, scalar) in floats.into_iter().chain([(INDEX, ScalarType::UInt)]) {
        let property = PropertyDef::new(name.to_owned(), PropertyType::Scalar(scalar));
        element.properties.insert(name.to_owned(), property);
    }
    let mut header = Header::new();
    header.encoding = Encoding::BinaryLittleEndian;
    header.comments = vec![
        format!("time_s {}", frame.time),
        format!("step {}", frame.step),
        format!("x y z: position_m; vx vy vz: {VELOCITY}; density: {DENSITY}; pressure: {PRESSURE}"),
        format!("{INDEX}: the particle's number, the same in every frame"),
    ];
    header.elements.insert(element.name.clone(), element.clone());
    let out = Writer::new();
    out.write_header(writer, &header)?;
    for place in 0..frame.count() {
        let ([x, y, z], [vx, vy, vz]) = (frame.positions[place], frame.velocities[place]);
        let floats = [x, y, z, vx, vy, vz, frame.densities[place], frame.pressures[place]];
        out.write_little_endian_element(writer, &Vertex { index: frame.indices[place], floats }, &element)?;
    }
    Ok(())
}
