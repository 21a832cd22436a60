//! The shadows that the app's meshes throw on the water: the maps that Bevy's renderer of meshes draws of its lights.
//! Only with the feature `bevy_pbr`; without it, the resource stays empty.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use crate::render::{LampMaps, SceneShadows, ShadowMap};

/// For each camera that shows water, the maps of the lights, in world coordinates.
#[derive(Resource, Default)]
pub(super) struct MeshShadows(EntityHashMap<CameraMaps>);

/// The maps of one camera.
struct CameraMaps {
    depths: wgpu::Texture,
    faces: wgpu::Texture,
    /// By the lights' entities in the main world.
    of_lights: EntityHashMap<LampMaps>,
}

impl MeshShadows {
    /// The shadows in a camera's picture, of the key light and of lamps, in the coordinates of water at that place.
    pub(super) fn seen_by(
        &self,
        camera: Entity,
        (sun, lamps): (Option<Entity>, &[Entity]),
        place: &GlobalTransform,
    ) -> Option<SceneShadows<'_>> {
        let CameraMaps { depths, faces, of_lights } = self.0.get(&camera)?;
        let world_from_water = place.to_matrix();
        let placed = |map: &ShadowMap| ShadowMap { clip_from_world: map.clip_from_world * world_from_water, ..*map };
        let of_light = |light: &Entity| {
            let Some(LampMaps { are_faces, maps }) = of_lights.get(light) else { return LampMaps::default() };
            LampMaps { are_faces: *are_faces, maps: maps.iter().map(placed).collect() }
        };
        let maps = sun.map(|sun| of_light(&sun).maps).unwrap_or_default();
        Some(SceneShadows { depths, faces: Some(faces), maps, of_lamps: lamps.iter().map(of_light).collect() })
    }
}

#[cfg(feature = "bevy_pbr")]
pub(super) use collecting::collect_shadows;

#[cfg(feature = "bevy_pbr")]
mod collecting {
    use bevy::ecs::entity::EntityHashMap;
    use bevy::ecs::system::SystemParam;
    use bevy::pbr::{
        ExtractedPointLight, GlobalClusterableObjectMeta, LightEntity, ViewLightEntities, ViewShadowBindings,
    };
    use bevy::prelude::*;
    use bevy::render::sync_world::MainEntity;
    use bevy::render::view::ExtractedView;

    use super::super::WaterView;
    use super::{CameraMaps, MeshShadows};
    use crate::render::{LampMaps, ShadowMap};

    /// Bevy's lights in the render world.
    #[derive(SystemParam)]
    pub(in super::super) struct Lights<'w, 's> {
        /// What looks from a light at the scene: one for each part of its shadow.
        views: Query<'w, 's, (&'static LightEntity, &'static ExtractedView)>,
        /// Point and spot lights.
        lamps: Query<'w, 's, &'static ExtractedPointLight>,
        indices: Res<'w, GlobalClusterableObjectMeta>,
        main: Query<'w, 's, &'static MainEntity>,
    }

    /// Finds the maps of every camera. Runs after Bevy has prepared its lights for the frame, and before the water
    /// takes over its light.
    pub(in super::super) fn collect_shadows(
        mut shadows: ResMut<MeshShadows>,
        lights: Lights<'_, '_>,
        cameras: Query<(Entity, &ViewLightEntities, &ViewShadowBindings), With<WaterView>>,
    ) {
        shadows.0.clear();
        for (camera, views, bindings) in &cameras {
            let depths = wgpu::Texture::clone(&bindings.directional_light_depth_texture);
            let faces = wgpu::Texture::clone(&bindings.point_light_depth_texture);
            let mut of_lights = lights.of_lamps(&depths, &faces);
            // Of directional lights, the texture has a layer for each cascade in the order of this list.
            let directional = views.lights.iter().filter_map(|&view| match lights.views.get(view).ok()? {
                (LightEntity::Directional { light_entity, .. }, seen) => Some((*light_entity, seen.clip_from_world?)),
                _ => None,
            });
            for (layer, (light, clip_from_world)) in (0..).zip(directional) {
                let Ok(main) = lights.main.get(light) else { continue };
                of_lights.entry(main.id()).or_default().maps.push(ShadowMap { clip_from_world, layer });
            }
            if !of_lights.is_empty() {
                shadows.0.insert(camera, CameraMaps { depths, faces, of_lights });
            }
        }
    }

    impl Lights<'_, '_> {
        /// The maps of point and spot lights, which all cameras share. Bevy keeps the layers of its textures to itself;
        /// they follow from the order in which it numbers the lights: point lights before spot lights, and in both
        /// those with maps first. Maps of spot lights follow the cascades of directional lights.
        fn of_lamps(&self, depths: &wgpu::Texture, faces: &wgpu::Texture) -> EntityHashMap<LampMaps> {
            let is_spot = |lamp: &&ExtractedPointLight| lamp.spot_light_angles.is_some();
            let point_count = self.lamps.iter().filter(|lamp| !is_spot(lamp)).count();
            let spot_maps = self.lamps.iter().filter(|lamp| is_spot(lamp) && lamp.shadow_maps_enabled).count();
            let first_spot = (depths.depth_or_array_layers() as usize).saturating_sub(spot_maps);
            let mut of_lights = EntityHashMap::<LampMaps>::default();
            for (light, seen) in &self.views {
                let (entity, face) = match *light {
                    LightEntity::Point { light_entity, face_index } => (light_entity, Some(face_index)),
                    LightEntity::Spot { light_entity } => (light_entity, None),
                    LightEntity::Directional { .. } => continue,
                };
                let Some(&index) = self.indices.entity_to_index.get(&entity) else { continue };
                let (texture, layer) = match face {
                    Some(face) => (faces, 6 * index + face),
                    None => (depths, first_spot + index.saturating_sub(point_count)),
                };
                let Ok(main) = self.main.get(entity) else { continue };
                if layer >= texture.depth_or_array_layers() as usize {
                    continue;
                }
                let clip_from_world = seen.clip_from_view * seen.world_from_view.to_matrix().inverse();
                let maps = of_lights.entry(main.id()).or_default();
                maps.are_faces = face.is_some();
                maps.maps.push(ShadowMap { clip_from_world, layer: layer as u32 });
            }
            of_lights
        }
    }
}
