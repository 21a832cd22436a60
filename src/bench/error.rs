//! The errors of benchmarks.

use thiserror::Error;

use crate::fluid::{FluidError, SceneError};
use crate::gpu::GpuError;
use crate::search::SearchError;

/// Why a benchmark failed.
#[non_exhaustive]
#[derive(Debug, Error)]
pub enum BenchError {
    /// A result was wrong; wrong results are not timed.
    #[error("{what} has a relative error of {error:.1e} and was not timed; please report the adapter and its driver")]
    Wrong {
        /// The computed quantity.
        what: String,
        /// Largest relative difference from the CPU's result.
        error: f64,
    },
    /// No paper's table has that name.
    #[error("there is no table \"{name}\"; the nearest names are {nearest}, and \"all\" runs them all")]
    UnknownTable {
        /// The name that was requested.
        name: String,
        /// The nearest names, comma separated.
        nearest: String,
    },
    /// The figures of the papers could not be read.
    #[error("the papers' tables in the program are damaged: {0}; please report it")]
    TableData(String),
    /// The times of another program could not be read.
    #[error("{file} was not read: {reason}; --against reads the table of another program's times on the same input")]
    Rival {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
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
