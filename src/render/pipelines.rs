use super::ColorMap;
use super::frame::{FIELD_NUMBERS, field_number};
use super::pipeline::{DrawPipeline, Drawing};
use crate::gpu::{Gpu, GpuError, ShaderVariant};

/// The light map: blended, so 16-bit floats, the widest that every device blends.
pub(super) const LIGHT_MAP_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Particle numbers in two halves: the widest integer format that every device multisamples.
pub(super) const NAMES_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rg16Uint;

/// Bits of the relief's depths: floats of 32 bits can be drawn everywhere, but bound only as integers without a say
/// on filtering.
pub(super) const RELIEF_DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;
/// The relief's normals.
pub(super) const RELIEF_NORMAL_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// The formats and sample count of what is drawn into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetFormat {
    /// Colour, an sRGB format: the shaders write linear light.
    pub color: wgpu::TextureFormat,
    /// Depth, 32-bit float.
    pub depth: wgpu::TextureFormat,
    /// Samples a pixel, 1 or 4.
    pub sample_count: u32,
}

/// Everything compiled for one kind of target.
pub(super) struct Pipelines {
    pub(super) light_map: DrawPipeline,
    pub(super) spheres: DrawPipeline,
    pub(super) relief_across: DrawPipeline,
    pub(super) relief_down: DrawPipeline,
    pub(super) relief_normal: DrawPipeline,
    pub(super) water: DrawPipeline,
    pub(super) floor: DrawPipeline,
    pub(super) background: DrawPipeline,
    pub(super) edges_hidden: DrawPipeline,
    pub(super) edges_seen: DrawPipeline,
}

impl Pipelines {
    pub(super) fn new(gpu: &Gpu, target: TargetFormat) -> Result<Self, GpuError> {
        use wgpu::CompareFunction::{GreaterEqual, Less};
        let multisampled = target.sample_count > 1;
        let drawn = |label, variant: ShaderVariant, fragment, color, depth| {
            let multisample = wgpu::MultisampleState { count: target.sample_count, ..Default::default() };
            let drawing = Drawing { label, variant: &variant, fragment, color, depth: Some(depth), multisample };
            DrawPipeline::new(gpu, &drawing)
        };
        let depth = |compare, write| wgpu::DepthStencilState {
            format: target.depth,
            depth_write_enabled: Some(write),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        };
        // Alpha stays one, as cleared: a window's compositor may read it.
        let color =
            |blend| wgpu::ColorTargetState { format: target.color, blend, write_mask: wgpu::ColorWrites::COLOR };
        let plain = ShaderVariant::new;
        let blended = Some(wgpu::BlendState::ALPHA_BLENDING);
        let edges = |label, fragment, compare| {
            drawn(label, plain("render/box_edges.wgsl"), fragment, color(blended), depth(compare, false))
        };
        Ok(Self {
            light_map: light_map(gpu)?,
            spheres: drawn(
                "spheres",
                spheres_variant(multisampled),
                "fragment",
                NAMES_FORMAT.into(),
                depth(GreaterEqual, true),
            )?,
            relief_across: relief(gpu, "relief across", &relief_variant(multisampled), RELIEF_DEPTH_FORMAT)?,
            relief_down: relief(gpu, "relief down", &plain("render/relief_down.wgsl"), RELIEF_DEPTH_FORMAT)?,
            relief_normal: relief(gpu, "relief normal", &plain("render/relief_normal.wgsl"), RELIEF_NORMAL_FORMAT)?,
            water: drawn("water", water_variant(multisampled), "fragment", color(None), depth(Less, false))?,
            floor: drawn("floor", plain("render/floor.wgsl"), "fragment", color(None), depth(GreaterEqual, true))?,
            background: drawn(
                "background",
                plain("render/background.wgsl"),
                "fragment",
                color(None),
                depth(GreaterEqual, false),
            )?,
            edges_hidden: edges("hidden edges", "fragment_hidden", Less)?,
            edges_seen: edges("edges", "fragment_seen", GreaterEqual)?,
        })
    }
}

fn spheres_variant(multisampled: bool) -> ShaderVariant {
    ShaderVariant::new("render/spheres.wgsl").with_flag_if(multisampled, "MULTISAMPLED")
}

fn relief_variant(multisampled: bool) -> ShaderVariant {
    ShaderVariant::new("render/relief_across.wgsl").with_flag_if(multisampled, "MULTISAMPLED")
}

fn relief(
    gpu: &Gpu,
    label: &'static str,
    variant: &ShaderVariant,
    format: wgpu::TextureFormat,
) -> Result<DrawPipeline, GpuError> {
    let multisample = wgpu::MultisampleState::default();
    let drawing = Drawing { label, variant, fragment: "fragment", color: format.into(), depth: None, multisample };
    DrawPipeline::new(gpu, &drawing)
}

fn water_variant(multisampled: bool) -> ShaderVariant {
    let variant = ShaderVariant::new("render/water.wgsl")
        .with_flag_if(multisampled, "MULTISAMPLED")
        .with_number("CELL_COLORS", ColorMap::CELL_COLORS as u32);
    FIELD_NUMBERS.into_iter().fold(variant, |variant, (name, field)| variant.with_number(name, field_number(field)))
}

fn light_map(gpu: &Gpu) -> Result<DrawPipeline, GpuError> {
    let component = |operation| wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation,
    };
    let color = wgpu::ColorTargetState {
        format: LIGHT_MAP_FORMAT,
        blend: Some(wgpu::BlendState {
            color: component(wgpu::BlendOperation::Max),
            alpha: component(wgpu::BlendOperation::Add),
        }),
        write_mask: wgpu::ColorWrites::ALL,
    };
    let drawing = Drawing {
        label: "light map",
        variant: &ShaderVariant::new("render/light_map.wgsl"),
        fragment: "fragment",
        color,
        depth: None,
        multisample: wgpu::MultisampleState::default(),
    };
    DrawPipeline::new(gpu, &drawing)
}

/// Every shader of the renderer in every variant it is compiled in, for the tests.
pub fn shader_variants() -> Vec<ShaderVariant> {
    let plain = [
        "render/light_map.wgsl",
        "render/relief_down.wgsl",
        "render/relief_normal.wgsl",
        "render/floor.wgsl",
        "render/background.wgsl",
        "render/box_edges.wgsl",
    ];
    let mut variants: Vec<ShaderVariant> = plain.into_iter().map(ShaderVariant::new).collect();
    for multisampled in [false, true] {
        variants.extend([spheres_variant, relief_variant, water_variant].map(|variant| variant(multisampled)));
    }
    variants
}
