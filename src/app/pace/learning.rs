//! Remembers what steps and pictures take while the water runs, so that later estimates are of this device.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::app::AppExit;
use bevy::prelude::*;

use super::state::Asked;
use crate::app::{Controls, Report, WaterReport};
use crate::fluid::{Dimensions, SolverSettings};
use crate::gpu::Phase;
use crate::pace::{DeviceBook, DeviceShelf, DrawingTime, Motion, StepTime};

/// Time between two looks at the times.
const EVERY: Duration = Duration::from_secs(1);
/// Time between two writings of the file.
const WRITE_EVERY: Duration = Duration::from_secs(30);
/// Number of timed frames from which on their medians count.
const ENOUGH_FRAMES: usize = 30;
/// Simulated time after which water is in motion, s.
const MOVING_FROM: f64 = 0.2;

/// The file in which the times are kept, and when that was last done.
#[derive(Resource)]
pub(super) struct Learning {
    pub(super) shelf: Option<DeviceShelf>,
    pub(super) looked: Instant,
    pub(super) written_at: Instant,
    pub(super) written: Arc<DeviceBook>,
}

/// Adds the medians of the running scene to the device's book, and writes it now and then and when the app ends.
pub(super) fn learn(
    mut learning: ResMut<Learning>,
    mut controls: ResMut<Controls>,
    report: Res<WaterReport>,
    mut ends: MessageReader<AppExit>,
) {
    let ends = ends.read().count() > 0;
    if learning.looked.elapsed() >= EVERY {
        learning.looked = Instant::now();
        let found = found(&controls, &report.lock());
        if let Some((step, drawing)) = found {
            let book = Arc::make_mut(&mut controls.pace.measured);
            book.add_step(step);
            if let Some(drawing) = drawing {
                book.add_drawing(drawing);
            }
        }
    }
    let is_due = ends || learning.written_at.elapsed() >= WRITE_EVERY;
    if !is_due || *learning.written == *controls.pace.measured {
        return;
    }
    learning.written_at = Instant::now();
    learning.written = Arc::clone(&controls.pace.measured);
    if let Some(Err(sentence)) = learning.shelf.as_ref().map(|shelf| shelf.keep(&learning.written)) {
        // The speed of the device is measured again next time, so this is not worth a message in the window.
        warn!("{sentence}");
        learning.shelf = None;
    }
}

/// The times of the running scene, if it is one whose times say something about other scenes: water alone in three
/// dimensions, in motion, with the program's own shaders.
fn found(controls: &Controls, report: &Report) -> Option<(StepTime, Option<DrawingTime>)> {
    let running = report.running.as_ref()?;
    let resolution = &running.resolution;
    let is_plain = resolution.boundary_count == 0
        && resolution.reservoir_count == 0
        && running.scene.dimensions == Dimensions::Three
        && running.settings.edits.solver_settings == SolverSettings::default();
    let is_settled = report.applied == controls.revision && !controls.paused && report.time >= MOVING_FROM;
    let frames = report.timings.passes().iter().filter(|pass| pass.phase != Phase::Drawing);
    let is_timed = frames.map(|pass| pass.milliseconds.len()).min().is_some_and(|frames| frames >= ENOUGH_FRAMES);
    let is_edited = !controls.code.edited_files().is_empty();
    if !(is_plain && is_settled && is_timed) || is_edited || controls.lab.open {
        return None;
    }
    let asked = Asked::of_running(report)?;
    let (step, drawing) = report.times_together();
    let step = StepTime {
        solver: asked.solver.name().into(),
        search: asked.search.name.into(),
        particles: asked.particles,
        motion: Motion::Moving,
        milliseconds: step?,
    };
    let size = controls.pace.size;
    let is_usual = controls.splatting == controls.faster_splatting();
    let drawing = (drawing > 0.0 && is_usual).then_some(DrawingTime {
        style: controls.style,
        particles: asked.particles,
        pixels: size.x.saturating_mul(size.y),
        milliseconds: drawing,
    });
    Some((step, drawing))
}
