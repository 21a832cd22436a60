//! Collects the GPU times of every pass of every step, and writes and prints them.

use std::collections::VecDeque;
use std::path::Path;

use nearwater::bench::median;
use nearwater::files::write_table;
use nearwater::gpu::{PassTime, Phase};

use super::CommandError;

/// GPU times of every pass of every step of a run.
#[derive(Default)]
pub struct Timings {
    /// Whether the adapter has timestamps.
    pub supported: bool,
    waiting: VecDeque<(u64, f64)>,
    steps: Vec<(u64, f64, Vec<PassTime>)>,
}

impl Timings {
    /// Notes that a step was recorded. Its times arrive later, in the order of the steps.
    pub fn recorded(&mut self, step: u64, time: f64) {
        self.waiting.push_back((step, time));
    }

    /// Assigns times that arrived to the oldest steps without times.
    pub fn arrived(&mut self, frames: Vec<Vec<PassTime>>) {
        for passes in frames {
            if let Some((step, time)) = self.waiting.pop_front() {
                self.steps.push((step, time, passes));
            }
        }
    }

    /// The passes of the first step that has the most: some only follow every few steps.
    fn longest(&self) -> Option<&[PassTime]> {
        let most = self.steps.iter().map(|(.., passes)| passes.len()).max()?;
        self.steps.iter().map(|(.., passes)| passes.as_slice()).find(|passes| passes.len() == most)
    }

    /// Writes one row per step: its number, the simulated time in seconds, and each pass in milliseconds.
    pub fn write(&self, file: &Path) -> Result<(), CommandError> {
        let labels = self.longest().unwrap_or_default().iter();
        let columns_of_passes = labels.len();
        let columns = labels.map(|pass| format!("{}: {} [ms]", pass.phase.label(), pass.label));
        let header = ["step", "time_s"].into_iter().map(str::to_owned).chain(columns).collect();
        let untimed = self.waiting.iter().map(|&(step, time)| (step, time, [].as_slice()));
        let timed = self.steps.iter().map(|(step, time, passes)| (*step, *time, passes.as_slice()));
        let rows = timed.chain(untimed).map(|(step, time, passes)| {
            let times = passes.iter().map(|pass| format!("{:.6}", pass.milliseconds));
            // Passes that did not follow the step have empty fields.
            let absent = columns_of_passes - passes.len();
            let times = times.chain(std::iter::repeat_n(String::new(), absent));
            [step.to_string(), format!("{time:.9}")].into_iter().chain(times).collect()
        });
        Ok(write_table(file, std::iter::once::<Vec<String>>(header).chain(rows))?)
    }

    /// Prints the median time of every pass and of every phase.
    pub fn print_medians(&self) {
        if !self.supported {
            outln!("pass times: not supported by this adapter");
            return;
        }
        let Some(passes) = self.longest() else { return };
        outln!("medians of {} steps:", self.steps.len());
        for (index, pass) in passes.iter().enumerate() {
            let times = self.steps.iter().filter_map(|(.., passes)| passes.get(index)).map(|pass| pass.milliseconds);
            outln!("  {:<8} {:<28} {:>9.4} ms", pass.phase.label(), pass.label, median(times).unwrap_or_default());
        }
        for phase in Phase::ALL {
            let total = median(self.steps.iter().map(|(.., passes)| {
                passes.iter().filter(|pass| pass.phase == phase).map(|pass| pass.milliseconds).sum()
            }))
            .unwrap_or_default();
            if total > 0.0 {
                outln!("  {:<37} {total:>9.4} ms", phase.label());
            }
        }
    }
}
