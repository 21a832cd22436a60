//! The errors of fixed boundaries, each with a message of one sentence that names the cause and how to fix it.

use thiserror::Error;

use crate::fluid::FluidError;

/// Why a fixed boundary cannot be simulated.
#[derive(Debug, Clone, Error)]
pub(super) enum BoundaryError {
    /// A boundary without particles, which would have no effect.
    #[error(
        "boundaries[{boundary}] gets no particles at a spacing of {spacing} m, because it lies outside the box or \
         inside another boundary, or is far smaller than the spacing; move or enlarge it, or use a smaller radius or \
         more particles"
    )]
    WithoutParticles {
        /// Which, counted from 0.
        boundary: usize,
        /// m.
        spacing: f32,
    },
}

impl From<BoundaryError> for FluidError {
    fn from(error: BoundaryError) -> Self {
        Self::of_solid(error)
    }
}
