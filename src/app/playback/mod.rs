//! Plays a recording: its frames replace the particles of a simulation that makes no steps, so that views, searches and
//! colors show them like any water.
//!
//! The user's side ([`PlaybackControls`]) holds the time of the recording, which a system advances; the driver's side
//! (`driver.rs`) reads the frame of that time from the disk, places the particles, and uploads the recorded numbers
//! that colors show. A frame with another number of particles gets a scene of its own.

mod driver;
mod panel;
mod systems;

use std::sync::Arc;

use crate::playback::Playback;
use crate::render::{ColorField, CustomField};

pub(super) use driver::PlaybackDriver;
pub(super) use panel::playback_controls;
pub(super) use systems::play;

/// What the user controls of a recording.
#[derive(Clone, Debug)]
pub struct PlaybackControls {
    /// The recording.
    pub playback: Arc<Playback>,
    /// Time in the recording, s.
    pub time: f64,
    /// The recorded numbers that colors show, by their place among [`Playback::fields`]; `None` shows the selected
    /// field.
    pub field: Option<usize>,
    /// Number of single steps and returns to the first frame that were carried out.
    done: Requests,
    /// Whether the last frame was reached, so that playing on begins at the first.
    ended: bool,
}

/// Requests of the user that are counted.
#[derive(Clone, Copy, Debug, Default)]
struct Requests {
    single_steps: u32,
    resets: u32,
}

/// What the driver reports of a recording.
#[derive(Clone, Debug, Default)]
pub struct PlaybackReport {
    /// The frame that is shown, counted from 0.
    pub frame: usize,
    /// A frame's number of particles, where the running scene has another one.
    pub other_count: Option<usize>,
    /// Lowest and highest value of the shown numbers in all frames that were shown.
    pub range: Option<(f32, f32)>,
}

impl PlaybackControls {
    /// Starts at the first frame.
    pub fn new(playback: Arc<Playback>) -> Self {
        let time = playback.recording.times().first().copied().unwrap_or_default();
        Self { playback, time, field: None, done: Requests::default(), ended: false }
    }

    /// The frame of the current time.
    pub fn frame(&self) -> usize {
        self.playback.recording.frame_at(self.time)
    }

    /// The recorded numbers as a color field, where colors show some.
    pub fn color(&self) -> Option<ColorField> {
        let label = self.playback.fields.get(self.field?).copied()?;
        Some(ColorField::recorded(CustomField { label, unit: "" }))
    }

    /// Goes to a frame; of numbers beyond the last one, to the last.
    pub fn go_to(&mut self, frame: usize) {
        let times = self.playback.recording.times();
        self.time = times[frame.min(times.len() - 1)];
        self.ended = false;
    }

    /// Advances the time, and returns whether the last frame is reached.
    fn advance(&mut self, seconds: f64) -> bool {
        let (first, last) = self.span();
        if self.ended {
            self.time = first;
        }
        self.time = (self.time + seconds).min(last);
        self.ended = self.time >= last;
        self.ended
    }

    /// Times of the first and the last frame, s.
    fn span(&self) -> (f64, f64) {
        let times = self.playback.recording.times();
        (times[0], times[times.len() - 1])
    }
}
