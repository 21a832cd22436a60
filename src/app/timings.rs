//! Recent times of every pass, and the speed of the simulation.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::bench::median;
use crate::gpu::{PassTime, Phase};

/// Number of timed frames over which medians are taken.
pub const FRAMES: usize = 120;

/// The last times of one pass.
#[derive(Clone, Debug)]
pub struct PassHistory {
    /// The phase of the frame to which the pass belongs.
    pub phase: Phase,
    /// The pass's label.
    pub label: &'static str,
    /// Number of passes with the same phase and label before this one in a frame.
    turn: usize,
    /// Times of the pass, ms, oldest first; len ≤ [`FRAMES`].
    pub milliseconds: VecDeque<f32>,
}

impl PassHistory {
    /// Median of the stored times, ms; 0 if there are none.
    pub fn median(&self) -> f32 {
        median(self.milliseconds.iter().copied().map(f64::from)).unwrap_or_default() as f32
    }

    fn push(&mut self, milliseconds: f32) {
        if self.milliseconds.len() == FRAMES {
            self.milliseconds.pop_front();
        }
        self.milliseconds.push_back(milliseconds);
    }
}

/// The last times of every pass of a time step, and of the passes that draw.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    passes: Vec<PassHistory>,
}

impl Timings {
    /// Adds the times of a frame in which at most one time step was timed. A frame without a step (paused) leaves the
    /// passes of the step unchanged; a frame with a step removes the passes that the step no longer has.
    pub fn push(&mut self, frame: &[PassTime]) {
        let drops = |phase: Phase| frame.iter().any(|time| is_drawing(time.phase) == is_drawing(phase));
        let is_alike = |a: &PassTime, b: &PassTime| a.phase == b.phase && a.label == b.label;
        let turn_of = |place: usize| frame[..place].iter().filter(|earlier| is_alike(earlier, &frame[place])).count();
        let is_of = |pass: &PassHistory, place: usize| {
            let time = &frame[place];
            pass.phase == time.phase && pass.label == time.label && pass.turn == turn_of(place)
        };
        self.passes.retain(|pass| !drops(pass.phase) || (0..frame.len()).any(|place| is_of(pass, place)));
        for (place, time) in frame.iter().enumerate() {
            match self.passes.iter_mut().find(|pass| is_of(pass, place)) {
                Some(pass) => pass.push(time.milliseconds as f32),
                None => self.passes.insert(
                    place.min(self.passes.len()),
                    PassHistory {
                        phase: time.phase,
                        label: time.label,
                        turn: turn_of(place),
                        milliseconds: VecDeque::from([time.milliseconds as f32]),
                    },
                ),
            }
        }
    }

    /// Clears all times, after a change that makes them incomparable.
    pub fn clear(&mut self) {
        self.passes.clear();
    }

    /// All passes, in the order of a frame.
    pub fn passes(&self) -> &[PassHistory] {
        &self.passes
    }

    /// The pass of these times that corresponds to a pass of others.
    pub fn alike(&self, other: &PassHistory) -> Option<&PassHistory> {
        let is_alike =
            |pass: &&PassHistory| pass.phase == other.phase && pass.label == other.label && pass.turn == other.turn;
        self.passes.iter().find(is_alike)
    }

    /// Sum of the medians of a phase's passes, ms, for one time step or for the drawing of one frame.
    pub fn phase_milliseconds(&self, phase: Phase) -> f32 {
        self.passes.iter().filter(|pass| pass.phase == phase).map(PassHistory::median).sum()
    }

    /// Sum of the medians of a time step's passes, ms; `None` before a step was timed.
    pub fn step_milliseconds(&self) -> Option<f32> {
        let mut passes = self.passes.iter().filter(|pass| !is_drawing(pass.phase)).peekable();
        passes.peek()?;
        Some(passes.map(PassHistory::median).sum())
    }
}

fn is_drawing(phase: Phase) -> bool {
    phase == Phase::Drawing
}

/// Counts steps, frames and simulated time over the last second.
#[derive(Clone, Debug, Default)]
pub struct Speedometer {
    marks: VecDeque<Mark>,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    at: Instant,
    steps: u32,
    simulated: f64,
}

/// Speed over the last second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    /// Frames per second.
    pub frames_per_second: f64,
    /// Time steps per second.
    pub steps_per_second: f64,
    /// Simulated seconds per second; 1 is real time.
    pub real_time_factor: f64,
}

impl Speedometer {
    /// Records a frame that ended at the time `at` and made `steps` steps of `time_step` seconds.
    pub fn frame(&mut self, at: Instant, steps: u32, time_step: f64) {
        self.marks.push_back(Mark { at, steps, simulated: f64::from(steps) * time_step });
        // At least two marks are kept, because a single frame may take longer than a second.
        while self.marks.len() > 2 && at - self.marks[0].at > Duration::from_secs(1) {
            self.marks.pop_front();
        }
    }

    /// Mean speed over the stored frames.
    pub fn speed(&self) -> Speed {
        let (Some(first), Some(last)) = (self.marks.front(), self.marks.back()) else { return Speed::default() };
        let seconds = (last.at - first.at).as_secs_f64();
        if seconds <= 0.0 {
            return Speed::default();
        }
        // The first mark is the start of the time span, so its frame is not part of it.
        let span = || self.marks.iter().skip(1);
        Speed {
            frames_per_second: span().count() as f64 / seconds,
            steps_per_second: span().map(|mark| f64::from(mark.steps)).sum::<f64>() / seconds,
            real_time_factor: span().map(|mark| mark.simulated).sum::<f64>() / seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(phase: Phase, label: &'static str, milliseconds: f64) -> PassTime {
        PassTime { phase, label, milliseconds, start_milliseconds: 0.0 }
    }

    #[test]
    fn medians_are_of_the_last_frames_and_passes_of_another_search_are_removed() {
        let mut timings = Timings::default();
        for frame in 0..FRAMES + 50 {
            let milliseconds = if frame < 50 { 100.0 } else { 2.0 };
            timings.push(&[time(Phase::Build, "count", milliseconds), time(Phase::Drawing, "draw", 1.0)]);
        }
        assert!((timings.phase_milliseconds(Phase::Build) - 2.0).abs() < 1e-6);
        assert_eq!(timings.passes()[0].milliseconds.len(), FRAMES);
        timings.push(&[time(Phase::Drawing, "draw", 1.0)]);
        assert_eq!(timings.step_milliseconds(), Some(2.0), "a paused frame forgot the step");
        timings.push(&[time(Phase::Search, "pairs", 5.0), time(Phase::Drawing, "draw", 1.0)]);
        let labels: Vec<_> = timings.passes().iter().map(|pass| pass.label).collect();
        assert_eq!(labels, ["pairs", "draw"]);
        assert_eq!(timings.step_milliseconds(), Some(5.0));
    }

    #[test]
    fn passes_with_the_same_label_are_distinguished() {
        let mut timings = Timings::default();
        let frame = [
            time(Phase::Build, "reorder", 1.0),
            time(Phase::Physics, "reorder", 2.0),
            time(Phase::Search, "finish deposits", 4.0),
            time(Phase::Search, "finish deposits", 8.0),
        ];
        timings.push(&frame);
        timings.push(&frame);
        let kept: Vec<_> = timings.passes().iter().map(|pass| (pass.label, pass.median())).collect();
        assert_eq!(kept.len(), 4);
        assert!((timings.step_milliseconds().expect("a step was timed") - 15.0).abs() < 1e-6, "{kept:?}");
    }

    #[test]
    fn speed_is_measured_over_the_last_second() {
        let start = Instant::now();
        let mut meter = Speedometer::default();
        assert_eq!(meter.speed(), Speed::default());
        for frame in 0..=100_u32 {
            meter.frame(start + Duration::from_millis(u64::from(frame) * 50), 4, 0.005);
        }
        let speed = meter.speed();
        assert!((speed.frames_per_second - 20.0).abs() < 1e-6, "{speed:?}");
        assert!((speed.steps_per_second - 80.0).abs() < 1e-6, "{speed:?}");
        assert!((speed.real_time_factor - 0.4).abs() < 1e-6, "{speed:?}");
    }
}
