//! The app's own light on the water: its brightest directional light, and its ambient light.

use bevy::camera::Exposure;
use bevy::light::GlobalAmbientLight;
use bevy::prelude::*;
use bevy::render::Extract;

use crate::render::Lighting;

/// Brightness of Bevy's default ambient light, cd/m², which stands for the light of the renderer's own room.
const USUAL_AMBIENT: f32 = 80.0;
/// Illuminance of Bevy's default directional light, lx, which stands for the renderer's own lamp.
const USUAL_SUN: f32 = 10_000.0;

/// The app's light, before the exposure of a camera; `None` in an app without a directional light, where the water
/// keeps the renderer's own lamp.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct AppLight(Option<Lighting>);

impl AppLight {
    /// The light for a camera, in the coordinates of water with that rotation. `exposure` is the camera's; `is_linear`
    /// says that the picture stores linear light.
    pub(super) fn lighting(&self, rotation: Quat, exposure: f32, is_linear: bool) -> Lighting {
        let Some(light) = self.0 else { return Lighting::default() };
        let exposed = exposure / Exposure::default().exposure();
        // Where the app compresses light itself, a white surface in Bevy's default light is as bright as Bevy's own
        // materials make it: illuminance times exposure over pi.
        let scale = if is_linear { USUAL_SUN * Exposure::default().exposure() / std::f32::consts::PI } else { 1.0 };
        Lighting {
            towards: rotation.inverse() * light.towards,
            key: light.key * exposed * scale,
            room: light.room * exposed * scale,
        }
    }
}

/// Copies the light of the main world.
pub(super) fn extract_light(
    mut light: ResMut<AppLight>,
    suns: Extract<Query<(&DirectionalLight, &GlobalTransform, &InheritedVisibility)>>,
    ambient: Extract<Option<Res<GlobalAmbientLight>>>,
) {
    let shining = suns.iter().filter(|(_, _, visibility)| visibility.get());
    let brightest = shining.max_by(|(one, ..), (other, ..)| one.illuminance.total_cmp(&other.illuminance));
    light.0 = brightest.map(|(sun, transform, _)| Lighting {
        towards: transform.back().as_vec3(),
        key: rgb(sun.color) * (sun.illuminance / USUAL_SUN),
        room: ambient.as_ref().map_or(Vec3::ONE, |ambient| rgb(ambient.color) * (ambient.brightness / USUAL_AMBIENT)),
    });
}

fn rgb(color: Color) -> Vec3 {
    color.to_linear().to_vec3()
}
