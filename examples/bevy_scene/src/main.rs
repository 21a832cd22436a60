//! Water among the meshes of a Bevy app: a basin of Bevy's own with a red pillar behind the water, a post before it,
//! and a boat that floats. `--picture FILE` writes the picture after a few seconds of water and ends.

#![expect(clippy::needless_pass_by_value, reason = "Bevy hands systems their parameters by value")]

use std::path::PathBuf;

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use nearwater::app::{Controls, FollowsBody, MainWater, NearwaterPlugin, WaterReport, WaterView};
use nearwater::fluid::{Body, BodyShape, Motion, Scene};
use nearwater::render::{DrawStyle, SolidStyle};

/// Half of the basin's edges along x and z, m.
const HALF: Vec2 = Vec2::new(2.0, 1.0);
/// Edges of the boat's hull, m.
const HULL: Vec3 = Vec3::new(0.9, 0.35, 0.5);
/// Simulated time after which the picture is taken, s.
const PICTURE_AT: f64 = 2.5;

/// The file of the picture that ends the app.
#[derive(Resource)]
struct Picture(Option<PathBuf>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let picture = match (arguments.next().as_deref(), arguments.next()) {
        (Some("--picture"), Some(file)) => Some(PathBuf::from(file)),
        (None, _) => None,
        _ => return Err("the only option is --picture FILE".into()),
    };
    App::new()
        .insert_resource(ClearColor(Color::srgb(0.62, 0.72, 0.82)))
        .insert_resource(Picture(picture))
        .add_plugins((DefaultPlugins, NearwaterPlugin::new(basin()?)))
        .add_systems(Startup, (spawn_scene, choose_look))
        .add_systems(Update, take_picture)
        .run();
    Ok(())
}

/// A tank with a block of water at one end, and a floating hull.
fn basin() -> Result<Scene, Box<dyn std::error::Error>> {
    let mut scene = Scene::load("buoyancy")?;
    (scene.low, scene.high) = (Vec3::new(-HALF.x, 0.0, -HALF.y), Vec3::new(HALF.x, 2.5, HALF.y));
    let mut wave = scene.blocks[0].clone();
    (scene.blocks[0].low, scene.blocks[0].high) = (scene.low, Vec3::new(HALF.x, 0.8, HALF.y));
    (wave.low, wave.high) = (Vec3::new(-HALF.x, 0.8, -HALF.y), Vec3::new(-1.2, 1.5, HALF.y));
    scene.blocks.push(wave);
    scene.probes.clear();
    scene.solids.set(vec![Body {
        shape: BodyShape::Box { size: HULL },
        density: 450.0,
        position: Vec3::new(0.5, 0.9, 0.0),
        rotation: Vec3::ZERO,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        friction: 0.5,
        restitution: 0.2,
        motion: Motion::Free,
    }]);
    Ok(scene)
}

fn choose_look(mut controls: ResMut<Controls>) {
    controls.style = DrawStyle::Water;
    // The app draws the boat itself.
    controls.solids = SolidStyle::Hidden;
}

fn spawn_scene(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    water: Single<Entity, With<MainWater>>,
) {
    let mut block = |size: Vec3, place: Vec3, color: Color| {
        (
            Mesh3d(meshes.add(Cuboid::from_size(size))),
            MeshMaterial3d(materials.add(StandardMaterial {
                base_color: color,
                perceptual_roughness: 0.8,
                ..default()
            })),
            Transform::from_translation(place),
        )
    };
    let stone = Color::srgb(0.72, 0.70, 0.66);
    let thick = 0.12;
    // The basin: a floor, three walls, and no wall towards the eye.
    commands.spawn(block(
        Vec3::new(2.0 * HALF.x + 2.0 * thick, thick, 2.0 * HALF.y + thick),
        Vec3::new(0.0, -0.5 * thick, -0.5 * thick),
        stone,
    ));
    commands.spawn(block(
        Vec3::new(2.0 * HALF.x + 2.0 * thick, 1.8, thick),
        Vec3::new(0.0, 0.9, -HALF.y - 0.5 * thick),
        stone,
    ));
    for side in [-1.0, 1.0] {
        commands.spawn(block(
            Vec3::new(thick, 1.8, 2.0 * HALF.y),
            Vec3::new(side * (HALF.x + 0.5 * thick), 0.9, 0.0),
            stone,
        ));
    }
    commands.spawn(block(
        Vec3::new(12.0, 0.02, 8.0),
        Vec3::new(0.0, -thick - 0.01, 0.0),
        Color::srgb(0.35, 0.45, 0.33),
    ));
    // A red pillar in the water's back, and a yellow post before the water.
    commands.spawn(block(
        Vec3::new(0.25, 1.9, 0.1),
        Vec3::new(-0.6, 0.95, -HALF.y + 0.05),
        Color::srgb(0.8, 0.05, 0.05),
    ));
    commands.spawn(block(Vec3::new(0.12, 1.4, 0.12), Vec3::new(1.3, 0.58, HALF.y + 0.3), Color::srgb(0.9, 0.7, 0.1)));

    let wood = Color::srgb(0.55, 0.30, 0.12);
    let boat = commands.spawn(block(HULL, Vec3::ZERO, wood)).insert(FollowsBody { water: *water, body: 0 }).id();
    let cabin = commands.spawn(block(Vec3::new(0.3, 0.25, 0.3), Vec3::new(-0.15, 0.29, 0.0), Color::WHITE)).id();
    let mast = commands.spawn(block(Vec3::new(0.04, 0.7, 0.04), Vec3::new(0.2, 0.5, 0.0), wood)).id();
    commands.entity(boat).add_children(&[cabin, mast]);

    let light = DirectionalLight { shadow_maps_enabled: true, ..default() };
    commands.spawn((light, Transform::from_xyz(-3.0, 6.0, 3.0).looking_at(Vec3::ZERO, Vec3::Y)));
    commands.spawn((
        Camera3d::default(),
        WaterView::default(),
        Transform::from_xyz(1.2, 2.9, 5.4).looking_at(Vec3::new(0.0, 0.6, 0.0), Vec3::Y),
    ));
}

/// Takes the wanted picture once the water has moved for a while, and ends the app when it is written.
fn take_picture(mut commands: Commands, mut picture: ResMut<Picture>, report: Res<WaterReport>) {
    if report.lock().time < PICTURE_AT {
        return;
    }
    let Some(file) = picture.0.take() else { return };
    commands.spawn(Screenshot::primary_window()).observe(
        move |captured: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
            let written = captured
                .image
                .clone()
                .try_into_dynamic()
                .map_err(|error| error.to_string())
                .and_then(|image| image.to_rgb8().save(&file).map_err(|error| error.to_string()));
            exit.write(match written {
                Ok(()) => AppExit::Success,
                Err(reason) => {
                    error!("{} could not be written: {reason}", file.display());
                    AppExit::error()
                }
            });
        },
    );
}
