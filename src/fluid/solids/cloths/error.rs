//! The errors of cloths, each with a message of one sentence that names the cause and how to fix it.

use thiserror::Error;

use crate::fluid::FluidError;

/// Why a cloth cannot be simulated.
#[derive(Debug, Clone, Error)]
pub(super) enum ClothError {
    /// The cloths need too many particles.
    #[error(
        "the cloths would need {count} particles, and at most {limit} are supported; use a larger radius or smaller \
         counts"
    )]
    TooManyParticles {
        /// Number of particles that would be needed.
        count: u64,
        /// Largest number allowed.
        limit: u64,
    },
}

impl From<ClothError> for FluidError {
    fn from(error: ClothError) -> Self {
        Self::of_solid(error)
    }
}
