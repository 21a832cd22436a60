//! A scene of Bevy's own in which a boat from a glTF file floats: its meshes are one body for the water, a board that
//! the app moves to and fro makes waves, a post stands in their way, and a sensor tells when a wave reaches the far
//! end. The water mirrors the sky of the scene, and colored panes are seen through it.
//!
//!     cargo run --release --example boat --features bevy_scene
//!
//! Space stops the board, and R returns the water to its beginning.

#![expect(clippy::needless_pass_by_value, reason = "Bevy hands systems their parameters by value")]

use std::f32::consts::TAU;

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::NotShadowCaster;
use bevy::prelude::*;
use nearwater::app::{
    NearwaterPlugin, RunningWater, Water, WaterBody, WaterBoundary, WaterLevelChanged, WaterSensor, WaterSolidTrouble,
    WaterSplash, WaterSplashes, WaterView, Weight,
};
use nearwater::fluid::Scene;
use nearwater::render::DrawStyle;

/// Still water in a basin; what solids displace is left out.
const BASIN: &str = r#"(
    title: "Basin", description: "Still water in which solids of the app lie.",
    low: (-3.0, 0.0, -1.2), high: (3.0, 2.4, 1.2),
    blocks: [(low: (-3.0, 0.0, -1.2), high: (3.0, 0.8, 1.2))],
    gravity: (0.0, -9.81, 0.0),
    material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.08, radius_ratio: 2.2),
    camera: (eye: (0.0, 3.0, 6.0), target: (0.0, 0.5, 0.0), vertical_fov_degrees: 40.0),
)"#;

/// The board that makes waves.
#[derive(Component)]
struct Board {
    /// Time of its motion, s.
    time: f32,
    /// Time of the water when it was last moved, s.
    seen: f64,
    is_moving: bool,
}

fn main() {
    let assets = AssetPlugin { file_path: "examples/boat".into(), ..default() };
    App::new()
        .insert_resource(ClearColor(Color::srgb(0.62, 0.74, 0.83)))
        .add_plugins((DefaultPlugins.set(assets), NearwaterPlugin::without_water()))
        .add_systems(Startup, spawn)
        .add_systems(Update, (move_board, obey_keys, tell))
        .run();
}

fn spawn(
    mut commands: Commands,
    assets: Res<AssetServer>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut images: ResMut<Assets<Image>>,
) -> Result {
    let water = commands.spawn((Water::new(Scene::parse("basin.ron", BASIN)?), WaterSplashes::default())).id();
    // The file takes some frames to load; the water waits for it, and leaves out what would begin in the hull. The
    // outside and the deck are closed only together.
    let boat = commands.spawn((
        Name::new("boat"),
        WaterBody { weight: Weight::Density(330.0), ..default() },
        Visibility::default(),
        Transform::from_xyz(-0.4, 0.9, 0.1).with_rotation(Quat::from_rotation_y(0.5)),
    ));
    let boat = boat.id();
    for (mesh, color) in [
        ("Mesh0/Primitive0", Color::linear_rgb(0.42, 0.05, 0.04)),
        ("Mesh0/Primitive1", Color::linear_rgb(0.55, 0.33, 0.15)),
        ("Mesh1/Primitive0", Color::linear_rgb(0.55, 0.33, 0.15)),
        ("Mesh2/Primitive0", Color::linear_rgb(0.9, 0.88, 0.8)),
    ] {
        let mesh = Mesh3d(assets.load(format!("boat.gltf#{mesh}")));
        commands.spawn((mesh, MeshMaterial3d(materials.add(color)), ChildOf(boat)));
    }
    let wood = materials.add(Color::srgb(0.45, 0.3, 0.17));
    commands.spawn((
        Name::new("board"),
        Board { time: 0.0, seen: 0.0, is_moving: true },
        WaterBoundary::default(),
        Mesh3d(meshes.add(Cuboid::new(0.2, 1.6, 2.6))),
        MeshMaterial3d(wood.clone()),
        Transform::from_xyz(-2.7, 0.75, 0.0),
    ));
    commands.spawn((
        Name::new("post"),
        WaterBoundary::default(),
        Mesh3d(meshes.add(Cylinder::new(0.22, 2.0))),
        MeshMaterial3d(wood),
        Transform::from_xyz(1.6, 1.0, -0.3),
    ));
    commands.spawn((
        WaterSensor { step: 0.1, water: Some(water), ..WaterSensor::new(Vec3::new(0.4, 0.6, 2.4)) },
        Transform::from_xyz(2.8, 0.9, 0.0),
    ));

    // What only Bevy knows: the ground, walls behind the basin, the sun and the camera.
    let stone = materials.add(Color::srgb(0.52, 0.5, 0.46));
    let walls = [
        (Vec3::new(14.0, 0.2, 10.0), Vec3::new(0.0, -0.1, 0.0)),
        (Vec3::new(6.4, 1.3, 0.2), Vec3::new(0.0, 0.65, -1.3)),
        (Vec3::new(0.2, 1.3, 2.8), Vec3::new(-3.1, 0.65, 0.0)),
    ];
    for (size, place) in walls {
        let mesh = Mesh3d(meshes.add(Cuboid::from_size(size)));
        commands.spawn((mesh, MeshMaterial3d(stone.clone()), Transform::from_translation(place)));
    }
    // Colored panes close the far end, and are seen through the water.
    for (z, color) in
        [(-0.9, Srgba::rgb(0.9, 0.35, 0.1)), (0.0, Srgba::rgb(0.95, 0.75, 0.2)), (0.9, Srgba::rgb(0.2, 0.6, 0.3))]
    {
        let pane = StandardMaterial { alpha_mode: AlphaMode::Blend, ..Color::from(color.with_alpha(0.5)).into() };
        let mesh = Mesh3d(meshes.add(Cuboid::new(0.06, 1.3, 0.9)));
        // Bevy would give them the shadow of something opaque.
        let place = Transform::from_xyz(3.04, 0.65, z);
        commands.spawn((mesh, MeshMaterial3d(materials.add(pane)), NotShadowCaster, place));
    }
    // The sky, which lights everything and is mirrored by the water.
    let (zenith, horizon) = (Color::srgb(0.25, 0.47, 0.75), Color::srgb(0.78, 0.86, 0.92));
    let mut sky =
        EnvironmentMapLight::hemispherical_gradient(&mut images, zenith, horizon, Color::srgb(0.4, 0.38, 0.35));
    sky.intensity = 900.0;
    commands.insert_resource(GlobalAmbientLight::NONE);
    commands.spawn((
        DirectionalLight { illuminance: 9_000.0, shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(2.5, 5.0, 3.5).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        Camera3d::default(),
        Tonemapping::ReinhardLuminance,
        WaterView::default(),
        sky,
        Transform::from_xyz(1.2, 3.0, 5.6).looking_at(Vec3::new(-0.1, 0.6, 0.0), Vec3::Y),
    ));
    Ok(())
}

/// The solid follows the entity, and pushes the water with the velocity of its motion. It moves in the time of the
/// water, so that waves are the same where this runs slower than real time.
fn move_board(waters: Query<&RunningWater>, mut boards: Query<(&mut Board, &mut Transform)>) {
    let Ok(now) = waters.single().map(|water| water.report.lock().time) else { return };
    for (mut board, mut place) in &mut boards {
        if board.is_moving {
            board.time += (now - board.seen).max(0.0) as f32;
        }
        board.seen = now;
        place.translation.x = -2.7 + 0.2 * (1.0 - (TAU * board.time / 1.8).cos());
    }
}

fn obey_keys(keys: Res<ButtonInput<KeyCode>>, mut boards: Query<&mut Board>, mut waters: Query<&mut RunningWater>) {
    if keys.just_pressed(KeyCode::Space) {
        boards.iter_mut().for_each(|mut board| board.is_moving ^= true);
    }
    for mut water in &mut waters {
        water.controls.style = DrawStyle::Water;
        water.controls.resets += u32::from(keys.just_pressed(KeyCode::KeyR));
    }
}

fn tell(
    mut levels: MessageReader<WaterLevelChanged>,
    mut splashes: MessageReader<WaterSplash>,
    mut troubles: MessageReader<WaterSolidTrouble>,
) {
    for change in levels.read() {
        info!("the sensor at the far end is {:.0} % full", 100.0 * change.filled);
    }
    for splash in splashes.read() {
        info!("{} particles splash at {:.2} at {:.1} m/s", splash.particles, splash.place, splash.speed);
    }
    for trouble in troubles.read() {
        info!("{}: {}", trouble.solid, trouble.reason);
    }
}
