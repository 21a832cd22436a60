//! All render pipelines for one kind of target.

use std::thread;

use super::at_once::Compiling;
use super::formats::{
    LIGHT_MAP_FORMAT, NAMES_FORMAT, RELIEF_DEPTH_FORMAT, RELIEF_NORMAL_FORMAT, THICKNESS_FORMAT, TargetFormat,
};
use super::left_out::Shading;
use super::pipeline::{DrawPipeline, Drawing};
use super::{ColorMap, DrawStyle, Mark};
use crate::gpu::{Gpu, GpuError, ShaderVariant};

/// Draws the floor.
pub(super) const FLOOR: &str = "render/floor.wgsl";
/// Draws what is behind everything.
pub(super) const BACKGROUND: &str = "render/background.wgsl";
/// Finds the cells that contain particles.
pub(super) const MARK_CELLS: &str = "render/mark_cells.wgsl";
/// Draws their outer faces.
pub(super) const CELL_FACES: &str = "render/cell_faces.wgsl";

/// All pipelines for one kind of target.
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
}

/// The pipelines that draw the search's cells.
pub(super) struct CellPipelines {
    pub(super) edges: DrawPipeline,
    pub(super) faces: DrawPipeline,
}

/// The pipelines that draw particles in their roles.
pub(super) struct MarkedPipelines {
    /// Numbers of all particles except faded ones.
    pub(super) spheres: DrawPipeline,
    /// Numbers of faded particles.
    pub(super) faded_spheres: DrawPipeline,
    pub(super) water: DrawPipeline,
    pub(super) veil: DrawPipeline,
}

/// Creates pipelines that draw into one kind of target.
pub(super) struct Drawer<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) target: TargetFormat,
}

impl Drawer<'_> {
    pub(super) fn pipeline(
        &self,
        label: &'static str,
        (variant, fragment): (&ShaderVariant, &'static str),
        color: wgpu::ColorTargetState,
        depth: wgpu::DepthStencilState,
    ) -> Result<DrawPipeline, GpuError> {
        let multisample = wgpu::MultisampleState { count: self.target.sample_count, ..Default::default() };
        let drawing =
            Drawing { label, variant, fragment: Some(fragment), color: Some(color), depth: Some(depth), multisample };
        DrawPipeline::new(self.gpu, &drawing)
    }

    pub(super) fn depth(&self, compare: wgpu::CompareFunction, write: bool) -> wgpu::DepthStencilState {
        wgpu::DepthStencilState {
            format: self.target.depth,
            depth_write_enabled: Some(write),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }
    }

    /// Alpha remains one, as cleared, because the compositor of a window may read it.
    pub(super) fn color(&self, blend: Option<wgpu::BlendState>) -> wgpu::ColorTargetState {
        wgpu::ColorTargetState { format: self.target.color, blend, write_mask: wgpu::ColorWrites::COLOR }
    }

    pub(super) fn is_multisampled(&self) -> bool {
        self.target.sample_count > 1
    }
}

/// A pipeline that is blended over the picture without writing depth; `compare` selects whether it is drawn in front of
/// or behind what is there.
pub(super) fn overlay(
    gpu: &Gpu,
    target: TargetFormat,
    label: &'static str,
    (variant, fragment): (&ShaderVariant, &'static str),
    compare: wgpu::CompareFunction,
) -> Result<DrawPipeline, GpuError> {
    let drawer = Drawer { gpu, target };
    let blended = drawer.color(Some(wgpu::BlendState::ALPHA_BLENDING));
    drawer.pipeline(label, (variant, fragment), blended, drawer.depth(compare, false))
}

impl CellPipelines {
    pub(super) fn new(gpu: &Gpu, target: TargetFormat) -> Result<Self, GpuError> {
        let over =
            |label, variant| overlay(gpu, target, label, (&variant, "fragment"), wgpu::CompareFunction::GreaterEqual);
        Ok(Self {
            edges: over("cell edges", cell_edges_variant())?,
            faces: over("cell faces", ShaderVariant::new(CELL_FACES))?,
        })
    }
}

impl MarkedPipelines {
    pub(super) fn new(gpu: &Gpu, target: TargetFormat, shading: &Shading) -> Result<Self, GpuError> {
        use wgpu::CompareFunction::{GreaterEqual, Less};
        let drawer = Drawer { gpu, target };
        let multisampled = drawer.is_multisampled();
        let spheres = |label, draws: Spheres| {
            let variant = spheres_variant(multisampled, draws);
            drawer.pipeline(label, (&variant, "fragment"), NAMES_FORMAT.into(), drawer.depth(GreaterEqual, true))
        };
        let water = (&water_variant(Water::Marked, multisampled, shading), "fragment");
        let veil = (&veil_variant(multisampled, shading), "fragment");
        Ok(Self {
            spheres: spheres("marked spheres", Spheres::Marked)?,
            faded_spheres: spheres("faded spheres", Spheres::Faded)?,
            water: drawer.pipeline("marked particles", water, drawer.color(None), drawer.depth(Less, false))?,
            veil: overlay(gpu, target, "veil", veil, GreaterEqual)?,
        })
    }
}

impl Pipelines {
    pub(super) fn new(gpu: &Gpu, target: TargetFormat, shading: &Shading) -> Result<Self, GpuError> {
        use wgpu::CompareFunction::{GreaterEqual, Less};
        let drawer = Drawer { gpu, target };
        let multisampled = drawer.is_multisampled();
        let drawn = |label, variant: ShaderVariant, fragment, color, depth| {
            drawer.pipeline(label, (&variant, fragment), color, depth)
        };
        let depth = |compare, write| drawer.depth(compare, write);
        let color = |blend| drawer.color(blend);
        let plain = ShaderVariant::new;
        let lit = |file| shading.left_out.define(plain(file));
        let blended = Some(wgpu::BlendState::ALPHA_BLENDING);
        let edges = |label, fragment, compare| {
            drawn(label, plain("render/box_edges.wgsl"), fragment, color(blended), depth(compare, false))
        };
        let water = |label, style| {
            let variant = water_variant(Water::Plain(style), multisampled, shading);
            drawn(label, variant, "fragment", color(None), depth(Less, false))
        };
        thread::scope(|scope| {
            let light_map = Compiling::begin(scope, || light_map(gpu, &plain("render/light_map.wgsl")));
            let spheres = Compiling::begin(scope, || {
                drawn(
                    "spheres",
                    spheres_variant(multisampled, Spheres::Plain),
                    "fragment",
                    NAMES_FORMAT.into(),
                    depth(GreaterEqual, true),
                )
            });
            let relief_across = Compiling::begin(scope, || {
                relief(gpu, "relief across", &relief_variant(multisampled), RELIEF_DEPTH_FORMAT)
            });
            let relief_down = Compiling::begin(scope, || {
                relief(gpu, "relief down", &plain("render/relief_down.wgsl"), RELIEF_DEPTH_FORMAT)
            });
            let relief_normal = Compiling::begin(scope, || {
                relief(gpu, "relief normal", &plain("render/relief_normal.wgsl"), RELIEF_NORMAL_FORMAT)
            });
            let thickness = Compiling::begin(scope, || thickness(gpu, &plain("render/thickness.wgsl")));
            let beads = Compiling::begin(scope, || water("beads", DrawStyle::Beads));
            let smooth = Compiling::begin(scope, || water("smooth water", DrawStyle::Smooth));
            let floor = Compiling::begin(scope, || {
                drawn("floor", lit(FLOOR), "fragment", color(None), depth(GreaterEqual, true))
            });
            let background = Compiling::begin(scope, || {
                drawn("background", lit(BACKGROUND), "fragment", color(None), depth(GreaterEqual, false))
            });
            let edges_hidden = Compiling::begin(scope, || edges("hidden edges", "fragment_hidden", Less));
            let edges_seen = Compiling::begin(scope, || edges("edges", "fragment_seen", GreaterEqual));
            Ok(Self {
                light_map: light_map.get()?,
                spheres: spheres.get()?,
                relief_across: relief_across.get()?,
                relief_down: relief_down.get()?,
                relief_normal: relief_normal.get()?,
                thickness: thickness.get()?,
                beads: beads.get()?,
                smooth: smooth.get()?,
                floor: floor.get()?,
                background: background.get()?,
                edges_hidden: edges_hidden.get()?,
                edges_seen: edges_seen.get()?,
            })
        })
    }
}

/// The particles that a pass over spheres draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spheres {
    /// All particles, without roles.
    Plain,
    /// Particles with roles other than faded.
    Marked,
    /// Faded particles.
    Faded,
    /// All particles, with radii that depend on their densities.
    Clear,
}

/// How the visible particles are shaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Water {
    /// Without roles.
    Plain(DrawStyle),
    /// By their roles.
    Marked,
}

pub(super) fn spheres_variant(multisampled: bool, draws: Spheres) -> ShaderVariant {
    let variant = ShaderVariant::new("render/spheres.wgsl")
        .with_flag_if(multisampled, "MULTISAMPLED")
        .with_flag_if(draws == Spheres::Marked, "MARKED")
        .with_flag_if(draws == Spheres::Faded, "FADED")
        .with_flag_if(draws == Spheres::Clear, "CLEAR");
    Mark::define(variant)
}

/// The definitions of every shader that colors particles.
fn colored(file: &'static str, multisampled: bool, shading: &Shading) -> ShaderVariant {
    let variant = ShaderVariant::new(file)
        .with_flag_if(multisampled, "MULTISAMPLED")
        .with_number("CELL_COLORS", ColorMap::CELL_COLORS as u32);
    let left_out = shading.left_out.in_other_styles();
    Mark::define_colors(Mark::define(left_out.define(shading.fields.define(variant))))
}

pub(super) fn veil_variant(multisampled: bool, shading: &Shading) -> ShaderVariant {
    colored("render/faded.wgsl", multisampled, shading)
}

pub(super) fn cell_edges_variant() -> ShaderVariant {
    let [red, green, blue] = ColorMap::Classes.sample(0.0);
    ShaderVariant::new("render/cell_edges.wgsl").with_number("COLOR_INNER", u32::from_be_bytes([0, red, green, blue]))
}

pub(super) fn relief_variant(multisampled: bool) -> ShaderVariant {
    ShaderVariant::new("render/relief_across.wgsl").with_flag_if(multisampled, "MULTISAMPLED")
}

pub(super) fn relief(
    gpu: &Gpu,
    label: &'static str,
    variant: &ShaderVariant,
    format: wgpu::TextureFormat,
) -> Result<DrawPipeline, GpuError> {
    let multisample = wgpu::MultisampleState::default();
    let drawing =
        Drawing { label, variant, fragment: Some("fragment"), color: Some(format.into()), depth: None, multisample };
    DrawPipeline::new(gpu, &drawing)
}

pub(super) fn water_variant(water: Water, multisampled: bool, shading: &Shading) -> ShaderVariant {
    colored("render/water.wgsl", multisampled, shading)
        .with_flag_if(water == Water::Plain(DrawStyle::Smooth), "SMOOTH")
        .with_flag_if(water == Water::Marked, "MARKED")
}

pub(super) fn light_map(gpu: &Gpu, variant: &ShaderVariant) -> Result<DrawPipeline, GpuError> {
    let blend =
        wgpu::BlendState { color: blended(wgpu::BlendOperation::Max), alpha: blended(wgpu::BlendOperation::Add) };
    gathered(gpu, "light map", variant, (LIGHT_MAP_FORMAT, blend))
}

pub(super) fn thickness(gpu: &Gpu, variant: &ShaderVariant) -> Result<DrawPipeline, GpuError> {
    gathered(gpu, "thickness", variant, (THICKNESS_FORMAT, adding()))
}

/// Contributions are added up.
pub(super) fn adding() -> wgpu::BlendState {
    let sum = blended(wgpu::BlendOperation::Add);
    wgpu::BlendState { color: sum, alpha: sum }
}

fn blended(operation: wgpu::BlendOperation) -> wgpu::BlendComponent {
    let one = wgpu::BlendFactor::One;
    wgpu::BlendComponent { src_factor: one, dst_factor: one, operation }
}

/// A pipeline that accumulates the contributions of everything that is drawn to a texel.
pub(super) fn gathered(
    gpu: &Gpu,
    label: &'static str,
    variant: &ShaderVariant,
    (format, blend): (wgpu::TextureFormat, wgpu::BlendState),
) -> Result<DrawPipeline, GpuError> {
    let color = wgpu::ColorTargetState { format, blend: Some(blend), write_mask: wgpu::ColorWrites::ALL };
    let multisample = wgpu::MultisampleState::default();
    let drawing = Drawing { label, variant, fragment: Some("fragment"), color: Some(color), depth: None, multisample };
    DrawPipeline::new(gpu, &drawing)
}
