//! Input and output files: frames for other programs, saved states, initial points, neighbor lists of other programs,
//! tables.
//!
//! This layer takes and returns plain arrays and does not depend on `fluid`. Every file is written by [`write_whole`],
//! which replaces an existing file only once the new one is complete. Formats of other programs need the cargo feature
//! `export`.

#[cfg(feature = "export")]
mod csv_frame;
#[cfg(feature = "export")]
mod csv_points;
mod error;
mod frame;
pub(crate) mod input;
mod leftovers;
#[cfg(feature = "export")]
mod npy;
#[cfg(feature = "export")]
mod npy_points;
#[cfg(feature = "export")]
mod open;
#[cfg(feature = "export")]
mod pairs;
#[cfg(feature = "export")]
mod ply;
#[cfg(feature = "export")]
mod ply_frame;
#[cfg(feature = "export")]
mod ply_points;
mod point_set;
#[cfg(feature = "export")]
mod points;
#[cfg(not(feature = "export"))]
mod points_left_out;
#[cfg(feature = "export")]
mod recorded;
#[cfg(feature = "export")]
mod series;
pub mod state;
#[cfg(feature = "export")]
mod table;
#[cfg(feature = "export")]
mod vtk_frame;
mod whole;

pub use error::FileError;
pub use frame::Frame;
pub(crate) use input::{read_bytes, read_text};
#[cfg(feature = "export")]
pub use pairs::{ListForm, ListedPairs, PairFiles, read_classes, read_pairs};
pub use point_set::Points;
#[cfg(feature = "export")]
pub use points::{read_finite_positions, read_points};
#[cfg(not(feature = "export"))]
pub use points_left_out::read_points;
#[cfg(feature = "export")]
pub use recorded::{RecordedField, RecordedFrame, Recording};
#[cfg(feature = "export")]
pub use series::{FrameFormat, FrameSeries};
pub use state::Fingerprint;
#[cfg(feature = "export")]
pub use table::write_table;
pub use whole::{WholeWriter, check_writable, make_folder, make_folder_of, write_whole, write_whole_at};
