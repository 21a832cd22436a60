//! The errors of validation runs.

use thiserror::Error;

use crate::files::FileError;
use crate::fluid::{FluidError, SceneError};
use crate::gpu::GpuError;

/// Why a case could not be run.
#[non_exhaustive]
#[derive(Debug, Error)]
pub enum ValidationError {
    /// No case has that name.
    #[error("there is no case \"{name}\"; the nearest names are {nearest}, and \"all\" runs them all")]
    UnknownCase {
        /// The name that was requested.
        name: String,
        /// The nearest names, comma separated.
        nearest: String,
    },
    /// The resolution is outside the range of the case.
    #[error("--resolution is {asked} and must be from {least} to {most} {unit} for the case {case}")]
    Resolution {
        /// The resolution that was requested.
        asked: u32,
        /// The case's name.
        case: &'static str,
        /// Smallest resolution.
        least: u32,
        /// Largest resolution.
        most: u32,
        /// Unit of the resolution.
        unit: &'static str,
    },
    /// The simulated time is too short for a measurement, or too long.
    #[error("--seconds is {asked} and must be from {least} to {most} seconds of simulated time for the case {case}")]
    Seconds {
        /// The time that was requested, s.
        asked: f64,
        /// The case's name.
        case: &'static str,
        /// Shortest time, s.
        least: f64,
        /// Longest time, s.
        most: f64,
    },
    /// The solver does not simulate a fluid.
    #[error("the cases are of water, which {solver} does not simulate; leave out --solver {name}")]
    Solver {
        /// The solver's name on screen.
        solver: &'static str,
        /// The solver's name on the command line.
        name: &'static str,
    },
    /// A measured table could not be read.
    #[error("the table {table} in the program is damaged: {reason}; please report it")]
    Data {
        /// Its name.
        table: &'static str,
        /// Description of the damage.
        reason: String,
    },
    /// A plot could not be drawn.
    #[error("the plot \"{title}\" could not be drawn: {reason}; please report it")]
    Plot {
        /// Title of the figure.
        title: String,
        /// The message of the plotting library.
        reason: String,
    },
    /// The device or a shader failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The scene could not be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The simulation could not be made.
    #[error(transparent)]
    Fluid(#[from] FluidError),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}
