//! What one configuration of a search did on all fixtures.

use std::time::Instant;

use nearwater::gpu::Gpu;
use nearwater::search::verify::{Case, Comparison, SearchConfiguration, compare};

use crate::command::CommandError;

/// The results of one configuration.
#[derive(Clone, Default)]
pub(super) struct Tally {
    right: u32,
    neighbors: u64,
    ambiguous: u64,
    candidates: u64,
    seconds: f64,
    pub wrong: Vec<String>,
    refused: Vec<String>,
}

impl Tally {
    /// Checks one fixture, and returns the fingerprint of the neighbor sets, or `None` if the search refused it.
    pub fn take(
        &mut self,
        gpu: &Gpu,
        configuration: &SearchConfiguration,
        case: &Case,
    ) -> Result<Option<u64>, CommandError> {
        let started = Instant::now();
        let fingerprint = match compare(gpu, configuration, case) {
            Ok(comparison) => {
                self.add(&comparison, &case.fixture().name);
                Some(comparison.fingerprint)
            }
            // A search may refuse a set that exceeds its limits. This is reported, and is not an error of the check.
            Err(refusal) if refusal.is_refusal() => {
                self.refused.push(format!("\"{}\": {refusal}", case.fixture().name));
                None
            }
            Err(error) => return Err(error.into()),
        };
        self.seconds += started.elapsed().as_secs_f64();
        Ok(fingerprint)
    }

    fn add(&mut self, comparison: &Comparison, fixture: &str) {
        match &comparison.disagreement {
            Some(disagreement) => self.wrong.push(format!("\"{fixture}\": {disagreement}")),
            None => self.right += 1,
        }
        self.neighbors += comparison.neighbor_count;
        self.ambiguous += comparison.ambiguous_count;
        self.candidates += comparison.totals.candidates;
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
