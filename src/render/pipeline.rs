//! A render pipeline with the layout that naga reads from its shader.

use crate::gpu::{Gpu, GpuError, RenderShader, ShaderVariant};

/// Bind groups by their numbers.
pub(super) type Groups = Vec<(u32, wgpu::BindGroup)>;

/// A compiled drawing of one kind: its shader and pipeline.
pub(super) struct DrawPipeline {
    pub(super) label: &'static str,
    pub(super) pipeline: wgpu::RenderPipeline,
    pub(super) shader: RenderShader,
}

/// The properties that distinguish one pipeline from another.
pub(super) struct Drawing<'a> {
    pub(super) label: &'static str,
    pub(super) variant: &'a ShaderVariant,
    /// Entry point of the fragments; `None` where the depths are those of the triangles.
    pub(super) fragment: Option<&'static str>,
    /// `None` where only depth is drawn.
    pub(super) color: Option<wgpu::ColorTargetState>,
    pub(super) depth: Option<wgpu::DepthStencilState>,
    pub(super) multisample: wgpu::MultisampleState,
}

impl DrawPipeline {
    pub(super) fn new(gpu: &Gpu, drawing: &Drawing<'_>) -> Result<Self, GpuError> {
        let shader = gpu.render_shader(drawing.variant)?;
        let targets: Vec<_> = drawing.color.iter().cloned().map(Some).collect();
        let build = || {
            let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(drawing.label),
                bind_group_layouts: &shader.groups.iter().map(Option::as_ref).collect::<Vec<_>>(),
                immediate_size: 0,
            });
            gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(drawing.label),
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: &shader.module,
                    entry_point: Some("vertex"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[],
                },
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: drawing.depth.clone(),
                multisample: drawing.multisample,
                fragment: drawing.fragment.map(|entry_point| wgpu::FragmentState {
                    module: &shader.module,
                    entry_point: Some(entry_point),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets: &targets,
                }),
                multiview_mask: None,
                cache: gpu.pipeline_cache(),
            })
        };
        let pipeline = gpu.guarded(build).map_err(|error| GpuError::refused_shader(drawing.variant.file, &error))?;
        Ok(Self { label: drawing.label, pipeline, shader })
    }
}
