//! What one configuration of a search did on all fixtures.

use std::time::Instant;

use nearwater::gpu::Gpu;
use nearwater::search::SearchError;
use nearwater::search::verify::{Case, Comparison, SearchConfiguration, compare};

use crate::command::CommandError;

/// The results of one configuration.
#[derive(Default)]
pub(super) struct Tally {
    right: u32,
    neighbors: u64,
    ambiguous: u64,
    candidates: u64,
    seconds: f64,
    pub wrong: Vec<String>,
    refused: Vec<String>,
}

/// What a search did on one fixture.
pub(super) struct Checked {
    /// The comparison, or why the search refused the fixture, as it may when its limits are exceeded.
    comparison: Result<Comparison, SearchError>,
    seconds: f64,
}

impl Checked {
    /// Checks one fixture.
    ///
    /// # Errors
    /// When the device fails.
    pub fn new(gpu: &Gpu, configuration: &SearchConfiguration, case: &Case) -> Result<Self, CommandError> {
        let started = Instant::now();
        let comparison = match compare(gpu, configuration, case) {
            Err(error) if !error.is_refusal() => return Err(error.into()),
            comparison => comparison,
        };
        Ok(Self { comparison, seconds: started.elapsed().as_secs_f64() })
    }

    /// The fingerprint of the neighbor sets, or `None` if the search refused the fixture.
    pub fn fingerprint(&self) -> Option<u64> {
        self.comparison.as_ref().ok().map(|comparison| comparison.fingerprint)
    }
}

impl Tally {
    /// Number of fixtures so far.
    pub fn fixtures(&self) -> usize {
        self.right as usize + self.wrong.len() + self.refused.len()
    }

    /// Adds the result on the fixture of this name.
    pub fn add(&mut self, checked: Checked, fixture: &str) {
        self.seconds += checked.seconds;
        match checked.comparison {
            Ok(comparison) => {
                match &comparison.disagreement {
                    Some(disagreement) => self.wrong.push(format!("\"{fixture}\": {disagreement}")),
                    None => self.right += 1,
                }
                self.neighbors += comparison.neighbor_count;
                self.ambiguous += comparison.ambiguous_count;
                self.candidates += comparison.totals.candidates;
            }
            Err(refusal) => self.refused.push(format!("\"{fixture}\": {refusal}")),
        }
    }

    /// The lines of a report: the numbers, and what was wrong or refused.
    pub fn lines(&self, configuration: &str) -> Vec<String> {
        let numbers = format!(
            "{configuration:<32} {:>3} exact, {} wrong, {} refused; {:>12} pairs, {:>14} candidates, \
             {} left out at the radius; {:.1} s",
            self.right,
            self.wrong.len(),
            self.refused.len(),
            self.neighbors,
            self.candidates,
            self.ambiguous,
            self.seconds
        );
        let wrong = self.wrong.iter().map(|wrong| format!("    WRONG on {wrong}"));
        let refused = self.refused.iter().map(|refused| format!("    refused {refused}"));
        [numbers].into_iter().chain(wrong).chain(refused).collect()
    }
}
