//! Writes the data file of LAMMPS: the box, and a line for each particle.

use std::io::Write;
use std::path::Path;

use super::places::{Particle, Places};
use super::water::Water;
use crate::files::{FileError, WholeWriter, write_whole};

/// Number of particles between two calls of the progress.
const CHUNK: u64 = 1 << 16;

/// Writes the file: `Atoms` in the columns of `atom_style sph` (number, type, density, energy, heat capacity,
/// position), and, where the fluid moves at the start, `Velocities`.
pub(super) fn write(
    path: &Path,
    places: &Places<'_>,
    water: &Water<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), FileError> {
    let count = places.counts().total();
    write_whole(path, |writer: &mut WholeWriter| {
        let (low, high) = places.bounds();
        writeln!(writer, "LAMMPS data file of the scene \"{}\", written by Nearwater\n", one_line(&water.scene.name))?;
        writeln!(writer, "{count} atoms\n3 atom types\n")?;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            writeln!(writer, "{} {} {name}lo {name}hi", low[axis], high[axis])?;
        }
        writeln!(writer, "\nAtoms # sph\n")?;
        let rest_density = water.scene.material.rest_density;
        each(places, &mut |number, particle| {
            if number.is_multiple_of(CHUNK) {
                progress(number, count);
            }
            let [x, y, z] = particle.position.as_vec3().to_array();
            writeln!(writer, "{number} {} {rest_density} 0 1 {x} {y} {z}", particle.part as u8)
        })?;
        if places.is_moving() {
            writeln!(writer, "\nVelocities\n")?;
            each(places, &mut |number, particle| {
                let [x, y, z] = particle.velocity.to_array();
                writeln!(writer, "{number} {x} {y} {z}")
            })?;
        }
        progress(count, count);
        Ok::<_, std::io::Error>(())
    })
}

/// Visits the particles with their numbers, which begin at 1.
fn each<E>(places: &Places<'_>, visit: &mut dyn FnMut(u64, &Particle) -> Result<(), E>) -> Result<(), E> {
    let mut number = 0;
    places.visit(|particle| {
        number += 1;
        visit(number, &particle)
    })
}

/// The first line of a text.
pub(super) fn one_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
