use glam::UVec2;

use super::frame::{light_map_size, relief_scale};
use super::pipelines::{LIGHT_MAP_FORMAT, NAMES_FORMAT, RELIEF_DEPTH_FORMAT, RELIEF_NORMAL_FORMAT, THICKNESS_FORMAT};
use super::{Look, TargetFormat, View};
use crate::gpu::Gpu;

/// What the sizes of the textures between the passes follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) picture: UVec2,
    pub(super) relief_scale: u32,
    light_map: u32,
}

impl Sizes {
    pub(super) fn new(view: &View, look: &Look) -> Self {
        Self {
            picture: view.size.max(UVec2::ONE),
            relief_scale: relief_scale(view, look),
            light_map: light_map_size(look),
        }
    }
}

impl Default for Sizes {
    fn default() -> Self {
        Self { picture: UVec2::ONE, relief_scale: 1, light_map: 1 }
    }
}

/// What one pass leaves for the next.
pub(super) struct Textures {
    pub(super) sizes: Sizes,
    pub(super) light_map: wgpu::TextureView,
    pub(super) names: wgpu::TextureView,
    pub(super) relief_across: wgpu::TextureView,
    pub(super) relief_down: wgpu::TextureView,
    pub(super) relief: wgpu::TextureView,
    pub(super) thickness: wgpu::TextureView,
}

impl Textures {
    pub(super) fn new(gpu: &Gpu, target: TargetFormat, sizes: Sizes) -> Self {
        let texture = |label, format, size: UVec2, sample_count| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size.x, height: size.y, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        let coarse = (sizes.picture + sizes.relief_scale - 1) / sizes.relief_scale;
        Self {
            sizes,
            light_map: texture("light map", LIGHT_MAP_FORMAT, UVec2::splat(sizes.light_map), 1),
            names: texture("particle numbers", NAMES_FORMAT, sizes.picture, target.sample_count),
            relief_across: texture("relief across", RELIEF_DEPTH_FORMAT, coarse, 1),
            relief_down: texture("relief down", RELIEF_DEPTH_FORMAT, coarse, 1),
            relief: texture("relief normal", RELIEF_NORMAL_FORMAT, coarse, 1),
            thickness: texture("thickness", THICKNESS_FORMAT, coarse, 1),
        }
    }
}
