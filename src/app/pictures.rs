use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use image::codecs::png::PngEncoder;

use super::plugin::SharedGpu;
use super::{Action, AppError, Controls, WaterReport};
use crate::files::write_whole;

/// What the app does by itself, for tests and for the pictures of the README.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Actions and the frames they happen at, counted from 1.
    pub actions: Vec<(u32, Action)>,
    /// Pictures of the window and the frames they show.
    pub pictures: Vec<(u32, PathBuf)>,
    /// The frame at which the device is taken away, as a driver that resets itself would.
    pub device_lost: Option<u32>,
    /// The frame after which the app ends; it runs on when `None`.
    pub frames: Option<u32>,
}

/// The first picture that could not be written.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures(Arc<Mutex<Option<AppError>>>);

impl Failures {
    pub(super) fn take(&self) -> Option<AppError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn note(&self, failure: AppError) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }
}

pub(super) struct ScriptPlugin {
    pub(super) script: Script,
    pub(super) failures: Failures,
}

#[derive(Resource)]
struct Playing {
    script: Script,
    failures: Failures,
    frame: u32,
    pending: u32,
    started: Instant,
}

impl Plugin for ScriptPlugin {
    fn build(&self, app: &mut App) {
        let playing = Playing {
            script: self.script.clone(),
            failures: self.failures.clone(),
            frame: 0,
            pending: 0,
            started: Instant::now(),
        };
        app.insert_resource(playing).add_systems(PreUpdate, play);
    }
}

fn play(
    mut commands: Commands,
    mut playing: ResMut<Playing>,
    mut controls: ResMut<Controls>,
    report: Res<WaterReport>,
    gpu: Res<SharedGpu>,
    mut exit: MessageWriter<AppExit>,
) {
    playing.frame += 1;
    let frame = playing.frame;
    if frame == 2 {
        info!("first frame after {:.2} s", playing.started.elapsed().as_secs_f64());
    }
    if let Some(gpu) = gpu.0.as_ref().filter(|_| playing.script.device_lost == Some(frame)) {
        gpu.device.destroy();
        // The loss is told when the device is next asked for something.
        let _ = gpu.device.poll(wgpu::PollType::wait_indefinitely());
    }
    let report = report.lock();
    for &(_, action) in playing.script.actions.iter().filter(|(at, _)| *at == frame) {
        controls.act(action, &report);
    }
    let due: Vec<PathBuf> =
        playing.script.pictures.iter().filter(|(at, _)| *at == frame).map(|(_, file)| file.clone()).collect();
    for file in due {
        playing.pending += 1;
        commands.spawn(Screenshot::primary_window()).observe(
            move |captured: On<ScreenshotCaptured>, mut playing: ResMut<Playing>| {
                playing.pending -= 1;
                if let Err(reason) = save(&captured.image, &file) {
                    playing.failures.note(AppError::Picture { file: file.clone(), reason });
                }
            },
        );
    }
    if playing.script.frames.is_some_and(|last| frame > last) && playing.pending == 0 {
        exit.write(AppExit::Success);
    }
}

fn save(image: &Image, file: &Path) -> Result<(), String> {
    let picture = image.clone().try_into_dynamic().map_err(|error| error.to_string())?;
    write_whole(file, |writer| picture.to_rgb8().write_with_encoder(PngEncoder::new(writer)))
        .map_err(|error| error.to_string())
}
