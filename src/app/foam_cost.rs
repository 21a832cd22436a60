//! What spray, foam and bubbles cost. A step of foam follows few of the water's steps, so it is timed by itself.

use std::collections::VecDeque;

use super::format;
use crate::bench::median;
use crate::fluid::Simulation;

/// Number of steps of foam over which the median is taken.
const KEPT: usize = 60;

/// The times of the last steps of foam.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoamCost {
    /// ms, oldest first; len ≤ [`KEPT`].
    times: VecDeque<f64>,
    /// Number of steps of the water for each step of foam; 0 without foam.
    every: u64,
}

impl FoamCost {
    /// Takes over the times that have arrived. Without foam, or after it was set to another interval, those before are
    /// forgotten.
    pub(super) fn follow(&mut self, simulation: &mut Simulation) {
        self.take(simulation.take_foam_times(), simulation.steps_of_foam().unwrap_or(0));
    }

    fn take(&mut self, times: Vec<f64>, every: u64) {
        if self.every != every {
            *self = Self { times: VecDeque::new(), every };
        }
        self.times.extend(times);
        let surplus = self.times.len().saturating_sub(KEPT);
        self.times.drain(..surplus);
    }

    /// Median of a step of foam, ms; `None` before one was timed.
    fn step(&self) -> Option<f64> {
        median(self.times.iter().copied())
    }

    /// Its share of a step of the water, ms; 0 before a step of foam was timed.
    pub fn share_of_step(&self) -> f32 {
        self.step().map_or(0.0, |step| step / self.every.max(1) as f64) as f32
    }

    /// The cost in words, as "0.42 ms every 12 steps"; `None` before a step of foam was timed.
    pub(super) fn words(&self) -> Option<String> {
        let steps = if self.every == 1 { "step".to_owned() } else { format!("{} steps", self.every) };
        self.step().map(|step| format!("{} ms every {steps}", format::number(step)))
    }
}

#[cfg(test)]
mod tests {
    use super::{FoamCost, KEPT};

    #[test]
    fn the_cost_is_the_median_of_recent_steps_of_foam() {
        let mut cost = FoamCost::default();
        assert_eq!((cost.words(), cost.share_of_step()), (None, 0.0));
        cost.take(vec![0.3, 0.9, 0.6], 12);
        assert_eq!(cost.words().as_deref(), Some("0.600 ms every 12 steps"));
        assert!((cost.share_of_step() - 0.05).abs() < 1e-6);
        cost.take(vec![2.4; KEPT], 12);
        assert!((cost.share_of_step() - 0.2).abs() < 1e-6, "old times are forgotten");
        cost.take(Vec::new(), 6);
        assert_eq!(cost.words(), None, "times at another interval do not count");
    }
}
