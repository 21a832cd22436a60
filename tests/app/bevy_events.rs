//! What an app of one's own hears of its water: levels of sensors, and splashes.

use bevy::prelude::*;
use nearwater::app::{WaterLevel, WaterLevelChanged, WaterSplash, WaterSplashes};

use crate::bevy_solids::{empty_world, still, tank};
use crate::bevy_world::World;

/// The messages of all frames.
#[derive(Resource, Default)]
struct Heard {
    levels: Vec<WaterLevelChanged>,
    splashes: Vec<WaterSplash>,
}

fn hear(
    mut heard: ResMut<Heard>,
    mut levels: MessageReader<WaterLevelChanged>,
    mut splashes: MessageReader<WaterSplash>,
) {
    heard.levels.extend(levels.read());
    heard.splashes.extend(splashes.read());
}

fn listening_world() -> World {
    let mut world = empty_world();
    world.app.init_resource::<Heard>().add_systems(Update, hear);
    world
}

fn heard(world: &World) -> &Heard {
    world.app.world().resource()
}

#[test]
fn water_that_falls_into_a_sensor_is_told_with_its_splash() {
    let mut world = listening_world();
    let place = Transform::from_xyz(0.0, 2.0, 0.0).with_scale(Vec3::splat(2.0));
    let mut scene = still(0.2);
    let mut drop = scene.blocks[0].clone();
    (drop.low, drop.high) = (Vec3::new(0.3, 0.5, 0.3), Vec3::new(0.7, 0.9, 0.7));
    scene.blocks.push(drop);
    let water = world.water(scene, 2500, place);
    world.app.world_mut().entity_mut(water).insert(WaterSplashes::default());
    // Between the drop and the pool, in the coordinates of the world.
    let [low, high] = [Vec3::new(0.2, 0.25, 0.2), Vec3::new(0.8, 0.45, 0.8)].map(|point| place.transform_point(point));
    let sensor = world.sensor(water, low, high);
    world.advance(water, 0.03);
    assert!(world.filled(sensor) == 0.0, "the drop is not there yet");
    assert!(heard(&world).levels.is_empty() && heard(&world).splashes.is_empty(), "something is told in free fall");
    world.advance(water, 0.3);
    world.frames(4);
    let first = heard(&world).levels.first().expect("the sensor tells that the drop falls through it");
    assert!(first.sensor == sensor && first.before == 0.0 && first.filled > 0.05, "{first:?}");
    let level = world.app.world().get::<WaterLevel>(sensor).expect("a sensor");
    assert!((level.level - level.filled * 0.4).abs() < 1e-5, "a filled sensor of 0.4 m is {level:?} deep");
    // The drop meets the pool at 2.4 m/s in the coordinates of the water, twice that in the world.
    let splash = heard(&world).splashes.first().expect("the drop splashes");
    let at = place.compute_affine().inverse().transform_point3(splash.place);
    assert!(splash.water == water && splash.particles > 5, "{splash:?}");
    assert!((at - Vec3::new(0.5, 0.2, 0.5)).abs().max_element() < 0.3, "the drop splashes at {at}");
    assert!(splash.speed > 0.5 && splash.speed < 6.0 && splash.velocity.y < -0.2, "{splash:?}");
    let count = heard(&world).splashes.len();
    assert!(count < 8, "one drop has made {count} splashes");
}

#[test]
fn still_water_tells_nothing_and_fills_its_sensor() {
    let mut world = listening_world();
    let water = world.water(still(0.4), 1500, Transform::default());
    world.app.world_mut().entity_mut(water).insert(WaterSplashes::default());
    let sensor = world.sensor(water, Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 0.8, 1.0));
    let outside = world.sensor(water, Vec3::new(0.0, 1.1, 0.0), Vec3::new(1.0, 1.3, 1.0));
    world.advance(water, 0.5);
    let (filled, empty) = (world.filled(sensor), world.filled(outside));
    let expected = world.volume(water) / 0.8;
    assert!((filled / expected - 1.0).abs() < 1e-3 && empty == 0.0, "{expected} is water, and it says {filled}");
    let Heard { levels, splashes } = heard(&world);
    assert!(levels.is_empty() && splashes.is_empty(), "still water tells {levels:?} and {splashes:?}");
}

#[test]
fn a_dam_that_breaks_fills_one_sensor_and_empties_another() {
    let mut world = listening_world();
    let water = world.water(tank(Vec3::ZERO, Vec3::new(0.4, 0.6, 1.0)), 1500, Transform::default());
    let left = world.sensor(water, Vec3::new(0.0, 0.3, 0.0), Vec3::new(0.4, 0.6, 1.0));
    let right = world.sensor(water, Vec3::new(0.7, 0.0, 0.0), Vec3::new(1.0, 0.2, 1.0));
    world.advance(water, 0.6);
    world.frames(4);
    let of = |sensor| heard(&world).levels.iter().filter(|change| change.sensor == sensor).collect::<Vec<_>>();
    let (fallen, risen) = (of(left), of(right));
    assert!(fallen.iter().all(|change| (change.filled - change.before).abs() > 0.05), "{fallen:?}");
    assert!(fallen.first().is_some_and(|change| change.filled < change.before), "the left side does not empty");
    assert!(risen.first().is_some_and(|change| change.filled > change.before), "the right side does not fill");
    // No water without splashes asked for tells any.
    assert!(heard(&world).splashes.is_empty());
}
