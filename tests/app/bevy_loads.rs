//! The load of the water on solids of an app of one's own, and bodies that such an app moves by it, as physics engines
//! do.

use bevy::prelude::*;
use nearwater::app::{RunningWater, WaterBoundary, WaterLoad};

use crate::bevy_solids::{empty_world, still, tank};
use crate::bevy_world::World;

const GRAVITY: f32 = 9.81;
/// Edge of the cube of these tests, m of the water.
const EDGE: f32 = 0.3;

impl World {
    fn load(&self, solid: Entity) -> WaterLoad {
        *self.app.world().get(solid).expect("a load")
    }

    /// The mean of the loads of the next frames, over so many seconds of the water.
    fn mean_load(&mut self, water: Entity, solid: Entity, seconds: f64) -> WaterLoad {
        let mut mean = WaterLoad::default();
        while mean.seconds < seconds {
            self.advance(water, 1e-9);
            let load = self.load(solid);
            mean.force += load.seconds as f32 * load.force;
            mean.torque += load.seconds as f32 * load.torque;
            mean.seconds += load.seconds;
            mean.center = load.center;
        }
        let all = mean.seconds as f32;
        WaterLoad { force: mean.force / all, torque: mean.torque / all, ..mean }
    }
}

/// A cube under water is lifted by the weight of the water that it displaces, in the world's coordinates, at any place,
/// rotation and scale of the water.
#[test]
fn the_load_on_a_fixed_solid_is_the_weight_of_the_displaced_water() {
    let mut world = empty_world();
    let size = 2.0;
    let place = Transform::from_xyz(3.0, -1.0, 2.0)
        .with_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2))
        .with_scale(Vec3::splat(size));
    let water = world.water(still(0.7), 2400, place);
    let mesh = world.cuboid(Vec3::splat(EDGE * size));
    let middle = place.transform_point(Vec3::new(0.5, 0.3, 0.5));
    let cube = world.spawn_with((WaterBoundary::default(), WaterLoad::default(), mesh, place_at(middle)));
    assert!(world.load(cube).seconds <= 0.0, "there was no step");
    // The water slips along the cube, so that it takes a while to settle around it.
    world.advance(water, 1.2);
    let load = world.mean_load(water, cube, 0.6);
    // The tank lies on its side, so that its gravity points along the world's x axis.
    let lift = size * 1000.0 * GRAVITY * EDGE.powi(3);
    let up = place.rotation * Vec3::Y;
    let found = load.force.dot(up);
    assert!((found - lift).abs() < 0.12 * lift, "the water lifts by {found} N, and not by {lift} N");
    let aside = load.force - found * up;
    assert!(aside.length() < 0.1 * lift, "at rest it pushes aside by {aside} N");
    assert!(load.torque.length() < 0.1 * lift * size * EDGE, "at rest it turns by {} N m", load.torque);
    assert!(load.center.distance(middle) < 1e-4, "the center is at {}", load.center);

    // A pause leaves the load, and a return to the first frame takes it away.
    world.frames(3);
    let before = world.load(cube);
    world.frames(3);
    let paused = world.load(cube);
    assert!(paused.seconds == 0.0 && paused.force == before.force, "{paused:?} after {before:?}");
    world.app.world_mut().get_mut::<RunningWater>(water).expect("it runs").controls.resets += 1;
    world.frames(3);
    assert_eq!(world.load(cube).force, Vec3::ZERO, "the load of before the reset");
}

fn place_at(place: Vec3) -> Transform {
    Transform::from_translation(place)
}

/// Times, impulses and torques that an app sums up are those of all steps: a jet that hits the upper half of a wall
/// pushes it back and over.
#[test]
fn moving_water_pushes_a_wall_and_turns_it() {
    let mut world = empty_world();
    // A column of water that falls against a plate in the middle.
    let water = world.water(tank(Vec3::ZERO, Vec3::new(0.3, 0.8, 1.0)), 1500, Transform::default());
    let mesh = world.cuboid(Vec3::new(0.16, 1.2, 1.2));
    let middle = Vec3::new(0.7, 0.5, 0.5);
    let wall = world.spawn_with((WaterBoundary::default(), WaterLoad::default(), mesh, place_at(middle)));
    world.frames(4);
    let (begin, mut seconds, mut impulse, mut turned) = (world.time(water), 0.0, 0.0, 0.0);
    for _ in 0..60 {
        world.advance(water, 1e-9);
        let load = world.load(wall);
        seconds += load.seconds;
        impulse += load.seconds * f64::from(load.force.x);
        turned += load.seconds * f64::from(load.torque.z);
    }
    world.frames(2);
    let rest = world.load(wall);
    assert!((seconds + rest.seconds - (world.time(water) - begin)).abs() < 0.03, "{seconds} s were told");
    assert!(impulse > 1.0, "the water pushes the wall by {impulse} N s");
    // It hits the wall below its middle, which turns its foot to the right: about z, counterclockwise.
    assert!(turned > 0.05 * impulse, "the water turns it by {turned} N m s, and pushes it by {impulse} N s");
}

/// A physics engine of three lines moves the cube by the load. It is much lighter than water, so that it would be
/// shaken apart without its share.
#[test]
fn a_light_body_that_the_app_moves_by_its_load_floats() {
    let mut world = empty_world();
    let water = world.water(still(0.5), 1600, Transform::default());
    let mesh = world.cuboid(Vec3::splat(EDGE));
    let density = 300.0;
    let mass = density * EDGE.powi(3);
    let load = WaterLoad::with_share(density / (density + 1000.0));
    let start = Vec3::new(0.5, 0.62, 0.5);
    let cube = world.spawn_with((WaterBoundary::default(), load, mesh, place_at(start)));
    world.advance(water, 0.0);
    let mut velocity = 0.0_f32;
    let mut heights = Vec::new();
    while world.time(water) < 1.8 {
        world.advance(water, 1e-9);
        let load = world.load(cube);
        let seconds = load.seconds as f32;
        velocity += seconds * (load.force.y / mass - GRAVITY);
        world.app.world_mut().get_mut::<Transform>(cube).expect("a place").translation.y += seconds * velocity;
        if world.time(water) > 1.3 {
            heights.push(world.app.world().get::<Transform>(cube).expect("a place").translation.y);
        }
    }
    let mean = heights.iter().sum::<f32>() / heights.len() as f32;
    let spread = heights.iter().map(|height| (height - mean).abs()).fold(0.0, f32::max);
    // It displaces 0.3 of its volume.
    let surface = world.volume(water) + 0.3 * EDGE.powi(3);
    let floating = surface + (0.5 - 0.3) * EDGE;
    assert!((mean - floating).abs() < 0.04, "its center is at {mean} m, and not at {floating} m");
    assert!(spread < 0.05, "it still moves by {spread} m");
}
