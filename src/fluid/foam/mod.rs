//! Spray, foam and bubbles: diffuse particles that fast water makes and that move with it, but do not act on it. After
//! M. Ihmsen, N. Akinci, G. Akinci, M. Teschner, Unified spray, foam and air bubbles for particle-based fluids, The
//! Visual Computer 28 (2012).
//!
//! A step of foam follows a step of the water about every sixtieth of a second (`foam.interval`):
//! 1. the particles of the simulation are copied in front of the diffuse ones, and a second instance of the chosen
//!    search sorts them all;
//! 2. *surroundings*, a pair kernel, sums from water to diffuse particles, which then move: spray flies ballistically,
//!    foam with the mean velocity of the water around it, and bubbles rise against drag. The number of neighbors of the
//!    water decides which of the three a particle is. From water to water it sums the normals of the surface and the
//!    speeds at which neighbors approach each other (trapped air);
//! 3. *crests*, a pair kernel, sums the curvature of the surface, and decides how many diffuse particles each particle
//!    of the water makes (section 3.1 of the paper);
//! 4. a scan of these numbers and one of the free places assign the new particles to places. Where there are fewer
//!    places than new particles, the same share of them is left out everywhere.
//!
//! Diffuse particles that do not exist are parked beside the box, as fluid in the reservoir is (`flow.rs`), but several
//! in one place. Memory is listed in `buffers.rs`.
//!
//! Departures from the paper:
//! - Its limits and thresholds are for about 33 neighbors in full water. Sums over ours are scaled to that number
//!   (44.6 at the default radius ratio of 2.2), and counts are corrected for the part of the sphere outside the box.
//! - Kinetic energies are those of a kilogram, so that their limits do not depend on the resolution.
//! - The cylinder in which particles arise is the one that the particle has passed since the last step of foam, not
//!   the one that it is about to pass, which may reach into solids.
//! - Spray that touches a wall or a solid dissolves like foam; in the paper it would lie there forever.
//! - Particles take the weighted mean velocity from the smoothing kernel that the scene uses.
//!
//! Limitations: bubbles in water without gravity never dissolve. Near solids neighbors are missing, so that bubbles
//! there count as foam. Solids are known by their particles: drops keep a distance of a third of a spacing from their
//! surfaces. The repulsion solver has no water, and makes no foam.

mod buffers;
mod counts;
mod parameters;
mod passes;
mod saved;
mod settings;
#[cfg(feature = "laboratory")]
mod work;

pub use counts::FoamCounts;
pub(super) use saved::SavedFoam;
pub use settings::FOAM_SETTINGS;
pub(super) use settings::fault_of_foam;
#[cfg(feature = "laboratory")]
pub(crate) use work::FoamWork;

use super::context::Context;
use super::flow::Parking;
use super::model::domain;
use super::particles::ParticleState;
use super::{FluidError, Resolution, Scene, SceneEdits, Settings};
use crate::gpu::{AdapterClass, Gpu, Pass, PassTimer, Phase, record, record_as_one, span_milliseconds};
use crate::search::{NeighborSearch, SearchInput, UseOfList};
use buffers::{CONTROL_WORDS, FoamBuffers};
use counts::PendingCounts;
use parameters::{FoamParameters, PARKED_TOGETHER, steps_of_interval};
use passes::FoamPasses;
use settings::CAPACITY;

/// The passes that are no pair kernels.
const FILE: &str = "fluid/foam/foam.wgsl";

/// On a software adapter a scene's own capacity is limited to this many diffuse particles for each of the water.
const MOST_ON_SOFTWARE: u32 = 2;

/// Number of times of steps of foam that are kept until they are taken.
const MOST_TIMES: usize = 1024;

/// The diffuse particles' buffers, for drawing.
#[derive(Clone, Copy)]
pub struct FoamParticles<'a> {
    /// Index of the first diffuse particle in `positions` and `velocities`; those before it are of the simulation.
    pub first: u32,
    /// Number of places of diffuse particles.
    pub capacity: u32,
    /// `vec4<f32>`: xyz in m, and the remaining life in s; len = `first` + `capacity`.
    pub positions: &'a wgpu::Buffer,
    /// `vec4<f32>`: xyz in m/s, and the class: 2 for spray, 3 for foam, 4 for bubbles, 0 for a free place; len =
    /// `first` + `capacity`.
    pub velocities: &'a wgpu::Buffer,
    /// `u32`: the places of the diffuse particles that there are, counted from `first`; len = `capacity`.
    pub places: &'a wgpu::Buffer,
    /// Arguments of an indirect draw with three vertices for each of them.
    pub arguments: &'a wgpu::Buffer,
}

/// What foam is made for.
#[derive(Clone, Copy)]
pub(super) struct FoamInput<'a> {
    /// The device.
    pub gpu: &'a Gpu,
    /// The scene with the edits applied.
    pub scene: &'a Scene,
    /// The settings.
    pub settings: &'a Settings,
    /// The resolution.
    pub resolution: &'a Resolution,
    /// The particles of the simulation.
    pub state: &'a ParticleState,
    /// Their context, whose search is repeated.
    pub context: &'a Context,
}

impl FoamInput<'_> {
    /// The scene with the capacity that applies on this adapter.
    fn limited(&self) -> Scene {
        let mut scene = self.scene.clone();
        let capacity = foam_capacity(self.gpu, self.scene, &self.settings.edits, self.resolution);
        scene.solver_settings.set(&CAPACITY, capacity as f32);
        scene
    }

    /// The places of diffuse particles that do not exist, beyond those of the simulation's own parked particles.
    fn parking(&self, capacity: u32) -> Parking {
        Parking::beyond(
            self.context.domain.high.x,
            (self.scene, self.resolution),
            (0, capacity.div_ceil(PARKED_TOGETHER)),
        )
    }
}

/// The largest number of diffuse particles: that of the scene and its edits, but on a software adapter the scene's own
/// number is limited, unless the user has chosen it.
pub(super) fn foam_capacity(gpu: &Gpu, scene: &Scene, edits: &SceneEdits, resolution: &Resolution) -> u32 {
    if !scene.solver.is_fluid() {
        return 0;
    }
    let wanted = scene.solver_settings.count(&CAPACITY);
    let is_chosen = edits.solver_settings.chosen(&CAPACITY).is_some();
    if gpu.capabilities.class == AdapterClass::Software && !is_chosen {
        wanted.min(MOST_ON_SOFTWARE * resolution.particle_count)
    } else {
        wanted
    }
}

/// What the user should know of a scene's foam on this adapter.
pub(super) fn notice(gpu: &Gpu, scene: &Scene, edits: &SceneEdits, resolution: &Resolution) -> Option<String> {
    let (wanted, allowed) = (scene.solver_settings.count(&CAPACITY), foam_capacity(gpu, scene, edits, resolution));
    let is_limited = scene.solver.is_fluid() && allowed < wanted;
    is_limited.then(|| {
        format!(
            "foam is limited to {allowed} particles instead of the scene's {wanted}, because this is a software \
             adapter; set {} to choose another number",
            CAPACITY.path()
        )
    })
}

/// The diffuse particles of a simulation.
pub(super) struct Foam {
    buffers: FoamBuffers,
    parameters: wgpu::Buffer,
    values: FoamParameters,
    search: Box<dyn NeighborSearch>,
    passes: FoamPasses,
    /// Number of steps of the water between two steps of foam.
    every: u64,
    counts: PendingCounts,
    /// Times steps of foam. It is not that of the water's steps, because few of these are followed by one.
    timer: PassTimer,
    /// Times that nobody has taken yet, ms.
    times: Vec<f64>,
}

impl Foam {
    /// Foam without any particle; `None` where its capacity is 0.
    ///
    /// # Errors
    /// When the device cannot hold it, the search refuses it, or a shader does not compile.
    pub(super) fn new(input: &FoamInput<'_>) -> Result<Option<Self>, FluidError> {
        let &FoamInput { gpu, settings, resolution, state, context, .. } = input;
        let scene = &input.limited();
        let capacity = scene.solver_settings.count(&CAPACITY);
        if capacity == 0 {
            return Ok(None);
        }
        let shape = (context.search.deposits(), context.surroundings.boundary);
        FoamBuffers::check(gpu, (state.count, capacity), shape)?;
        let refused = |error: FluidError| FluidError::FoamRefused { capacity, error: Box::new(error) };
        let buffers = FoamBuffers::new(gpu, (state.count, capacity), shape).map_err(refused)?;
        let parking = input.parking(capacity);
        let every = steps_of_interval(scene, resolution);
        let values = FoamParameters::new(scene, resolution, &parking, every);
        let domain = domain(scene, resolution, parking.end())?;
        // Places without a particle are all at one point until the first step, so that a list of all neighbors would be
        // as long as the square of their number; and foam reads its neighbors once.
        let options = UseOfList::Off.among(&settings.options);
        let search_input = SearchInput {
            positions: &buffers.positions,
            particle_count: state.count + capacity,
            domain,
            options: &options,
        };
        let search = settings.search.create(gpu, search_input).map_err(|error| refused(error.into()))?;
        let parameters = gpu.uniform("foam", &values);
        let passes = FoamPasses::new(gpu, (state, context), (&buffers, &parameters, &values), search.as_ref())?;
        let foam = Self {
            buffers,
            parameters,
            values,
            search,
            passes,
            every,
            counts: PendingCounts::default(),
            timer: PassTimer::new(gpu, 1),
            times: Vec::new(),
        };
        foam.reset(gpu);
        Ok(Some(foam))
    }

    /// Foam for other settings, or another search or number of particles, with the particles of `before` as far as
    /// there are places for them. Call [`Foam::write`] instead where `before` can stay.
    ///
    /// # Errors
    /// As [`Foam::new`].
    pub(super) fn after(before: Option<&Self>, input: &FoamInput<'_>) -> Result<Option<Self>, FluidError> {
        let foam = Self::new(input)?;
        if let (Some(foam), Some(before)) = (&foam, before) {
            let bytes = |count: u32| u64::from(count) * size_of::<[f32; 4]>() as u64;
            let kept = bytes(foam.capacity().min(before.capacity()));
            input.gpu.submit(|encoder| {
                for (from, to) in [
                    (&before.buffers.positions, &foam.buffers.positions),
                    (&before.buffers.velocities, &foam.buffers.velocities),
                ] {
                    encoder.copy_buffer_to_buffer(from, bytes(before.first()), to, bytes(foam.first()), kept);
                }
                encoder.copy_buffer_to_buffer(&before.buffers.control, 0, &foam.buffers.control, 0, None);
                record(&foam.passes.list, encoder, None);
            });
        }
        Ok(foam)
    }

    /// Whether the same buffers serve `input`, whose particles and search are those that this was made for.
    pub(super) fn serves(&self, input: &FoamInput<'_>) -> bool {
        input.limited().solver_settings.count(&CAPACITY) == self.capacity()
    }

    /// Takes over numbers of the scene.
    pub(super) fn write(&mut self, input: &FoamInput<'_>) {
        let scene = &input.limited();
        self.every = steps_of_interval(scene, input.resolution);
        self.values = FoamParameters::new(scene, input.resolution, &input.parking(self.capacity()), self.every);
        input.gpu.write_uniform(&self.parameters, &self.values);
    }

    /// Makes the passes again, after an edit of their shaders.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub(super) fn remade_passes(
        &self,
        gpu: &Gpu,
        state: &ParticleState,
        context: &Context,
    ) -> Result<FoamPasses, FluidError> {
        FoamPasses::new(gpu, (state, context), (&self.buffers, &self.parameters, &self.values), self.search.as_ref())
    }

    /// Replaces the passes by others of [`Foam::remade_passes`].
    pub(super) fn set_passes(&mut self, passes: FoamPasses) {
        self.passes = passes;
    }

    /// Removes all diffuse particles.
    pub(super) fn reset(&self, gpu: &Gpu) {
        gpu.submit(|encoder| {
            encoder.clear_buffer(&self.buffers.control, 0, None);
            record(self.passes.park.iter().chain(&self.passes.list), encoder, None);
        });
    }

    /// Records a step of foam if one is due after the step of the water with this number.
    pub(super) fn record(&mut self, gpu: &Gpu, step: u64, encoder: &mut wgpu::CommandEncoder) {
        if step.is_multiple_of(self.every) {
            record_as_one(&self.passes.step, encoder, &mut self.timer, (Phase::Physics, "foam"));
            self.timer.resolve(gpu, encoder);
            self.collect_times(gpu);
        }
    }

    /// Collects times that have arrived, so that their buffers are used again. Of many only the latest are kept.
    fn collect_times(&mut self, gpu: &Gpu) {
        self.times.extend(self.timer.collect(gpu).iter().map(|passes| span_milliseconds(passes)));
        let surplus = self.times.len().saturating_sub(MOST_TIMES);
        self.times.drain(..surplus);
    }

    /// The times of the steps of foam that have arrived since the last call, ms. Never waits.
    pub(super) fn take_times(&mut self, gpu: &Gpu) -> Vec<f64> {
        self.collect_times(gpu);
        std::mem::take(&mut self.times)
    }

    /// Number of steps of the water for each step of foam.
    pub(super) fn every(&self) -> u64 {
        self.every
    }

    /// The passes of a step of foam.
    pub(super) fn passes(&self) -> &[Pass] {
        &self.passes.step
    }

    /// Records a read-back of the counts.
    pub(super) fn record_counts(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) {
        self.counts.record(gpu, encoder, &self.buffers.control);
    }

    /// The latest counts that have arrived since the last call. Never waits.
    pub(super) fn take_counts(&mut self) -> Option<FoamCounts> {
        self.counts.take()
    }

    /// The buffers, for drawing.
    pub(super) fn particles(&self) -> FoamParticles<'_> {
        FoamParticles {
            first: self.first(),
            capacity: self.capacity(),
            positions: &self.buffers.positions,
            velocities: &self.buffers.velocities,
            places: &self.buffers.drawn,
            arguments: &self.buffers.arguments,
        }
    }

    fn first(&self) -> u32 {
        self.values.particle_count
    }

    fn capacity(&self) -> u32 {
        self.values.capacity
    }
}
