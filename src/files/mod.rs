//! Input and output files: frames for other programs, saved states, initial points, neighbor lists of other programs,
//! tables.
//!
//! This layer takes and returns plain arrays and does not depend on `fluid`. Every file is written by [`write_whole`],
//! which replaces an existing file only once the new one is complete.

mod csv_frame;
mod csv_points;
mod error;
mod frame;
mod npy;
mod npy_points;
mod open;
mod pairs;
mod ply_frame;
mod ply_points;
mod point_set;
mod points;
mod recorded;
mod series;
pub mod state;
mod table;
mod vtk_frame;
mod whole;

pub use error::FileError;
pub use frame::Frame;
pub use pairs::{ListForm, ListedPairs, PairFiles, read_classes, read_pairs};
pub use point_set::Points;
pub use points::{read_finite_positions, read_points};
pub use recorded::{RecordedField, RecordedFrame, Recording};
pub use series::{FrameFormat, FrameSeries};
pub use state::Fingerprint;
pub use table::write_table;
pub use whole::{WholeWriter, check_writable, make_folder, write_whole, write_whole_at};
