use super::frame::{FIELD_NUMBERS, field_number};
use super::pipeline::{DrawPipeline, Drawing};
use super::solid_pipelines::SolidPipelines;
use super::{ColorMap, DrawStyle};
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

/// Metres of water along the view: blended, so 16-bit floats.
pub(super) const THICKNESS_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R16Float;

/// Finds the cells that hold particles.
pub(super) const MARK_CELLS: &str = "render/mark_cells.wgsl";

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
    pub(super) thickness: DrawPipeline,
    pub(super) beads: DrawPipeline,
    pub(super) smooth: DrawPipeline,
    pub(super) floor: DrawPipeline,
    pub(super) background: DrawPipeline,
    pub(super) edges_hidden: DrawPipeline,
    pub(super) edges_seen: DrawPipeline,
    pub(super) cell_edges: DrawPipeline,
}

impl Pipelines {
    pub(super) fn new(gpu: &Gpu, target: TargetFormat) -> Result<Self, GpuError> {
        use wgpu::CompareFunction::{GreaterEqual, Less};
        let multisampled = target.sample_count > 1;
        let drawn = |label, variant: ShaderVariant, fragment, color, depth| {
            let multisample = wgpu::MultisampleState { count: target.sample_count, ..Default::default() };
            let drawing =
                Drawing { label, variant: &variant, fragment, color: Some(color), depth: Some(depth), multisample };
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
        let water = |label, style| {
            drawn(label, water_variant(style, multisampled), "fragment", color(None), depth(Less, false))
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
            thickness: thickness(gpu)?,
            beads: water("beads", DrawStyle::Beads)?,
            smooth: water("smooth water", DrawStyle::Smooth)?,
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
            cell_edges: drawn(
                "cell edges",
                plain("render/cell_edges.wgsl"),
                "fragment",
                color(blended),
                depth(GreaterEqual, false),
            )?,
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
    let drawing =
        Drawing { label, variant, fragment: "fragment", color: Some(format.into()), depth: None, multisample };
    DrawPipeline::new(gpu, &drawing)
}

fn water_variant(style: DrawStyle, multisampled: bool) -> ShaderVariant {
    let variant = ShaderVariant::new("render/water.wgsl")
        .with_flag_if(style == DrawStyle::Smooth, "SMOOTH")
        .with_flag_if(multisampled, "MULTISAMPLED")
        .with_number("CELL_COLORS", ColorMap::CELL_COLORS as u32);
    FIELD_NUMBERS.into_iter().fold(variant, |variant, (name, field)| variant.with_number(name, field_number(field)))
}

fn light_map(gpu: &Gpu) -> Result<DrawPipeline, GpuError> {
    let blend =
        wgpu::BlendState { color: blended(wgpu::BlendOperation::Max), alpha: blended(wgpu::BlendOperation::Add) };
    gathered(gpu, "light map", &ShaderVariant::new("render/light_map.wgsl"), (LIGHT_MAP_FORMAT, blend))
}

fn thickness(gpu: &Gpu) -> Result<DrawPipeline, GpuError> {
    let sum = blended(wgpu::BlendOperation::Add);
    let blend = wgpu::BlendState { color: sum, alpha: sum };
    gathered(gpu, "thickness", &ShaderVariant::new("render/thickness.wgsl"), (THICKNESS_FORMAT, blend))
}

fn blended(operation: wgpu::BlendOperation) -> wgpu::BlendComponent {
    let one = wgpu::BlendFactor::One;
    wgpu::BlendComponent { src_factor: one, dst_factor: one, operation }
}

/// A pipeline that gathers what all particles give to a texel.
fn gathered(
    gpu: &Gpu,
    label: &'static str,
    variant: &ShaderVariant,
    (format, blend): (wgpu::TextureFormat, wgpu::BlendState),
) -> Result<DrawPipeline, GpuError> {
    let color = wgpu::ColorTargetState { format, blend: Some(blend), write_mask: wgpu::ColorWrites::ALL };
    let multisample = wgpu::MultisampleState::default();
    let drawing = Drawing { label, variant, fragment: "fragment", color: Some(color), depth: None, multisample };
    DrawPipeline::new(gpu, &drawing)
}

/// Every shader of the renderer in every variant it is compiled in, for the tests.
pub fn shader_variants() -> Vec<ShaderVariant> {
    let plain = [
        "render/light_map.wgsl",
        "render/thickness.wgsl",
        "render/relief_down.wgsl",
        "render/relief_normal.wgsl",
        "render/floor.wgsl",
        "render/background.wgsl",
        "render/box_edges.wgsl",
        "render/cell_edges.wgsl",
    ];
    let mut variants: Vec<ShaderVariant> = plain.into_iter().map(ShaderVariant::new).collect();
    variants.push(ShaderVariant::new(MARK_CELLS));
    variants.extend(SolidPipelines::variants());
    for multisampled in [false, true] {
        variants.extend([spheres_variant(multisampled), relief_variant(multisampled)]);
        variants.extend(DrawStyle::ALL.map(|style| water_variant(style, multisampled)));
    }
    variants
}
