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
