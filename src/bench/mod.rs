//! Benchmarks: times from the device's own timestamps, after a timed warm-up, as medians of many runs, and only for
//! results that were checked.

mod error;
mod fastest;
mod paper;
mod primitives;
mod progress;
mod rival;
mod runs;
mod scenario;
mod searches;
mod spread;
mod step_time;
mod steps;
mod trial;

pub use error::BenchError;
pub use fastest::{Ranking, StepTime, rank_searches};
pub use paper::{PaperCase, PaperRun, PaperTable, Published, Settings, Verdict, paper_tables};
pub use primitives::time_primitives;
pub use progress::Progress;
pub use rival::{Rival, RivalTime};
pub use runs::run_times;
pub use scenario::{InputOrder, SCENARIOS, Scenario, upload};
pub use searches::time_searches;
pub use spread::{Spread, median};
pub(crate) use step_time::least_of_groups;
pub use step_time::{StepTiming, time_of_more_steps, time_of_step};
pub use steps::{StepFigures, time_steps};
pub use trial::{MakePasses, SearchFigures, SearchRow, SearchTrial, TrialInput};
