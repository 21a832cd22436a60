//! Files that come and go: frames for other programs, states to go on from, points to start with, tables.
//!
//! Nothing here knows the fluid: it is handed plain arrays. Every file is written by [`write_whole`], so that a
//! half-written one never stands where a good one stood.

mod csv_frame;
mod csv_points;
mod error;
mod frame;
mod ply_frame;
mod ply_points;
mod points;
mod series;
pub mod state;
mod table;
mod vtk_frame;
mod whole;

pub use error::FileError;
pub use frame::Frame;
pub use points::{Points, read_points};
pub use series::{FrameFormat, FrameSeries};
pub use state::Fingerprint;
pub use table::write_table;
pub use whole::{WholeWriter, check_writable, make_folder, write_whole};
