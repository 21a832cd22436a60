//! The textures that pass data from one pass of the renderer to the next.

use glam::UVec2;

use super::formats::{
    CAUSTIC_CORNERS_FORMAT, CAUSTICS_FORMAT, LIGHT_MAP_FORMAT, NAMES_FORMAT, RELIEF_DEPTH_FORMAT, RELIEF_NORMAL_FORMAT,
    THICKNESS_FORMAT,
};
use super::frame::{caustic_mesh, caustic_texels, light_map_size, relief_scale};
use super::solid_pipelines::{BEHIND_FORMAT, DEPTH_FORMAT};
use super::{DrawStyle, Look, Surroundings, TargetFormat, View};
use crate::gpu::Gpu;

/// Texels along each edge of the map of solids in the path of the light.
const SOLID_MAP_TEXELS: u32 = 1024;

/// The parameters that determine the sizes of the textures between the passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) picture: UVec2,
    pub(super) relief_scale: u32,
    pub(super) light_map: u32,
    sun: u32,
    pub(super) caustics: u32,
    solid_map: u32,
    behind: UVec2,
    faded: UVec2,
    names: UVec2,
    clear_names: UVec2,
}

impl Sizes {
    /// Textures that only solids, only roles or only clear water need have one texel without them.
    pub(super) fn new(view: &View, look: &Look, has_solids: bool, has_marks: bool) -> Self {
        let is_clear = look.style == DrawStyle::Water;
        let is_in_picture = look.surroundings != Surroundings::Tank;
        let is_seen_through = is_clear || is_in_picture || has_solids && look.style == DrawStyle::Smooth;
        Self {
            picture: view.size.max(UVec2::ONE),
            relief_scale: relief_scale(view, look),
            light_map: light_map_size(look),
            sun: if is_clear { light_map_size(look) } else { 1 },
            caustics: if is_clear { caustic_texels(look) } else { 1 },
            solid_map: if has_solids { SOLID_MAP_TEXELS } else { 1 },
            names: if is_clear { UVec2::ONE } else { view.size.max(UVec2::ONE) },
            clear_names: if is_clear { view.size.max(UVec2::ONE) } else { UVec2::ONE },
            behind: if is_seen_through { view.size.max(UVec2::ONE) } else { UVec2::ONE },
            faded: if has_marks { view.size.max(UVec2::ONE) } else { UVec2::ONE },
        }
    }
}

impl Sizes {
    /// Size of the coarse pictures of the water's surface and thickness.
    pub(super) fn coarse(&self) -> UVec2 {
        (self.picture + self.relief_scale - 1) / self.relief_scale
    }
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            picture: UVec2::ONE,
            relief_scale: 1,
            light_map: 1,
            sun: 1,
            caustics: 1,
            solid_map: 1,
            behind: UVec2::ONE,
            faded: UVec2::ONE,
            names: UVec2::ONE,
            clear_names: UVec2::ONE,
        }
    }
}

/// The textures that one pass writes and a later one reads.
pub(super) struct Textures {
    pub(super) sizes: Sizes,
    pub(super) light_map: wgpu::TextureView,
    pub(super) names: wgpu::TextureView,
    pub(super) clear_names: wgpu::TextureView,
    /// Depths of the spheres of clear water, if triangles draw them, and then of its surface.
    pub(super) clear_depth: wgpu::TextureView,
    pub(super) clear_layer: wgpu::TextureView,
    pub(super) drop_depth: wgpu::TextureView,
    pub(super) drop_layer: wgpu::TextureView,
    pub(super) faded_names: wgpu::TextureView,
    pub(super) faded_depth: wgpu::TextureView,
    pub(super) relief_across: wgpu::TextureView,
    pub(super) relief_down: wgpu::TextureView,
    pub(super) relief: wgpu::TextureView,
    pub(super) thickness: wgpu::TextureView,
    pub(super) solid_heights: wgpu::TextureView,
    pub(super) solids_behind: wgpu::TextureView,
    pub(super) solid_depths: wgpu::TextureView,
    pub(super) sun_depth: wgpu::TextureView,
    pub(super) sun_surface: wgpu::TextureView,
    pub(super) sun_across: wgpu::TextureView,
    pub(super) caustic_corners: wgpu::TextureView,
    pub(super) caustics: wgpu::TextureView,
}

impl Textures {
    pub(super) fn new(gpu: &Gpu, target: TargetFormat, sizes: Sizes) -> Self {
        let with_usage = |label, format, size: UVec2, sample_count, usage| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size.x, height: size.y, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING | usage,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        let texture = |label, format, size, sample_count| {
            with_usage(label, format, size, sample_count, wgpu::TextureUsages::empty())
        };
        let coarse = sizes.coarse();
        Self {
            sizes,
            light_map: texture("light map", LIGHT_MAP_FORMAT, UVec2::splat(sizes.light_map), 1),
            names: texture("particle numbers", NAMES_FORMAT, sizes.names, target.sample_count),
            clear_names: texture("particle numbers of clear water", NAMES_FORMAT, sizes.clear_names, 1),
            clear_depth: texture("depth of clear water", DEPTH_FORMAT, sizes.clear_names, 1),
            clear_layer: texture("clear water", BEHIND_FORMAT, sizes.clear_names, 1),
            drop_depth: texture("depth of drops", DEPTH_FORMAT, sizes.clear_names, 1),
            drop_layer: texture("drops", BEHIND_FORMAT, sizes.clear_names, 1),
            faded_names: texture("faded particle numbers", NAMES_FORMAT, sizes.faded, target.sample_count),
            faded_depth: texture("depth of faded particles", target.depth, sizes.faded, target.sample_count),
            relief_across: texture("relief across", RELIEF_DEPTH_FORMAT, coarse, 1),
            relief_down: texture("relief down", RELIEF_DEPTH_FORMAT, coarse, 1),
            relief: texture("relief normal", RELIEF_NORMAL_FORMAT, coarse, 1),
            thickness: texture("thickness", THICKNESS_FORMAT, coarse, 1),
            solid_heights: texture("solid heights", DEPTH_FORMAT, UVec2::splat(sizes.solid_map), 1),
            solids_behind: texture("solids behind water", BEHIND_FORMAT, sizes.behind, 1),
            solid_depths: with_usage(
                "solid depths",
                DEPTH_FORMAT,
                sizes.behind,
                1,
                // Compute passes read a copy.
                wgpu::TextureUsages::COPY_SRC,
            ),
            sun_depth: texture("sun depth", DEPTH_FORMAT, UVec2::splat(sizes.sun), 1),
            sun_surface: texture("sun surface", RELIEF_DEPTH_FORMAT, UVec2::splat(sizes.sun), 1),
            sun_across: texture("sun surface across", RELIEF_DEPTH_FORMAT, UVec2::splat(sizes.sun), 1),
            caustic_corners: texture(
                "caustic corners",
                CAUSTIC_CORNERS_FORMAT,
                UVec2::splat(caustic_mesh(sizes.caustics) + 1),
                1,
            ),
            caustics: texture("caustics", CAUSTICS_FORMAT, UVec2::splat(sizes.caustics), 1),
        }
    }
}

/// A texel of zeros in each layer, which is bound where the caller has no texture.
pub(super) fn clear_texel(gpu: &Gpu, label: &str, (format, layers): (wgpu::TextureFormat, u32)) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: layers },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}
