//! The picture that the water stands in when the caller has drawn one: a pass that keeps its light and depths, so that
//! the water can refract it, be hidden by it, and be drawn into it.

use super::drawing_pass::{attachment, begin, draw};
use super::pipeline::{DrawPipeline, Drawing, Groups};
use super::renderer::TRIANGLE;
use super::solid_pipelines::{BEHIND_FORMAT, DEPTH_FORMAT};
use super::textures::Textures;
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
}

/// The shader that keeps the picture.
pub(super) fn picture_variant(multisampled: bool) -> ShaderVariant {
    ShaderVariant::new("render/picture_behind.wgsl").with_flag_if(multisampled, "MULTISAMPLED")
}

/// Keeps what the picture shows before there is water in it.
pub(super) struct PictureKeeper {
    pipeline: DrawPipeline,
}

impl PictureKeeper {
    /// Compiles the pipeline for pictures with that many samples per pixel.
    ///
    /// # Errors
    /// When the shader does not compile.
    pub(super) fn new(gpu: &Gpu, samples: u32) -> Result<Self, GpuError> {
        let depth = wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        };
        let drawing = Drawing {
            label: "picture behind water",
            variant: &picture_variant(samples > 1),
            fragment: "fragment",
            color: Some(BEHIND_FORMAT.into()),
            depth: Some(depth),
            multisample: wgpu::MultisampleState::default(),
        };
        Ok(Self { pipeline: DrawPipeline::new(gpu, &drawing)? })
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
