//! Errors of exports to LAMMPS, each with a message of one sentence.

use thiserror::Error;

use crate::files::FileError;
use crate::fluid::FluidError;

/// Why a scene cannot be exported to LAMMPS.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum LammpsError {
    /// The scene contains something that the SPH of LAMMPS does not have.
    #[error("the scene \"{scene}\" has {what}, which the SPH of LAMMPS does not have; {mend}")]
    Inexpressible {
        /// Name of the scene.
        scene: String,
        /// What it has.
        what: String,
        /// What to do about it.
        mend: String,
    },
    /// More particles than LAMMPS can number.
    #[error(
        "the export would have {count} particles with those of walls, and LAMMPS numbers at most {most}; use fewer \
         particles or a larger radius"
    )]
    TooMany {
        /// Particles of the export.
        count: u64,
        /// The most that are possible.
        most: u64,
    },
    /// The caller has ended it.
    #[error("the export was ended before it was complete, and no file was written")]
    Ended,
    /// The size does not suit the scene, or a solid cannot be sampled.
    #[error(transparent)]
    Fluid(#[from] FluidError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}
