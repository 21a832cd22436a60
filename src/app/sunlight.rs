//! The app's own light on the water: its brightest directional light, its ambient light, and its other lights.

use std::f32::consts::PI;

use bevy::camera::Exposure;
use bevy::light::{DirectionalLight, GlobalAmbientLight, PointLight, SpotLight};
use bevy::prelude::*;
use bevy::render::Extract;

use crate::render::{Beam, Lamp, Lighting, SceneLight};

/// Brightness of Bevy's default ambient light, cd/m², which stands for the light of the renderer's own room.
const USUAL_AMBIENT: f32 = 80.0;
/// Illuminance of Bevy's default directional light, lx, which stands for the renderer's own lamp.
const USUAL_SUN: f32 = 10_000.0;

/// The app's light in world coordinates, before the exposure of a camera. In an app without any, the water keeps the
/// renderer's own lamp.
#[derive(Resource, Clone, Debug, Default)]
pub(super) struct AppLight {
    /// The entity of the key light, if there is a directional light.
    pub(super) sun: Option<Entity>,
    lighting: Option<Lighting>,
    lamps: Vec<Lamp>,
    /// What a white, matte mesh of Bevy's renderer receives from all sides, in the unit of the key light's `key`.
    mesh_ambient: Vec3,
}

impl AppLight {
    /// The light for a camera, in the coordinates of water with that rotation. `exposure` is the camera's; `is_linear`
    /// says that the picture stores linear light.
    pub(super) fn lighting(&self, rotation: Quat, exposure: f32, is_linear: bool) -> Lighting {
        let Some(light) = self.lighting else { return Lighting::default() };
        let scale = exposed(exposure, is_linear);
        Lighting { towards: rotation.inverse() * light.towards, key: light.key * scale, room: light.room * scale }
    }

    /// The ambient light on meshes for a camera. `None` without a directional light, in which the water could throw a
    /// shadow on them, and without Bevy's renderer of meshes, because then nobody knows how what a picture shows is lit.
    pub(super) fn mesh_ambient(&self, exposure: f32, is_linear: bool) -> Option<Vec3> {
        let sun = self.sun.filter(|_| cfg!(feature = "bevy_pbr"));
        sun.map(|_| self.mesh_ambient * exposed(exposure, is_linear))
    }

    /// The lamps for a camera, in the coordinates of water at that place with a uniform scale: those that are brightest
    /// at `middle`, a point of the world.
    pub(super) fn lamps(&self, place: &GlobalTransform, middle: Vec3, exposure: f32, is_linear: bool) -> Vec<Lamp> {
        let mut lamps: Vec<(f32, Lamp)> =
            self.lamps.iter().map(|&lamp| (lamp.light_at(middle).max_element(), lamp)).collect();
        lamps.retain(|(brightness, _)| *brightness > 0.0);
        lamps.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        lamps.truncate(SceneLight::LAMPS);
        let strength = exposed(exposure, is_linear);
        lamps.into_iter().map(|(_, lamp)| in_water(lamp, place, strength)).collect()
    }
}

/// The lamp in the coordinates of water, `strength` times as bright.
fn in_water(lamp: Lamp, place: &GlobalTransform, strength: f32) -> Lamp {
    let (scale, rotation, translation) = place.to_scale_rotation_translation();
    let (size, back) = (scale.x, rotation.inverse());
    match lamp {
        Lamp::Distant { towards, light } => Lamp::Distant { towards: back * towards, light: light * strength },
        Lamp::Near { position, light, range, beam } => Lamp::Near {
            position: back * (position - translation) / size,
            // A meter of the water is `size` meters of the world.
            light: light * strength / (size * size),
            range: range / size,
            beam: beam.map(|beam| Beam { direction: back * beam.direction, ..beam }),
        },
    }
}

/// The factor of all light in a camera's picture.
fn exposed(exposure: f32, is_linear: bool) -> f32 {
    let usual = Exposure::default().exposure();
    // Where the app compresses light itself, a white surface in Bevy's default light is as bright as Bevy's own
    // materials make it: illuminance times exposure over pi.
    exposure / usual * if is_linear { USUAL_SUN * usual / PI } else { 1.0 }
}

type Light<L> = (Entity, &'static L, &'static GlobalTransform, &'static InheritedVisibility);

/// Copies the light of the main world.
pub(super) fn extract_light(
    mut light: ResMut<AppLight>,
    suns: Extract<Query<Light<DirectionalLight>>>,
    points: Extract<Query<Light<PointLight>>>,
    spots: Extract<Query<Light<SpotLight>>>,
    ambient: Extract<Option<Res<GlobalAmbientLight>>>,
) {
    let shining = |sun: &(Entity, &DirectionalLight, &GlobalTransform, &InheritedVisibility)| sun.3.get();
    let brightest = suns
        .iter()
        .filter(shining)
        .max_by(|(_, one, ..), (_, other, ..)| one.illuminance.total_cmp(&other.illuminance));
    let key = brightest.map(|(entity, ..)| entity);
    light.sun = key;
    light.lamps.clear();
    for (_, sun, transform, _) in suns.iter().filter(shining).filter(|(entity, ..)| Some(*entity) != key) {
        let strength = sun.illuminance / USUAL_SUN;
        light.lamps.push(Lamp::Distant { towards: transform.back().as_vec3(), light: rgb(sun.color) * strength });
    }
    for (_, point, transform, _) in points.iter().filter(|(.., visibility)| visibility.get()) {
        light.lamps.push(near(transform, (point.color, point.intensity, point.range), None));
    }
    for (_, spot, transform, _) in spots.iter().filter(|(.., visibility)| visibility.get()) {
        let direction = transform.forward().as_vec3();
        let beam = Beam { direction, inner_angle: spot.inner_angle, outer_angle: spot.outer_angle };
        light.lamps.push(near(transform, (spot.color, spot.intensity, spot.range), Some(beam)));
    }
    let ambient =
        ambient.as_ref().map_or(Vec3::splat(USUAL_AMBIENT), |ambient| rgb(ambient.color) * ambient.brightness);
    // A matte surface sends the share 1/π of an illuminance to the eye, and ambient light as it is.
    light.mesh_ambient = ambient * (PI / USUAL_SUN);
    let is_lit = brightest.is_some() || !light.lamps.is_empty();
    light.lighting = is_lit.then(|| Lighting {
        towards: brightest.map_or(Lighting::default().towards, |(_, _, transform, _)| transform.back().as_vec3()),
        key: brightest.map_or(Vec3::ZERO, |(_, sun, ..)| rgb(sun.color) * (sun.illuminance / USUAL_SUN)),
        room: ambient / USUAL_AMBIENT,
    });
}

/// A lamp of that color, luminous power in lm and range in m. Like Bevy, this spreads the power of a spot light over all
/// directions, so that its brightness does not change with the angle of its beam.
fn near(transform: &GlobalTransform, (color, power, range): (Color, f32, f32), beam: Option<Beam>) -> Lamp {
    let intensity = power / (4.0 * PI);
    Lamp::Near { position: transform.translation(), light: rgb(color) * (intensity / USUAL_SUN), range, beam }
}

fn rgb(color: Color) -> Vec3 {
    color.to_linear().to_vec3()
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::{AppLight, in_water};
    use crate::render::{Lamp, SceneLight};

    fn lamp(position: Vec3, light: f32) -> Lamp {
        Lamp::Near { position, light: Vec3::splat(light), range: 20.0, beam: None }
    }

    /// Water that is moved, turned and scaled is as bright as the world is at the same point.
    #[test]
    fn a_lamp_is_as_bright_in_the_coordinates_of_water() {
        let place = Transform::from_xyz(-0.4, 0.3, 0.8)
            .with_rotation(Quat::from_euler(EulerRot::YXZ, 0.7, -0.2, 0.1))
            .with_scale(Vec3::splat(2.5));
        let lamp = lamp(Vec3::new(1.0, 3.0, 2.0), 5.0);
        let placed = in_water(lamp, &GlobalTransform::from(place), 1.0);
        for point in [Vec3::ZERO, Vec3::new(0.3, 0.7, -0.2)] {
            let (wanted, found) = (lamp.light_at(place.transform_point(point)), placed.light_at(point));
            assert!(found.abs_diff_eq(wanted, 1e-4 * wanted.x), "{point}: {found} and not {wanted}");
        }
    }

    #[test]
    fn the_lamps_that_are_brightest_at_the_water_are_kept() {
        let lamps = (1..=12_u8).map(|index| lamp(Vec3::new(f32::from(index), 0.0, 0.0), 1.0)).collect();
        let light = AppLight { lamps, ..AppLight::default() };
        let kept = light.lamps(&GlobalTransform::IDENTITY, Vec3::new(12.0, 0.0, 0.0), 1.0, true);
        assert_eq!(kept.len(), SceneLight::LAMPS);
        let farthest = kept.iter().map(|lamp| match lamp {
            Lamp::Near { position, .. } => position.x,
            Lamp::Distant { .. } => 0.0,
        });
        assert!(farthest.fold(f32::MAX, f32::min) > 4.5, "a lamp that is far from the water was kept");
    }
}
