//! Advances the time of a recording, and gives frames with another number of particles a scene of their own.

use std::sync::Arc;

use bevy::prelude::*;

use crate::app::pacing::{Advance, SLOW_MOTION};
use crate::app::plugin::FrameTime;
use crate::app::setup_command::is_settled;
use crate::app::{Controls, WaterReport};

/// Plays on while nothing is paused; a single step shows the next frame, and a reset the first one. At the end of the
/// recording it pauses.
pub(in crate::app) fn play(
    mut controls: ResMut<Controls>,
    report: Res<WaterReport>,
    (time, frame): (Res<Time>, Res<FrameTime>),
) {
    let Some(mut recorded) = controls.shown_recording().cloned() else { return };
    let seconds = match frame.0 {
        Advance::Clock => time.delta_secs_f64(),
        Advance::Fixed(seconds) | Advance::Shared(seconds) => seconds,
    };
    let seconds = if controls.slow_motion { SLOW_MOTION * seconds } else { seconds };
    let steps = controls.single_steps.wrapping_sub(recorded.done.single_steps);
    if controls.resets != recorded.done.resets {
        recorded.go_to(0);
    } else if steps > 0 {
        recorded.go_to(recorded.frame() + steps as usize);
    } else if !controls.paused && recorded.advance(seconds) {
        controls.paused = true;
    }
    (recorded.done.single_steps, recorded.done.resets) = (controls.single_steps, controls.resets);
    let (other_count, is_settled) = {
        let report = report.lock();
        let running = report.running.as_ref().map(|running| running.resolution.particle_count as usize);
        let other_count = report.playback.other_count;
        let differs = |count: &usize| running.is_some_and(|running| running != *count);
        (other_count.filter(differs), is_settled(&controls, &report))
    };
    if let Some(count) = other_count.filter(|_| is_settled) {
        match recorded.playback.scene(count) {
            Ok(scene) => {
                controls.scene = Arc::new(scene);
                controls.revision += 1;
            }
            Err(error) => controls.load_error = Some(error.to_string()),
        }
    }
    controls.playback = Some(recorded);
}
