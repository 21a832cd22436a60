//! The coupling of avian and the water, in both directions: what an app of one's own needs of this example.
//!
//! Bodies into the water: an entity with avian's [`RigidBody`] and Nearwater's `WaterBoundary` has one `Transform`,
//! which avian moves, and which moves the solid in the water. Water onto the bodies: its [`WaterLoad`] is applied as a
//! force. Both take the same steps in time, which do not grow where a frame takes long: then everything is slower.
//!
//! Bevy must draw in the thread of the app (without `PipelinedRenderingPlugin`), so that the water's answer to a motion
//! is known in the next frame.

use avian3d::prelude::*;
use bevy::prelude::*;
use nearwater::app::{RunningWater, WaterLoad};

/// Density of the water, kg/m³.
pub const WATER_DENSITY: f32 = 1000.0;
/// Longest time that passes in a frame, s.
const FRAME: f32 = 1.0 / 60.0;

/// avian, in the time of the water.
pub struct AvianInWater;

impl Plugin for AvianInWater {
    fn build(&self, app: &mut App) {
        // Once a frame, before transforms are propagated and the water asks where its solids are.
        app.add_plugins(PhysicsPlugins::new(PostUpdate))
            .add_systems(Update, ask_for_steps)
            .add_systems(PostUpdate, (keep_time, apply_loads).in_set(PhysicsSystems::First));
    }
}

/// Lets the water make the steps of a frame, one by one instead of by the clock.
/// `owed` is the time that no step has been made for yet, s.
fn ask_for_steps(frame: Res<Time>, mut water: Single<&mut RunningWater>, mut owed: Local<f32>) {
    let time_step = water.report.lock().running.as_ref().map(|running| running.resolution.time_step);
    let Some(time_step) = time_step else { return };
    *owed = (*owed + frame.delta_secs()).min(FRAME);
    let steps = (*owed / time_step).floor();
    *owed -= steps * time_step;
    water.controls.paused = true;
    water.controls.single_steps += steps as u32;
}

/// Lets avian's next step last as long as the steps of the water that were reported last.
fn keep_time(loads: Query<&WaterLoad>, frame: Res<Time>, mut physics: ResMut<Time<Physics>>) {
    let seconds = loads.iter().map(|load| load.seconds).fold(0.0, f64::max);
    let frame = frame.delta_secs_f64();
    physics.set_relative_speed_f64(if frame > 0.0 { seconds / frame } else { 0.0 });
}

/// Hands the loads to avian. The center of the volume is the center of mass, because the density is the same
/// everywhere.
fn apply_loads(mut bodies: Query<(Forces, &WaterLoad)>) {
    for (mut body, load) in &mut bodies {
        // Without a step, avian would keep the force and add the next one to it.
        if load.seconds > 0.0 {
            body.apply_force(load.force);
            body.apply_torque(load.torque);
        }
    }
}
