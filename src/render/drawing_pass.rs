//! Beginning render passes, and drawing in them.

use glam::UVec2;

use super::pipeline::{DrawPipeline, Groups};
use super::renderer::TRIANGLE;
use crate::gpu::{PassTimer, Phase};

pub(super) fn attachment<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
    cleared_to: wgpu::Color,
) -> wgpu::RenderPassColorAttachment<'a> {
    let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(cleared_to), store: wgpu::StoreOp::Store };
    wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target, ops }
}

pub(super) fn begin<'encoder>(
    encoder: &'encoder mut wgpu::CommandEncoder,
    label: &'static str,
    color: Option<wgpu::RenderPassColorAttachment<'_>>,
    depth: Option<(&wgpu::TextureView, wgpu::LoadOp<f32>)>,
    timer: Option<&mut PassTimer>,
) -> wgpu::RenderPass<'encoder> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: color.map(Some).as_slice(),
        depth_stencil_attachment: depth.map(|(view, load)| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations { load, store: wgpu::StoreOp::Store }),
            stencil_ops: None,
        }),
        timestamp_writes: timer.and_then(|timer| timer.render_pass(Phase::Drawing, label)),
        ..Default::default()
    })
}

/// Restricts a pass to the `seen` pixels of the picture, where each pixel of the pass covers `scale` of them along each
/// edge.
pub(super) fn restrict(pass: &mut wgpu::RenderPass<'_>, [low, high]: [UVec2; 2], scale: u32) {
    let low = low / scale;
    let size = ((high + scale - 1) / scale).saturating_sub(low);
    pass.set_scissor_rect(low.x, low.y, size.x, size.y);
}

/// Vertices and instances that draw a triangle for each of `count` particles: a single instance, because graphics
/// processors fill their groups of vertices with it, and software rasterizers begin anew with each instance.
pub(super) fn triangles(count: u32) -> (u32, u32) {
    (TRIANGLE * count, 1)
}

pub(super) fn draw(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &DrawPipeline,
    groups: &Groups,
    (vertices, instances): (u32, u32),
) {
    choose(pass, pipeline, groups);
    pass.draw(0..vertices, 0..instances);
}

/// Draws as many instances as given by the `arguments` at an offset in bytes.
pub(super) fn draw_indirect(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &DrawPipeline,
    groups: &Groups,
    (arguments, offset): (&wgpu::Buffer, u64),
) {
    choose(pass, pipeline, groups);
    pass.draw_indirect(arguments, offset);
}

fn choose(pass: &mut wgpu::RenderPass<'_>, pipeline: &DrawPipeline, groups: &Groups) {
    pass.set_pipeline(&pipeline.pipeline);
    for (index, group) in groups {
        pass.set_bind_group(*index, group, &[]);
    }
}
