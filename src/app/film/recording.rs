//! Starts a video, adds its pictures, and ends it.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_panorbit_camera::PanOrbitCamera;

use super::{Film, FilmContent, FilmControls, free_name, moment_shown, time_step};
use crate::app::capture::{Photographer, PictureTaken};
use crate::app::failures::Failures;
use crate::app::pacing::Advance;
use crate::app::plugin::FrameTime;
use crate::app::{AppError, Controls, Report, WaterReport};
use crate::format;
use crate::video::{VideoError, VideoRecorder};

/// Starts and ends the video, and requests a picture of this frame if the video needs one.
pub(super) fn follow(
    mut photographer: Photographer,
    mut film: ResMut<Film>,
    mut controls: ResMut<Controls>,
    mut frame: ResMut<FrameTime>,
    mut window: Single<&mut Window, With<PrimaryWindow>>,
    (report, failures): (Res<WaterReport>, Res<Failures>),
    camera: Single<Entity, With<PanOrbitCamera>>,
) {
    let time = moment_shown(&report.lock());
    let of_water = film.drawing_camera();
    let is_ready = controls.film.content() == FilmContent::Window || of_water.is_some();
    match (controls.film.recording, film.recorder.is_some()) {
        (true, false) if is_ready => {
            let started = start(&controls.film, window.physical_size(), time, &report.lock());
            match started {
                Ok(recorder) => {
                    let interval = recorder.settings().interval();
                    // A script counts frames, and every one of them is to be in the video.
                    let has_user = frame.0 == Advance::Clock && controls.film.order.is_none();
                    let advance = if has_user { Advance::Shared(interval) } else { Advance::Fixed(interval) };
                    film.advance_before = std::mem::replace(&mut frame.0, advance);
                    film.recorder = Some(recorder);
                }
                Err(reason) => give_up(&mut film, &mut controls, (&report, &failures), &reason),
            }
        }
        // Pictures that are still on their way belong to the video.
        (false, true) if photographer.pending() == 0 => {
            frame.0 = film.advance_before;
            if let Err(reason) = finish(&mut film, &report) {
                give_up(&mut film, &mut controls, (&report, &failures), &reason);
            }
            controls.film.order = None;
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
        photographer.take(
            of_water.unwrap_or(*camera),
            move |taken: On<PictureTaken>,
                  mut film: ResMut<Film>,
                  mut controls: ResMut<Controls>,
                  (report, failures): (Res<WaterReport>, Res<Failures>)| {
                if let Err(reason) = film.add(&taken.image, time) {
                    film.recorder = None;
                    give_up(&mut film, &mut controls, (&report, &failures), &reason);
                } else if film.recorder.as_ref().is_some_and(|video| video.settings().size != taken.image.size()) {
                    // A window of another size ends the video, and what was recorded before is kept.
                    controls.film.recording = false;
                }
            },
        );
    }
}

/// Ends the recording with an error: in the window as a message, and in a script as the end of the script.
pub(super) fn give_up(
    film: &mut Film,
    controls: &mut Controls,
    (report, failures): (&WaterReport, &Failures),
    reason: &str,
) {
    controls.film.recording = false;
    film.recorder = None;
    let sentence = format!("the video could not be recorded: {reason}");
    match controls.film.order.take() {
        Some(_) => failures.note(AppError::Video(reason.to_owned())),
        None => report.lock().failure = Some(sentence),
    }
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

fn start(film: &FilmControls, window: UVec2, time: f64, report: &Report) -> Result<VideoRecorder, String> {
    let size = match film.content() {
        FilmContent::Window => window,
        FilmContent::Water => film.wanted_size().unwrap_or(window),
    };
    let file = match &film.order {
        Some(order) => order.file.clone(),
        None => free_name(film.choice.format.ending())?,
    };
    let settings = film.choice.video(file, size).map_err(|error: VideoError| error.to_string())?;
    let (interval, step) = (settings.interval(), time_step(report));
    if interval < step {
        return Err(format!(
            "{} pictures per second at this pace are {} ms of water apart, less than a time step of {} ms; choose fewer \
             pictures per second or a faster pace",
            settings.rate,
            format::number(1e3 * interval),
            format::number(1e3 * step)
        ));
    }
    VideoRecorder::start(settings, time).map_err(|error| error.to_string())
}

fn finish(film: &mut Film, report: &WaterReport) -> Result<(), String> {
    let Some(recorder) = film.recorder.take() else { return Ok(()) };
    let (file, seconds) = (recorder.settings().file.clone(), recorder.seconds());
    recorder.finish().map_err(|error| error.to_string())?;
    report.lock().announce(format!("A video of {seconds:.1} s was written to {}.", file.display()));
    Ok(())
}

/// Completes the video when the app ends while it is being recorded.
pub(super) fn end_with_app(
    mut exits: MessageReader<AppExit>,
    mut film: ResMut<Film>,
    mut controls: ResMut<Controls>,
    (report, failures): (Res<WaterReport>, Res<Failures>),
) {
    if exits.read().next().is_some()
        && let Err(reason) = finish(&mut film, &report)
    {
        give_up(&mut film, &mut controls, (&report, &failures), &reason);
    }
}
