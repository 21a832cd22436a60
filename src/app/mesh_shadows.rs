//! The shadows that the app's meshes throw on the water: the maps that Bevy's renderer of meshes draws of its directional
//! lights. Only with the feature `bevy_pbr`; without it, the resource stays empty.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use crate::render::{SceneShadows, ShadowMap};

/// For each camera that shows water, the maps of the light that is the water's key light, in world coordinates.
#[derive(Resource, Default)]
pub(super) struct MeshShadows(EntityHashMap<CameraMaps>);

/// The maps of one camera, from the finest to the coarsest.
struct CameraMaps {
    depths: wgpu::Texture,
    maps: Vec<ShadowMap>,
}

impl MeshShadows {
    /// The shadows in a camera's picture, in the coordinates of water at that place.
    pub(super) fn seen_by(&self, camera: Entity, place: &GlobalTransform) -> Option<SceneShadows<'_>> {
        let CameraMaps { depths, maps } = self.0.get(&camera)?;
        let world_from_water = place.to_matrix();
        let placed = |map: &ShadowMap| ShadowMap { clip_from_world: map.clip_from_world * world_from_water, ..*map };
        Some(SceneShadows { depths, maps: maps.iter().map(placed).collect() })
    }
}

#[cfg(feature = "bevy_pbr")]
pub(super) use collecting::collect_shadows;

#[cfg(feature = "bevy_pbr")]
mod collecting {
    use bevy::pbr::{LightEntity, ViewLightEntities, ViewShadowBindings};
    use bevy::prelude::*;
    use bevy::render::sync_world::MainEntity;
    use bevy::render::view::ExtractedView;

    use super::super::WaterView;
    use super::super::sunlight::AppLight;
    use super::{CameraMaps, MeshShadows};
    use crate::render::ShadowMap;

    /// Finds the maps of every camera. Runs after Bevy has prepared its lights for the frame, and before the water takes
    /// over its light.
    pub(in super::super) fn collect_shadows(
        mut shadows: ResMut<MeshShadows>,
        light: Res<AppLight>,
        cameras: Query<(Entity, &ViewLightEntities, &ViewShadowBindings), With<WaterView>>,
        cascades: Query<(&LightEntity, &ExtractedView)>,
        lights: Query<&MainEntity>,
    ) {
        shadows.0.clear();
        let Some(sun) = light.sun else { return };
        let is_sun = |light| lights.get(light).is_ok_and(|main| main.id() == sun);
        for (camera, views, bindings) in &cameras {
            // Of directional lights, the texture has a layer for each cascade in the order of this list.
            let directional = views.lights.iter().filter_map(|&view| match cascades.get(view).ok()? {
                (LightEntity::Directional { light_entity, .. }, seen) => Some((*light_entity, seen.clip_from_world?)),
                _ => None,
            });
            let of_sun = (0..).zip(directional).filter(|(_, (light, _))| is_sun(*light));
            let maps: Vec<ShadowMap> =
                of_sun.map(|(layer, (_, clip_from_world))| ShadowMap { clip_from_world, layer }).collect();
            if !maps.is_empty() {
                let depths = wgpu::Texture::clone(&bindings.directional_light_depth_texture);
                shadows.0.insert(camera, CameraMaps { depths, maps });
            }
        }
    }
}
