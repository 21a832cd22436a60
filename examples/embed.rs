//! Water in somebody else's Bevy app: add the plugin, give a camera `WaterView`, and steer it through `Controls`.

#![expect(clippy::needless_pass_by_value, reason = "Bevy hands systems their parameters by value")]

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use nearwater::app::{Controls, NearwaterPlugin, WaterView};
use nearwater::fluid::Scene;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    App::new()
        .add_plugins((DefaultPlugins, NearwaterPlugin::new(Scene::load("double_dam_break")?)))
        .add_systems(Startup, spawn_camera)
        .add_systems(Update, pause_with_space)
        .run();
    Ok(())
}

fn spawn_camera(mut commands: Commands) {
    let place = Transform::from_xyz(6.0, 6.0, 11.0).looking_at(Vec3::new(0.0, 1.0, 0.0), Vec3::Y);
    commands.spawn((Camera3d::default(), Tonemapping::None, WaterView::default(), place));
}

fn pause_with_space(keys: Res<ButtonInput<KeyCode>>, mut controls: ResMut<Controls>) {
    controls.paused ^= keys.just_pressed(KeyCode::Space);
}
