use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::bench::median;
use crate::gpu::{PassTime, Phase};

/// Timed frames that a median is taken over.
pub const FRAMES: usize = 120;

/// The last times of one pass.
#[derive(Clone, Debug)]
pub struct PassHistory {
    /// Part of the frame the pass counts towards.
    pub phase: Phase,
    /// The pass's label.
    pub label: &'static str,
    /// How many passes of the same label come before it in a frame.
    turn: usize,
    /// Milliseconds, oldest first; len ≤ [`FRAMES`].
    pub milliseconds: VecDeque<f32>,
}

impl PassHistory {
    /// Median of the kept times, ms; 0 where there are none.
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
    /// Takes the times of a frame in which at most one time step was timed. A frame without a step (paused) leaves
    /// the step's passes as they are; a frame with one drops the passes that the step no longer has.
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

    /// Forgets everything, after a change that makes the old times mean something else.
    pub fn clear(&mut self) {
        self.passes.clear();
    }

    /// Every pass, in the order of a frame.
    pub fn passes(&self) -> &[PassHistory] {
        &self.passes
    }

    /// Median ms of a phase: of one time step, or of one frame's drawing.
    pub fn phase_milliseconds(&self, phase: Phase) -> f32 {
        self.passes.iter().filter(|pass| pass.phase == phase).map(PassHistory::median).sum()
    }

    /// Median ms of one time step; `None` before one was timed.
    pub fn step_milliseconds(&self) -> Option<f32> {
        let mut passes = self.passes.iter().filter(|pass| !is_drawing(pass.phase)).peekable();
        passes.peek()?;
        Some(passes.map(PassHistory::median).sum())
    }
}

fn is_drawing(phase: Phase) -> bool {
    phase == Phase::Drawing
}

/// Steps, frames and simulated seconds of the last second of the clock.
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

/// How fast things went lately.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    /// Frames a second.
    pub frames_per_second: f64,
    /// Time steps a second.
    pub steps_per_second: f64,
    /// Simulated seconds in a second: 1 is real time.
    pub real_time_factor: f64,
}

impl Speedometer {
    /// Notes a frame that ended `at` with that many steps of `time_step` seconds.
    pub fn frame(&mut self, at: Instant, steps: u32, time_step: f64) {
        self.marks.push_back(Mark { at, steps, simulated: f64::from(steps) * time_step });
        // Two marks at least: a frame may take longer than the second that is looked at.
        while self.marks.len() > 2 && at - self.marks[0].at > Duration::from_secs(1) {
            self.marks.pop_front();
        }
    }

    /// Means over the marks kept.
    pub fn speed(&self) -> Speed {
        let (Some(first), Some(last)) = (self.marks.front(), self.marks.back()) else { return Speed::default() };
        let seconds = (last.at - first.at).as_secs_f64();
        if seconds <= 0.0 {
            return Speed::default();
        }
        // The first mark ends the frame before the span.
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
    fn medians_are_of_the_last_frames_and_old_passes_go_with_their_search() {
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
    fn passes_of_one_label_are_kept_apart() {
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
    fn speed_counts_the_last_second_only() {
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
