//! The errors of the laboratory.

use thiserror::Error;

use crate::bench::BenchError;
use crate::files::FileError;
use crate::fluid::FluidError;
use crate::gpu::GpuError;
use crate::search::SearchError;
use crate::validation::ValidationError;

/// Why the laboratory has no result. Each message names the cause and how to fix it.
#[non_exhaustive]
#[derive(Debug, Error)]
pub enum LaboratoryError {
    /// A lesson does not apply to the selected search.
    #[error(
        "the lesson \"{lesson}\" needs a search whose cell edge can be set, and that of {search} cannot: select \
         {others}"
    )]
    NoCellEdge {
        /// The lesson's title.
        lesson: &'static str,
        /// The search's title.
        search: &'static str,
        /// Titles of searches that it applies to.
        others: String,
    },
    /// The input of a sweep is invalid, or there is nothing to plot.
    #[error("{0}")]
    Sweep(String),
    /// The device or a shader failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The window is not inside the buffer, or longer than a strip may be.
    #[error(
        "elements {first} to {end} of `{buffer}` cannot be shown: it has {length} elements, and a strip shows from 1 \
         to {limit} of them"
    )]
    Window {
        /// The buffer's name.
        buffer: String,
        /// The first requested element.
        first: u64,
        /// The element after the last requested one.
        end: u64,
        /// Number of elements of the buffer.
        length: u64,
        /// Largest number of elements of a strip.
        limit: u64,
    },
    /// The buffer was created without the usage that copying requires.
    #[error("`{0}` cannot be read back, because its buffer was created without the usage COPY_SRC")]
    NotReadable(String),
    /// The grid has no such cells.
    #[error("there are no cells {first} to {end}: the search has {count} cells, numbered from 0")]
    NoCells {
        /// The first requested cell.
        first: u32,
        /// The cell after the last requested one.
        end: u32,
        /// Number of cells.
        count: u32,
    },
    /// Too many cells at once.
    #[error("the blocks of {requested} cells are too many to be read at once; request at most {limit} cells")]
    TooManyCells {
        /// Number of requested cells.
        requested: u32,
        /// Largest number of cells.
        limit: u32,
    },
    /// All passes of the step have run.
    #[error("all {0} passes of the time step have run; start another step")]
    StepIsComplete(usize),
    /// The simulation was changed between two passes of the step.
    #[error(
        "the simulation was changed or advanced before its step was complete, so the rest of the step cannot run; \
         start another step"
    )]
    SimulationChanged,
    /// A measurement failed.
    #[error(transparent)]
    Bench(Box<BenchError>),
    /// The simulation failed.
    #[error(transparent)]
    Fluid(Box<FluidError>),
    /// A file could not be written.
    #[error(transparent)]
    File(Box<FileError>),
    /// A table could not be formatted.
    #[error("the table could not be written as CSV: {0}")]
    Table(#[from] csv::Error),
    /// A plot could not be drawn.
    #[error(transparent)]
    Plot(Box<ValidationError>),
}

/// Errors of other layers are boxed; otherwise every `Result` of the laboratory would be as large as the largest error.
macro_rules! boxed {
    ($($variant:ident($error:ty)),*) => {
        $(impl From<$error> for LaboratoryError {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        })*
    };
}

boxed!(Bench(BenchError), Fluid(FluidError), File(FileError), Plot(ValidationError));
