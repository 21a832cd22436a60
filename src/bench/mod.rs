//! What things cost on a device: device timestamps, after a warm-up by time, medians of many runs, and only of results
//! that were checked.

mod primitives;
mod runs;

pub use primitives::time_primitives;
pub use runs::{median, run_times};
