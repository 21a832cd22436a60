//! What things cost on a device: the device's own timestamps, after a warm-up by time, medians of many runs, and only
//! of results that were checked.

mod error;
mod paper;
mod primitives;
mod runs;
mod scenario;
mod searches;
mod spread;
mod steps;

pub use error::BenchError;
pub use paper::{PaperCase, PaperTable, Published, Verdict, paper_tables};
pub use primitives::time_primitives;
pub use runs::run_times;
pub use scenario::{InputOrder, KernelSum, SCENARIOS, Scenario};
pub use searches::{SearchFigures, SearchRow, time_searches};
pub use spread::{Spread, median};
pub use steps::{StepFigures, time_steps};
