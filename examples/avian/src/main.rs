//! The rigid bodies of another physics engine in the water: avian moves a raft with its cargo, crates and a buoy on a
//! rope, with contacts and joints as in any of its worlds. For the water they are boundaries, which push it as they
//! move, and the load of the water on them is a force for avian.
//!
//!     cargo run --release --manifest-path examples/avian/Cargo.toml
//!
//! Space stops the board that makes waves, and R throws another crate.

#![expect(clippy::needless_pass_by_value, reason = "Bevy hands systems their parameters by value")]

mod coupling;

use std::f32::consts::TAU;

use avian3d::prelude::*;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use nearwater::app::{NearwaterPlugin, RunningWater, Water, WaterBoundary, WaterLoad, WaterView};
use nearwater::fluid::Scene;
use nearwater::render::DrawStyle;

use coupling::{AvianInWater, WATER_DENSITY};

/// Still water in a basin; what solids displace is left out.
const BASIN: &str = r#"(
    title: "Basin", description: "Still water in which bodies of a physics engine lie.",
    low: (-2.4, 0.0, -1.0), high: (2.4, 2.4, 1.0),
    blocks: [(low: (-2.4, 0.0, -1.0), high: (2.4, 0.8, 1.0))],
    gravity: (0.0, -9.81, 0.0),
    material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.08, radius_ratio: 2.2),
    camera: (eye: (0.0, 3.0, 6.0), target: (0.0, 0.5, 0.0), vertical_fov_degrees: 40.0),
)"#;

/// Period of the board, s, and how far it goes to either side, m.
const PERIOD: f32 = 1.7;
const REACH: f32 = 0.1;

/// The board that makes waves.
#[derive(Component)]
struct Board {
    is_moving: bool,
}

/// A shape as a mesh and as a collider, which must be the same.
#[derive(Clone, Copy)]
enum Shape {
    Box(Vec3),
    Ball(f32),
}

/// What bodies are made of.
#[derive(Resource)]
struct Looks {
    wood: Handle<StandardMaterial>,
    paint: Handle<StandardMaterial>,
    stone: Handle<StandardMaterial>,
}

fn main() {
    App::new()
        .insert_resource(ClearColor(Color::srgb(0.62, 0.74, 0.83)))
        .add_plugins(DefaultPlugins.build().disable::<PipelinedRenderingPlugin>())
        .add_plugins((NearwaterPlugin::without_water(), AvianInWater))
        .add_systems(Startup, (choose_looks, spawn_surroundings, spawn_bodies).chain())
        .add_systems(Update, (move_board, obey_keys))
        .run();
}

fn choose_looks(mut commands: Commands, mut materials: ResMut<Assets<StandardMaterial>>) {
    let mut of = |red, green, blue| {
        let base_color = Color::srgb(red, green, blue);
        materials.add(StandardMaterial { base_color, perceptual_roughness: 0.9, ..default() })
    };
    let looks = Looks { wood: of(0.55, 0.38, 0.2), paint: of(0.75, 0.12, 0.08), stone: of(0.52, 0.5, 0.46) };
    commands.insert_resource(looks);
}

/// Mesh, material and collider of a body at a place.
fn seen_and_met(
    meshes: &mut Assets<Mesh>,
    shape: Shape,
    material: &Handle<StandardMaterial>,
    place: Vec3,
) -> impl Bundle + use<> {
    let (mesh, collider) = match shape {
        Shape::Box(size) => (Mesh::from(Cuboid::from_size(size)), Collider::cuboid(size.x, size.y, size.z)),
        Shape::Ball(radius) => (Mesh::from(Sphere::new(radius)), Collider::sphere(radius)),
    };
    let mesh = Mesh3d(meshes.add(mesh));
    (mesh, MeshMaterial3d(material.clone()), collider, Transform::from_translation(place))
}

/// What makes a body of avian a solid of the water, and the water a force on it.
fn floats(density: f32) -> impl Bundle {
    (
        RigidBody::Dynamic,
        ColliderDensity(density),
        WaterBoundary::default(),
        WaterLoad::with_share(density / (density + WATER_DENSITY)),
        // The water's answer is late by a frame, which would feed the bobbing of what floats.
        (LinearDamping(0.5), AngularDamping(0.8)),
    )
}

fn spawn_bodies(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, looks: Res<Looks>) {
    let mut spawn = |name: &'static str, density, shape, material, place: [f32; 3]| {
        let seen = seen_and_met(&mut meshes, shape, material, Vec3::from(place));
        commands.spawn((Name::new(name), seen, floats(density))).id()
    };
    let crate_size = Shape::Box(Vec3::splat(0.34));
    spawn("raft", 350.0, Shape::Box(Vec3::new(1.1, 0.24, 0.9)), &looks.wood, [-0.6, 0.85, 0.1]);
    // The cargo stands on the raft by avian's contacts.
    spawn("cargo", 250.0, crate_size, &looks.paint, [-0.6, 1.16, 0.1]);
    spawn("light crate", 300.0, crate_size, &looks.paint, [0.7, 0.9, -0.4]);
    spawn("heavy crate", 800.0, crate_size, &looks.wood, [0.7, 0.75, 0.45]);
    let buoy = spawn("buoy", 300.0, Shape::Ball(0.22), &looks.paint, [1.7, 0.6, 0.0]);
    let anchor = commands.spawn((RigidBody::Static, Transform::from_xyz(1.7, 0.0, 0.0))).id();
    commands.spawn(DistanceJoint::new(anchor, buoy).with_limits(0.0, 0.65));
}

fn spawn_surroundings(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, looks: Res<Looks>) -> Result {
    commands.spawn(Water::new(Scene::parse("basin.ron", BASIN)?));
    let walls = [
        (Vec3::new(12.0, 0.2, 10.0), Vec3::new(0.0, -0.1, 0.0)),
        (Vec3::new(5.2, 1.3, 0.2), Vec3::new(0.0, 0.65, -1.1)),
        (Vec3::new(0.2, 1.3, 2.4), Vec3::new(-2.5, 0.65, 0.0)),
        (Vec3::new(0.2, 1.3, 2.4), Vec3::new(2.5, 0.65, 0.0)),
    ];
    for (size, place) in walls {
        let seen = seen_and_met(&mut meshes, Shape::Box(size), &looks.stone, place);
        commands.spawn((RigidBody::Static, seen));
    }
    // The front is left open to the eye.
    commands.spawn((RigidBody::Static, Collider::cuboid(5.2, 1.3, 0.2), Transform::from_xyz(0.0, 0.65, 1.1)));
    let board =
        seen_and_met(&mut meshes, Shape::Box(Vec3::new(0.2, 1.5, 1.96)), &looks.wood, Vec3::new(-2.2, 0.7, 0.0));
    commands.spawn((Board { is_moving: true }, RigidBody::Kinematic, WaterBoundary::default(), board));

    commands.insert_resource(GlobalAmbientLight { brightness: 250.0, ..default() });
    commands.spawn((
        DirectionalLight { illuminance: 9_000.0, shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(2.5, 5.0, 3.5).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        Camera3d::default(),
        Tonemapping::ReinhardLuminance,
        WaterView::default(),
        Transform::from_xyz(1.0, 2.8, 4.6).looking_at(Vec3::new(0.0, 0.6, 0.0), Vec3::Y),
    ));
    Ok(())
}

/// The board swings in avian's time, which is that of the water.
fn move_board(physics: Res<Time<Physics>>, mut boards: Query<(&Board, &mut LinearVelocity)>) {
    for (board, mut velocity) in &mut boards {
        let phase = TAU * physics.elapsed_secs() / PERIOD;
        velocity.x = if board.is_moving { REACH * TAU / PERIOD * phase.sin() } else { 0.0 };
    }
}

fn obey_keys(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    mut boards: Query<&mut Board>,
    mut waters: Query<&mut RunningWater>,
    (mut meshes, looks): (ResMut<Assets<Mesh>>, Res<Looks>),
) {
    if keys.just_pressed(KeyCode::Space) {
        boards.iter_mut().for_each(|mut board| board.is_moving ^= true);
    }
    if keys.just_pressed(KeyCode::KeyR) {
        let seen = seen_and_met(&mut meshes, Shape::Box(Vec3::splat(0.3)), &looks.wood, Vec3::new(0.0, 1.6, 0.9));
        commands.spawn((seen, floats(450.0), LinearVelocity(Vec3::new(0.4, 1.0, -1.2))));
    }
    for mut water in &mut waters {
        water.controls.style = DrawStyle::Water;
    }
}
