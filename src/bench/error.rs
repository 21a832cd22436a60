use thiserror::Error;

use crate::fluid::{FluidError, SceneError};
use crate::gpu::GpuError;
use crate::search::SearchError;

/// Why nothing was timed.
#[non_exhaustive]
#[derive(Debug, Error)]
pub enum BenchError {
    /// A result was wrong, and a wrong result is not worth timing.
    #[error("{what} is wrong by {error:.1e} of its value and was not timed; please report the adapter and its driver")]
    Wrong {
        /// What was computed.
        what: String,
        /// Largest relative difference from the CPU.
        error: f64,
    },
    /// No paper's table has that name.
    #[error("there is no table \"{name}\"; the nearest names are {nearest}, and \"all\" runs them all")]
    UnknownTable {
        /// What was asked for.
        name: String,
        /// The nearest names, comma separated.
        nearest: String,
    },
    /// The papers' figures could not be read.
    #[error("the papers' tables in the program are damaged: {0}; please report it")]
    TableData(String),
    /// The device or a shader failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The scene could not be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The simulation could not be made.
    #[error(transparent)]
    Fluid(#[from] FluidError),
}
