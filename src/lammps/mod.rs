//! Exports scenes to LAMMPS (<https://www.lammps.org>), which runs SPH under MPI on clusters: a data file with every
//! particle and an input script with the same box, spacing, equation of state, speed of sound, viscosity, gravity, time
//! step, fixed boundaries and probes.
//!
//! The script uses the pair style `sph/taitwater`, which is nearly the WCSPH of this program: Tait's equation with the
//! exponent 7, the symmetric pressure force and the artificial viscosity of Monaghan 1992. What differs is stated in
//! `docs/CLUSTER.md`: Lucy's kernel, density by the continuity equation without diffusion, pressures below zero, and
//! walls made of fixed particles.
//!
//! Particles are computed as they are written, so memory does not depend on their number. `refusal.rs` lists what
//! LAMMPS cannot express, `water.rs` converts the material, `places.rs` visits the particles, `data_file.rs` and
//! `script.rs` write the files, `fixed_pressure.rs` the pressure of fixed particles, and `probes.rs` the computes of
//! the scene's probes.

mod data_file;
mod error;
mod fixed_pressure;
mod places;
mod probes;
mod refusal;
mod script;
mod water;

use std::ops::ControlFlow;
use std::path::Path;

use crate::files::{check_writable, make_folder};
use crate::fluid::{Resolution, Scene, Settings};

pub use error::LammpsError;
use places::Places;
use water::Water;

/// Name of the data file in the folder of an export.
const DATA: &str = "data.water";
/// Name of the input script in the folder of an export.
const SCRIPT: &str = "in.water";

/// Largest number of particles of an export: LAMMPS numbers them with 31 bits unless it is compiled otherwise.
const MOST_PARTICLES: u64 = i32::MAX as u64;

/// How far an export is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportProgress {
    /// It samples boundaries and counts particles, which takes minutes where there are a billion.
    Counting,
    /// It writes the data file.
    Writing {
        /// Particles that have been written.
        done: u64,
        /// Particles of the export.
        total: u64,
    },
}

/// What an export contains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exported {
    /// Fluid particles.
    pub fluid: u64,
    /// Fixed particles of the box's walls.
    pub walls: u64,
    /// Fixed particles of the scene's boundaries.
    pub boundaries: u64,
    /// Spacing of the particles, m.
    pub spacing: f32,
    /// Length of a time step, s.
    pub time_step: f32,
}

/// Writes a scene with its edits for LAMMPS: `data.water` and `in.water` in `folder`, which is created if it does not
/// exist. Existing files of these names are replaced once the new ones are complete. `progress` is called when
/// a stage begins and now and then while particles are written, and can end the export.
///
/// # Errors
/// When LAMMPS cannot express something that the scene contains, the size does not suit the scene, there are too many
/// particles, a file cannot be written, or `progress` ends the export; no file has changed then.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use nearwater::lammps;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let scene = nearwater::fluid::Scene::load("dam_break")?;
/// # let settings = nearwater::fluid::Settings::with_particles(500);
/// let folder = tempfile::tempdir()?;
/// let exported = lammps::export(&scene, &settings, folder.path(), &mut |_| ControlFlow::Continue(()))?;
/// println!("{} particles of water, {} of walls", exported.fluid, exported.walls);
/// assert!(folder.path().join("in.water").exists());
/// # Ok(())
/// # }
/// ```
pub fn export(
    scene: &Scene,
    settings: &Settings,
    folder: &Path,
    progress: &mut dyn FnMut(ExportProgress) -> ControlFlow<()>,
) -> Result<Exported, LammpsError> {
    let scene = settings.edits.applied_to(scene);
    refusal::refuse_inexpressible(&scene)?;
    let refuse = |count: u64| {
        if count > MOST_PARTICLES { Err(LammpsError::TooMany { count, most: MOST_PARTICLES }) } else { Ok(()) }
    };
    // To sample boundaries and to count the fluid beside them takes minutes where there are so many particles.
    if let Some((spacing, fluid)) = Resolution::before_solids(&scene, settings.size) {
        refuse(places::count_before_boundaries(&scene, spacing, fluid))?;
    }
    ended(progress(ExportProgress::Counting))?;
    let resolution = settings.resolution(&scene)?;
    let water = Water::new(&scene, &resolution, settings.kernel);
    let places = Places::new(&scene, &resolution, settings.seed)?;
    let counts = places.counts();
    refuse(counts.total())?;
    ended(progress(ExportProgress::Writing { done: 0, total: counts.total() }))?;
    make_folder(folder)?;
    let (data, script) = (folder.join(DATA), folder.join(SCRIPT));
    check_writable(&data)?;
    check_writable(&script)?;
    data_file::write(&data, &places, &water, progress)?;
    script::write(&script, &places, &water)?;
    Ok(Exported {
        fluid: counts.fluid,
        walls: counts.walls,
        boundaries: counts.boundaries,
        spacing: resolution.spacing,
        time_step: resolution.time_step,
    })
}

/// An error where an export was ended.
fn ended(flow: ControlFlow<()>) -> Result<(), LammpsError> {
    if flow.is_break() { Err(LammpsError::Ended) } else { Ok(()) }
}
