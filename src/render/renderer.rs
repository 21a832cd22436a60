use std::sync::Arc;

use super::frame::{FIELD_NUMBERS, Frame, field_number};
use super::pipeline::{DrawPipeline, Drawing};
use super::{ColorMap, DrawnParticles, Look, View};
use crate::gpu::{Gpu, GpuError, PassTimer, Phase, ShaderVariant};

/// Texels along each edge of the light map: coarse, because its shadow is soft.
const LIGHT_MAP_SIZE: u32 = 128;
const LIGHT_MAP_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Vertices of a square made of two triangles.
const SQUARE: u32 = 6;
/// Edges of a box.
const EDGES: u32 = 12;

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

/// Draws the water, its box and the floor, straight from the simulation's buffers.
pub struct Renderer {
    gpu: Arc<Gpu>,
    target: TargetFormat,
    pipelines: Pipelines,
    frame: wgpu::Buffer,
    palette: wgpu::Buffer,
    palette_map: Option<ColorMap>,
    light_map: wgpu::TextureView,
    sampler: wgpu::Sampler,
    bound: Option<Bound>,
    count: u32,
}

struct Pipelines {
    light_map: DrawPipeline,
    spheres: DrawPipeline,
    floor: DrawPipeline,
    background: DrawPipeline,
    edges_hidden: DrawPipeline,
    edges_seen: DrawPipeline,
}

type Groups = Vec<(u32, wgpu::BindGroup)>;

/// The bind groups of every pipeline and the particle buffers they hold.
struct Bound {
    buffers: [wgpu::Buffer; 4],
    light_map: Groups,
    spheres: Groups,
    floor: Groups,
    background: Groups,
    edges_hidden: Groups,
    edges_seen: Groups,
}

impl Renderer {
    /// Compiles the pipelines for one kind of target.
    ///
    /// # Errors
    /// When a shader does not compile, or the device does not draw into such a target.
    pub fn new(gpu: &Arc<Gpu>, target: TargetFormat) -> Result<Self, GpuError> {
        let pipelines = Pipelines::new(gpu, target)?;
        let light_map = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("light map"),
            size: wgpu::Extent3d { width: LIGHT_MAP_SIZE, height: LIGHT_MAP_SIZE, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: LIGHT_MAP_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        Ok(Self {
            gpu: Arc::clone(gpu),
            target,
            pipelines,
            frame: gpu.uniform("frame", &Frame::default()),
            palette: gpu.storage::<[f32; 4]>("palette", super::color_map::PALETTE_LENGTH as u64)?,
            palette_map: None,
            light_map: light_map.create_view(&wgpu::TextureViewDescriptor::default()),
            sampler: gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("light map"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                ..Default::default()
            }),
            bound: None,
            count: 0,
        })
    }

    /// Compiles the shaders anew after somebody edited them. On an error the old pipelines stay in use.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub fn rebuild(&mut self) -> Result<(), GpuError> {
        self.pipelines = Pipelines::new(&self.gpu, self.target)?;
        self.bound = None;
        Ok(())
    }

    /// Takes over what the next [`Renderer::record`] draws: writes the uniforms, and binds the particles' buffers
    /// where they are others than before.
    ///
    /// # Errors
    /// When a shader that somebody edited asks for a binding there is not.
    pub fn prepare(&mut self, view: &View, look: &Look, particles: &DrawnParticles<'_>) -> Result<(), GpuError> {
        self.gpu.write_uniform(&self.frame, &Frame::new(view, look));
        let map = look.field.color_map();
        if self.palette_map != Some(map) {
            self.gpu.queue.write_buffer(&self.palette, 0, bytemuck::cast_slice(&map.palette()));
            self.palette_map = Some(map);
        }
        self.count = particles.count;
        let buffers = [particles.positions, particles.velocities, particles.densities, particles.neighbor_counts]
            .map(Clone::clone);
        if self.bound.as_ref().is_none_or(|bound| bound.buffers != buffers) {
            self.bound = Some(self.bind(buffers)?);
        }
        Ok(())
    }

    fn bind(&self, buffers: [wgpu::Buffer; 4]) -> Result<Bound, GpuError> {
        let [positions, velocities, densities, neighbor_counts] = &buffers;
        let resources = [
            ("frame", self.frame.as_entire_binding()),
            ("palette", self.palette.as_entire_binding()),
            ("light_map", wgpu::BindingResource::TextureView(&self.light_map)),
            ("light_sampler", wgpu::BindingResource::Sampler(&self.sampler)),
            ("positions", positions.as_entire_binding()),
            ("velocities", velocities.as_entire_binding()),
            ("densities", densities.as_entire_binding()),
            ("neighbor_counts", neighbor_counts.as_entire_binding()),
        ];
        let bind = |label, pipeline: &DrawPipeline| pipeline.shader.bind(&self.gpu, label, &resources);
        Ok(Bound {
            light_map: bind("light map", &self.pipelines.light_map)?,
            spheres: bind("spheres", &self.pipelines.spheres)?,
            floor: bind("floor", &self.pipelines.floor)?,
            background: bind("background", &self.pipelines.background)?,
            edges_hidden: bind("hidden edges", &self.pipelines.edges_hidden)?,
            edges_seen: bind("edges", &self.pipelines.edges_seen)?,
            buffers,
        })
    }

    /// Records the whole picture: clears colour and depth, then draws what [`Renderer::prepare`] was given last.
    /// Records nothing before the first `prepare`. With several samples a pixel, `resolve` is the picture and `color` the samples.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        color: &wgpu::TextureView,
        resolve: Option<&wgpu::TextureView>,
        depth: &wgpu::TextureView,
        mut timer: Option<&mut PassTimer>,
    ) {
        let Some(bound) = &self.bound else { return };
        self.record_light_map(bound, encoder, timer.as_deref_mut());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: color,
                depth_slice: None,
                resolve_target: resolve,
                ops: cleared_to(wgpu::Color::BLACK),
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: depth,
                // Reversed depth: zero is infinitely far.
                depth_ops: Some(cleared_to(0.0)),
                stencil_ops: None,
            }),
            timestamp_writes: timer.and_then(|timer| timer.render_pass(Phase::Drawing, "picture")),
            ..Default::default()
        });
        draw(&mut pass, &self.pipelines.spheres, &bound.spheres, (SQUARE, self.count));
        draw(&mut pass, &self.pipelines.floor, &bound.floor, (SQUARE, 1));
        draw(&mut pass, &self.pipelines.background, &bound.background, (3, 1));
        draw(&mut pass, &self.pipelines.edges_hidden, &bound.edges_hidden, (SQUARE, EDGES));
        draw(&mut pass, &self.pipelines.edges_seen, &bound.edges_seen, (SQUARE, EDGES));
    }

    fn record_light_map(&self, bound: &Bound, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("light map"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.light_map,
                depth_slice: None,
                resolve_target: None,
                ops: cleared_to(wgpu::Color::TRANSPARENT),
            })],
            timestamp_writes: timer.and_then(|timer| timer.render_pass(Phase::Drawing, "light map")),
            ..Default::default()
        });
        draw(&mut pass, &self.pipelines.light_map, &bound.light_map, (SQUARE, self.count));
    }
}

fn cleared_to<V>(value: V) -> wgpu::Operations<V> {
    wgpu::Operations { load: wgpu::LoadOp::Clear(value), store: wgpu::StoreOp::Store }
}

fn draw(pass: &mut wgpu::RenderPass<'_>, pipeline: &DrawPipeline, groups: &Groups, (vertices, instances): (u32, u32)) {
    pass.set_pipeline(&pipeline.pipeline);
    for (index, group) in groups {
        pass.set_bind_group(*index, group, &[]);
    }
    pass.draw(0..vertices, 0..instances);
}

impl Pipelines {
    fn new(gpu: &Gpu, target: TargetFormat) -> Result<Self, GpuError> {
        let multisample = wgpu::MultisampleState { count: target.sample_count, ..Default::default() };
        let depth = |compare, write| {
            Some(wgpu::DepthStencilState {
                format: target.depth,
                depth_write_enabled: Some(write),
                depth_compare: Some(compare),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            })
        };
        // Alpha stays one, as cleared: a window's compositor may read it.
        let color =
            |blend| wgpu::ColorTargetState { format: target.color, blend, write_mask: wgpu::ColorWrites::COLOR };
        let solid = |label, file| {
            DrawPipeline::new(
                gpu,
                &Drawing {
                    label,
                    variant: &ShaderVariant::new(file),
                    fragment: "fragment",
                    color: color(None),
                    depth: depth(wgpu::CompareFunction::GreaterEqual, true),
                    multisample,
                },
            )
        };
        let edges = |label, fragment, compare| {
            DrawPipeline::new(
                gpu,
                &Drawing {
                    label,
                    variant: &ShaderVariant::new("render/box_edges.wgsl"),
                    fragment,
                    color: color(Some(wgpu::BlendState::ALPHA_BLENDING)),
                    depth: depth(compare, false),
                    multisample,
                },
            )
        };
        Ok(Self {
            light_map: light_map(gpu)?,
            spheres: DrawPipeline::new(
                gpu,
                &Drawing {
                    label: "spheres",
                    variant: &sphere_variant(target.sample_count > 1),
                    fragment: "fragment",
                    color: color(None),
                    depth: depth(wgpu::CompareFunction::GreaterEqual, true),
                    multisample: wgpu::MultisampleState {
                        alpha_to_coverage_enabled: target.sample_count > 1,
                        ..multisample
                    },
                },
            )?,
            floor: solid("floor", "render/floor.wgsl")?,
            background: solid("background", "render/background.wgsl")?,
            edges_hidden: edges("hidden edges", "fragment_hidden", wgpu::CompareFunction::Less)?,
            edges_seen: edges("edges", "fragment_seen", wgpu::CompareFunction::GreaterEqual)?,
        })
    }
}

/// The spheres' shader, with outlines softened over the samples of a pixel or cut at its middle.
fn sphere_variant(soft_edges: bool) -> ShaderVariant {
    let variant = ShaderVariant::new("render/spheres.wgsl")
        .with_flag_if(soft_edges, "SOFT_EDGES")
        .with_number("CELL_COLORS", ColorMap::CELL_COLORS as u32);
    FIELD_NUMBERS.into_iter().fold(variant, |variant, (name, field)| variant.with_number(name, field_number(field)))
}

fn light_map_variant() -> ShaderVariant {
    ShaderVariant::new("render/light_map.wgsl").with_number("LIGHT_MAP_SIZE", LIGHT_MAP_SIZE)
}

fn light_map(gpu: &Gpu) -> Result<DrawPipeline, GpuError> {
    let component = |operation| wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation,
    };
    DrawPipeline::new(
        gpu,
        &Drawing {
            label: "light map",
            variant: &light_map_variant(),
            fragment: "fragment",
            color: wgpu::ColorTargetState {
                format: LIGHT_MAP_FORMAT,
                blend: Some(wgpu::BlendState {
                    color: component(wgpu::BlendOperation::Max),
                    alpha: component(wgpu::BlendOperation::Add),
                }),
                write_mask: wgpu::ColorWrites::ALL,
            },
            depth: None,
            multisample: wgpu::MultisampleState::default(),
        },
    )
}

/// Every shader of the renderer in every variant it is compiled in, for the tests.
pub fn shader_variants() -> Vec<ShaderVariant> {
    let plain = ["render/floor.wgsl", "render/background.wgsl", "render/box_edges.wgsl"];
    let mut variants: Vec<ShaderVariant> = plain.into_iter().map(ShaderVariant::new).collect();
    variants.extend([sphere_variant(false), sphere_variant(true), light_map_variant()]);
    variants
}
