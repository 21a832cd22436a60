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
    /// By the lights' entities.
    lamps: Vec<(Entity, Lamp)>,
    /// The ambient light, cd/m².
    ambient: Vec3,
}

/// How a camera's picture stores light.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exposed {
    /// The camera's exposure.
    pub(super) exposure: f32,
    /// Whether the picture stores linear light, which the app compresses itself.
    pub(super) is_linear: bool,
}

impl Exposed {
    /// The factor of all light in the picture.
    fn factor(self) -> f32 {
        let usual = Exposure::default().exposure();
        // Where the app compresses light itself, a white surface in Bevy's default light is as bright as Bevy's own
        // materials make it: illuminance times exposure over pi.
        self.exposure / usual * if self.is_linear { USUAL_SUN * usual / PI } else { 1.0 }
    }

    /// What a luminance in cd/m² is in the picture.
    pub(super) fn luminance(self, luminance: f32) -> f32 {
        // A matte surface sends the share 1/π of an illuminance to the eye, and ambient light as it is.
        luminance * (PI / USUAL_SUN) * self.factor()
    }
}

impl AppLight {
    /// The light for a picture, in the coordinates of water with that rotation, if the app has lights.
    pub(super) fn lighting(&self, rotation: Quat, exposed: Exposed) -> Option<Lighting> {
        let light = self.lighting?;
        let scale = exposed.factor();
        let towards = rotation.inverse() * light.towards;
        Some(Lighting { towards, key: light.key * scale, room: light.room * scale })
    }

    /// What a white, matte mesh of Bevy's renderer receives from all sides in a picture, in the unit of the key light's
    /// `key`.
    pub(super) fn ambient(&self, exposed: Exposed) -> Vec3 {
        self.ambient * exposed.luminance(1.0)
    }

    /// Whether the water throws a shadow on meshes: not without a directional light, and not without Bevy's renderer of
    /// meshes, because then nobody knows how what a picture shows is lit.
    pub(super) fn lights_meshes(&self) -> bool {
        self.sun.is_some() && cfg!(feature = "bevy_pbr")
    }

    /// The lamps for a picture and their entities, in the coordinates of water at that place with a uniform scale:
    /// those that are brightest at `middle`, a point of the world.
    pub(super) fn lamps(&self, place: &GlobalTransform, middle: Vec3, exposed: Exposed) -> Vec<(Entity, Lamp)> {
        let brightness = |lamp: Lamp| lamp.light_at(middle).max_element();
        let mut lamps: Vec<_> = self.lamps.iter().map(|&(entity, lamp)| (brightness(lamp), entity, lamp)).collect();
        lamps.retain(|(brightness, ..)| *brightness > 0.0);
        lamps.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
        lamps.truncate(SceneLight::LAMPS);
        let strength = exposed.factor();
        lamps.into_iter().map(|(_, entity, lamp)| (entity, in_water(lamp, place, strength))).collect()
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
    for (entity, sun, transform, _) in suns.iter().filter(shining).filter(|(entity, ..)| Some(*entity) != key) {
        let strength = sun.illuminance / USUAL_SUN;
        let lamp = Lamp::Distant { towards: transform.back().as_vec3(), light: rgb(sun.color) * strength };
        light.lamps.push((entity, lamp));
    }
    for (entity, point, transform, _) in points.iter().filter(|(.., visibility)| visibility.get()) {
        light.lamps.push((entity, near(transform, (point.color, point.intensity, point.range), None)));
    }
    for (entity, spot, transform, _) in spots.iter().filter(|(.., visibility)| visibility.get()) {
        let direction = transform.forward().as_vec3();
        let beam = Beam { direction, inner_angle: spot.inner_angle, outer_angle: spot.outer_angle };
        light.lamps.push((entity, near(transform, (spot.color, spot.intensity, spot.range), Some(beam))));
    }
    let ambient =
        ambient.as_ref().map_or(Vec3::splat(USUAL_AMBIENT), |ambient| rgb(ambient.color) * ambient.brightness);
    light.ambient = ambient;
    let is_lit = brightest.is_some() || !light.lamps.is_empty();
    light.lighting = is_lit.then(|| Lighting {
        towards: brightest.map_or(Lighting::default().towards, |(_, _, transform, _)| transform.back().as_vec3()),
        key: brightest.map_or(Vec3::ZERO, |(_, sun, ..)| rgb(sun.color) * (sun.illuminance / USUAL_SUN)),
        room: ambient / USUAL_AMBIENT,
    });
}

/// A lamp of that color, luminous power in lm and range in m. Like Bevy, this spreads the power of a spot light over
/// all directions, so that its brightness does not change with the angle of its beam.
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

    use super::{AppLight, Exposed, in_water};
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
        let lamp_at = |index: u8| (Entity::PLACEHOLDER, lamp(Vec3::new(f32::from(index), 0.0, 0.0), 1.0));
        let light = AppLight { lamps: (1..=12).map(lamp_at).collect(), ..AppLight::default() };
        let exposed = Exposed { exposure: 1.0, is_linear: true };
        let kept = light.lamps(&GlobalTransform::IDENTITY, Vec3::new(12.0, 0.0, 0.0), exposed);
        assert_eq!(kept.len(), SceneLight::LAMPS);
        let farthest = kept.iter().map(|(_, lamp)| match lamp {
            Lamp::Near { position, .. } => position.x,
            Lamp::Distant { .. } => 0.0,
        });
        assert!(farthest.fold(f32::MAX, f32::min) > 4.5, "a lamp that is far from the water was kept");
    }
}
