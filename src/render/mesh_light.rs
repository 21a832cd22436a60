//! The water's shadow, color and caustics on the meshes of the scene that it stands in: a pass that multiplies the
//! caller's picture before the water is drawn into it.

use glam::UVec2;

use super::TargetFormat;
use super::drawing_pass::{attachment, begin, draw, restrict};
use super::picture_behind::PictureTarget;
use super::pipeline::{DrawPipeline, Drawing, Groups};
use super::renderer::TRIANGLE;
use crate::gpu::{Gpu, GpuError, PassTimer, ShaderVariant};

/// The shader of the pass.
pub(super) fn mesh_light_variant(multisampled: bool) -> ShaderVariant {
    ShaderVariant::new("render/mesh_light.wgsl").with_flag_if(multisampled, "MULTISAMPLED")
}

/// The pass for one kind of target.
pub(super) struct MeshLight {
    pipeline: DrawPipeline,
}

impl MeshLight {
    /// Compiles the pipeline.
    ///
    /// # Errors
    /// When the shader does not compile.
    pub(super) fn new(gpu: &Gpu, target: TargetFormat) -> Result<Self, GpuError> {
        let (zero, one) = (wgpu::BlendFactor::Zero, wgpu::BlendFactor::One);
        let component = |src_factor, dst_factor| wgpu::BlendComponent {
            src_factor,
            dst_factor,
            operation: wgpu::BlendOperation::Add,
        };
        // The picture times (color + alpha), and its own alpha.
        let blend = wgpu::BlendState {
            color: component(wgpu::BlendFactor::Dst, wgpu::BlendFactor::SrcAlpha),
            alpha: component(zero, one),
        };
        let drawing = Drawing {
            label: "light on meshes",
            variant: &mesh_light_variant(target.sample_count > 1),
            fragment: Some("fragment"),
            color: Some(wgpu::ColorTargetState {
                format: target.color,
                blend: Some(blend),
                write_mask: wgpu::ColorWrites::ALL,
            }),
            depth: None,
            multisample: wgpu::MultisampleState { count: target.sample_count, ..Default::default() },
        };
        Ok(Self { pipeline: DrawPipeline::new(gpu, &drawing)? })
    }

    /// Binds a picture. `resources` are those that drawing shaders share.
    ///
    /// # Errors
    /// When an edited shader requires a binding that does not exist.
    pub(super) fn bind<'a>(
        &self,
        gpu: &Gpu,
        mut resources: Vec<(&str, wgpu::BindingResource<'a>)>,
        picture: &PictureTarget<'a>,
    ) -> Result<Groups, GpuError> {
        resources.push(("picture_depth", wgpu::BindingResource::TextureView(picture.depth)));
        self.pipeline.shader.bind(gpu, self.pipeline.label, &resources)
    }

    /// Records the pass, after those that find the light in the water.
    pub(super) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        groups: &Groups,
        (&PictureTarget { color, resolve, .. }, seen): (&PictureTarget<'_>, [UVec2; 2]),
        timer: Option<&mut PassTimer>,
    ) {
        let mut picture = attachment(color, resolve, wgpu::Color::BLACK);
        picture.ops.load = wgpu::LoadOp::Load;
        let mut pass = begin(encoder, self.pipeline.label, Some(picture), None, timer);
        restrict(&mut pass, seen, 1);
        draw(&mut pass, &self.pipeline, groups, (TRIANGLE, 1));
    }
}
