use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::bodies::{Bodies, Body, BodyView, StepContext};
use super::boundaries::BoundarySamples;
use super::cloths::{self, ClothView, DeviceCloths};
use super::flow::{Flow, Parking};
use super::parameters::PushParameters;
use super::sph::{Features, ParticleState, Sph, SphPasses};
use super::survey::Surveyor;
use super::{FluidError, Mesh, Push, Resolution, Scene, SceneEdits, SmoothingKernel, Survey, lattice};
use crate::gpu::{Gpu, Pass, PassTimer, record};
use crate::search::{Cells, SearchInfo, SearchOptions};

/// How finely a scene is resolved: the two ends of the one [`Resolution`] that somebody can hold. A scene whose particles
/// are read from files has one resolution, that of their spacing, whatever this says.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub enum Size {
    /// About that many particles.
    Count(u32),
    /// Exactly that support radius, m.
    Radius(f32),
}

/// Everything about a simulation that can be chosen besides the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Which neighbor search.
    pub search: &'static SearchInfo,
    /// The searches' settings.
    pub options: SearchOptions,
    /// Which smoothing kernel.
    pub kernel: SmoothingKernel,
    /// How finely.
    pub size: Size,
    /// What the particles' tiny offsets from the lattice are drawn from.
    pub seed: u64,
    /// What of the scene is other than its file says.
    pub edits: SceneEdits,
}

impl Settings {
    /// The resolution that they come to in a scene.
    ///
    /// # Errors
    /// When the size makes no sense for the scene.
    pub fn resolution(&self, scene: &Scene) -> Result<Resolution, FluidError> {
        self.resolution_of(&self.edits.applied_to(scene))
    }

    /// As [`Settings::resolution`], of a scene that was edited already.
    fn resolution_of(&self, edited: &Scene) -> Result<Resolution, FluidError> {
        match self.size {
            Size::Count(count) => Resolution::from_count(edited, self.kernel, count),
            Size::Radius(radius) => Resolution::from_radius(edited, self.kernel, radius),
        }
    }
}

/// The particles' buffers, for drawing: all in one order, that of the last build. len = `count`.
#[derive(Clone, Copy)]
pub struct ParticleBuffers<'a> {
    /// Number of particles, of boundaries too.
    pub count: u32,
    /// How many of them are the fluid's: those with the lowest original indices.
    pub fluid_count: u32,
    /// Particles farther along x than this are in the reservoir, m; infinity where there is none.
    pub parked_beyond: f32,
    /// `vec4<f32>`: xyz in m; the fourth component is nothing.
    pub positions: &'a wgpu::Buffer,
    /// `vec4<f32>`: xyz in m/s, and the bits of the particle's original index.
    pub velocities: &'a wgpu::Buffer,
    /// `vec2<f32>`: density in kg/m³ and pressure / density² in m⁵/(kg s²), from before the last move. The latter is
    /// exact away from walls; beside one it is multiplied with what the density is (up to 1.2 at the first layer).
    pub densities: &'a wgpu::Buffer,
    /// `u32`: neighbors of each, as of the last [`Simulation::record_survey`].
    pub neighbor_counts: &'a wgpu::Buffer,
    /// `u32`: candidates tested for each, as of the last [`Simulation::record_survey`].
    pub candidate_counts: &'a wgpu::Buffer,
}

/// Water in a box on the device, and everything that moves it.
pub struct Simulation {
    pub(super) gpu: Arc<Gpu>,
    pub(super) loaded: Scene,
    /// `loaded` with the settings' edits.
    pub(super) scene: Scene,
    pub(super) settings: Settings,
    pub(super) resolution: Resolution,
    pub(super) boundaries: Option<BoundarySamples>,
    pub(super) bodies: Option<Bodies>,
    /// Bodies that the scene did not have.
    pub(super) added: Vec<Body>,
    pub(super) flow: Option<Flow>,
    pub(super) cloths: Option<DeviceCloths>,
    boundary_surfaces: Vec<Arc<Mesh>>,
    notices: Vec<String>,
    pub(super) state: ParticleState,
    pub(super) sph: Sph,
    pub(super) passes: SphPasses,
    pub(super) surveyor: Surveyor,
    pub(super) push: Option<Push>,
    pub(super) time: f64,
    pub(super) step_count: u64,
}

impl Simulation {
    /// The scene's particles at the start, on the device, and the passes over them.
    ///
    /// # Errors
    /// When the scene makes no sense or the size none for it, the particles do not fit the device, the search refuses them, or
    /// a shader does not compile.
    pub fn new(gpu: &Arc<Gpu>, scene: &Scene, settings: &Settings) -> Result<Self, FluidError> {
        let loaded = scene;
        let scene = &settings.edits.applied_to(loaded);
        scene.check(&scene.name)?;
        scene.check_points(&scene.name)?;
        let resolution = settings.resolution_of(scene)?;
        let boundaries = BoundarySamples::new(scene, resolution.spacing)?;
        let state = ParticleState::new(gpu, &resolution)?;
        let mut surveyor = Surveyor::new(gpu)?;
        let flow = Flow::new(gpu, scene, &resolution, boundaries.as_ref())?;
        let bodies = Bodies::new(gpu, scene, boundaries.as_ref(), &resolution)?;
        let cloths = DeviceCloths::new(gpu, scene, &resolution)?;
        let sph = Sph::new(gpu, scene, settings, &resolution, &state, (boundaries.as_ref(), flow.as_ref()))?;
        let moving = (flow.as_ref(), bodies.as_ref().map(|bodies| &bodies.device), cloths.as_ref());
        let passes = sph.passes(gpu, &state, moving, &mut surveyor)?;
        let mut simulation = Self {
            gpu: Arc::clone(gpu),
            loaded: loaded.clone(),
            scene: scene.clone(),
            settings: settings.clone(),
            boundary_surfaces: scene.boundaries.iter().map(|boundary| Arc::new(boundary.surface())).collect(),
            notices: notices(scene, &resolution),
            resolution,
            boundaries,
            bodies,
            added: Vec::new(),
            flow,
            cloths,
            state,
            sph,
            passes,
            surveyor,
            push: None,
            time: 0.0,
            step_count: 0,
        };
        simulation.reset()?;
        Ok(simulation)
    }

    /// Takes on other settings. Another search, smoothing kernel, solver or material leaves the particles where they
    /// are; another size, radius ratio or seed starts the scene again, and so does going over from a
    /// fluid to particles that repel each other or back; bodies that were added then are gone. Densities are out of date until
    /// the next recording, and those that are kept from step to step begin anew but for another material.
    ///
    /// # Errors
    /// As [`Simulation::new`]; nothing has changed then.
    pub fn change(&mut self, settings: &Settings) -> Result<(), FluidError> {
        if *settings == self.settings {
            return Ok(());
        }
        let mut scene = settings.edits.applied_to(&self.loaded);
        scene.check(&scene.name)?;
        let another_lattice = scene.radius_ratio().to_bits() != self.scene.radius_ratio().to_bits();
        if settings.size != self.settings.size || settings.seed != self.settings.seed || another_lattice {
            return self.restart(settings);
        }
        let mut resolution = settings.resolution_of(&scene)?;
        scene.bodies.extend(self.added.iter().cloned());
        resolution.boundary_count = self.resolution.boundary_count;
        let same_passes = Settings { edits: self.settings.edits.clone(), ..settings.clone() } == self.settings
            && Features::of(&scene) == self.sph.features()
            && self.cloths.is_none();
        if same_passes {
            self.sph.write(&self.gpu, &scene, &resolution);
        } else {
            let boundary = (self.boundaries.as_ref(), self.flow.as_ref());
            let sph = Sph::new(&self.gpu, &scene, settings, &resolution, &self.state, boundary)?;
            // Their substeps follow the step.
            let cloths = DeviceCloths::new(&self.gpu, &scene, &resolution)?;
            let moving = (self.flow.as_ref(), self.bodies.as_ref().map(|bodies| &bodies.device), cloths.as_ref());
            self.passes = sph.passes(&self.gpu, &self.state, moving, &mut self.surveyor)?;
            self.sph = sph;
            if let (Some(cloths), Some(before)) = (&cloths, &self.cloths) {
                cloths.take_over(&self.gpu, before);
            }
            self.cloths = cloths;
        }
        self.scene = scene;
        self.resolution = resolution;
        self.settings = settings.clone();
        self.set_push(self.push);
        self.write_bodies();
        Ok(())
    }

    /// Becomes the scene as it was loaded, at its start, with those settings. On refusal nothing has changed.
    fn restart(&mut self, settings: &Settings) -> Result<(), FluidError> {
        let mut restarted = Self::new(&self.gpu, &self.loaded, settings)?;
        restarted.set_push(self.push);
        *self = restarted;
        Ok(())
    }

    /// Compiles the shaders again, after an edit.
    ///
    /// # Errors
    /// When one does not compile; the passes stay as they were.
    pub fn rebuild_pipelines(&mut self) -> Result<(), FluidError> {
        self.gpu.forget_kernels();
        let bodies = self.bodies.as_ref().map(|bodies| &bodies.device);
        let moving = (self.flow.as_ref(), bodies, self.cloths.as_ref());
        self.passes = self.sph.passes(&self.gpu, &self.state, moving, &mut self.surveyor)?;
        Ok(())
    }

    /// Puts the particles back to the scene's start, at time 0, and the bodies that were added away. Densities are out of
    /// date until the next recording.
    ///
    /// # Errors
    /// When the lattice does not hold the particles that there is room for.
    pub fn reset(&mut self) -> Result<(), FluidError> {
        if !self.added.is_empty() {
            return self.restart(&self.settings.clone());
        }
        let placed = lattice::fill(&self.scene, self.resolution.spacing, self.settings.seed, self.boundaries.as_ref());
        let mut positions: Vec<_> = placed.iter().map(|placed| placed.position).collect();
        let mut velocities: Vec<_> = placed.iter().map(|placed| placed.velocity).collect();
        if let Some(parking) = Parking::new(&self.scene, &self.resolution) {
            positions.extend((positions.len() as u32..self.state.fluid_count).map(|original| parking.place(original)));
            velocities.resize(positions.len(), Vec3::ZERO);
        }
        if let Some(bodies) = &mut self.bodies {
            bodies.reset(&self.scene);
        }
        self.set_particles(&positions, &velocities)
    }

    /// Replaces positions, m, and velocities, m/s, of all particles of the fluid, and sets the time to 0. Boundaries stay
    /// where they are, and bodies too, but for those that are told where they are at that time; cloths go back to their
    /// start. Densities are out of date until the next recording.
    ///
    /// # Errors
    /// When there are not as many of each as there are particles of the fluid.
    pub fn set_particles(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), FluidError> {
        let count = self.state.fluid_count;
        if positions.len() != count as usize || velocities.len() != count as usize {
            return Err(FluidError::WrongCount { given: positions.len(), velocities: velocities.len(), count });
        }
        let boundary = self.boundaries.as_ref().map_or(&[][..], BoundarySamples::points);
        let at_rest = vec![Vec3::ZERO; boundary.len()];
        let (of_cloth, cloth_velocities): (Vec<_>, Vec<_>) =
            self.cloths.iter().flat_map(DeviceCloths::at_start).copied().unzip();
        let positions: Vec<_> = (positions.iter().chain(boundary).chain(&of_cloth))
            .map(|position| position.extend(1.0).to_array())
            .collect();
        let velocities: Vec<_> = (0..)
            .zip(velocities.iter().chain(&at_rest).chain(&cloth_velocities))
            .map(|(index, velocity)| velocity.extend(f32::from_bits(index)).to_array())
            .collect();
        if let Some(cloths) = &self.cloths {
            cloths.write(&self.gpu, &positions, &velocities);
        }
        self.gpu.queue.write_buffer(&self.state.positions, 0, bytemuck::cast_slice(&positions));
        self.gpu.queue.write_buffer(&self.state.velocities, 0, bytemuck::cast_slice(&velocities));
        if let Some(flow) = &self.flow {
            flow.reset(&self.gpu);
        }
        if let Some(continuity) = &self.sph.continuity {
            continuity.forget(&self.gpu);
        }
        self.time = 0.0;
        self.step_count = 0;
        self.write_bodies();
        Ok(())
    }

    /// What the bodies' next step is taken under.
    fn step_context(&self) -> StepContext<'_> {
        StepContext { scene: &self.scene, resolution: &self.resolution, time: self.time }
    }

    /// Writes where the bodies are.
    pub(super) fn write_bodies(&mut self) {
        let context = StepContext { scene: &self.scene, resolution: &self.resolution, time: self.time };
        if let Some(bodies) = &mut self.bodies {
            bodies.write(&self.gpu, context);
        }
    }

    /// The bodies as they are, in the scene's order: none where there are none.
    pub fn bodies(&self) -> impl Iterator<Item = BodyView<'_>> {
        let context = self.step_context();
        self.bodies.iter().flat_map(move |bodies| bodies.views(context))
    }

    /// The scene, with the settings' edits.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The surfaces of the scene's boundaries where they stand, in the scene's order: the same ones until the simulation
    /// starts again.
    pub fn boundary_surfaces(&self) -> &[Arc<Mesh>] {
        &self.boundary_surfaces
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What somebody should know of how the scene was made, in whole sentences.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The resolution that the settings came to.
    pub fn resolution(&self) -> &Resolution {
        &self.resolution
    }

    /// Simulated time recorded so far, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps recorded so far.
    pub fn step_count(&self) -> u64 {
        self.step_count
    }

    /// Pushes the water from the next submission on, or no longer. A push that is not finite or has no radius pushes
    /// nothing.
    pub fn set_push(&mut self, push: Option<Push>) {
        self.push = push;
        let parameters = PushParameters::new(&self.scene, &self.resolution, push);
        self.gpu.write_uniform(&self.sph.push, &parameters);
    }

    /// Records one time step; of PBF that is a substep.
    ///
    /// With bodies it submits the step with all that `encoder` holds, waits for what the fluid did to them, moves them and
    /// leaves a new encoder in the place of the old one. That costs a round trip to the device, which is idle meanwhile.
    pub fn record_step(&mut self, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) {
        record(self.passes(), encoder, timer);
        let context = StepContext { scene: &self.scene, resolution: &self.resolution, time: self.time };
        if let Some(bodies) = &mut self.bodies {
            bodies.step(&self.gpu, encoder, context);
        }
        self.time += f64::from(self.resolution.time_step);
        self.step_count += 1;
    }

    /// Records sorting and densities, and moves nothing: for frame 0, a pause, and after [`Simulation::change`].
    pub fn record_densities(&mut self, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) {
        record(&self.passes.densities, encoder, timer);
        // Positions and velocities into the order of the densities, which a step would have written them in.
        let copies = [
            (self.sph.search.sorted_positions(), &self.state.positions),
            (&self.sph.sorted_velocities, &self.state.velocities),
        ];
        let kept = self.sph.continuity.iter().map(|continuity| (&continuity.sorted, &continuity.carried));
        for (from, to) in copies.into_iter().chain(kept) {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, to.size());
        }
    }

    /// Records a survey of the particles as the last step or densities left them: to be recorded after either, since
    /// it counts the pairs of that build.
    pub fn record_survey(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.sph.counters.clear(encoder);
        record(self.passes.count.iter().chain(&self.passes.survey), encoder, None);
        self.surveyor.record(&self.gpu, encoder, &self.sph.counters);
    }

    /// The latest survey that has arrived since the last call. Never waits.
    pub fn take_survey(&mut self) -> Option<Survey> {
        self.surveyor.take(&self.gpu)
    }

    /// The particles' buffers. They are other buffers after [`Simulation::change`].
    pub fn particles(&self) -> ParticleBuffers<'_> {
        ParticleBuffers {
            count: self.state.count,
            fluid_count: self.state.fluid_count,
            parked_beyond: match self.flow {
                Some(_) => self.scene.high.x + self.resolution.support_radius,
                None => f32::INFINITY,
            },
            positions: &self.state.positions,
            velocities: &self.state.velocities,
            densities: &self.sph.densities,
            neighbor_counts: &self.sph.counters.neighbor_counts,
            candidate_counts: &self.sph.counters.candidate_counts,
        }
    }

    /// What the fluid did to each boundary particle in the last step, those of bodies behind the others: `vec4<f32>`, xyz the
    /// force over a fluid particle's mass, m/s²; len = `boundary_count`. `None` where there are no boundaries or bodies.
    pub fn boundary_reactions(&self) -> Option<&wgpu::Buffer> {
        self.sph.boundary.as_ref().map(|boundary| &boundary.reactions)
    }

    /// The cloths, in the scene's order. Their buffer is another one after [`Simulation::change`].
    pub fn cloths(&self) -> impl Iterator<Item = ClothView<'_>> {
        self.cloths.iter().flat_map(DeviceCloths::views)
    }

    /// The cells that the search sorts the particles into; `None` where there are none.
    pub fn search_cells(&self) -> Option<Cells> {
        self.sph.search.cells()
    }

    /// Bytes the search takes beyond the particles' own arrays.
    pub fn search_bytes(&self) -> u64 {
        self.sph.search.bytes()
    }

    /// The passes of a step, in order.
    pub fn passes(&self) -> impl Iterator<Item = &Pass> {
        self.passes.step.iter()
    }
}

fn notices(scene: &Scene, resolution: &Resolution) -> Vec<String> {
    let whole = lattice::count(scene, resolution.spacing) - u64::from(resolution.reservoir_count);
    let in_blocks = resolution.particle_count - resolution.reservoir_count;
    let left_out = whole.saturating_sub(in_blocks.into());
    let sentence = || {
        format!(
            "{left_out} of the {whole} particles of the fluid blocks were left out, since {} take up their room",
            match (scene.boundaries.is_empty(), scene.bodies.is_empty()) {
                (_, true) => "boundaries",
                (true, false) => "bodies",
                (false, false) => "boundaries and bodies",
            }
        )
    };
    (left_out > 0).then(sentence).into_iter().chain(cloths::notices(scene, resolution)).collect()
}
