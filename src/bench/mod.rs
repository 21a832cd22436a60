//! Benchmarks on the device's own clock, each result checked before it is timed.

mod error;
mod scenario;
mod searches;
mod spread;

pub use error::BenchError;
pub use scenario::{InputOrder, KernelSum, SCENARIOS, Scenario};
pub use searches::{SearchFigures, SearchRow, time_searches};
pub use spread::Spread;
