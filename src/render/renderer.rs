use std::sync::Arc;

use glam::UVec2;

use super::color_map::PALETTE_LENGTH;
use super::frame::Frame;
use super::pipeline::{DrawPipeline, Groups};
use super::pipelines::{MARK_CELLS, Pipelines};
use super::solid_pipelines::SolidTarget;
use super::solids::Solids;
use super::textures::{Sizes, Textures};
use super::{ColorMap, DrawStyle, Drawn, DrawnParticles, Look, LookCells, TargetFormat, View};
use crate::gpu::{Dispatch, Gpu, GpuError, Pass, PassTimer, Phase, ShaderVariant, record};

/// Vertices of a square made of two triangles.
const SQUARE: u32 = 6;
/// Vertices of the triangle that covers the picture, or a particle.
const TRIANGLE: u32 = 3;
/// Edges of a box.
const EDGES: u32 = 12;
/// Edges of a search's cell and of its inner part.
const CELL_EDGES: u32 = 2 * EDGES;

/// Draws the water, solids, their box and the floor, straight from the simulation's buffers.
pub struct Renderer {
    gpu: Arc<Gpu>,
    target: TargetFormat,
    pipelines: Pipelines,
    frame: wgpu::Buffer,
    palette: wgpu::Buffer,
    palette_map: Option<ColorMap>,
    occupied: wgpu::Buffer,
    marked: Option<MarkedCells>,
    sampler: wgpu::Sampler,
    height_sampler: wgpu::Sampler,
    solids: Solids,
    textures: Textures,
    bound: Option<Bound>,
    count: u32,
    style: DrawStyle,
    seen: [UVec2; 2],
}

/// The pass that finds the cells whose edges are drawn.
struct MarkedCells {
    pass: Pass,
    cell_count: u32,
    positions: wgpu::Buffer,
    particle_count: u32,
}

/// The bind groups of every pipeline and the particle buffers they hold.
struct Bound {
    buffers: [wgpu::Buffer; 5],
    light_map: Groups,
    spheres: Groups,
    relief_across: Groups,
    relief_down: Groups,
    relief_normal: Groups,
    thickness: Groups,
    beads: Groups,
    smooth: Groups,
    floor: Groups,
    background: Groups,
    edges_hidden: Groups,
    edges_seen: Groups,
    cell_edges: Groups,
}

impl Renderer {
    /// Compiles the pipelines for one kind of target.
    ///
    /// # Errors
    /// When a shader does not compile, or the device does not draw into such a target.
    pub fn new(gpu: &Arc<Gpu>, target: TargetFormat) -> Result<Self, GpuError> {
        let pipelines = Pipelines::new(gpu, target)?;
        let sampler = |label, compare| {
            gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some(label),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                compare,
                ..Default::default()
            })
        };
        Ok(Self {
            gpu: Arc::clone(gpu),
            target,
            pipelines,
            frame: gpu.uniform("frame", &Frame::default()),
            palette: gpu.storage::<[f32; 4]>("palette", PALETTE_LENGTH as u64)?,
            palette_map: None,
            occupied: gpu.storage::<u32>("occupied cells", LookCells::EDGES_LIMIT.into())?,
            marked: None,
            sampler: sampler("light map", None),
            // 1 where nothing is higher.
            height_sampler: sampler("solid heights", Some(wgpu::CompareFunction::GreaterEqual)),
            solids: Solids::new(gpu, target)?,
            textures: Textures::new(gpu, target, Sizes::default()),
            bound: None,
            count: 0,
            style: DrawStyle::default(),
            seen: [UVec2::ZERO, UVec2::ONE],
        })
    }

    /// Compiles the shaders anew after somebody edited them. On an error the old pipelines stay in use.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub fn rebuild(&mut self) -> Result<(), GpuError> {
        let mut new = Self::new(&self.gpu, self.target)?;
        new.solids.compile_like(&self.gpu, &self.solids)?;
        *self = new;
        Ok(())
    }

    /// Takes over what the next [`Renderer::record`] draws: writes the uniforms, takes surfaces that are new to the
    /// device, and binds the particles' buffers where they are others than before. `view.size` is the size of the textures that `record` will be given.
    ///
    /// # Errors
    /// When a shader that somebody edited asks for a binding there is not, or a solid does not fit the device.
    pub fn prepare(&mut self, view: &View, look: &Look, drawn: &Drawn<'_>) -> Result<(), GpuError> {
        let particles = &drawn.particles;
        let standing = self.solids.prepare(&self.gpu, look, drawn)?;
        self.gpu.write_uniform(&self.frame, &Frame::new(view, look, particles, standing));
        let map = look.field.color_map();
        if self.palette_map != Some(map) {
            self.gpu.queue.write_buffer(&self.palette, 0, bytemuck::cast_slice(&map.palette()));
            self.palette_map = Some(map);
        }
        let sizes = Sizes::new(view, look, standing.count > 0);
        let are_other_sizes = self.textures.sizes != sizes;
        if are_other_sizes {
            self.textures = Textures::new(&self.gpu, self.target, sizes);
            self.bound = None;
        }
        self.count = particles.count;
        self.style = look.style;
        self.seen = view.seen.unwrap_or([UVec2::ZERO, view.size]).map(|corner| corner.min(sizes.picture));
        let buffers = particles.buffers().map(Clone::clone);
        if self.bound.as_ref().is_none_or(|bound| bound.buffers != buffers) {
            self.bound = Some(self.bind(buffers)?);
        }
        let shared = shared_resources(&self.frame, &self.textures, [&self.sampler, &self.height_sampler]);
        self.solids.bind(&self.gpu, &shared, are_other_sizes)?;
        self.mark_cells(look, particles)
    }

    /// Makes the pass that finds the occupied cells, where their edges are drawn.
    fn mark_cells(&mut self, look: &Look, particles: &DrawnParticles<'_>) -> Result<(), GpuError> {
        let Some(cell_count) = look.cells.drawable_count().filter(|_| look.cell_edges) else {
            self.marked = None;
            return Ok(());
        };
        if let Some(marked) = &mut self.marked
            && marked.positions == *particles.positions
            && marked.particle_count == particles.count
        {
            marked.cell_count = cell_count;
            return Ok(());
        }
        let buffers = [("frame", &self.frame), ("positions", particles.positions), ("occupied", &self.occupied)];
        let pass = Pass::new(
            &self.gpu,
            (Phase::Drawing, "mark cells"),
            (&ShaderVariant::new(MARK_CELLS), "mark_cells"),
            &buffers,
            Dispatch::Invocations(particles.count.into()),
        )?;
        let positions = particles.positions.clone();
        self.marked = Some(MarkedCells { pass, cell_count, positions, particle_count: particles.count });
        Ok(())
    }

    fn bind(&self, buffers: [wgpu::Buffer; 5]) -> Result<Bound, GpuError> {
        let [positions, velocities, densities, neighbor_counts, candidate_counts] = &buffers;
        let mut resources = shared_resources(&self.frame, &self.textures, [&self.sampler, &self.height_sampler]);
        resources.extend([
            ("palette", self.palette.as_entire_binding()),
            ("solids_behind", wgpu::BindingResource::TextureView(&self.textures.solids_behind)),
            ("solid_depths", wgpu::BindingResource::TextureView(&self.textures.solid_depths)),
            ("names", wgpu::BindingResource::TextureView(&self.textures.names)),
            ("thickness", wgpu::BindingResource::TextureView(&self.textures.thickness)),
            ("positions", positions.as_entire_binding()),
            ("velocities", velocities.as_entire_binding()),
            ("densities", densities.as_entire_binding()),
            ("neighbor_counts", neighbor_counts.as_entire_binding()),
            ("candidate_counts", candidate_counts.as_entire_binding()),
            ("occupied", self.occupied.as_entire_binding()),
        ]);
        let bind = |pipeline: &DrawPipeline| pipeline.shader.bind(&self.gpu, pipeline.label, &resources);
        let reading = |name, view, pipeline: &DrawPipeline| {
            let mut resources = resources.clone();
            resources.push((name, wgpu::BindingResource::TextureView(view)));
            pipeline.shader.bind(&self.gpu, pipeline.label, &resources)
        };
        Ok(Bound {
            light_map: bind(&self.pipelines.light_map)?,
            spheres: bind(&self.pipelines.spheres)?,
            relief_across: bind(&self.pipelines.relief_across)?,
            relief_down: reading("depths", &self.textures.relief_across, &self.pipelines.relief_down)?,
            relief_normal: reading("depths", &self.textures.relief_down, &self.pipelines.relief_normal)?,
            thickness: bind(&self.pipelines.thickness)?,
            beads: reading("relief", &self.textures.relief, &self.pipelines.beads)?,
            smooth: reading("relief", &self.textures.relief, &self.pipelines.smooth)?,
            floor: bind(&self.pipelines.floor)?,
            background: bind(&self.pipelines.background)?,
            edges_hidden: bind(&self.pipelines.edges_hidden)?,
            edges_seen: bind(&self.pipelines.edges_seen)?,
            cell_edges: bind(&self.pipelines.cell_edges)?,
            buffers,
        })
    }

    /// Records the whole picture: clears colour and depth, then draws what [`Renderer::prepare`] was given last.
    /// Records nothing before the first `prepare`. With several samples a pixel, `color` holds the samples and
    /// `resolve` becomes the picture; without `resolve`, whoever comes after resolves them.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        color: &wgpu::TextureView,
        resolve: Option<&wgpu::TextureView>,
        depth: &wgpu::TextureView,
        mut timer: Option<&mut PassTimer>,
    ) {
        let Some(bound) = &self.bound else { return };
        let pipelines = &self.pipelines;
        if let Some(marked) = &self.marked {
            encoder.clear_buffer(&self.occupied, 0, None);
            record([&marked.pass], encoder, timer.as_deref_mut());
        }

        let cleared = attachment(&self.textures.light_map, None, wgpu::Color::TRANSPARENT);
        let mut pass = begin(encoder, "light map", Some(cleared), None, timer.as_deref_mut());
        draw(&mut pass, &pipelines.light_map, &bound.light_map, (TRIANGLE, self.count));
        drop(pass);

        if !self.solids.is_empty() {
            let heights = Some((&self.textures.solid_heights, wgpu::LoadOp::Clear(0.0)));
            let mut pass = begin(encoder, "solids' shadow", None, heights, timer.as_deref_mut());
            self.solids.record(&mut pass, SolidTarget::Shadow);
        }

        let cleared = attachment(&self.textures.names, None, wgpu::Color::TRANSPARENT);
        // Reversed depth: zero is infinitely far.
        let depth_cleared = Some((depth, wgpu::LoadOp::Clear(0.0)));
        let mut pass = begin(encoder, "spheres", Some(cleared), depth_cleared, timer.as_deref_mut());
        restrict(&mut pass, self.seen, 1);
        draw(&mut pass, &pipelines.spheres, &bound.spheres, (TRIANGLE, self.count));
        drop(pass);

        for (view, pipeline, groups) in [
            (&self.textures.relief_across, &pipelines.relief_across, &bound.relief_across),
            (&self.textures.relief_down, &pipelines.relief_down, &bound.relief_down),
            (&self.textures.relief, &pipelines.relief_normal, &bound.relief_normal),
        ] {
            let cleared = attachment(view, None, wgpu::Color::TRANSPARENT);
            let mut pass = begin(encoder, pipeline.label, Some(cleared), None, timer.as_deref_mut());
            restrict(&mut pass, self.seen, self.textures.sizes.relief_scale);
            draw(&mut pass, pipeline, groups, (TRIANGLE, 1));
        }

        let (water, water_groups) = match self.style {
            DrawStyle::Beads => (&pipelines.beads, &bound.beads),
            DrawStyle::Smooth => {
                let cleared = attachment(&self.textures.thickness, None, wgpu::Color::TRANSPARENT);
                let mut pass = begin(encoder, "thickness", Some(cleared), None, timer.as_deref_mut());
                restrict(&mut pass, self.seen, self.textures.sizes.relief_scale);
                draw(&mut pass, &pipelines.thickness, &bound.thickness, (TRIANGLE, self.count));
                drop(pass);
                if !self.solids.is_empty() {
                    let cleared = attachment(&self.textures.solids_behind, None, wgpu::Color::TRANSPARENT);
                    let depths = Some((&self.textures.solid_depths, wgpu::LoadOp::Clear(0.0)));
                    let mut pass = begin(encoder, "solids behind water", Some(cleared), depths, timer.as_deref_mut());
                    restrict(&mut pass, self.seen, 1);
                    self.solids.record(&mut pass, SolidTarget::Behind);
                }
                (&pipelines.smooth, &bound.smooth)
            }
        };

        let cleared = attachment(color, resolve, wgpu::Color::BLACK);
        let mut pass = begin(encoder, "picture", Some(cleared), Some((depth, wgpu::LoadOp::Load)), timer);
        restrict(&mut pass, self.seen, 1);
        draw(&mut pass, water, water_groups, (TRIANGLE, 1));
        self.solids.record(&mut pass, SolidTarget::Picture);
        draw(&mut pass, &pipelines.floor, &bound.floor, (SQUARE, 1));
        draw(&mut pass, &pipelines.background, &bound.background, (TRIANGLE, 1));
        if let Some(marked) = &self.marked {
            draw(&mut pass, &pipelines.cell_edges, &bound.cell_edges, (SQUARE, CELL_EDGES * marked.cell_count));
        }
        draw(&mut pass, &pipelines.edges_hidden, &bound.edges_hidden, (SQUARE, EDGES));
        draw(&mut pass, &pipelines.edges_seen, &bound.edges_seen, (SQUARE, EDGES));
    }
}

/// What drawing shaders share, by the names of their variables.
fn shared_resources<'a>(
    frame: &'a wgpu::Buffer,
    textures: &'a Textures,
    [light_sampler, height_sampler]: [&'a wgpu::Sampler; 2],
) -> Vec<(&'static str, wgpu::BindingResource<'a>)> {
    vec![
        ("frame", frame.as_entire_binding()),
        ("light_map", wgpu::BindingResource::TextureView(&textures.light_map)),
        ("light_sampler", wgpu::BindingResource::Sampler(light_sampler)),
        ("solid_heights", wgpu::BindingResource::TextureView(&textures.solid_heights)),
        ("height_sampler", wgpu::BindingResource::Sampler(height_sampler)),
    ]
}

fn attachment<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
    cleared_to: wgpu::Color,
) -> wgpu::RenderPassColorAttachment<'a> {
    let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(cleared_to), store: wgpu::StoreOp::Store };
    wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target, ops }
}

fn begin<'encoder>(
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

/// Keeps a pass to the `seen` pixels of the picture, where a pixel of its own covers `scale` of them along each edge.
fn restrict(pass: &mut wgpu::RenderPass<'_>, [low, high]: [UVec2; 2], scale: u32) {
    let low = low / scale;
    let size = ((high + scale - 1) / scale).saturating_sub(low);
    pass.set_scissor_rect(low.x, low.y, size.x, size.y);
}

fn draw(pass: &mut wgpu::RenderPass<'_>, pipeline: &DrawPipeline, groups: &Groups, (vertices, instances): (u32, u32)) {
    pass.set_pipeline(&pipeline.pipeline);
    for (index, group) in groups {
        pass.set_bind_group(*index, group, &[]);
    }
    pass.draw(0..vertices, 0..instances);
}
