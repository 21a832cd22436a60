//! GPU times of single time steps, and the changes of the particles' order in memory between them.

use std::collections::VecDeque;

use crate::bench::median;
use crate::gpu::{PassTime, Phase};

/// Number of stored steps.
pub const STEPS_KEPT: usize = 600;
/// Number of stored events.
const MARKS_KEPT: usize = 60;
/// Prefix of the labels of passes that restore the order of the particles before a step.
const RESTORES: &str = "restore";

/// Times of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepTime {
    /// Number of the step since the scene's first frame.
    pub step: u64,
    /// Time of the build, ms.
    pub build: f32,
    /// Time of the traversals, ms.
    pub search: f32,
    /// Time of the physics, ms, without the passes that restore an older order.
    pub physics: f32,
    /// Time of the passes that restore an older order, ms.
    pub restore: f32,
}

/// A change of the particles' order in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderEvent {
    /// The particles were shuffled.
    Shuffled,
    /// From then on the particles are sorted in memory at every n-th step.
    Interval(u64),
}

/// The times of the last steps, oldest first, and the events between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepTimes {
    times: VecDeque<StepTime>,
    marks: VecDeque<(u64, OrderEvent)>,
}

/// Medians over some steps, ms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepMedians {
    /// Number of steps.
    pub count: usize,
    /// Median of [`StepTime::build`].
    pub build: f64,
    /// Median of [`StepTime::search`].
    pub search: f64,
    /// Median of [`StepTime::physics`].
    pub physics: f64,
    /// Median of [`StepTime::restore`].
    pub restore: f64,
}

impl StepMedians {
    /// Total time of a step, ms.
    pub fn whole(&self) -> f64 {
        self.build + self.search + self.physics + self.restore
    }
}

impl StepTimes {
    /// Adds the times of a step's passes. A step number below the last one clears the history first.
    pub fn push(&mut self, step: u64, passes: &[PassTime]) {
        if self.times.back().is_some_and(|last| step < last.step) {
            self.times.clear();
            self.marks.retain(|(at, _)| *at <= step);
        }
        let mut time = StepTime { step, ..StepTime::default() };
        for pass in passes {
            let milliseconds = pass.milliseconds as f32;
            match pass.phase {
                Phase::Build => time.build += milliseconds,
                Phase::Search => time.search += milliseconds,
                Phase::Physics if pass.label.starts_with(RESTORES) => time.restore += milliseconds,
                Phase::Physics => time.physics += milliseconds,
                Phase::Drawing => {}
            }
        }
        if self.times.len() == STEPS_KEPT {
            self.times.pop_front();
        }
        self.times.push_back(time);
    }

    /// Records an event after step `step`.
    pub fn mark(&mut self, step: u64, event: OrderEvent) {
        if self.marks.len() == MARKS_KEPT {
            self.marks.pop_front();
        }
        self.marks.push_back((step, event));
    }

    /// Clears the history.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The stored steps, oldest first.
    pub fn times(&self) -> impl ExactSizeIterator<Item = &StepTime> + Clone {
        self.times.iter()
    }

    /// The events since the first stored step, with the step after which they happened.
    pub fn marks(&self) -> impl Iterator<Item = (u64, OrderEvent)> {
        let first = self.times.front().map_or(0, |time| time.step);
        self.marks.iter().copied().filter(move |(step, _)| *step + 1 >= first)
    }

    /// Medians over the stored steps whose number is in `steps`.
    pub fn medians(&self, steps: std::ops::RangeInclusive<u64>) -> StepMedians {
        let chosen = || self.times.iter().filter(|time| steps.contains(&time.step));
        let of = |part: fn(&StepTime) -> f32| median(chosen().map(|time| f64::from(part(time)))).unwrap_or_default();
        StepMedians {
            count: chosen().count(),
            build: of(|time| time.build),
            search: of(|time| time.search),
            physics: of(|time| time.physics),
            restore: of(|time| time.restore),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(phase: Phase, label: &'static str, milliseconds: f64) -> PassTime {
        PassTime { phase, label, milliseconds, start_milliseconds: 0.0 }
    }

    #[test]
    fn steps_are_bounded_split_by_phase_and_cleared_by_a_reset() {
        let mut times = StepTimes::default();
        for step in 1..=STEPS_KEPT as u64 + 5 {
            let build = if step > 300 { 4.0 } else { 1.0 };
            times.push(
                step,
                &[
                    pass(Phase::Build, "count", build),
                    pass(Phase::Search, "density", 2.0),
                    pass(Phase::Physics, "restore positions", 0.5),
                    pass(Phase::Physics, "move", 0.25),
                    pass(Phase::Drawing, "draw", 9.0),
                ],
            );
        }
        times.mark(300, OrderEvent::Shuffled);
        assert_eq!(times.times().len(), STEPS_KEPT);
        assert_eq!(times.marks().collect::<Vec<_>>(), [(300, OrderEvent::Shuffled)]);
        let (before, after) = (times.medians(0..=300), times.medians(301..=u64::MAX));
        assert_eq!((before.build, after.build), (1.0, 4.0));
        assert_eq!((after.restore, after.physics, after.search), (0.5, 0.25, 2.0));
        assert!((after.whole() - 6.75).abs() < 1e-6);
        times.push(1, &[]);
        assert_eq!((times.times().len(), times.marks().count()), (1, 0), "a reset clears the history");
    }
}
