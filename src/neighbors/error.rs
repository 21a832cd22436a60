//! The errors of [`Neighbors`](super::Neighbors).

use thiserror::Error;

use crate::gpu::GpuError;
use crate::search::SearchError;

/// Why neighbors cannot be found. Each message names the cause and the remedy.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum NeighborsError {
    /// There are more particles than places.
    #[error("{count} particles are more than the capacity of {capacity}; call `resize` first")]
    Count {
        /// Number of particles.
        count: u32,
        /// Number of places.
        capacity: u32,
    },
    /// The buffer of the positions is too short.
    #[error(
        "the buffer of the positions has {bytes} bytes, and {count} particles of 16 bytes need {needed}; make the buffer \
         larger or the count smaller"
    )]
    TooShort {
        /// Number of particles.
        count: u32,
        /// Size of the buffer.
        bytes: u64,
        /// Size that the particles need.
        needed: u64,
    },
    /// The buffer of the positions cannot be copied.
    #[error("the buffer of the positions lacks the usage COPY_SRC; create it with `wgpu::BufferUsages::COPY_SRC` too")]
    NotCopied,
    /// Passes belong to other buffers.
    #[error(
        "the passes \"{label}\" were made before the last change of size or domain, or for other neighbors; make them again"
    )]
    Stale {
        /// Their label.
        label: &'static str,
    },
    /// A kernel of the program relies on buffers of the program, which callers do not have.
    #[error("the pair kernel {0} belongs to the program; make your own with `PairKernel::from_wgsl`")]
    OfTheProgram(&'static str),
    /// The device refuses a caller's buffers.
    #[error("the device refuses the buffers of the pair kernel: {0}")]
    Buffers(String),
    /// There are more neighbors than the lists hold.
    #[error(
        "the lists hold {capacity} neighbors, and {needed} were found; call `reserve_lists({needed})` and record again"
    )]
    ListsFull {
        /// Number of neighbors found.
        needed: u64,
        /// Number of neighbors that the lists hold.
        capacity: u64,
    },
    /// The search refuses its input.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// An operation on the device failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}
