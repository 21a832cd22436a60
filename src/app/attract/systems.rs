//! The systems of attract mode: they notice input, change what is shown, and let the camera drift.

use std::f32::consts::TAU;

use bevy::input::keyboard::KeyboardInput;
use bevy::input::mouse::{MouseButtonInput, MouseMotion, MouseWheel};
use bevy::prelude::*;
use bevy_panorbit_camera::PanOrbitCamera;

use crate::app::laboratory::WantedView;
use crate::app::{Controls, WaterView};

/// Time without input after which it starts, s.
const IDLE: f32 = 30.0;
/// Time for which a scene is shown, s.
const EACH: f32 = 16.0;
/// Movement of the pointer that counts as input, pixels: a table that shakes does not end the show.
const MOVED: f32 = 6.0;
/// Time in which a movement has to be that far, s.
const WITHIN: f32 = 0.5;
/// The camera swings by this angle to either side, rad.
const SWING: f32 = 0.35;
/// Period of the swing, s.
const PERIOD: f32 = 40.0;

/// Starts and ends attract mode.
pub(in crate::app) struct AttractPlugin {
    /// Whether it starts by itself when there is no input.
    pub(in crate::app) starts_when_idle: bool,
    /// Whether it starts at once.
    pub(in crate::app) starts_now: bool,
}

/// Times of attract mode.
#[derive(Resource)]
struct Clock {
    starts_when_idle: bool,
    /// Time since the last input, s.
    idle: f32,
    /// Time for which the scene has been shown, s.
    shown: f32,
    /// Movement of the pointer, pixels, and the time in which it happened, s.
    moved: f32,
    moving: f32,
}

impl Plugin for AttractPlugin {
    fn build(&self, app: &mut App) {
        let Self { starts_when_idle, starts_now } = *self;
        app.insert_resource(Clock { starts_when_idle, idle: 0.0, shown: 0.0, moved: 0.0, moving: 0.0 });
        if starts_now {
            app.add_systems(Startup, |mut controls: ResMut<Controls>| controls.attract.wanted = Some(true));
        }
        app.add_systems(PostUpdate, attract);
    }
}

/// Input of a frame.
#[derive(bevy::ecs::system::SystemParam)]
struct Input<'w, 's> {
    keys: MessageReader<'w, 's, KeyboardInput>,
    buttons: MessageReader<'w, 's, MouseButtonInput>,
    wheels: MessageReader<'w, 's, MouseWheel>,
    motions: MessageReader<'w, 's, MouseMotion>,
    touches: MessageReader<'w, 's, TouchInput>,
}

impl Input<'_, '_> {
    /// Whether a key, a button, the wheel or the screen was used.
    fn is_used(&mut self) -> bool {
        let count = self.keys.read().count() + self.buttons.read().count();
        count + self.wheels.read().count() + self.touches.read().count() > 0
    }

    /// Distance that the pointer moved, pixels.
    fn moved(&mut self) -> f32 {
        self.motions.read().map(|motion| motion.delta.length()).sum()
    }
}

fn attract(
    time: Res<Time<Real>>,
    mut input: Input<'_, '_>,
    mut clock: ResMut<Clock>,
    mut controls: ResMut<Controls>,
    camera: Single<(&Transform, &PanOrbitCamera), With<WaterView>>,
) {
    let seconds = time.delta_secs();
    let (is_used, moved) = (input.is_used(), input.moved());
    clock.moving += seconds;
    if clock.moving > WITHIN {
        (clock.moved, clock.moving) = (0.0, 0.0);
    }
    clock.moved += moved;
    let is_input = is_used || clock.moved > MOVED;
    clock.idle = if is_input { 0.0 } else { clock.idle + seconds };
    let wanted = controls.attract.wanted;
    let starts = wanted == Some(true)
        || (wanted.is_none() && clock.starts_when_idle && clock.idle > IDLE && controls.may_attract());
    if controls.attract.on {
        clock.shown += seconds;
        if is_input || wanted == Some(false) {
            controls.end_attract();
            (clock.idle, clock.moved) = (0.0, 0.0);
        } else if clock.shown > EACH {
            clock.shown = 0.0;
            controls.show_next();
        }
    } else if starts {
        let (transform, orbit) = *camera;
        let (eye, target) = (transform.translation, orbit.focus);
        controls.start_attract(Some(WantedView { target, eye: Some(eye), distance: eye.distance(target) }));
        (clock.shown, clock.moved) = (0.0, 0.0);
    }
    if wanted.is_some() {
        controls.attract.wanted = None;
    }
}

/// Lets the camera swing slowly around the scene while attract mode is on.
pub(in crate::app) fn drift_camera(
    time: Res<Time<Real>>,
    controls: Res<Controls>,
    mut camera: Single<&mut PanOrbitCamera, With<WaterView>>,
    mut phase: Local<f32>,
) {
    if !controls.attract.on {
        *phase = 0.0;
        return;
    }
    if !camera.initialized {
        return;
    }
    let rate = TAU / PERIOD;
    *phase = (*phase + rate * time.delta_secs()) % TAU;
    camera.target_yaw += SWING * rate * phase.cos() * time.delta_secs();
    camera.force_update = true;
}
