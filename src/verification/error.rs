//! Errors of the verification.

use thiserror::Error;

use crate::files::FileError;
use crate::fluid::FluidError;
use crate::gpu::GpuError;
use crate::search::SearchError;

/// Why a verification could not be run.
#[non_exhaustive]
#[derive(Debug, Error)]
pub enum VerificationError {
    /// A fixture file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The device or a shader failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A simulation failed.
    #[error(transparent)]
    Fluid(#[from] FluidError),
    /// A mutant names a line or a token that its shader does not have.
    #[error("the mutant \"{mutant}\" does not fit its shader: {reason}")]
    Mutant {
        /// The mutant in words.
        mutant: String,
        /// What does not fit.
        reason: String,
    },
    /// Particles of a simulation are at no place.
    #[error("only {found} of {of} particles are at a place that is a number")]
    LostParticles {
        /// Particles with a place.
        found: usize,
        /// Particles of the fluid.
        of: usize,
    },
    /// A search or solver is wrong without any mutant, so that mutants prove nothing.
    #[error("{subject} on \"{fixture}\" is wrong without any change: {reason}")]
    WrongWithoutMutant {
        /// The search or solver and its settings.
        subject: String,
        /// What it was checked on.
        fixture: String,
        /// The disagreement or the error.
        reason: String,
    },
}
