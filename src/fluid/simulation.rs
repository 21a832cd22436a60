//! A simulation: a scene's particles and solids on the device, and the passes that advance them.

use std::sync::Arc;

use glam::Vec3;

use super::expected_motion::{expected_speed, largest_push};
use super::flow::{Flow, Parking};
#[cfg(feature = "laboratory")]
use super::foam::FoamWork;
use super::foam::{Foam, FoamInput, notice};
use super::hands::Hands;
use super::lattice::{self, Around};
use super::memory_order::KeptOrder;
use super::model::{Features, Model, solid_arrays};
use super::particles::{ParticleState, check_size};
use super::problem::problem;
use super::push::{PushLimits, PushParameters};
use super::resting::RestingWater;
use super::smoothed_positions::Smoothing;
use super::solids::{SampledSolids, Solid, StepContext};
use super::step::StepPasses;
use super::step_part::StepPart;
use super::survey::Surveyor;
use super::{FluidError, FoamCounts, FoamParticles, Push, Resolution, Scene, Settings, Survey};
use crate::gpu::{Gpu, GpuError, Pass, PassTimer, record};
use crate::search::{Cells, Domain, InspectedSearch, LARGEST_SUM, NeighborSearch};

/// The particles' buffers, for drawing. All are in the order of the last build; len = `count`.
#[derive(Clone, Copy)]
pub struct ParticleBuffers<'a> {
    /// Number of particles, including those of solids.
    pub count: u32,
    /// Number of fluid particles, which have the lowest original indices.
    pub fluid_count: u32,
    /// Particles farther along x than this are in the reservoir, m; infinity where there is none.
    pub parked_beyond: f32,
    /// `vec4<f32>`: xyz in m; the fourth component is unused.
    pub positions: &'a wgpu::Buffer,
    /// `vec4<f32>`: xyz in m/s, and the bits of the particle's original index.
    pub velocities: &'a wgpu::Buffer,
    /// `vec2<f32>`: density in kg/m³ and pressure / density² in m⁵/(kg s²), both from before the last advection. The
    /// second is exact away from walls; near a wall it contains the same correction factor as the density (up to 1.2
    /// in the first layer).
    pub densities: &'a wgpu::Buffer,
    /// `u32`: number of neighbors of each particle, as of the last [`Simulation::record_survey`].
    pub neighbor_counts: &'a wgpu::Buffer,
    /// `u32`: number of candidates tested for each particle, as of the last [`Simulation::record_survey`].
    pub candidate_counts: &'a wgpu::Buffer,
}

/// A scene's particles and solids on the device, and the passes that advance them.
///
/// ```
/// use nearwater::fluid::{Scene, Settings, Simulation};
/// use nearwater::gpu::{Gpu, ShaderLibrary};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::open(None, ShaderLibrary::embedded())?;
/// let scene = Scene::load("dam_break")?;
/// let mut simulation = Simulation::new(&gpu, &scene, &Settings::with_particles(1_000))?;
///
/// let mut encoder = gpu.device.create_command_encoder(&Default::default());
/// for _ in 0..10 {
///     simulation.record_step(&mut encoder, None);
/// }
/// gpu.queue.submit([encoder.finish()]);
///
/// let frame = simulation.observe()?;
/// assert_eq!(frame.step, 10);
/// assert!(frame.positions.iter().all(|&[_, y, _]| y >= scene.low.y && y <= scene.high.y));
/// # Ok(())
/// # }
/// ```
pub struct Simulation {
    pub(super) gpu: Arc<Gpu>,
    pub(super) loaded: Scene,
    /// `loaded` with the edits of the settings applied.
    pub(super) scene: Scene,
    pub(super) settings: Settings,
    pub(super) resolution: Resolution,
    /// The particles of solids.
    pub(super) samples: SampledSolids,
    /// The solids on the device, one entry for each kind.
    pub(super) solids: Vec<Box<dyn Solid>>,
    pub(super) flow: Option<Flow>,
    notices: Vec<String>,
    pub(super) state: ParticleState,
    /// Present only where some steps leave the state unsorted.
    pub(super) kept_order: Option<KeptOrder>,
    pub(super) model: Model,
    pub(super) passes: StepPasses,
    pub(super) surveyor: Surveyor,
    /// Spray, foam and bubbles; `None` where the scene has no room for any.
    pub(super) foam: Option<Foam>,
    pub(super) smoothing: Smoothing,
    pub(super) push: Option<Push>,
    /// What was done to gravity, walls and the number of particles.
    pub(super) hands: Hands,
    pub(super) time: f64,
    pub(super) step_count: u64,
}

impl Simulation {
    /// Creates the scene's particles in their initial state on the device, and the passes over them.
    ///
    /// # Errors
    /// When the scene is invalid, the size does not suit the scene, the particles do not fit the device, the search
    /// refuses them, or a shader does not compile.
    pub fn new(gpu: &Arc<Gpu>, scene: &Scene, settings: &Settings) -> Result<Self, FluidError> {
        let loaded = scene;
        let scene = &settings.edits.applied_to(loaded);
        scene.check(&scene.name)?;
        scene.check_points(&scene.name)?;
        check_size(gpu, scene, settings.size)?;
        let (resolution, samples) = settings.resolved(scene)?;
        let state = ParticleState::new(gpu, &resolution)?;
        let mut surveyor = Surveyor::new(gpu)?;
        let flow = Flow::new(gpu, scene, &resolution, &samples, 0)?;
        let solids = samples.on_device(gpu, scene, &resolution)?;
        let solid_arrays = solid_arrays(scene, settings.kernel, &resolution, &samples);
        let model = Model::new(gpu, scene, settings, &resolution, &state, solid_arrays)?;
        let parts = parts(flow.as_ref(), solids.iter().map(Box::as_ref));
        let passes = StepPasses::new(gpu, &model, (&state, None), &parts, &mut surveyor)?;
        let input = FoamInput { gpu, scene, settings, resolution: &resolution, state: &state, context: &model.context };
        let foam = Foam::new(&input)?;
        let mut simulation = Self {
            gpu: Arc::clone(gpu),
            loaded: loaded.clone(),
            scene: scene.clone(),
            settings: settings.clone(),
            notices: notices(gpu, scene, settings, &resolution),
            resolution,
            samples,
            solids,
            flow,
            state,
            kept_order: None,
            model,
            passes,
            surveyor,
            foam,
            smoothing: Smoothing::default(),
            push: None,
            hands: Hands::none(scene),
            time: 0.0,
            step_count: 0,
        };
        simulation.reset()?;
        Ok(simulation)
    }

    /// Applies other settings. Another search, smoothing kernel, solver or material leaves the particles where they
    /// are. Another size, radius ratio or seed restarts the scene, and so does a change between a fluid solver and
    /// the repulsion solver; a restart removes bodies that were added. Densities are out of date until the next
    /// recording. Arrays that a solver carries from step to step are reset, unless only the material changed.
    ///
    /// # Errors
    /// As [`Simulation::new`]; the simulation is unchanged in that case.
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
        check_size(&self.gpu, &scene, settings.size)?;
        let mut resolution = self.resolution.after_edit(&scene, settings.kernel)?;
        let base = scene.clone();
        self.solids.iter().for_each(|solid| solid.extend(&mut scene));
        resolution.shorten_step(&base, &scene, settings.kernel);
        resolution.check_step(&scene, settings.kernel)?;
        let same_passes = Settings { edits: self.settings.edits.clone(), ..settings.clone() } == self.settings
            && Features::of(&scene) == self.model.features
            && !self.solids.iter().any(|solid| solid.depends_on_step());
        let foam_input = |context| FoamInput {
            gpu: &self.gpu,
            scene: &scene,
            settings,
            resolution: &resolution,
            state: &self.state,
            context,
        };
        if same_passes {
            let input = foam_input(&self.model.context);
            match &mut self.foam {
                Some(foam) if foam.serves(&input) => foam.write(&input),
                foam => *foam = Foam::after(foam.as_ref(), &input)?,
            }
            self.model.write(&self.gpu, &scene, &resolution, &self.state);
            if !self.model.solver.has_current_passes() {
                self.remake_passes()?;
            }
        } else {
            let solid_arrays = solid_arrays(&scene, settings.kernel, &resolution, &self.samples);
            let model = Model::new(&self.gpu, &scene, settings, &resolution, &self.state, solid_arrays)?;
            let inputs = self.samples.inputs(&self.gpu, &scene, &resolution);
            let remade = self.solids.iter().zip(inputs).map(|(solid, (_, input))| solid.for_another_step(&input));
            let remade = remade.collect::<Result<Vec<_>, _>>()?;
            let solids =
                self.solids.iter().zip(&remade).map(|(before, after)| after.as_ref().unwrap_or(before).as_ref());
            let parts = parts(self.flow.as_ref(), solids);
            let state = (&self.state, self.kept_order.as_ref());
            let foam = Foam::after(self.foam.as_ref(), &foam_input(&model.context))?;
            self.passes = StepPasses::new(&self.gpu, &model, state, &parts, &mut self.surveyor)?;
            self.model = model;
            self.foam = foam;
            for (solid, after) in self.solids.iter_mut().zip(remade) {
                if let Some(after) = after {
                    *solid = after;
                }
            }
        }
        self.scene = scene;
        self.resolution = resolution;
        self.settings = settings.clone();
        self.set_push(self.push);
        self.adopt_hands();
        self.place_solids();
        Ok(())
    }

    /// Restarts the scene as it was loaded, with these settings. On an error the simulation is unchanged.
    fn restart(&mut self, settings: &Settings) -> Result<(), FluidError> {
        let mut restarted = Self::new(&self.gpu, &self.loaded, settings)?;
        restarted.set_push(self.push);
        restarted.set_resort_interval(self.resort_interval())?;
        *self = restarted;
        Ok(())
    }

    /// Compiles the shaders again, after an edit.
    ///
    /// # Errors
    /// When a shader does not compile; the previous passes are kept.
    pub fn rebuild_pipelines(&mut self) -> Result<(), FluidError> {
        self.gpu.forget_kernels();
        self.remake_passes()
    }

    /// Makes all passes again from the kernels that are in use, compiling those that are out of date, and records them
    /// once on trial: an edited shader can compile and still use its buffers in a way that the device refuses.
    ///
    /// # Errors
    /// When a shader does not compile or the device refuses the passes; the previous passes are kept.
    pub fn remake_passes(&mut self) -> Result<(), FluidError> {
        let parts = parts(self.flow.as_ref(), self.solids.iter().map(Box::as_ref));
        let state = (&self.state, self.kept_order.as_ref());
        let passes = StepPasses::new(&self.gpu, &self.model, state, &parts, &mut self.surveyor)?;
        let of_foam = self.foam.as_ref().map(|foam| foam.remade_passes(&self.gpu, &self.state, &self.model.context));
        let of_foam = of_foam.transpose()?;
        let of_smoothing = self.remade_smoothing_passes()?;
        let trial = || {
            let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let lists = [&passes.step, &passes.densities, &passes.count, &passes.survey];
            for list in lists {
                record(list, &mut encoder, None);
            }
            record(of_foam.iter().flat_map(|passes| &passes.step), &mut encoder, None);
            record(of_smoothing.iter().flatten(), &mut encoder, None);
            drop(encoder.finish());
        };
        self.gpu.guarded(trial).map_err(|error| GpuError::EditRefused(error.to_string()))?;
        self.passes = passes;
        if let Some(passes) = of_smoothing {
            self.smoothing.set_passes(passes);
        }
        if let Some((foam, passes)) = self.foam.as_mut().zip(of_foam) {
            foam.set_passes(passes);
        }
        Ok(())
    }

    /// Resets the particles to the scene's initial state at time 0, and removes bodies that were added. Densities are
    /// out of date until the next recording.
    ///
    /// # Errors
    /// When the number of lattice points does not match the number of particles in the buffers.
    pub fn reset(&mut self) -> Result<(), FluidError> {
        let has_other_count = self.hands.poured_count() > 0 || self.solids.iter().any(|solid| solid.has_additions());
        if has_other_count {
            return self.restart(&self.settings.clone());
        }
        self.hands = Hands::none(&self.loaded);
        self.adopt_hands();
        let resting = RestingWater::new(&self.scene, &self.resolution, &self.samples);
        let around = Around { solids: &self.samples, resting: resting.as_ref() };
        let placed = lattice::fill(&self.scene, self.resolution.spacing, self.settings.seed, around);
        let mut positions: Vec<_> = placed.iter().map(|placed| placed.position).collect();
        let mut velocities: Vec<_> = placed.iter().map(|placed| placed.velocity).collect();
        if let Some(parking) = Parking::new(&self.scene, &self.resolution) {
            positions.extend((positions.len() as u32..self.state.fluid_count).map(|original| parking.place(original)));
            velocities.resize(positions.len(), Vec3::ZERO);
        }
        self.solids.iter_mut().for_each(|solid| solid.reset(&self.gpu, &self.scene));
        self.set_particles(&positions, &velocities)
    }

    /// Replaces positions, m, and velocities, m/s, of all fluid particles, and sets the time to 0. Boundaries and
    /// free bodies stay where they are, bodies with a prescribed motion move to their position at time 0, and cloths
    /// return to their initial state. Densities are out of date until the next recording.
    ///
    /// # Errors
    /// When the number of positions or velocities differs from the number of fluid particles.
    pub fn set_particles(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), FluidError> {
        let count = self.state.fluid_count;
        if positions.len() != count as usize || velocities.len() != count as usize {
            return Err(FluidError::WrongCount { given: positions.len(), velocities: velocities.len(), count });
        }
        let (of_solids, their_velocities): (Vec<_>, Vec<_>) = self.samples.starts().into_iter().unzip();
        let positions: Vec<_> =
            positions.iter().chain(&of_solids).map(|position| position.extend(1.0).to_array()).collect();
        let velocities: Vec<_> = (0..)
            .zip(velocities.iter().chain(&their_velocities))
            .map(|(index, velocity)| velocity.extend(f32::from_bits(index)).to_array())
            .collect();
        self.solids.iter().for_each(|solid| solid.take_particles(&self.gpu, &positions, &velocities));
        self.gpu.queue.write_buffer(&self.state.positions, 0, bytemuck::cast_slice(&positions));
        self.gpu.queue.write_buffer(&self.state.velocities, 0, bytemuck::cast_slice(&velocities));
        if let Some(flow) = &self.flow {
            flow.reset(&self.gpu);
        }
        self.model.context.forget_carried(&self.gpu);
        self.smoothing.forget();
        if let Some(foam) = &self.foam {
            foam.reset(&self.gpu);
        }
        self.time = 0.0;
        self.step_count = 0;
        self.model.has_forces = false;
        self.place_solids();
        Ok(())
    }

    /// Writes the positions of moving solids to the device.
    pub(super) fn place_solids(&mut self) {
        let walls = self.hands.walls.now();
        let context = StepContext { scene: &self.scene, resolution: &self.resolution, time: self.time, walls };
        self.solids.iter_mut().for_each(|solid| solid.place(&self.gpu, context));
    }

    /// The scene with the edits of the settings applied, and with the current gravity.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The highest speed that the scene's falls, initial speeds and prescribed motions give its fluid, m/s, as of the
    /// current gravity.
    pub fn expected_speed(&self) -> f64 {
        let problem =
            problem(&self.scene, self.settings.kernel, self.resolution.spacing, self.resolution.support_radius);
        let is_pushed = self.scene.solids.kinds().any(|info| (info.measured)(&self.scene) > 0);
        let of_walls = (self.scene.solver.limits)(&problem, &self.resolution).wall_speed;
        let of_solids = if is_pushed { of_walls } else { 0.0 };
        expected_speed(&self.scene).max(of_solids).max(self.fastest_wall().into())
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Notices for the user about how the scene was set up, in whole sentences.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The resolution that follows from the settings.
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

    /// Sets the push that acts on the fluid from the next submission on; `None` ends it. A push that is not finite or
    /// has no radius has no effect.
    pub fn set_push(&mut self, push: Option<Push>) {
        self.push = push;
        let (scene, resolution) = (&self.scene, &self.resolution);
        let largest = largest_push(f64::from(resolution.time_step), f64::from(resolution.support_radius));
        let limits = PushLimits {
            dimensions: scene.dimensions,
            fastest: resolution.sound_speed / scene.material.sound_speed_factor,
            largest_acceleration: largest as f32,
        };
        let parameters = PushParameters::new(push, limits);
        self.gpu.write_uniform(&self.model.context.push, &parameters);
    }

    /// Records one time step.
    ///
    /// With bodies it submits the step with everything recorded in `encoder`, waits for the forces of the fluid on the
    /// bodies, integrates their motion, and replaces `encoder` by a new one. This costs a round trip to the device,
    /// which is idle in the meantime.
    pub fn record_step(&mut self, encoder: &mut wgpu::CommandEncoder, mut timer: Option<&mut PassTimer>) {
        record(self.passes(), encoder, timer.as_deref_mut());
        self.finish(encoder, timer);
    }

    /// Finishes a time step whose passes ([`Simulation::passes`]) have all been recorded or run: integrates the
    /// motion of bodies and advances the time. It is meant for callers that run the passes one by one;
    /// [`Simulation::record_step`] does both.
    ///
    /// With bodies it submits what was recorded in `encoder` and replaces it by a new one, as
    /// [`Simulation::record_step`] does.
    pub fn finish_step(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.finish(encoder, None);
    }

    fn finish(&mut self, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) {
        self.step_count += 1;
        self.model.has_forces = true;
        self.record_kept_order(encoder, timer);
        self.smoothing.built(self.model.context.number);
        if let Some(foam) = &mut self.foam {
            foam.record(&self.gpu, self.step_count, encoder);
        }
        let walls = self.hands.walls.now();
        let context = StepContext { scene: &self.scene, resolution: &self.resolution, time: self.time, walls };
        self.solids.iter_mut().for_each(|solid| solid.finish_step(&self.gpu, encoder, context));
        self.time += f64::from(self.resolution.time_step);
        self.advance_hands(encoder);
    }

    /// Records sorting and densities without moving any particle: for frame 0, while paused, and after
    /// [`Simulation::change`].
    pub fn record_densities(&mut self, encoder: &mut wgpu::CommandEncoder, mut timer: Option<&mut PassTimer>) {
        record(&self.passes.densities, encoder, timer.as_deref_mut());
        self.smoothing.built(self.model.context.number);
        if self.record_kept_densities(encoder, timer) {
            return;
        }
        // Bring positions and velocities into the order of the densities, as a step would have done.
        let copies = [
            (self.model.context.search.sorted_positions(), &self.state.positions),
            (&self.model.context.sorted_velocities, &self.state.velocities),
        ];
        let kept = self.model.context.carried.iter().map(|carried| (&carried.sorted, &carried.unsorted));
        for (from, to) in copies.into_iter().chain(kept) {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, to.size());
        }
    }

    /// Records a survey of the particles in the state after the last step or the last densities. It must be recorded
    /// after one of these, since it counts the pairs of their build.
    pub fn record_survey(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.model.context.counters.clear(encoder);
        record(&self.passes.count, encoder, None);
        self.record_kept_counters(encoder);
        record(&self.passes.survey, encoder, None);
        let figures = self.model.solver.figures();
        self.surveyor.record(&self.gpu, encoder, &self.model.context.counters, figures);
        if let Some(foam) = &mut self.foam {
            foam.record_counts(&self.gpu, encoder);
        }
    }

    /// The latest survey that has arrived since the last call. Never waits.
    pub fn take_survey(&mut self) -> Option<Survey> {
        let survey = self.surveyor.take(&self.gpu);
        if let Some(survey) = &survey {
            self.count_parked(survey.present);
        }
        survey
    }

    /// The latest numbers of diffuse particles that have arrived since the last call, of the time of a survey. Never
    /// waits.
    pub fn take_foam_counts(&mut self) -> Option<FoamCounts> {
        self.foam.as_mut().and_then(Foam::take_counts)
    }

    /// The diffuse particles' buffers; `None` where `foam.capacity` is 0. [`Simulation::change`] may replace them by
    /// others.
    pub fn foam(&self) -> Option<FoamParticles<'_>> {
        self.foam.as_ref().map(Foam::particles)
    }

    /// The times of the steps of foam that have arrived since the last call, ms. They are not part of the times of the
    /// water's steps, few of which are followed by one. Never waits; empty on devices without timestamps.
    pub fn take_foam_times(&mut self) -> Vec<f64> {
        let gpu = &self.gpu;
        self.foam.as_mut().map_or_else(Vec::new, |foam| foam.take_times(gpu))
    }

    /// Number of steps of the water for each step of foam; `None` without foam.
    pub fn steps_of_foam(&self) -> Option<u64> {
        self.foam.as_ref().map(Foam::every)
    }

    /// The passes that follow a step of the water where a step of foam is due.
    pub fn foam_passes(&self) -> &[Pass] {
        self.foam.as_ref().map_or(&[], Foam::passes)
    }

    /// The particles' buffers. [`Simulation::change`] may replace them by others.
    pub fn particles(&self) -> ParticleBuffers<'_> {
        ParticleBuffers {
            count: self.state.count,
            fluid_count: self.state.fluid_count,
            parked_beyond: if self.has_reservoir() || self.samples.parking_count() > 0 {
                self.scene.high.x + self.resolution.support_radius
            } else {
                f32::INFINITY
            },
            positions: &self.state.positions,
            velocities: &self.state.velocities,
            densities: &self.model.context.densities,
            neighbor_counts: &self.model.context.counters.neighbor_counts,
            candidate_counts: &self.model.context.counters.candidate_counts,
        }
    }

    /// Whether fluid may be in a reservoir, from which emitters take it and to which drains return it.
    pub(crate) fn has_reservoir(&self) -> bool {
        self.flow.is_some()
    }

    /// Force of the fluid on each boundary particle in the last step, with the particles of bodies after those of
    /// fixed boundaries: `vec4<f32>`, xyz the force divided by a fluid particle's mass, m/s²; len = `boundary_count`.
    /// `None` where there are no boundaries or bodies.
    pub fn boundary_reactions(&self) -> Option<&wgpu::Buffer> {
        self.model.context.boundary.as_ref().map(|boundary| &boundary.reactions)
    }

    /// The weight of each particle of solids as defined in boundaries.wgsl, and the share of the rest density that
    /// water at rest gives to it; len = `boundary_count`. `None` where there are none.
    #[cfg(feature = "laboratory")]
    pub(crate) fn solid_weights_and_shares(&self) -> Option<[&wgpu::Buffer; 2]> {
        self.model.context.boundary.as_ref().map(|boundary| [&boundary.weights, &boundary.water_shares])
    }

    /// What the last step of foam has done to each particle; `None` without foam. Waits for the device.
    ///
    /// # Errors
    /// When the device is lost.
    #[cfg(feature = "laboratory")]
    pub(crate) fn foam_work(&self) -> Result<Option<FoamWork>, FluidError> {
        self.foam.as_ref().map(|foam| foam.work(&self.gpu, &self.state)).transpose()
    }

    /// Input of the laboratory's inspectors: the running search with the tables of its last build.
    pub fn subject(&self) -> InspectedSearch<'_> {
        InspectedSearch {
            search: self.model.context.search.as_ref(),
            identities: &self.model.context.sorted_velocities,
            densities: Some(&self.model.context.densities),
            particle_count: self.state.count,
        }
    }

    /// A number that increases whenever the simulation's buffers are recreated, which makes bind groups of the old
    /// buffers out of date.
    pub fn build_number(&self) -> u64 {
        self.model.context.number
    }

    /// The search with the tables of its last build. [`Simulation::change`] may replace it by another.
    pub fn search(&self) -> &dyn NeighborSearch {
        self.model.context.search.as_ref()
    }

    /// The box and radius that the search was made for.
    pub fn search_domain(&self) -> Domain {
        self.model.context.domain
    }

    /// `vec4<u32>` in the order of the last build: the bits of a velocity, m/s, and the particle's original index.
    /// They correspond to [`NeighborSearch::sorted_positions`], whereas [`Simulation::particles`] has already been
    /// advanced. [`Simulation::change`] may replace the buffer by another.
    pub fn sorted_identities(&self) -> &wgpu::Buffer {
        &self.model.context.sorted_velocities
    }

    /// The cells that the search sorts the particles into; `None` where the search has no cells.
    pub fn search_cells(&self) -> Option<Cells> {
        self.model.context.search.cells()
    }

    /// Bytes of device memory that the search needs in a time step beyond the particles' own arrays: its buffers, the
    /// list of neighbors, and the deposits that the simulation allocates for it.
    pub fn search_bytes(&self) -> u64 {
        let search = &self.model.context.search;
        search.bytes() + search.list_bytes() + search.deposit_bytes(self.state.count, LARGEST_SUM)
    }

    /// All passes that may run: those of a step, densities without a step, surveys, foam, and smoothed positions.
    pub fn all_passes(&self) -> impl Iterator<Item = &Pass> {
        let StepPasses { step, densities, count, survey, .. } = &self.passes;
        let of_water = step.iter().chain(densities).chain(count).chain(survey);
        of_water.chain(self.foam_passes()).chain(self.smoothing_passes())
    }

    /// The passes of a step, in order.
    pub fn passes(&self) -> impl Iterator<Item = &Pass> {
        self.passes.step.iter()
    }
}

/// The parts of a step besides search and solver, in the order of their passes before the build.
pub(super) fn parts<'a>(flow: Option<&'a Flow>, solids: impl Iterator<Item = &'a dyn Solid>) -> Vec<&'a dyn StepPart> {
    let flow = flow.map(|flow| flow as &dyn StepPart);
    flow.into_iter().chain(solids.map(|solid| solid as &dyn StepPart)).collect()
}

fn notices(gpu: &Gpu, scene: &Scene, settings: &Settings, resolution: &Resolution) -> Vec<String> {
    let whole = lattice::count(scene, resolution.spacing) - u64::from(resolution.reservoir_count);
    let in_blocks = resolution.particle_count - resolution.reservoir_count;
    let left_out = whole.saturating_sub(in_blocks.into());
    let kinds: Vec<_> = scene.solids.kinds().filter(|info| info.takes_room).map(|info| info.field).collect();
    let sentence = || {
        format!(
            "{left_out} of the {whole} particles of the fluid blocks were left out because {} occupy their place",
            kinds.join(" and ")
        )
    };
    let of_solids = scene.solids.kinds().flat_map(|info| (info.notices)(scene, resolution));
    let of_foam = notice(gpu, scene, &settings.edits, resolution);
    (left_out > 0).then(sentence).into_iter().chain(of_solids).chain(of_foam).collect()
}
