//! Videos and pictures that the app records: of the window, of the image in its place when the app runs off screen, or
//! of the water alone in a size of its own.
//!
//! While a video is recorded, the simulation advances by the time between two pictures of the video, however long that
//! takes. The video therefore runs at the pace of the water on slow and on fast machines. On slow ones several frames
//! of the window share the steps between two pictures, so that the window still answers.

mod camera;
mod choice;
mod recording;
mod shots;

use std::path::PathBuf;

use bevy::image::Image;
use bevy::prelude::*;

use super::Report;
use super::pacing::Advance;
use crate::video::VideoRecorder;
use camera::{follow_camera, set_up_camera};
use glam::UVec2;

pub use choice::{FilmChoice, FilmContent, FilmFormat};
pub(super) use choice::{PACES, RATES, SIZES};

/// Largest number in the name of a video or picture.
const MOST_FILES: u32 = 9_999;

/// What the user wants to be recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilmControls {
    /// Whether a video is to be recorded.
    pub recording: bool,
    /// Number of requested pictures.
    pub shots: u32,
    /// What videos and pictures show, and their formats.
    pub choice: FilmChoice,
    /// The video that a script records, in place of one of the user's choice.
    pub(super) order: Option<FilmOrder>,
}

impl FilmControls {
    /// Starts or ends a video of the user's choice.
    pub fn toggle(&mut self) {
        self.recording = !self.recording;
        if self.recording {
            self.order = None;
        }
    }

    /// What the video shows that is being recorded, or that would be.
    fn content(&self) -> FilmContent {
        match &self.order {
            Some(order) if order.size.is_some() => FilmContent::Water,
            Some(_) => FilmContent::Window,
            None => self.choice.content,
        }
    }

    /// The size of the pictures of the water alone, where one was chosen, in pixels.
    fn wanted_size(&self) -> Option<UVec2> {
        let chosen = || self.choice.size.map(UVec2::from_array);
        self.order.as_ref().map_or_else(chosen, |order| order.size)
    }
}

/// A video that a script records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilmOrder {
    /// The file, folder or pattern.
    pub(super) file: PathBuf,
    /// Size of the pictures of the water alone, in pixels; `None` for a video of the window.
    pub(super) size: Option<UVec2>,
}

/// The video that is being recorded.
#[derive(Resource, Default)]
pub(super) struct Film {
    recorder: Option<VideoRecorder>,
    /// How frames advanced before, which returns when the recording ends.
    advance_before: Advance,
    /// Number of pictures taken so far.
    shots: u32,
    /// The camera and the image of the water alone, while they are needed.
    camera: Option<(Entity, Handle<Image>)>,
    /// Number of frames for which the camera has existed.
    camera_frames: u32,
}

impl Film {
    /// Whether a video is being recorded.
    pub(super) fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }
}

/// Adds recording to the app.
pub(super) struct FilmPlugin;

impl Plugin for FilmPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Film>()
            .add_systems(Update, (set_up_camera, shots::take_pictures, recording::follow, follow_camera).chain())
            .add_systems(Last, recording::end_with_app);
    }
}

/// The simulated time for which the frame stands, s. A frame makes whole time steps and ends up to one step before its
/// moment, at which the picture would not be due yet.
fn moment_shown(report: &Report) -> f64 {
    report.time + time_step(report)
}

/// The length of the simulation's time step, s; 0 before there is one.
fn time_step(report: &Report) -> f64 {
    report.running.as_ref().map_or(0.0, |running| f64::from(running.resolution.time_step))
}

/// The first name `nearwater-0001` and so on, with an `ending` that begins with a dot or is empty, that no file in the
/// current folder has.
fn free_name(ending: &str) -> Result<PathBuf, String> {
    let names = (1..=MOST_FILES).map(|number| PathBuf::from(format!("nearwater-{number:04}{ending}")));
    names.into_iter().find(|name| !name.exists()).ok_or_else(|| {
        format!("the current folder holds {MOST_FILES} files named nearwater-NNNN{ending}; move some of them")
    })
}
