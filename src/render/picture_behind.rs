//! The picture that the water stands in when the caller has drawn one: a pass that keeps its light and depths, so that
//! the water can refract it, be hidden by it, and be drawn into it.

use super::drawing_pass::{attachment, begin, draw};
use super::left_out::Shading;
use super::pipeline::{DrawPipeline, Drawing, Groups};
use super::pipelines::{Drawer, Water, water_variant};
use super::renderer::TRIANGLE;
use super::solid_pipelines::{BEHIND_FORMAT, DEPTH_FORMAT};
use super::textures::{Textures, clear_texel};
use super::{DrawStyle, TargetFormat};
use crate::gpu::{Gpu, GpuError, PassTimer, ShaderVariant};

/// A picture that was drawn before, into which [`Renderer::record_in`](super::Renderer::record_in) draws.
#[derive(Clone, Copy, Debug)]
pub struct PictureTarget<'a> {
    /// The colors that are drawn to: the samples, if a pixel has several. With one sample it can be bound as well.
    pub color: &'a wgpu::TextureView,
    /// With several samples, the colors of the pixels, which can be drawn to and bound.
    pub resolve: Option<&'a wgpu::TextureView>,
    /// The depths, which can be drawn to and bound: reversed, 0 is infinitely far away.
    pub depth: &'a wgpu::TextureView,
    /// Transparent things behind the water, drawn over nothing: their own color, and as alpha what they hide of what is
    /// behind them. They are seen through the water only; the caller draws them over the picture afterwards, where the
    /// depths of the water hide them. Can be bound.
    pub transparent: Option<&'a wgpu::TextureView>,
}

/// The shader that keeps the picture.
pub(super) fn picture_variant(multisampled: bool) -> ShaderVariant {
    ShaderVariant::new("render/picture_behind.wgsl").with_flag_if(multisampled, "MULTISAMPLED")
}

/// Keeps what the picture shows before there is water in it, and draws particles into it.
pub(super) struct PictureKeeper {
    /// A single clear texel.
    nothing: wgpu::TextureView,
    pipeline: DrawPipeline,
    beads: DrawPipeline,
    smooth: DrawPipeline,
    marked: DrawPipeline,
}

impl PictureKeeper {
    /// Compiles the pipelines for one kind of target.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub(super) fn new(gpu: &Gpu, target: TargetFormat, shading: &Shading) -> Result<Self, GpuError> {
        let multisampled = target.sample_count > 1;
        let depth = wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        };
        let drawing = Drawing {
            label: "picture behind water",
            variant: &picture_variant(multisampled),
            fragment: Some("fragment"),
            color: Some(BEHIND_FORMAT.into()),
            depth: Some(depth),
            multisample: wgpu::MultisampleState::default(),
        };
        let drawer = Drawer { gpu, target };
        let water = |label, water| {
            // Depth does not tell the samples of the water from others of the picture; alpha does.
            let depth = drawer.depth(wgpu::CompareFunction::Always, false);
            let color = drawer.color(Some(wgpu::BlendState::ALPHA_BLENDING));
            drawer.pipeline(label, (&water_variant(water, multisampled, shading), "fragment"), color, depth)
        };
        let nothing = clear_texel(gpu, "nothing transparent", (wgpu::TextureFormat::Rgba8Unorm, 1));
        Ok(Self {
            nothing: nothing.create_view(&wgpu::TextureViewDescriptor::default()),
            pipeline: DrawPipeline::new(gpu, &drawing)?,
            beads: water("beads", Water::Plain(DrawStyle::Beads))?,
            smooth: water("smooth water", Water::Plain(DrawStyle::Smooth))?,
            marked: water("marked particles", Water::Marked)?,
        })
    }

    /// The pipeline that draws what spheres show into the picture, with the bindings of the one that draws it alone.
    pub(super) fn water(&self, water: Water) -> &DrawPipeline {
        match water {
            Water::Plain(DrawStyle::Beads) => &self.beads,
            Water::Plain(DrawStyle::Smooth | DrawStyle::Water) => &self.smooth,
            Water::Marked => &self.marked,
        }
    }

    /// Binds a picture. Its views may be others in every frame.
    ///
    /// # Errors
    /// When an edited shader requires a binding that does not exist.
    pub(super) fn bind(
        &self,
        gpu: &Gpu,
        frame: &wgpu::Buffer,
        picture: &PictureTarget<'_>,
    ) -> Result<Groups, GpuError> {
        let color = picture.resolve.unwrap_or(picture.color);
        let resources = [
            ("frame", frame.as_entire_binding()),
            ("picture_color", wgpu::BindingResource::TextureView(color)),
            ("picture_depth", wgpu::BindingResource::TextureView(picture.depth)),
            ("transparent", wgpu::BindingResource::TextureView(picture.transparent.unwrap_or(&self.nothing))),
        ];
        self.pipeline.shader.bind(gpu, self.pipeline.label, &resources)
    }

    /// Records the pass. The whole picture is kept, because rays are refracted into parts that show no water.
    pub(super) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        groups: &Groups,
        textures: &Textures,
        timer: Option<&mut PassTimer>,
    ) {
        let cleared = attachment(&textures.solids_behind, None, wgpu::Color::TRANSPARENT);
        let depths = Some((&textures.solid_depths, wgpu::LoadOp::Clear(0.0)));
        let mut pass = begin(encoder, self.pipeline.label, Some(cleared), depths, timer);
        draw(&mut pass, &self.pipeline, groups, (TRIANGLE, 1));
    }
}
