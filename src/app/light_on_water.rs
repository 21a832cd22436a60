//! All light of the app on one water in the picture of one camera: its lights, their shadows, and the surroundings that
//! the camera has as an environment map.

use bevy::asset::AssetId;
use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::system::SystemParam;
use bevy::light::EnvironmentMapLight;
use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::render_asset::RenderAssets;
use bevy::render::renderer::RenderDevice;
use bevy::render::sync_world::RenderEntity;
use bevy::render::texture::GpuImage;

use super::WaterView;
use super::mesh_shadows::MeshShadows;
use super::sunlight::{AppLight, Exposed};
use crate::render::{Drawn, Environment, Lighting, Look, SceneLight, Surroundings};

/// The environment map of a camera, in world coordinates.
struct CameraSurroundings {
    seen: AssetId<Image>,
    received: AssetId<Image>,
    rotation: Quat,
    /// Factor that makes cd/m² of its colors.
    intensity: f32,
}

/// The environment maps of the cameras that show water.
#[derive(Resource, Default)]
pub(super) struct AppSurroundings(EntityHashMap<CameraSurroundings>);

type MappedCamera<'a> = (RenderEntity, &'a EnvironmentMapLight);

/// Copies the environment maps of the main world.
pub(super) fn extract_surroundings(
    mut surroundings: ResMut<AppSurroundings>,
    cameras: Extract<Query<MappedCamera<'_>, With<WaterView>>>,
) {
    surroundings.0.clear();
    for (camera, map) in &cameras {
        let (seen, received) = (map.specular_map.id(), map.diffuse_map.id());
        let of_camera = CameraSurroundings { seen, received, rotation: map.rotation, intensity: map.intensity };
        surroundings.0.insert(camera, of_camera);
    }
}

/// The light of the app in the render world.
#[derive(SystemParam)]
pub(super) struct LightOfApp<'w> {
    light: Res<'w, AppLight>,
    shadows: Res<'w, MeshShadows>,
    surroundings: Res<'w, AppSurroundings>,
    images: Option<Res<'w, RenderAssets<GpuImage>>>,
    device: Res<'w, RenderDevice>,
}

impl LightOfApp<'_> {
    /// Lights water at `place` with a uniform scale, in the picture of a camera with that exposure. `middle` is the
    /// middle of the water in the world; the lamps that are brightest there are taken.
    pub(super) fn put_into<'a>(
        &'a self,
        (look, drawn): (&mut Look, &mut Drawn<'a>),
        (camera, exposure): (Entity, f32),
        (place, middle): (&GlobalTransform, Vec3),
    ) {
        let exposed = Exposed { exposure, is_linear: look.surroundings == Surroundings::Light };
        let environment = self.environment(camera, place, exposed);
        look.lighting = self.light.lighting(place.rotation(), exposed).unwrap_or_else(|| match environment {
            // Alone, the surroundings are all light there is.
            Some(_) => Lighting { key: Vec3::ZERO, room: Vec3::ZERO, ..Lighting::default() },
            None => Lighting::default(),
        });
        let (entities, lamps): (Vec<Entity>, Vec<_>) = self.light.lamps(place, middle, exposed).into_iter().unzip();
        drawn.scene_light = SceneLight {
            shadows: self.shadows.seen_by(camera, (self.light.sun, &entities), place),
            lamps,
            environment,
            ambient: self.light.ambient(exposed),
            lights_meshes: self.light.lights_meshes(),
        };
    }

    fn environment(&self, camera: Entity, place: &GlobalTransform, exposed: Exposed) -> Option<Environment<'_>> {
        let CameraSurroundings { seen, received, rotation, intensity } = self.surroundings.0.get(&camera)?;
        let images = self.images.as_ref()?;
        let texture = |id| images.get(id).map(|image| &*image.texture);
        // As Bevy does: the rotation turns the map, and cubes are left-handed.
        let mirror = Mat3::from_diagonal(Vec3::new(1.0, 1.0, -1.0));
        let cube_from_water = mirror * Mat3::from_quat(rotation.inverse() * place.rotation());
        let strength = exposed.luminance(*intensity);
        let textures = [texture(*seen)?, texture(*received)?];
        let environment = Environment::new(textures, self.device.features(), (cube_from_water, strength));
        if environment.is_none() {
            warn_once!(
                "the water does not show the camera's environment map, because its images are not cubes of six layers in \
                 a format that can be filtered; give both maps in Rgba16Float, Rgb9e5Ufloat or a compressed format"
            );
        }
        environment
    }
}
