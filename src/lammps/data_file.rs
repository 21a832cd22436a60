//! Writes the data file of LAMMPS: the box, and a line for each particle.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::places::{Particle, Places};
use super::water::Water;
use super::{ExportProgress, LammpsError};
use crate::files::{WholeWriter, write_whole};

/// Number of particles between two calls of the progress.
const CHUNK: u64 = 1 << 16;

/// Writes the file: `Atoms` in the columns of `atom_style sph` (number, type, density, energy, heat capacity,
/// position), and, where the fluid moves at the start, `Velocities`. Nothing remains of it when `progress` ends it.
pub(super) fn write(
    path: &Path,
    places: &Places<'_>,
    water: &Water<'_>,
    progress: &mut dyn FnMut(ExportProgress) -> ControlFlow<()>,
) -> Result<(), LammpsError> {
    let total = places.counts().total();
    let mut is_ended = false;
    let written = write_whole(path, |writer: &mut WholeWriter| {
        let (low, high) = places.bounds();
        writeln!(writer, "LAMMPS data file of the scene \"{}\", written by Nearwater\n", one_line(&water.scene.name))?;
        writeln!(writer, "{total} atoms\n3 atom types\n")?;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            writeln!(writer, "{} {} {name}lo {name}hi", low[axis], high[axis])?;
        }
        writeln!(writer, "\nAtoms # sph\n")?;
        let rest_density = water.scene.material.rest_density;
        let mut tell = |done: u64| {
            is_ended |= progress(ExportProgress::Writing { done, total }).is_break();
            if is_ended { Err(io::Error::from(io::ErrorKind::Interrupted)) } else { Ok(()) }
        };
        each(places, &mut |number, particle| {
            if number.is_multiple_of(CHUNK) {
                tell(number)?;
            }
            let [x, y, z] = particle.position.as_vec3().to_array();
            writeln!(writer, "{number} {} {rest_density} 0 1 {x} {y} {z}", particle.part as u8)
        })?;
        if places.is_moving() {
            writeln!(writer, "\nVelocities\n")?;
            each(places, &mut |number, particle| {
                if number.is_multiple_of(CHUNK) {
                    tell(total)?;
                }
                let [x, y, z] = particle.velocity.to_array();
                writeln!(writer, "{number} {x} {y} {z}")
            })?;
        }
        tell(total)
    });
    if is_ended { Err(LammpsError::Ended) } else { Ok(written?) }
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
