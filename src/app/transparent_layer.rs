//! Transparent meshes of the app that are behind water: drawn once more into a picture of their own, which the water
//! refracts with everything else behind it. Bevy draws them after the water, whose depth then hides them.

use bevy::core_pipeline::core_3d::Transparent3d;
use bevy::core_pipeline::oit::OrderIndependentTransparencySettings;
use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_phase::{SortedRenderPhase, ViewSortedRenderPhases};
use bevy::render::render_resource::{
    Extent3d, LoadOp, Operations, RenderPassColorAttachment, RenderPassDescriptor, StoreOp, TextureDescriptor,
    TextureDimension, TextureUsages,
};
use bevy::render::renderer::{RenderContext, RenderDevice};
use bevy::render::texture::{CachedTexture, TextureCache};
use bevy::render::view::{ExtractedView, ViewDepthTexture, ViewTarget};

use super::WaterView;
use super::waters::InCamera;

/// The pictures of the cameras that show water and transparent meshes.
#[derive(Resource, Default)]
pub(super) struct TransparentLayers(EntityHashMap<TransparentLayer>);

impl TransparentLayers {
    pub(super) fn of(&self, camera: Entity) -> Option<&TransparentLayer> {
        self.0.get(&camera)
    }
}

/// The picture of one camera.
pub(super) struct TransparentLayer {
    /// With several samples in a pixel, these; with one sample, the picture.
    samples: CachedTexture,
    /// With several samples, the picture.
    resolved: Option<CachedTexture>,
}

type TransparentCamera<'a> =
    (Entity, &'a WaterView, &'a ExtractedView, &'a ViewTarget, &'a Msaa, Has<OrderIndependentTransparencySettings>);

/// Makes the pictures of this frame. Cameras with order-independent transparency have none, because drawing twice would
/// count every mesh twice in it.
pub(super) fn prepare_layers(
    mut layers: ResMut<TransparentLayers>,
    mut textures: ResMut<TextureCache>,
    device: Res<RenderDevice>,
    phases: Res<ViewSortedRenderPhases<Transparent3d>>,
    cameras: Query<TransparentCamera<'_>>,
) {
    layers.0.clear();
    for (camera, water_view, view, target, msaa, is_independent) in &cameras {
        let phase = phases.get(&view.retained_view_entity);
        if water_view.brings_tank || is_independent || phase.is_none_or(|phase| phase.items.is_empty()) {
            continue;
        }
        let Extent3d { width, height, .. } = target.main_texture().size();
        let mut texture = |label, sample_count| {
            let descriptor = TextureDescriptor {
                label: Some(label),
                size: Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: TextureDimension::D2,
                format: target.main_texture_format(),
                usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            };
            textures.get(&device, descriptor)
        };
        let samples = texture("transparent behind water", msaa.samples());
        let resolved = (msaa.samples() > 1).then(|| texture("transparent behind water, resolved", 1));
        layers.0.insert(camera, TransparentLayer { samples, resolved });
    }
}

impl TransparentLayer {
    /// Draws the transparent meshes with a center that is not in front of all of the water, and returns the picture;
    /// nothing if there are none. Meshes in front would be seen in the water as well as before it.
    pub(super) fn record(
        &self,
        water: InCamera,
        phase: &SortedRenderPhase<Transparent3d>,
        (world, depth, camera): (&World, &ViewDepthTexture, &ExtractedCamera),
        context: &mut RenderContext,
    ) -> Option<&wgpu::TextureView> {
        // They are sorted from back to front.
        let count = phase.items.values().take_while(|item| item.distance <= water.nearest).count();
        if count == 0 {
            return None;
        }
        let color = RenderPassColorAttachment {
            view: &self.samples.default_view,
            depth_slice: None,
            resolve_target: self.resolved.as_ref().map(|resolved| &*resolved.default_view),
            ops: Operations { load: LoadOp::Clear(wgpu::Color::TRANSPARENT), store: StoreOp::Store },
        };
        let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
            label: Some("transparent behind water"),
            color_attachments: &[Some(color)],
            depth_stencil_attachment: Some(depth.get_attachment(StoreOp::Store)),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        if let Some(viewport) = &camera.viewport {
            pass.set_camera_viewport(viewport);
        }
        if let Err(error) = phase.render_range(&mut pass, world, water.camera, ..count) {
            error_once!("transparent meshes behind water are not drawn: {error}");
        }
        drop(pass);
        Some(&self.resolved.as_ref().unwrap_or(&self.samples).default_view)
    }
}
