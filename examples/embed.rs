//! Water in somebody else's Bevy app: add the plugin, give a camera `WaterView`, and spawn `Water`. Two waters stand
//! side by side in one world, and only the app's own color is behind them. Space pauses both; H hides the left one.

#![expect(clippy::needless_pass_by_value, reason = "Bevy hands systems their parameters by value")]

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use nearwater::app::{NearwaterPlugin, RunningWater, Water, WaterView};
use nearwater::fluid::Scene;

/// The entity of the left water.
#[derive(Resource)]
struct Left(Entity);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scenes = [Scene::load("double_dam_break")?, Scene::load("drop")?];
    App::new()
        .insert_resource(ClearColor(Color::srgb(0.55, 0.62, 0.68)))
        .add_plugins((DefaultPlugins, NearwaterPlugin::without_water()))
        .add_systems(Startup, move |commands: Commands| spawn(commands, scenes.clone()))
        .add_systems(Update, (pause_with_space, hide_with_h))
        .run();
    Ok(())
}

fn spawn(mut commands: Commands, [left, right]: [Scene; 2]) {
    // The right one is half as large as its scene says, and turned.
    let turned =
        Transform::from_xyz(6.5, 0.0, 0.0).with_rotation(Quat::from_rotation_y(0.6)).with_scale(Vec3::splat(0.5));
    let left = commands.spawn((Water::new(left), Transform::from_xyz(-3.5, 0.0, 0.0))).id();
    commands.spawn((Water::new(right), turned));
    commands.insert_resource(Left(left));

    let place = Transform::from_xyz(2.0, 6.0, 16.0).looking_at(Vec3::new(0.5, 1.0, 0.0), Vec3::Y);
    commands.spawn((Camera3d::default(), Tonemapping::None, WaterView::default(), place));
}

fn pause_with_space(keys: Res<ButtonInput<KeyCode>>, mut waters: Query<&mut RunningWater>) {
    if keys.just_pressed(KeyCode::Space) {
        for mut water in &mut waters {
            water.controls.paused ^= true;
        }
    }
}

fn hide_with_h(keys: Res<ButtonInput<KeyCode>>, left: Res<Left>, mut waters: Query<&mut Visibility>) {
    if let Ok(mut visibility) = waters.get_mut(left.0)
        && keys.just_pressed(KeyCode::KeyH)
    {
        visibility.toggle_inherited_hidden();
    }
}
