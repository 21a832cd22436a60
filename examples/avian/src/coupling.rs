//! The coupling of avian and the water, in both directions: what an app of one's own needs of this example.
//!
//! Bodies into the water: an entity with avian's [`RigidBody`] and Nearwater's `WaterBoundary` has one `Transform`, which
//! avian moves, and which moves the solid in the water. Water onto the bodies: its [`WaterLoad`] is applied as a force.
//! Both keep the same time, so that slow water makes slow bodies, and not strong ones.

use avian3d::prelude::*;
use bevy::prelude::*;
use nearwater::app::WaterLoad;

/// Density of the water, kg/m³.
pub const WATER_DENSITY: f32 = 1000.0;

/// avian, in the time of the water.
pub struct AvianInWater;

impl Plugin for AvianInWater {
    fn build(&self, app: &mut App) {
        // Once a frame, before transforms are propagated and the water asks where its solids are.
        app.add_plugins(PhysicsPlugins::new(PostUpdate))
            .add_systems(PostUpdate, (keep_time, apply_loads).in_set(PhysicsSystems::First));
    }
}

/// Lets avian's next step last as long as the steps of the water that were reported last.
fn keep_time(loads: Query<&WaterLoad>, frame: Res<Time>, mut physics: ResMut<Time<Physics>>) {
    let seconds = loads.iter().map(|load| load.seconds).fold(0.0, f64::max);
    let frame = frame.delta_secs_f64();
    physics.set_relative_speed_f64(if frame > 0.0 { seconds / frame } else { 0.0 });
}

/// Hands the loads to avian. The center of the volume is the center of mass, because the density is the same everywhere.
fn apply_loads(mut bodies: Query<(Forces, &WaterLoad)>) {
    for (mut body, load) in &mut bodies {
        // Without a step, avian would keep the force and add the next one to it.
        if load.seconds > 0.0 {
            body.apply_force(load.force);
            body.apply_torque(load.torque);
        }
    }
}
