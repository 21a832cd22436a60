//! Videos and pictures of the window, or of the image in its place when the app runs off screen.
//!
//! While a video is recorded, every frame advances the simulation by the time between two pictures of the video,
//! however long the frame takes. The video therefore runs at the pace of the water on slow and on fast machines, and
//! contains what the window shows: the panel is in it unless it is hidden.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy::render::view::screenshot::ScreenshotCaptured;
use bevy::window::PrimaryWindow;

use super::failures::Pending;
use super::off_screen::OffScreenImage;
use super::plugin::FixedFrame;
use super::{Controls, Report, WaterReport, pictures};
use crate::video::{VideoError, VideoRecorder, VideoSettings};

/// Largest number in the name of a video or picture.
const MOST_FILES: u32 = 9_999;

/// What the user wants to be recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilmControls {
    /// Whether a video is to be recorded.
    pub recording: bool,
    /// Number of requested pictures.
    pub shots: u32,
}

/// The video that is being recorded.
#[derive(Resource, Default)]
pub(super) struct Film {
    recorder: Option<VideoRecorder>,
    /// The app's own time of a frame, which returns when the recording ends.
    frame_before: Option<f64>,
    /// Number of pictures taken so far.
    shots: u32,
}

/// Adds recording to the app.
pub(super) struct FilmPlugin;

impl Plugin for FilmPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Film>()
            .init_resource::<Pending>()
            .add_systems(Update, (take_pictures, follow).chain())
            .add_systems(Last, end_with_app);
    }
}

/// Starts and ends the video, and requests a picture of this frame if the video needs one.
fn follow(
    mut commands: Commands,
    mut film: ResMut<Film>,
    mut controls: ResMut<Controls>,
    (mut fixed, mut pending): (ResMut<FixedFrame>, ResMut<Pending>),
    mut window: Single<&mut Window, With<PrimaryWindow>>,
    report: Res<WaterReport>,
    image: Option<Res<OffScreenImage>>,
) {
    let time = moment_shown(&report.lock());
    match (controls.film.recording, film.recorder.is_some()) {
        (true, false) => match start(window.physical_size(), time) {
            Ok(recorder) => {
                film.frame_before = fixed.0.replace(recorder.settings().interval());
                film.recorder = Some(recorder);
            }
            Err(error) => {
                controls.film.recording = false;
                report.lock().failure = Some(format!("no video can be recorded: {error}"));
            }
        },
        // Pictures that are still on their way belong to the video.
        (false, true) if pending.0 == 0 => {
            fixed.0 = film.frame_before;
            finish(&mut film, &report);
            window.title = "Nearwater".into();
        }
        _ => {}
    }
    let Some(recorder) = film.recorder.as_ref().filter(|_| controls.film.recording) else { return };
    // The title is not in the picture.
    let title = format!("Nearwater (recording, {:.1} s)", recorder.seconds());
    if window.title != title {
        window.title = title;
    }
    if recorder.needs(time) {
        pending.0 += 1;
        commands.spawn(pictures::of_window(image.as_deref())).observe(
            move |captured: On<ScreenshotCaptured>,
                  mut film: ResMut<Film>,
                  mut pending: ResMut<Pending>,
                  mut controls: ResMut<Controls>,
                  report: Res<WaterReport>| {
                pending.0 -= 1;
                if let Err(reason) = film.add(&captured.image, time) {
                    film.recorder = None;
                    controls.film.recording = false;
                    report.lock().failure = Some(format!("the video could not be recorded: {reason}"));
                } else if film.recorder.as_ref().is_some_and(|video| video.settings().size != captured.image.size()) {
                    // A window of another size ends the video, and what was recorded before is kept.
                    controls.film.recording = false;
                }
            },
        );
    }
}

/// The simulated time for which the frame stands, s. A frame makes whole time steps and ends up to one step before its
/// moment, at which the picture would not be due yet.
fn moment_shown(report: &Report) -> f64 {
    let step = report.running.as_ref().map_or(0.0, |running| f64::from(running.resolution.time_step));
    report.time + step
}

impl Film {
    /// Adds a picture of the video's size; others are left out.
    fn add(&mut self, image: &Image, time: f64) -> Result<(), String> {
        let Some(recorder) = self.recorder.as_mut().filter(|video| video.settings().size == image.size()) else {
            return Ok(());
        };
        let picture = image.clone().try_into_dynamic().map_err(|error| error.to_string())?;
        recorder.add(time, picture.into_rgba8()).map(drop).map_err(|error| error.to_string())
    }
}

fn start(size: UVec2, time: f64) -> Result<VideoRecorder, String> {
    let file = free_name("mp4")?;
    let started = VideoSettings::new(file, size).and_then(|settings| VideoRecorder::start(settings, time));
    started.map_err(|error: VideoError| error.to_string())
}

fn finish(film: &mut Film, report: &WaterReport) {
    let Some(recorder) = film.recorder.take() else { return };
    let (file, seconds) = (recorder.settings().file.clone(), recorder.seconds());
    let mut report = report.lock();
    match recorder.finish() {
        Ok(_) => report.announce(format!("A video of {seconds:.1} s was written to {}.", file.display())),
        Err(error) => report.failure = Some(format!("the video could not be written: {error}")),
    }
}

/// Completes the video when the app ends while it is being recorded.
fn end_with_app(mut exits: MessageReader<AppExit>, mut film: ResMut<Film>, report: Res<WaterReport>) {
    if exits.read().next().is_some() {
        finish(&mut film, &report);
    }
}

/// Writes the pictures that were requested since the last frame.
fn take_pictures(
    mut commands: Commands,
    mut film: ResMut<Film>,
    mut pending: ResMut<Pending>,
    controls: Res<Controls>,
    image: Option<Res<OffScreenImage>>,
) {
    if film.shots == controls.film.shots {
        return;
    }
    film.shots = controls.film.shots;
    pending.0 += 1;
    commands.spawn(pictures::of_window(image.as_deref())).observe(
        |captured: On<ScreenshotCaptured>, mut pending: ResMut<Pending>, report: Res<WaterReport>| {
            pending.0 -= 1;
            let saved = free_name("png").and_then(|file| pictures::save(&captured.image, &file).map(|()| file));
            let mut report = report.lock();
            match saved {
                Ok(file) => report.announce(format!("A picture was written to {}.", file.display())),
                Err(reason) => report.failure = Some(format!("the picture could not be written: {reason}")),
            }
        },
    );
}

/// The first name `nearwater-0001` and so on that no file in the current folder has.
fn free_name(ending: &str) -> Result<PathBuf, String> {
    let names = (1..=MOST_FILES).map(|number| PathBuf::from(format!("nearwater-{number:04}.{ending}")));
    names.into_iter().find(|name| !name.exists()).ok_or_else(|| {
        format!("the current folder holds {MOST_FILES} files named nearwater-NNNN.{ending}; move some of them")
    })
}
