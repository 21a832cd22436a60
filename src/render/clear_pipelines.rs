//! The render pipelines of clear water, which are compiled when it is first drawn. However many samples a pixel of the
//! picture has, its spheres have one: several cost three times as long where particles are many, and how much of a
//! pixel a sphere covers at its outline can be computed.

use std::thread;

use super::at_once::Compiling;
use super::formats::{
    CAUSTIC_CORNERS_FORMAT, CAUSTICS_FORMAT, NAMES_FORMAT, RELIEF_DEPTH_FORMAT, RELIEF_NORMAL_FORMAT, TargetFormat,
};
use super::left_out::LeftOut;
use super::pipeline::{DrawPipeline, Drawing};
use super::pipelines::{
    BACKGROUND, Drawer, FLOOR, Spheres, adding, gathered, light_map, relief, spheres_variant, thickness,
};
use super::solid_pipelines::{BEHIND_FORMAT, DEPTH_FORMAT};
use crate::gpu::{Gpu, GpuError, ShaderVariant};

/// The pipelines of the style [`DrawStyle::Water`](super::DrawStyle::Water), apart from those that all styles share.
pub(super) struct ClearPipelines {
    pub(super) light_map: DrawPipeline,
    pub(super) sun_surface: DrawPipeline,
    pub(super) sun_across: DrawPipeline,
    pub(super) sun_down: DrawPipeline,
    pub(super) caustic_corners: DrawPipeline,
    pub(super) caustics: DrawPipeline,
    pub(super) spheres: DrawPipeline,
    pub(super) depth: DrawPipeline,
    pub(super) lumps: DrawPipeline,
    pub(super) lumps_out: DrawPipeline,
    pub(super) across: DrawPipeline,
    pub(super) down: DrawPipeline,
    pub(super) normal: DrawPipeline,
    pub(super) floor_behind: DrawPipeline,
    pub(super) background_behind: DrawPipeline,
    pub(super) thickness: DrawPipeline,
    pub(super) water: DrawPipeline,
    pub(super) over: DrawPipeline,
    pub(super) drop_mask: DrawPipeline,
    pub(super) drops: DrawPipeline,
}

impl ClearPipelines {
    pub(super) fn new(gpu: &Gpu, target: TargetFormat, left_out: LeftOut) -> Result<Self, GpuError> {
        use wgpu::CompareFunction::GreaterEqual;
        let drawer = Drawer { gpu, target };
        let smoothing =
            |label, is_sun, is_down| relief(gpu, label, &smoothing_variant(is_sun, is_down), RELIEF_DEPTH_FORMAT);
        let over = drawer.color(Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING));
        thread::scope(|scope| {
            let light_map = Compiling::begin(scope, || light_map(gpu, &light_map_variant()));
            let sun_surface = Compiling::begin(scope, || {
                behind(gpu, "sun surface", &sun_surface_variant(), RELIEF_DEPTH_FORMAT, true)
            });
            let sun_across = Compiling::begin(scope, || smoothing("sun surface across", true, false));
            let sun_down = Compiling::begin(scope, || smoothing("sun surface down", true, true));
            let caustic_corners = Compiling::begin(scope, || {
                relief(gpu, "caustic corners", &caustic_corners_variant(), CAUSTIC_CORNERS_FORMAT)
            });
            let caustics =
                Compiling::begin(scope, || gathered(gpu, "caustics", &caustics_variant(), (CAUSTICS_FORMAT, adding())));
            let spheres = Compiling::begin(scope, || {
                behind(gpu, "spheres", &spheres_variant(false, Spheres::Clear), NAMES_FORMAT, true)
            });
            let depth = Compiling::begin(scope, || relief(gpu, "water depth", &depth_variant(), RELIEF_DEPTH_FORMAT));
            let lumps =
                Compiling::begin(scope, || relief(gpu, "find lumps", &lumps_variant(false), RELIEF_DEPTH_FORMAT));
            let lumps_out =
                Compiling::begin(scope, || relief(gpu, "take out lumps", &lumps_variant(true), RELIEF_DEPTH_FORMAT));
            let across = Compiling::begin(scope, || smoothing("water across", false, false));
            let down = Compiling::begin(scope, || smoothing("water down", false, true));
            let normal =
                Compiling::begin(scope, || relief(gpu, "water normal", &normal_variant(), RELIEF_NORMAL_FORMAT));
            let floor_behind = Compiling::begin(scope, || {
                behind(gpu, "floor behind water", &behind_variant(FLOOR, left_out), BEHIND_FORMAT, true)
            });
            let background_behind = Compiling::begin(scope, || {
                behind(gpu, "backdrop", &behind_variant(BACKGROUND, left_out), BEHIND_FORMAT, false)
            });
            let thickness = Compiling::begin(scope, || thickness(gpu, &thickness_variant()));
            let water = Compiling::begin(scope, || {
                behind(gpu, "clear water", &water_variant(left_out, false), BEHIND_FORMAT, true)
            });
            let over = Compiling::begin(scope, || {
                drawer.pipeline(
                    "clear water over picture",
                    (&over_variant(left_out), "fragment"),
                    over,
                    drawer.depth(GreaterEqual, true),
                )
            });
            let drop_mask = Compiling::begin(scope, || masked(gpu, "drop mask", &drop_mask_variant(), None));
            let drops =
                Compiling::begin(scope, || masked(gpu, "drops", &water_variant(left_out, true), Some(BEHIND_FORMAT)));
            Ok(Self {
                light_map: light_map.get()?,
                sun_surface: sun_surface.get()?,
                sun_across: sun_across.get()?,
                sun_down: sun_down.get()?,
                caustic_corners: caustic_corners.get()?,
                caustics: caustics.get()?,
                spheres: spheres.get()?,
                depth: depth.get()?,
                lumps: lumps.get()?,
                lumps_out: lumps_out.get()?,
                across: across.get()?,
                down: down.get()?,
                normal: normal.get()?,
                floor_behind: floor_behind.get()?,
                background_behind: background_behind.get()?,
                thickness: thickness.get()?,
                water: water.get()?,
                over: over.get()?,
                drop_mask: drop_mask.get()?,
                drops: drops.get()?,
            })
        })
    }

    /// The shaders of these pipelines.
    pub(super) fn variants(left_out: LeftOut) -> Vec<ShaderVariant> {
        let mut variants = vec![
            light_map_variant(),
            sun_surface_variant(),
            caustic_corners_variant(),
            caustics_variant(),
            spheres_variant(false, Spheres::Clear),
            depth_variant(),
            behind_variant(FLOOR, left_out),
            behind_variant(BACKGROUND, left_out),
            thickness_variant(),
            lumps_variant(false),
            lumps_variant(true),
            water_variant(left_out, false),
            water_variant(left_out, true),
            over_variant(left_out),
            drop_mask_variant(),
        ];
        for is_sun in [false, true] {
            variants.extend([false, true].map(|is_down| smoothing_variant(is_sun, is_down)));
        }
        variants
    }
}

fn light_map_variant() -> ShaderVariant {
    ShaderVariant::new("render/light_map.wgsl").with_flag_if(true, "CLEAR")
}

fn sun_surface_variant() -> ShaderVariant {
    ShaderVariant::new("render/sun_surface.wgsl")
}

fn caustic_corners_variant() -> ShaderVariant {
    ShaderVariant::new("render/caustic_corners.wgsl")
}

fn caustics_variant() -> ShaderVariant {
    ShaderVariant::new("render/caustics.wgsl")
}

fn smoothing_variant(is_sun: bool, is_down: bool) -> ShaderVariant {
    ShaderVariant::new("render/narrow_range.wgsl").with_flag_if(is_sun, "SUN").with_flag_if(is_down, "DOWN")
}

fn depth_variant() -> ShaderVariant {
    ShaderVariant::new("render/water_depth.wgsl")
}

fn normal_variant() -> ShaderVariant {
    ShaderVariant::new("render/relief_normal.wgsl")
}

fn behind_variant(file: &'static str, left_out: LeftOut) -> ShaderVariant {
    left_out.in_clear_water().define(ShaderVariant::new(file).with_flag("BEHIND"))
}

fn thickness_variant() -> ShaderVariant {
    ShaderVariant::new("render/thickness.wgsl").with_flag_if(true, "CLEAR")
}

/// Marks lumps, or takes them out.
fn lumps_variant(is_second: bool) -> ShaderVariant {
    ShaderVariant::new("render/lumps.wgsl").with_flag_if(is_second, "OUT")
}

/// The surface, or the drops in front of it.
fn water_variant(left_out: LeftOut, are_drops: bool) -> ShaderVariant {
    let variant = ShaderVariant::new("render/clear_water.wgsl").with_flag_if(are_drops, "DROPS");
    left_out.in_clear_water().define(variant)
}

fn drop_mask_variant() -> ShaderVariant {
    ShaderVariant::new("render/drop_mask.wgsl")
}

fn over_variant(left_out: LeftOut) -> ShaderVariant {
    left_out.in_clear_water().define(ShaderVariant::new("render/water_over.wgsl"))
}

/// A pipeline that draws the nearest of what it is given into textures that later passes read.
fn behind(
    gpu: &Gpu,
    label: &'static str,
    variant: &ShaderVariant,
    format: wgpu::TextureFormat,
    writes_depth: bool,
) -> Result<DrawPipeline, GpuError> {
    let depth = wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(writes_depth),
        depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    };
    let (color, multisample) = (Some(format.into()), wgpu::MultisampleState::default());
    DrawPipeline::new(
        gpu,
        &Drawing { label, variant, fragment: Some("fragment"), color, depth: Some(depth), multisample },
    )
}

/// A pipeline that writes a mask of depths, or one that draws colors of some format where a mask has depths: its
/// triangle is infinitely far away, and passes where something is nearer.
fn masked(
    gpu: &Gpu,
    label: &'static str,
    variant: &ShaderVariant,
    format: Option<wgpu::TextureFormat>,
) -> Result<DrawPipeline, GpuError> {
    let compare = if format.is_none() { wgpu::CompareFunction::Always } else { wgpu::CompareFunction::Less };
    let depth = wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(format.is_none()),
        depth_compare: Some(compare),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    };
    let (color, multisample) = (format.map(Into::into), wgpu::MultisampleState::default());
    DrawPipeline::new(
        gpu,
        &Drawing { label, variant, fragment: Some("fragment"), color, depth: Some(depth), multisample },
    )
}
