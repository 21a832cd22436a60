//! Meshes of an app of one's own that are solids for its water: boundaries and bodies. What the water does is measured
//! by sensors in the same world. Steps are requested one by one, so that nothing depends on the clock.

use bevy::asset::RenderAssetUsages;
use bevy::prelude::*;
use nearwater::app::{
    NearwaterPlugin, RunningWater, SolidReport, Water, WaterBody, WaterBoundary, WaterLevel, WaterSensor,
    WaterSolidTrouble, Weight,
};
use nearwater::fluid::{BodyState, Scene, Settings};

use crate::bevy_world::World;

/// Steps of a frame.
const STEPS: u32 = 12;

/// A tank of one meter with one block of water.
pub fn tank(low: Vec3, high: Vec3) -> Scene {
    let mut scene = Scene::load("dam_break").expect("a scene of the program");
    (scene.low, scene.high) = (Vec3::ZERO, Vec3::ONE);
    (scene.blocks[0].low, scene.blocks[0].high, scene.blocks[0].velocity) = (low, high, Vec3::ZERO);
    scene.probes.clear();
    scene
}

/// Water that rests in a tank up to a height, m.
pub fn still(height: f32) -> Scene {
    tank(Vec3::ZERO, Vec3::new(1.0, height, 1.0))
}

/// An app without water of its own.
pub fn empty_world() -> World {
    World::new(NearwaterPlugin::without_water(), 1)
}

impl World {
    /// Spawns water that rests until [`World::advance`], and is not drawn, which takes longer than its steps.
    pub fn water(&mut self, scene: Scene, count: u32, place: Transform) -> Entity {
        let water = Water::with_settings(scene, Settings::with_particles(count));
        let mut running = RunningWater::new(&water, nearwater::gpu::AdapterClass::Software);
        running.controls.paused = true;
        self.app.world_mut().spawn((water, running, place, Visibility::Hidden)).id()
    }

    pub fn spawn_with(&mut self, bundle: impl Bundle) -> Entity {
        self.app.world_mut().spawn(bundle).id()
    }

    /// A box as a mesh of the app.
    pub fn cuboid(&mut self, size: Vec3) -> Mesh3d {
        Mesh3d(self.app.world_mut().resource_mut::<Assets<Mesh>>().add(Cuboid::from_size(size)))
    }

    /// Runs frames of [`STEPS`] steps each until the water has moved on by so many seconds.
    pub fn advance(&mut self, water: Entity, seconds: f64) {
        let end = self.time(water) + seconds;
        for _ in 0..5_000 {
            self.app.world_mut().get_mut::<RunningWater>(water).expect("it runs").controls.single_steps += STEPS;
            self.app.update();
            if self.time(water) >= end {
                return;
            }
        }
        panic!("the water does not move on");
    }

    pub fn frames(&mut self, count: usize) {
        (0..count).for_each(|_| self.app.update());
    }

    pub fn running(&self, water: Entity) -> &RunningWater {
        self.app.world().get(water).expect("it runs")
    }

    pub fn time(&self, water: Entity) -> f64 {
        self.running(water).report.lock().time
    }

    fn solids(&self, water: Entity) -> Vec<SolidReport> {
        self.running(water).report.lock().solids.clone()
    }

    /// The state of a marked entity in its water.
    fn state(&self, water: Entity, solid: Entity) -> Option<BodyState> {
        let solids = self.solids(water);
        let own = solids.iter().find(|report| report.key == solid.to_bits());
        own.and_then(|report| Some(report.state?.1))
    }

    /// A sensor over a box of the world, which belongs to a water.
    pub fn sensor(&mut self, water: Entity, low: Vec3, high: Vec3) -> Entity {
        let sensor = WaterSensor { water: Some(water), ..WaterSensor::new(high - low) };
        self.spawn_with((sensor, Transform::from_translation(0.5 * (low + high))))
    }

    /// The filled fraction of a sensor, after what is under way has arrived.
    pub fn filled(&mut self, sensor: Entity) -> f32 {
        self.frames(4);
        let level = self.app.world().get::<WaterLevel>(sensor).expect("a sensor has a level");
        assert!(level.time.is_some(), "nothing was measured");
        level.filled
    }

    /// Volume of the water at rest, m³.
    pub fn volume(&self, water: Entity) -> f32 {
        let running = self.running(water).report.lock().running.clone().expect("it runs");
        running.resolution.particle_mass * running.resolution.particle_count as f32 / 1000.0
    }

    fn place(&self, entity: Entity) -> Transform {
        *self.app.world().get(entity).expect("a place")
    }

    fn troubles(&self) -> Vec<WaterSolidTrouble> {
        let messages = self.app.world().resource::<Messages<WaterSolidTrouble>>();
        messages.get_cursor().read(messages).cloned().collect()
    }

    /// Runs frames until something is told about a marked entity.
    fn trouble_of(&mut self, solid: Entity) -> String {
        for _ in 0..20 {
            self.app.update();
            if let Some(trouble) = self.troubles().into_iter().find(|trouble| trouble.solid == solid) {
                return trouble.reason;
            }
        }
        panic!("nothing is told");
    }
}

#[test]
fn a_boundary_stops_the_water_until_it_is_despawned() {
    let mut world = empty_world();
    // A column of water beside a wall, which reaches into it.
    let water = world.water(tank(Vec3::ZERO, Vec3::new(0.45, 0.6, 1.0)), 1500, Transform::default());
    let size = Vec3::new(0.16, 1.2, 1.2);
    let mesh = world.cuboid(size);
    let middle = Vec3::new(0.45, 0.5, 0.5);
    let wall = world.spawn_with((WaterBoundary::default(), mesh, Transform::from_translation(middle)));
    let inner = 0.3 * size;
    let inside = world.sensor(water, middle - inner, middle + inner);
    let behind = world.sensor(water, Vec3::new(0.55, 0.0, 0.0), Vec3::ONE);
    let before = world.sensor(water, Vec3::ZERO, Vec3::new(0.37, 0.6, 1.0));
    world.advance(water, 0.4);
    assert_eq!((world.filled(inside), world.filled(behind)), (0.0, 0.0), "water is in the wall, or behind it");
    let kept = world.filled(before);
    assert!(kept > 0.8, "only {kept} of the water is before the wall");
    let state = world.state(water, wall).expect("it is in the water");
    assert!((state.position - middle).length() < 1e-5 && state.velocity == Vec3::ZERO, "the wall moves: {state:?}");

    world.app.world_mut().despawn(wall);
    world.advance(water, 0.4);
    let (inside, behind) = (world.filled(inside), world.filled(behind));
    assert!(
        inside > 0.02 && behind > 0.05,
        "the wall has gone, and {inside} of its place and {behind} behind are water"
    );
    assert!(world.solids(water).is_empty() && world.troubles().is_empty());
}

#[test]
fn a_boundary_that_its_transform_moves_pushes_the_water() {
    let mut world = empty_world();
    let water = world.water(still(0.3), 1200, Transform::default());
    let mesh = world.cuboid(Vec3::new(0.16, 1.4, 1.4));
    // It lies behind the left wall at first, of which it reaches 2 cm into the tank.
    let start = Vec3::new(-0.06, 0.5, 0.5);
    let board = world.spawn_with((WaterBoundary::default(), mesh, Transform::from_translation(start)));
    let right = world.sensor(water, Vec3::new(0.4, 0.3, 0.0), Vec3::new(1.0, 0.6, 1.0));
    world.advance(water, 0.1);
    let still = world.filled(right);
    let (speed, begun) = (0.5, world.time(water));
    while world.time(water) < begun + 0.6 {
        // The solid is where the entity is after the next frame.
        let since = (world.time(water) - begun) as f32;
        world.app.world_mut().get_mut::<Transform>(board).expect("a place").translation.x = start.x + speed * since;
        world.advance(water, 1e-9);
    }
    let moved = world.state(water, board).expect("it is in the water").position.x - start.x;
    assert!((moved - 0.3).abs() < 0.03, "the solid has moved by {moved} m");
    // A third of the water's room is gone, so the rest is deeper by 45 %.
    let raised = world.filled(right);
    assert!(still < 0.1 && raised > still + 0.2, "the water above the old surface went from {still} to {raised}");
}

#[test]
fn a_body_falls_in_air_floats_in_water_and_leaves_when_it_is_despawned() {
    let mut world = empty_world();
    let place = Transform::from_xyz(3.0, -1.0, 2.0).with_rotation(Quat::from_rotation_y(0.5));
    let water = world.water(still(0.5), 1600, place);
    // The scale makes a cube with an edge of 0.3 m of the mesh.
    let mesh = world.cuboid(Vec3::new(0.1, 0.3, 0.6));
    let start = place.transform_point(Vec3::new(0.5, 0.8, 0.5));
    let scale = Vec3::new(3.0, 1.0, 0.5);
    let cube = world.spawn_with((
        WaterBody { weight: Weight::Mass(13.5), ..WaterBody::default() },
        mesh,
        Transform::from_translation(start).with_rotation(place.rotation).with_scale(scale),
    ));
    world.advance(water, 0.0);
    let mass = world.state(water, cube).expect("it is in the water").mass;
    assert!((mass - 13.5).abs() < 1e-3, "its mass is {mass} kg");
    world.advance(water, 0.12);
    // The entity shows the state that was reported in the frame before.
    world.frames(2);
    let (fallen, time) = (start.y - world.place(cube).translation.y, world.time(water) as f32);
    let expected = 0.5 * 9.81 * time * time;
    assert!((fallen - expected).abs() < 0.05 * expected, "it fell {fallen} m in {time} s, and not {expected}");
    assert!(world.place(cube).scale == scale, "its scale has changed");

    world.advance(water, 1.2);
    let mut heights = Vec::new();
    for _ in 0..8 {
        world.advance(water, 0.05);
        heights.push(place.compute_affine().inverse().transform_point3(world.place(cube).translation).y);
    }
    let height = heights.iter().sum::<f32>() / heights.len() as f32;
    // It displaces half of its volume, by which the surface rises.
    let surface = world.volume(water) + 0.5 * 0.027;
    assert!((height - surface).abs() < 0.04, "its center is at {height} m, and the surface at {surface} m");

    world.app.world_mut().despawn(cube);
    world.frames(3);
    assert!(world.solids(water).is_empty(), "the body is still in the water");
    let bodies = world.running(water).report.lock().bodies.len();
    assert_eq!(bodies, 0, "the simulation still has {bodies} bodies");
}

#[test]
fn two_waters_have_solids_of_their_own() {
    let mut world = empty_world();
    let left = world.water(still(0.3), 800, Transform::default());
    let place = Transform::from_xyz(4.0, 0.0, 0.0).with_scale(Vec3::splat(2.0));
    let right = world.water(still(0.3), 800, place);
    let mesh = world.cuboid(Vec3::splat(0.3));
    let child = world.spawn_with((WaterBoundary::default(), mesh.clone(), Transform::from_xyz(0.5, 0.7, 0.5)));
    world.app.world_mut().entity_mut(right).add_child(child);
    let named = WaterBody { water: Some(left), ..WaterBody::default() };
    let named = world.spawn_with((named, mesh.clone(), Transform::from_xyz(0.5, 0.7, 0.5)));
    let stray = world.spawn_with((WaterBoundary::default(), mesh, Transform::from_xyz(0.5, 0.7, 0.5)));
    let reason = world.trouble_of(stray);
    assert!(reason.contains("2 waters") && reason.contains("`water`"), "{reason}");
    world.frames(4);
    let keys = |water| world.solids(water).iter().map(|solid| solid.key).collect::<Vec<_>>();
    assert_eq!((keys(left), keys(right)), (vec![named.to_bits()], vec![child.to_bits()]));
    // The child is placed in the coordinates of its water, in which it is as large as its mesh.
    let state = world.state(right, child).expect("it is in the water");
    assert!((state.position - Vec3::new(0.5, 0.7, 0.5)).length() < 1e-5, "it is at {}", state.position);
    assert!(world.state(left, named).is_some(), "the body is not in the left water");

    // The only water left takes the stray, where there is room for it beside the body.
    world.app.world_mut().despawn(right);
    *world.app.world_mut().get_mut::<Transform>(stray).expect("a place") = Transform::from_xyz(0.16, 0.8, 0.16);
    world.frames(4);
    assert!(world.state(left, stray).is_some(), "{:?}", world.solids(left));
}

#[test]
fn water_waits_for_the_meshes_of_its_solids() {
    let mut world = empty_world();
    let water = world.water(still(0.5), 1500, Transform::default());
    let handle = world.app.world().resource::<Assets<Mesh>>().reserve_handle();
    let middle = Vec3::new(0.5, 0.3, 0.5);
    let solid =
        world.spawn_with((WaterBoundary::default(), Mesh3d(handle.clone()), Transform::from_translation(middle)));
    world.frames(5);
    assert!(world.running(water).report.lock().running.is_none(), "the water has begun without its solid");
    let mesh = Mesh::from(Sphere::new(0.2));
    world.app.world_mut().resource_mut::<Assets<Mesh>>().insert(&handle, mesh).expect("the handle is alive");
    world.frames(4);
    assert!(world.state(water, solid).is_some(), "the solid is not in the water: {:?}", world.troubles());
    // What would begin inside it is left out.
    let inside = world.sensor(water, middle - 0.1, middle + 0.1);
    world.advance(water, 0.02);
    assert!(world.filled(inside) == 0.0, "there is water in the ball");

    // One that comes later has no room in the water, and gets some above it.
    let mesh = world.cuboid(Vec3::splat(0.2));
    let late = world.spawn_with((WaterBody::with_density(2000.0), mesh, Transform::from_xyz(0.2, 0.2, 0.2)));
    let reason = world.trouble_of(late);
    assert!(reason.contains("inside the water"), "{reason}");
    world.app.world_mut().get_mut::<Transform>(late).expect("a place").translation.y = 0.8;
    std::thread::sleep(std::time::Duration::from_millis(600));
    world.frames(3);
    assert!(world.state(water, late).is_some(), "it is not in the water: {:?}", world.solids(water));

    // A return to the first frame puts bodies where they began.
    world.advance(water, 0.3);
    let sunk = world.place(late).translation.y;
    world.app.world_mut().get_mut::<RunningWater>(water).expect("it runs").controls.resets += 1;
    world.frames(3);
    let again = world.place(late).translation.y;
    assert!(sunk < 0.75 && (again - 0.8).abs() < 1e-3, "it sank to {sunk} m, and began again at {again} m");
}

#[test]
fn meshes_that_are_no_solids_are_told_in_one_sentence() {
    let mut world = empty_world();
    let water = world.water(still(0.3), 800, Transform::default());
    let mut meshes = world.app.world_mut().resource_mut::<Assets<Mesh>>();
    let flat = meshes.add(Plane3d::default());
    let lines = meshes.add(Mesh::new(wgpu::PrimitiveTopology::LineList, RenderAssetUsages::default()));
    let mut empty = Mesh::new(wgpu::PrimitiveTopology::TriangleList, RenderAssetUsages::default());
    empty.insert_attribute(Mesh::ATTRIBUTE_POSITION, Vec::<[f32; 3]>::new());
    let empty = meshes.add(empty);
    let mut infinite = Mesh::from(Cuboid::default());
    infinite.insert_attribute(Mesh::ATTRIBUTE_POSITION, vec![[f32::NAN; 3]; 24]);
    let infinite = meshes.add(infinite);
    let good = meshes.add(Cuboid::from_length(0.3));
    let place = Transform::from_xyz(0.5, 0.7, 0.5);
    let name = Name::new("plate");
    for (mesh, place, expected) in [
        (flat, place, "not closed"),
        (lines, place, "triangles"),
        (empty, place, "no triangles"),
        (infinite, place, "must be finite"),
        (good.clone(), place.with_scale(Vec3::new(1.0, 0.0, 1.0)), "sheared, flat or not finite"),
        (good.clone(), Transform::from_xyz(f32::NAN, 0.0, 0.0), "not finite"),
        (good.clone(), Transform::from_xyz(0.5, 2.0, 0.5), "in the tank"),
    ] {
        let solid = world.spawn_with((WaterBody::default(), Mesh3d(mesh), place, name.clone()));
        let reason = world.trouble_of(solid);
        assert!(reason.contains(expected) && !reason.contains('\n'), "{expected}: {reason}");
        assert!(world.state(water, solid).is_none());
        world.app.world_mut().despawn(solid);
    }
    let both = world.spawn_with((WaterBody::default(), WaterBoundary::default(), Mesh3d(good.clone()), place));
    assert!(world.trouble_of(both).contains("remove one"));
    let heavy = WaterBody { weight: Weight::Density(-1.0), ..WaterBody::default() };
    let negative = world.spawn_with((heavy, Mesh3d(good), place));
    let reason = world.trouble_of(negative);
    assert!(reason.contains("density: must be positive"), "{reason}");
    // The water runs on, and each was told once.
    world.advance(water, 0.02);
    let told = world.troubles().iter().filter(|trouble| trouble.solid == negative).count();
    assert!(told <= 1, "it was told {told} times in two frames");
}
