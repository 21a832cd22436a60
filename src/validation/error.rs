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
        /// What was asked for.
        name: String,
        /// The nearest names, comma separated.
        nearest: String,
    },
    /// The resolution is none that the case could be run with.
    #[error("--resolution is {asked}, and must be from {least} to {most} {unit} for the case {case}")]
    Resolution {
        /// What was asked for.
        asked: u32,
        /// The case's name.
        case: &'static str,
        /// Smallest and largest.
        least: u32,
        /// See above.
        most: u32,
        /// What is counted.
        unit: &'static str,
    },
    /// The time is too short for anything to be measured.
    #[error("--seconds is {asked}, and must be from {least} to {most} seconds of water for the case {case}")]
    Seconds {
        /// What was asked for.
        asked: f64,
        /// The case's name.
        case: &'static str,
        /// s.
        least: f64,
        /// s.
        most: f64,
    },
    /// The case is not for that solver.
    #[error("the case {case} is not for {solver}: {reason}")]
    Solver {
        /// The case's name.
        case: &'static str,
        /// The solver's name.
        solver: &'static str,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// A measured table could not be read.
    #[error("the table {table} in the program is damaged: {reason}; please report it")]
    Data {
        /// Its name.
        table: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A plot could not be drawn.
    #[error("the plot \"{title}\" could not be drawn: {reason}; please report it")]
    Plot {
        /// Of which figure.
        title: String,
        /// The library's words.
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
