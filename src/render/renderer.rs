//! The renderer: it records all passes of a picture from the simulation's buffers.

use std::sync::Arc;

use glam::{UVec2, Vec2};

use super::bound_scene_light::BoundSceneLight;
use super::clear_pipelines::ClearPipelines;
use super::clear_water::{BoundClear, ClearWater};
use super::color_field_shader::CompiledFields;
use super::color_map::PALETTE_LENGTH;
use super::drawing_pass::{attachment, begin, draw, draw_indirect, restrict, triangles};
use super::foam::FoamLayer;
use super::frame::Frame;
use super::left_out::{LeftOut, Shading};
use super::mesh_light::MeshLight;
use super::overlay::Overlay;
use super::picker::{PickReadback, Picker};
use super::picture_behind::{PictureKeeper, PictureTarget};
use super::pipeline::{DrawPipeline, Groups};
use super::pipelines::{CellPipelines, MARK_CELLS, MarkedPipelines, Pipelines, Water};
use super::role_partition::RolePartition;
use super::selection::{Selection, select};
use super::solid_pipelines::SolidTarget;
use super::solids::Solids;
use super::splats::{BoundSplats, SplatInput, SplatPipelines, SplatRecorder, Splats, are_small};
use super::textures::{Sizes, Textures};
use super::{
    ColorMap, DrawStyle, Drawn, DrawnParticles, Look, LookCells, Mark, Splatting, Surroundings, TargetFormat, View,
};
use crate::gpu::{Dispatch, Gpu, GpuError, Pass, PassDescriptor, PassTimer, Phase, ShaderVariant, record};

/// Vertices of a square made of two triangles.
pub(super) const SQUARE: u32 = 6;
/// Vertices of the triangle that covers the picture or a particle.
pub(super) const TRIANGLE: u32 = 3;
/// Edges of a box.
const EDGES: u32 = 12;
/// Edges of a search's cell and of its inner part.
const CELL_EDGES: u32 = 2 * EDGES;
/// Faces of a cell.
const CELL_FACES: u32 = 6;

/// What else the target of a picture contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    /// Nothing: all of it is cleared.
    #[default]
    Nothing,
    /// Other pictures beside this one, which are kept.
    Others,
}

/// Draws the water, solids, their box and the floor, straight from the simulation's buffers.
pub struct Renderer {
    gpu: Arc<Gpu>,
    target: TargetFormat,
    pipelines: Pipelines,
    /// What the pipelines are compiled with.
    shading: Shading,
    frame: wgpu::Buffer,
    palette: wgpu::Buffer,
    palette_map: Option<ColorMap>,
    cells: Option<DrawnCells>,
    marked: Option<MarkedPipelines>,
    /// Compiled when clear water is first drawn.
    clear: Option<ClearPipelines>,
    /// Compiled when clear water is first drawn by compute passes.
    splats: Option<SplatPipelines>,
    /// Whether the particles of this picture are drawn by compute passes.
    splats_now: bool,
    partition: Option<RolePartition>,
    overlay: Overlay,
    /// Compiled when there is foam for the first time.
    foam: Option<FoamLayer>,
    /// Whether the picture has foam.
    has_foam: bool,
    picker: Option<Picker>,
    /// Compiled when the water stands in a picture for the first time.
    keeper: Option<PictureKeeper>,
    /// Compiled when the water first throws light on meshes of its scene.
    mesh_light: Option<MeshLight>,
    /// Whether it does so in this picture.
    lights_meshes: bool,
    surroundings: Surroundings,
    sampler: wgpu::Sampler,
    height_sampler: wgpu::Sampler,
    solids: Solids,
    scene_light: BoundSceneLight,
    textures: Textures,
    bound: Option<Bound>,
    count: u32,
    style: DrawStyle,
    seen: [UVec2; 2],
}

/// The resources that find and draw the occupied cells. Created when they are first needed.
struct DrawnCells {
    pipelines: CellPipelines,
    occupied: wgpu::Buffer,
    pass: Pass,
    /// The positions that `pass` reads.
    positions: wgpu::Buffer,
    particle_count: u32,
    edges: Groups,
    faces: Groups,
    /// Number of cells in the range that is drawn; 0 if none are drawn.
    cell_count: u32,
}

/// The caller's buffers that the bind groups refer to.
#[derive(Clone, PartialEq)]
struct HeldBuffers {
    particles: [wgpu::Buffer; 5],
    custom_field: Option<wgpu::Buffer>,
    roles: Option<wgpu::Buffer>,
}

/// The bind groups of every pipeline and the buffers that they refer to.
struct Bound {
    buffers: HeldBuffers,
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
    marked: Option<BoundMarked>,
    clear: Option<BoundClear>,
    splats: Option<Splats>,
}

/// The bind groups for particles in roles.
struct BoundMarked {
    spheres: Groups,
    faded_spheres: Groups,
    water: Groups,
    veil: Groups,
}

/// The picture that the water is drawn into, bound to what keeps it.
struct Kept<'a> {
    keeper: &'a PictureKeeper,
    groups: Groups,
    mesh_light: Option<(&'a MeshLight, Groups)>,
}

/// Pipelines and bind groups that draw particles in roles.
struct Marked<'a> {
    pipelines: &'a MarkedPipelines,
    bound: &'a BoundMarked,
    partition: &'a RolePartition,
}

impl Renderer {
    /// Compiles the pipelines for one kind of target.
    ///
    /// # Errors
    /// When a shader does not compile, or the device cannot draw into such a target.
    pub fn new(gpu: &Arc<Gpu>, target: TargetFormat) -> Result<Self, GpuError> {
        let shading = Shading { fields: CompiledFields::listed(), left_out: LeftOut::at_first(gpu) };
        Self::with_shading(gpu, target, shading)
    }

    fn with_shading(gpu: &Arc<Gpu>, target: TargetFormat, shading: Shading) -> Result<Self, GpuError> {
        let pipelines = Pipelines::new(gpu, target, &shading)?;
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
            solids: Solids::new(gpu, target, shading.left_out)?,
            shading,
            frame: gpu.uniform("frame", &Frame::default()),
            palette: gpu.storage::<[f32; 4]>("palette", PALETTE_LENGTH as u64)?,
            palette_map: None,
            cells: None,
            marked: None,
            clear: None,
            splats: None,
            splats_now: false,
            partition: None,
            overlay: Overlay::new(target),
            foam: None,
            has_foam: false,
            picker: None,
            keeper: None,
            mesh_light: None,
            lights_meshes: false,
            surroundings: Surroundings::default(),
            sampler: sampler("light map", None),
            // Comparison passes (1) where no solid is higher.
            height_sampler: sampler("solid heights", Some(wgpu::CompareFunction::GreaterEqual)),
            scene_light: BoundSceneLight::new(gpu),
            textures: Textures::new(gpu, target, Sizes::default()),
            bound: None,
            count: 0,
            style: DrawStyle::default(),
            seen: [UVec2::ZERO, UVec2::ONE],
        })
    }

    /// Compiles the shaders again after they were edited. On an error the old pipelines stay in use.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub fn rebuild(&mut self) -> Result<(), GpuError> {
        self.rebuild_with(self.shading.clone())
    }

    /// As [`Renderer::rebuild`], with other definitions.
    fn rebuild_with(&mut self, shading: Shading) -> Result<(), GpuError> {
        let mut new = Self::with_shading(&self.gpu, self.target, shading)?;
        new.solids.compile_like(&self.gpu, &self.solids)?;
        new.overlay.compile_like(&self.gpu, &self.overlay)?;
        let marked = || MarkedPipelines::new(&self.gpu, self.target, &new.shading);
        new.marked = self.marked.is_some().then(marked).transpose()?;
        let clear = || ClearPipelines::new(&self.gpu, self.target, new.shading.left_out);
        new.clear = self.clear.is_some().then(clear).transpose()?;
        new.splats = self.splats.is_some().then(|| SplatPipelines::new(&self.gpu)).transpose()?;
        let foam = |old: &FoamLayer| FoamLayer::new(&self.gpu, self.target, (old.samples, new.shading.left_out));
        new.foam = self.foam.as_ref().map(foam).transpose()?;
        let keeper = || PictureKeeper::new(&self.gpu, self.target, &new.shading);
        new.keeper = self.keeper.is_some().then(keeper).transpose()?;
        let mesh_light = || MeshLight::new(&self.gpu, self.target);
        new.mesh_light = self.mesh_light.is_some().then(mesh_light).transpose()?;
        *self = new;
        Ok(())
    }

    /// Compiles the pipelines that only one style needs, and those that draw particles by compute passes. Otherwise the
    /// first picture that needs them does it.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub fn compile(&mut self, style: DrawStyle) -> Result<(), GpuError> {
        if style == DrawStyle::Water {
            self.compile_clear()?;
        }
        self.compile_splats()
    }

    fn compile_clear(&mut self) -> Result<(), GpuError> {
        if self.clear.is_none() {
            self.clear = Some(ClearPipelines::new(&self.gpu, self.target, self.shading.left_out)?);
            self.bound = None;
        }
        Ok(())
    }

    fn compile_splats(&mut self) -> Result<(), GpuError> {
        if self.splats.is_none() {
            self.splats = Some(SplatPipelines::new(&self.gpu)?);
            self.bound = None;
        }
        Ok(())
    }

    /// Takes over what the next [`Renderer::record`] draws: writes the uniforms, uploads new surfaces, and binds the
    /// particles' buffers if they have changed. A color field that is in no table is compiled first. `view.size` is the
    /// size of the textures that `record` will be given.
    ///
    /// # Errors
    /// When an edited shader requires a binding that does not exist, or a solid does not fit into the device's memory.
    pub fn prepare(&mut self, view: &View, look: &Look, drawn: &Drawn<'_>) -> Result<(), GpuError> {
        let particles = &drawn.particles;
        check_sizes(drawn)?;
        let look = &Look { style: look.drawn_style(drawn.marks.is_some()), ..*look };
        let new_fields = self.shading.fields.with(look.field);
        let left_out = LeftOut::of(&self.gpu, look, drawn);
        if new_fields.is_some() || left_out != self.shading.left_out {
            let fields = new_fields.unwrap_or_else(|| self.shading.fields.clone());
            self.rebuild_with(Shading { fields, left_out })?;
        }
        let standing = self.solids.prepare(&self.gpu, look, drawn)?;
        self.gpu.write_uniform(&self.frame, &Frame::new(view, look, drawn, (standing, &self.shading.fields)));
        let map = look.field.color_map();
        if self.palette_map != Some(map) {
            self.gpu.queue.write_buffer(&self.palette, 0, bytemuck::cast_slice(&map.palette()));
            self.palette_map = Some(map);
        }
        let sizes = Sizes::new(view, look, standing.count > 0, drawn.marks.is_some());
        let are_other_sizes = self.textures.sizes != sizes;
        if are_other_sizes {
            let made = self.gpu.guarded(|| Textures::new(&self.gpu, self.target, sizes));
            self.textures = made.map_err(|error| GpuError::of_picture(&error, view.size.to_array()))?;
            self.bound = None;
        }
        let is_other_light = self.scene_light.prepare(&self.gpu, &drawn.scene_light);
        if is_other_light {
            self.bound = None;
        }
        self.count = particles.count;
        self.style = look.style;
        self.surroundings = look.surroundings;
        if self.keeper.is_none() && look.surroundings != Surroundings::Tank {
            self.keeper = Some(PictureKeeper::new(&self.gpu, self.target, &self.shading)?);
        }
        self.lights_meshes = drawn.scene_light.lights_meshes;
        if self.mesh_light.is_none() && self.lights_meshes {
            self.mesh_light = Some(MeshLight::new(&self.gpu, self.target)?);
        }
        self.seen = view.seen.unwrap_or([UVec2::ZERO, view.size]).map(|corner| corner.min(sizes.picture));
        let buffers = HeldBuffers {
            particles: particles.buffers(look.style).map(Clone::clone),
            custom_field: drawn.custom_field.cloned(),
            roles: drawn.marks.map(|marks| marks.roles.clone()),
        };
        if look.style == DrawStyle::Water {
            self.compile_clear()?;
        }
        // The light map of the other styles does not depend on how near the eye is.
        self.splats_now =
            look.splatting == Splatting::Compute && (look.style != DrawStyle::Water || are_small(view, look));
        if self.splats_now {
            self.compile_splats()?;
        }
        if self.marked.is_none() && buffers.roles.is_some() {
            self.marked = Some(MarkedPipelines::new(&self.gpu, self.target, &self.shading)?);
        }
        if self.partition.as_ref().map(|partition| &partition.roles) != buffers.roles.as_ref() {
            let partition = |roles| RolePartition::new(&self.gpu, &self.frame, roles);
            self.partition = buffers.roles.as_ref().map(partition).transpose()?;
        }
        if self.bound.as_ref().is_none_or(|bound| bound.buffers != buffers) {
            self.bound = Some(self.bind(buffers)?);
        }
        let shared =
            shared_resources((&self.frame, &self.textures, &self.scene_light), [&self.sampler, &self.height_sampler]);
        self.solids.bind(&self.gpu, &shared, are_other_sizes || is_other_light)?;
        let eye = view.world_from_view.w_axis.truncate();
        self.overlay.prepare(&self.gpu, &self.frame, eye, (look, drawn))?;
        self.prepare_foam(look, drawn)?;
        self.prepare_cells(look, particles)
    }

    /// Takes over the foam, if there is any.
    fn prepare_foam(&mut self, look: &Look, drawn: &Drawn<'_>) -> Result<(), GpuError> {
        let foam = drawn.foam.filter(|_| drawn.marks.is_none());
        self.has_foam = foam.is_some();
        let Some(foam) = foam else { return Ok(()) };
        let (names, samples) = shown_names(self.style, &self.textures, self.target);
        let names = wgpu::BindingResource::TextureView(names);
        let mut layer = match self.foam.take() {
            Some(layer) if layer.samples == samples => layer,
            _ => FoamLayer::new(&self.gpu, self.target, (samples, self.shading.left_out))?,
        };
        let mut resources =
            shared_resources((&self.frame, &self.textures, &self.scene_light), [&self.sampler, &self.height_sampler]);
        resources.push(("positions", drawn.particles.seen_positions(look.style).as_entire_binding()));
        resources.push(("names", names));
        layer.prepare(&self.gpu, (look, &foam, self.textures.sizes.picture), &resources)?;
        self.foam = Some(layer);
        Ok(())
    }

    /// The foam of the picture.
    fn drawn_foam(&self) -> Option<&FoamLayer> {
        self.foam.as_ref().filter(|_| self.has_foam)
    }

    /// Creates the resources that find and draw the occupied cells, if they are drawn.
    fn prepare_cells(&mut self, look: &Look, particles: &DrawnParticles<'_>) -> Result<(), GpuError> {
        let Some(cell_count) = look.drawn_cells().and_then(|range| range.drawable_count()) else {
            if let Some(cells) = &mut self.cells {
                cells.cell_count = 0;
            }
            return Ok(());
        };
        let is_same =
            |cells: &DrawnCells| cells.positions == *particles.positions && cells.particle_count == particles.count;
        let mut cells = match self.cells.take() {
            Some(cells) if is_same(&cells) => cells,
            old => self.find_cells(old.map(|old| (old.pipelines, old.occupied)), particles)?,
        };
        cells.cell_count = cell_count;
        self.cells = Some(cells);
        Ok(())
    }

    /// The resources that find and draw the occupied cells among `particles`, with the pipelines that `old` has
    /// compiled.
    fn find_cells(
        &self,
        old: Option<(CellPipelines, wgpu::Buffer)>,
        particles: &DrawnParticles<'_>,
    ) -> Result<DrawnCells, GpuError> {
        let gpu = &self.gpu;
        let (pipelines, occupied) = match old {
            Some(old) => old,
            None => (
                CellPipelines::new(gpu, self.target)?,
                gpu.storage::<u32>("occupied cells", LookCells::EDGES_LIMIT.into())?,
            ),
        };
        let pass = Pass::new(
            gpu,
            PassDescriptor {
                phase: Phase::Drawing,
                label: "mark cells",
                shader: &ShaderVariant::new(MARK_CELLS),
                entry_point: "mark_cells",
                buffers: &[("frame", &self.frame), ("positions", particles.positions), ("occupied", &occupied)],
                dispatch: Dispatch::Invocations(particles.count.into()),
            },
        )?;
        let resources = [("frame", self.frame.as_entire_binding()), ("occupied", occupied.as_entire_binding())];
        let bind = |pipeline: &DrawPipeline| pipeline.shader.bind(gpu, pipeline.label, &resources);
        let (edges, faces) = (bind(&pipelines.edges)?, bind(&pipelines.faces)?);
        let positions = particles.positions.clone();
        let particle_count = particles.count;
        Ok(DrawnCells { pipelines, occupied, pass, positions, particle_count, edges, faces, cell_count: 0 })
    }

    fn bind(&self, buffers: HeldBuffers) -> Result<Bound, GpuError> {
        let [positions, velocities, densities, neighbor_counts, candidate_counts] = &buffers.particles;
        // Without a custom field, the shader does not read this binding.
        let custom_field = buffers.custom_field.as_ref().unwrap_or(&self.palette);
        let mut resources = self.shared();
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
            ("custom_field", custom_field.as_entire_binding()),
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
            marked: self.bind_marked(&resources)?,
            clear: self.bind_clear(&resources)?,
            splats: self.bind_splats([positions, velocities, densities])?,
            buffers,
        })
    }

    fn bind_marked(&self, resources: &[(&str, wgpu::BindingResource<'_>)]) -> Result<Option<BoundMarked>, GpuError> {
        let Some((partition, pipelines)) = self.partition.as_ref().zip(self.marked.as_ref()) else { return Ok(None) };
        let relief = ("relief", wgpu::BindingResource::TextureView(&self.textures.relief));
        let names = ("names", wgpu::BindingResource::TextureView(&self.textures.faded_names));
        let marks = ("marks", partition.roles.as_entire_binding());
        let by_role = ("by_role", partition.by_role.as_entire_binding());
        // Of two resources with the same name, the first is bound.
        let of_faded: Vec<_> = [names, by_role.clone()].into_iter().chain(resources.to_vec()).collect();
        let of_others: Vec<_> = [marks, by_role, relief].into_iter().chain(resources.to_vec()).collect();
        let bind = |pipeline: &DrawPipeline, resources: &[(&str, wgpu::BindingResource<'_>)]| {
            pipeline.shader.bind(&self.gpu, pipeline.label, resources)
        };
        Ok(Some(BoundMarked {
            spheres: bind(&pipelines.spheres, &of_others)?,
            faded_spheres: bind(&pipelines.faded_spheres, &of_faded)?,
            water: bind(&pipelines.water, &of_others)?,
            veil: bind(&pipelines.veil, &of_faded)?,
        }))
    }

    /// The resources that drawing shaders share.
    fn shared(&self) -> Vec<(&'static str, wgpu::BindingResource<'_>)> {
        shared_resources((&self.frame, &self.textures, &self.scene_light), [&self.sampler, &self.height_sampler])
    }

    fn bind_clear(&self, resources: &[(&str, wgpu::BindingResource<'_>)]) -> Result<Option<BoundClear>, GpuError> {
        let bind = |pipelines| BoundClear::new(&self.gpu, pipelines, &self.textures, resources);
        self.clear.as_ref().map(bind).transpose()
    }

    fn bind_splats(&self, particles: [&wgpu::Buffer; 3]) -> Result<Option<Splats>, GpuError> {
        let bind = |pipelines| {
            let (sizes, is_clear) = (self.textures.sizes, self.style == DrawStyle::Water);
            Splats::new(&SplatInput { gpu: &self.gpu, pipelines, frame: &self.frame, particles, sizes, is_clear })
        };
        self.splats.as_ref().map(bind).transpose()
    }

    /// The passes of clear water, if the water is drawn so.
    fn clear(&self) -> Option<ClearWater<'_>> {
        let bound = self.bound.as_ref()?.clear.as_ref().filter(|_| self.style == DrawStyle::Water)?;
        let (textures, solids) = (&self.textures, &self.solids);
        Some(ClearWater {
            splats: self.bound_splats(),
            pipelines: self.clear.as_ref()?,
            bound,
            textures,
            solids,
            count: self.count,
            seen: self.seen,
            in_picture: self.surroundings != Surroundings::Tank,
        })
    }

    /// What draws particles by compute passes in this picture, if anything does.
    fn bound_splats(&self) -> Option<BoundSplats<'_>> {
        let splats = self.bound.as_ref()?.splats.as_ref().filter(|_| self.splats_now)?;
        Some(BoundSplats { pipelines: self.splats.as_ref()?, splats })
    }

    /// The resources that draw particles in roles, if they have any.
    fn marked(&self) -> Option<Marked<'_>> {
        let bound = self.bound.as_ref()?.marked.as_ref()?;
        Some(Marked { pipelines: self.marked.as_ref()?, bound, partition: self.partition.as_ref()? })
    }

    /// Records the passes that read the particle at a pixel of the most recently recorded picture, counted from its
    /// upper left corner; of several near the pixel, the nearest within three pixels. Returns nothing before the first
    /// [`Renderer::prepare`]. Several requests in one submission all return the result of the last one.
    ///
    /// # Errors
    /// When the shader does not compile.
    pub fn record_pick(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        pixel: UVec2,
    ) -> Result<Option<PickReadback>, GpuError> {
        if self.bound.is_none() {
            return Ok(None);
        }
        let (names, samples) = shown_names(self.style, &self.textures, self.target);
        let picker = match self.picker.take() {
            Some(picker) if picker.samples == samples => picker,
            _ => Picker::new(&self.gpu, samples)?,
        };
        let faded = self.marked().is_some().then_some(&self.textures.faded_names);
        let readback = picker.record(&self.gpu, encoder, &self.frame, (pixel, [Some(names), faded]));
        self.picker = Some(picker);
        readback.map(Some)
    }

    /// Records the passes that assign the role `inside` to particles with centers in a rectangle of the most recently
    /// prepared picture, and the role `outside` to all others. `corners` are any two opposite corners in pixels from
    /// the upper left. Particles that are not drawn, including those outside the cut, count as outside; particles that
    /// others hide do not. Returns nothing before the first [`Renderer::prepare`].
    ///
    /// # Errors
    /// When the shader does not compile, or the device has no memory left.
    pub fn record_selection(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        corners: [Vec2; 2],
        [inside, outside]: [Mark; 2],
    ) -> Result<Option<Selection>, GpuError> {
        let Some(bound) = &self.bound else { return Ok(None) };
        let [positions, velocities, ..] = &bound.buffers.particles;
        let particles = (&self.frame, positions, velocities, self.count);
        select(&self.gpu, encoder, particles, (corners, [inside, outside])).map(Some)
    }

    /// Records the complete picture: clears color and depth, then draws what was passed to the last
    /// [`Renderer::prepare`]. With [`Beside::Others`] the colors outside the visible part are kept. Records nothing
    /// before the first `prepare`. With several samples per pixel, `color` stores the samples and `resolve` receives
    /// the picture; without `resolve`, the caller has to resolve them.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        color: &wgpu::TextureView,
        resolve: Option<&wgpu::TextureView>,
        depth: &wgpu::TextureView,
        timer: Option<&mut PassTimer>,
        beside: Beside,
    ) {
        self.record_passes(encoder, (&PictureTarget { color, resolve, depth, transparent: None }, beside), None, timer);
    }

    /// Records the water and its solids into a picture that was drawn before, as prepared with
    /// [`Surroundings::Picture`] or [`Surroundings::Light`]: what is nearer in the picture hides the water, the rest is
    /// seen through it, and the water writes its depth. Records nothing before the first [`Renderer::prepare`].
    ///
    /// # Errors
    /// When an edited shader requires a binding that does not exist.
    pub fn record_in(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        picture: &PictureTarget<'_>,
        timer: Option<&mut PassTimer>,
    ) -> Result<(), GpuError> {
        let Some(keeper) = self.keeper.as_ref().filter(|_| self.surroundings != Surroundings::Tank) else {
            return Ok(());
        };
        let mesh_light = self.mesh_light.as_ref().filter(|_| self.lights_meshes && self.bound.is_some());
        let bind = |light: &MeshLight| light.bind(&self.gpu, self.shared(), picture);
        let groups = mesh_light.map(bind).transpose()?;
        let mesh_light = mesh_light.zip(groups);
        let kept = Kept { keeper, groups: keeper.bind(&self.gpu, &self.frame, picture)?, mesh_light };
        self.record_passes(encoder, (picture, Beside::Others), Some(&kept), timer);
        Ok(())
    }

    /// Records all passes. With `kept`, the target contains a picture, into which the water is drawn.
    fn record_passes(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (target, beside): (&PictureTarget<'_>, Beside),
        kept: Option<&Kept<'_>>,
        mut timer: Option<&mut PassTimer>,
    ) {
        let Some(bound) = &self.bound else { return };
        let pipelines = &self.pipelines;
        let &PictureTarget { color, resolve, depth, .. } = target;
        // Depth is reversed: zero is infinitely far away.
        let first_load = if kept.is_some() { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(0.0) };
        let cells = self.cells.as_ref().filter(|cells| cells.cell_count > 0);
        if let Some(cells) = cells {
            encoder.clear_buffer(&cells.occupied, 0, None);
            record([&cells.pass], encoder, timer.as_deref_mut());
        }
        if let Some(Marked { partition, .. }) = self.marked() {
            partition.record(encoder, timer.as_deref_mut());
        }

        let clear = self.clear();
        if let Some(clear) = &clear {
            clear.record_sunlight(encoder, timer.as_deref_mut());
        } else if let Some(splats) = self.bound_splats() {
            let mut recorder = SplatRecorder { encoder, timer: timer.as_deref_mut() };
            splats.record_light(&mut recorder, &self.textures.light_map);
        } else {
            let cleared = attachment(&self.textures.light_map, None, wgpu::Color::TRANSPARENT);
            let mut pass = begin(encoder, "light map", Some(cleared), None, timer.as_deref_mut());
            draw(&mut pass, &pipelines.light_map, &bound.light_map, triangles(self.count));
        }

        if !self.solids.is_empty() {
            let heights = Some((&self.textures.solid_heights, wgpu::LoadOp::Clear(0.0)));
            let mut pass = begin(encoder, "solids' shadow", None, heights, timer.as_deref_mut());
            self.solids.record(&mut pass, SolidTarget::Shadow);
        }

        if let Some(kept) = kept {
            if let Some((light, groups)) = &kept.mesh_light {
                light.record(encoder, groups, (target, self.seen), timer.as_deref_mut());
            }
            self.keep(encoder, target, kept, timer.as_deref_mut());
        }

        if clear.is_none() {
            self.record_spheres(encoder, (depth, first_load), timer.as_deref_mut());
            self.record_relief(encoder, timer.as_deref_mut());
        }

        let (water, water_groups) = match self.style {
            DrawStyle::Beads => (&pipelines.beads, &bound.beads),
            DrawStyle::Smooth => {
                self.record_thickness(encoder, kept.is_none(), timer.as_deref_mut());
                (&pipelines.smooth, &bound.smooth)
            }
            DrawStyle::Water => (&pipelines.smooth, &bound.smooth),
        };
        if let Some(clear) = &clear {
            clear.record_surface(encoder, timer.as_deref_mut());
        }

        if let Some(foam) = self.drawn_foam() {
            let behind = kept.map(|_| &self.textures.solid_depths);
            foam.record(encoder, (&self.solids, self.seen), behind, timer.as_deref_mut());
        }

        let mut cleared = attachment(color, resolve, wgpu::Color::BLACK);
        if beside == Beside::Others {
            cleared.ops.load = wgpu::LoadOp::Load;
        }
        // Clear water is drawn over the finished picture, with depths of its smooth surface.
        let load = if clear.is_some() { first_load } else { wgpu::LoadOp::Load };
        let mut pass = begin(encoder, "picture", Some(cleared), Some((depth, load)), timer);
        restrict(&mut pass, self.seen, 1);
        if clear.is_none() {
            let (water, water_groups) = match self.marked() {
                Some(Marked { pipelines, bound, .. }) => (&pipelines.water, &bound.water),
                None => (water, water_groups),
            };
            let shown = if self.marked().is_some() { Water::Marked } else { Water::Plain(self.style) };
            let water = kept.map_or(water, |kept| kept.keeper.water(shown));
            draw(&mut pass, water, water_groups, (TRIANGLE, 1));
        }
        if kept.is_none() {
            self.solids.record(&mut pass, SolidTarget::Picture);
            draw(&mut pass, &pipelines.floor, &bound.floor, (SQUARE, 1));
            draw(&mut pass, &pipelines.background, &bound.background, (TRIANGLE, 1));
        }
        if let Some(clear) = &clear {
            clear.draw_over(&mut pass);
        }
        if let Some(Marked { pipelines, bound, .. }) = self.marked() {
            draw(&mut pass, &pipelines.veil, &bound.veil, (TRIANGLE, 1));
        }
        if let Some(foam) = self.drawn_foam() {
            foam.draw(&mut pass);
        }
        if let Some(cells) = cells {
            draw(&mut pass, &cells.pipelines.faces, &cells.faces, (SQUARE, CELL_FACES * cells.cell_count));
            draw(&mut pass, &cells.pipelines.edges, &cells.edges, (SQUARE, CELL_EDGES * cells.cell_count));
        }
        self.overlay.record(&mut pass);
        if kept.is_none() {
            draw(&mut pass, &pipelines.edges_hidden, &bound.edges_hidden, (SQUARE, EDGES));
            draw(&mut pass, &pipelines.edges_seen, &bound.edges_seen, (SQUARE, EDGES));
        }
    }

    /// Draws the solids into the caller's picture, and keeps what it shows then.
    fn keep(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        &PictureTarget { color, resolve, depth, .. }: &PictureTarget<'_>,
        Kept { keeper, groups, .. }: &Kept<'_>,
        mut timer: Option<&mut PassTimer>,
    ) {
        if !self.solids.is_empty() {
            let mut shown = attachment(color, resolve, wgpu::Color::BLACK);
            shown.ops.load = wgpu::LoadOp::Load;
            let depth = Some((depth, wgpu::LoadOp::Load));
            let mut pass = begin(encoder, "solids", Some(shown), depth, timer.as_deref_mut());
            restrict(&mut pass, self.seen, 1);
            self.solids.record(&mut pass, SolidTarget::Picture);
        }
        keeper.record(encoder, groups, &self.textures, timer);
    }

    /// Records how much water smooth water shows in each pixel and, without a picture of the caller, the solids behind
    /// it.
    fn record_thickness(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        has_own_scene: bool,
        mut timer: Option<&mut PassTimer>,
    ) {
        let Some(bound) = &self.bound else { return };
        let cleared = attachment(&self.textures.thickness, None, wgpu::Color::TRANSPARENT);
        let mut pass = begin(encoder, "thickness", Some(cleared), None, timer.as_deref_mut());
        restrict(&mut pass, self.seen, self.textures.sizes.relief_scale);
        draw(&mut pass, &self.pipelines.thickness, &bound.thickness, triangles(self.count));
        drop(pass);
        if has_own_scene && !self.solids.is_empty() {
            let cleared = attachment(&self.textures.solids_behind, None, wgpu::Color::TRANSPARENT);
            let depths = Some((&self.textures.solid_depths, wgpu::LoadOp::Clear(0.0)));
            let mut pass = begin(encoder, "solids behind water", Some(cleared), depths, timer);
            restrict(&mut pass, self.seen, 1);
            self.solids.record(&mut pass, SolidTarget::Behind);
        }
    }

    /// Records the large shape of the water that spheres show.
    fn record_relief(&self, encoder: &mut wgpu::CommandEncoder, mut timer: Option<&mut PassTimer>) {
        let (Some(bound), pipelines) = (&self.bound, &self.pipelines) else { return };
        let relief = [
            (&self.textures.relief_across, &pipelines.relief_across, &bound.relief_across),
            (&self.textures.relief_down, &pipelines.relief_down, &bound.relief_down),
            (&self.textures.relief, &pipelines.relief_normal, &bound.relief_normal),
        ];
        for (view, pipeline, groups) in relief {
            let cleared = attachment(view, None, wgpu::Color::TRANSPARENT);
            let mut pass = begin(encoder, pipeline.label, Some(cleared), None, timer.as_deref_mut());
            restrict(&mut pass, self.seen, self.textures.sizes.relief_scale);
            draw(&mut pass, pipeline, groups, (TRIANGLE, 1));
        }
    }

    /// Records which particle each pixel shows, and how far away it is.
    fn record_spheres(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        depth: (&wgpu::TextureView, wgpu::LoadOp<f32>),
        mut timer: Option<&mut PassTimer>,
    ) {
        let Some(bound) = &self.bound else { return };
        let pipelines = &self.pipelines;
        let cleared = attachment(&self.textures.names, None, wgpu::Color::TRANSPARENT);
        let mut pass = begin(encoder, "spheres", Some(cleared), Some(depth), timer.as_deref_mut());
        restrict(&mut pass, self.seen, 1);
        match self.marked() {
            Some(Marked { pipelines, bound, partition }) => {
                let arguments = (&partition.arguments, RolePartition::OWN);
                draw_indirect(&mut pass, &pipelines.spheres, &bound.spheres, arguments);
            }
            None => draw(&mut pass, &pipelines.spheres, &bound.spheres, triangles(self.count)),
        }
        drop(pass);

        if let Some(Marked { pipelines, bound, partition }) = self.marked() {
            let cleared = attachment(&self.textures.faded_names, None, wgpu::Color::TRANSPARENT);
            let depth_cleared = Some((&self.textures.faded_depth, wgpu::LoadOp::Clear(0.0)));
            let mut pass = begin(encoder, "faded spheres", Some(cleared), depth_cleared, timer);
            restrict(&mut pass, self.seen, 1);
            let arguments = (&partition.arguments, RolePartition::FADED);
            draw_indirect(&mut pass, &pipelines.faded_spheres, &bound.faded_spheres, arguments);
        }
    }
}

/// Checks that the caller's buffers contain as many particles as are drawn.
fn check_sizes(drawn: &Drawn<'_>) -> Result<(), GpuError> {
    let needed = u64::from(drawn.particles.count) * size_of::<u32>() as u64;
    let roles = drawn.marks.map(|marks| ("the roles of particles", marks.roles));
    let custom = drawn.custom_field.map(|field| ("a custom field", field));
    for (what, buffer) in roles.into_iter().chain(custom) {
        if buffer.size() < needed {
            return Err(GpuError::TooSmall { what, bytes: buffer.size(), needed });
        }
    }
    Ok(())
}

/// The picture of particle numbers, and its samples per pixel. Clear water has one of its own.
fn shown_names(style: DrawStyle, textures: &Textures, target: TargetFormat) -> (&wgpu::TextureView, u32) {
    match style {
        DrawStyle::Water => (&textures.clear_names, 1),
        DrawStyle::Beads | DrawStyle::Smooth => (&textures.names, target.sample_count),
    }
}

/// The resources that drawing shaders share, by the names of their variables.
fn shared_resources<'a>(
    (frame, textures, scene_light): (&'a wgpu::Buffer, &'a Textures, &'a BoundSceneLight),
    [light_sampler, height_sampler]: [&'a wgpu::Sampler; 2],
) -> Vec<(&'static str, wgpu::BindingResource<'a>)> {
    let mut resources = vec![
        ("frame", frame.as_entire_binding()),
        ("light_map", wgpu::BindingResource::TextureView(&textures.light_map)),
        ("light_sampler", wgpu::BindingResource::Sampler(light_sampler)),
        ("solid_heights", wgpu::BindingResource::TextureView(&textures.solid_heights)),
        ("height_sampler", wgpu::BindingResource::Sampler(height_sampler)),
        ("caustics", wgpu::BindingResource::TextureView(&textures.caustics)),
        ("sun_surface", wgpu::BindingResource::TextureView(&textures.sun_surface)),
    ];
    resources.extend(scene_light.resources());
    resources
}
