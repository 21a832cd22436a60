//! The context that all solvers and solids share: the search over the particles, and the arrays in its sorted order.
//! It is recreated when search, smoothing kernel, solver or resolution change, while the particle state is kept.
//! Nothing here depends on which solver moves the particles or which solids there are.
//!
//! Memory per particle besides the state and the search's buffers: sorted velocities 16 bytes, densities 8, counts of
//! candidates and neighbors 4 each, weights 4 where there are solids, deposits 48 where the search deposits, 4 for the
//! list of those near walls where sums are gathered, 48 where probes read forces on walls, and two copies of the arrays
//! that the solver carries.

use std::sync::atomic::{AtomicU64, Ordering};

use super::need_of_neighbors::NeedOfNeighbors;
use super::parameters::FluidParameters;
use super::particles::ParticleState;
use super::push::PushParameters;
use super::shader::Surroundings;
use super::{FluidError, SmoothingKernel};
use crate::gpu::Gpu;
use crate::search::{Domain, LARGEST_SUM, NeighborSearch, PairCounters, SearchInfo, SearchInput, SearchOptions};

/// The number of the next context.
static NUMBER: AtomicU64 = AtomicU64::new(1);

/// An array that a solver keeps from step to step besides positions and velocities. The program keeps it in the order
/// of the state, saves it, shuffles it with the particles, and fills it with zeros when particles are placed anew.
/// Its name in saved states is the label of its buffer.
#[derive(Debug)]
pub struct CarriedArray {
    /// Label of the buffer in the order of the state, and its name in saved states.
    pub label: &'static str,
    /// Label of the buffer in the order of the search's build.
    pub sorted_label: &'static str,
    /// The shaders' variable for the array in the order of the state: read before the build, and written by the step.
    pub name: &'static str,
    /// The shaders' variable for the array in the order of the search's build, which the solver's first pass fills.
    pub sorted_name: &'static str,
    /// Number of 4-byte words per particle, at most 4. They are floating-point numbers: a saved state in which one is
    /// not finite is refused.
    pub words: u32,
}

/// The buffers of an array that the solver carries.
pub(super) struct Carried {
    /// The solver's declaration of the array.
    pub array: &'static CarriedArray,
    /// In the order of the state; len = `particle_count`.
    pub unsorted: wgpu::Buffer,
    /// In the order of the last build; len = `particle_count`.
    pub sorted: wgpu::Buffer,
}

impl Carried {
    fn new(gpu: &Gpu, array: &'static CarriedArray, count: u64) -> Result<Self, FluidError> {
        let words = u64::from(array.words) * count;
        Ok(Self {
            array,
            unsorted: gpu.storage::<u32>(array.label, words)?,
            sorted: gpu.storage::<u32>(array.sorted_label, words)?,
        })
    }
}

/// What distinguishes the particles of solids.
pub(super) struct SolidArrays {
    /// The weight of each, as defined in boundaries.wgsl.
    pub weights: Vec<f32>,
    /// The share of the rest density that water at rest gives to each; 0 where it mirrors the pressure of the water.
    pub water_shares: Vec<f32>,
    /// How much the solid of each gives way to pressure (`solids/bodies/mod.rs`), 1/m; 0 where it does not.
    pub mobilities: Vec<f32>,
    /// Number of parking places for those that move out of the box.
    pub parking_count: u32,
}

/// The buffers that distinguish fluid particles from particles of solids.
pub(super) struct BoundaryBuffers {
    /// The weight of each particle of a solid, as defined in boundaries.wgsl; 0 for particles that have left the box;
    /// len = `boundary_count`.
    pub weights: wgpu::Buffer,
    /// [`SolidArrays::water_shares`]; len = `boundary_count`.
    pub water_shares: wgpu::Buffer,
    /// [`SolidArrays::mobilities`]; len = `boundary_count`.
    pub mobilities: wgpu::Buffer,
    /// As `weights`, with every particle taken as inside the box.
    #[cfg(feature = "bodies")]
    pub all_weights: Vec<f32>,
    /// The weights of all particles in the order of the last build; len = `particle_count`.
    pub sorted_weights: wgpu::Buffer,
    /// Force of the fluid on each particle of a solid divided by a fluid particle's mass, m/s²; len =
    /// `boundary_count`.
    pub reactions: wgpu::Buffer,
    /// That of the last stage of viscosity; len = `boundary_count`.
    pub stage_reactions: wgpu::Buffer,
}

impl BoundaryBuffers {
    fn new(gpu: &Gpu, count: u32, solids: SolidArrays) -> Result<Self, FluidError> {
        let SolidArrays { weights, water_shares, mobilities, .. } = solids;
        Ok(Self {
            weights: gpu.storage_with("boundary weights", &weights)?,
            water_shares: gpu.storage_with("shares of water at boundaries", &water_shares)?,
            mobilities: gpu.storage_with("mobilities of solids", &mobilities)?,
            sorted_weights: gpu.storage::<f32>("weights in sorted order", count.into())?,
            reactions: gpu.storage::<[f32; 4]>("reactions on boundaries", weights.len() as u64)?,
            stage_reactions: gpu.storage::<[f32; 4]>("reactions in a stage of viscosity", weights.len() as u64)?,
            #[cfg(feature = "bodies")]
            all_weights: weights,
        })
    }
}

/// Input of [`Context::new`].
pub(super) struct ContextInput<'a> {
    /// The search.
    pub search: &'static SearchInfo,
    /// The searches' settings.
    pub options: &'a SearchOptions,
    /// The neighbors that a step needs, which decide whether they are listed.
    pub neighbors: NeedOfNeighbors,
    /// The smoothing kernel.
    pub kernel: SmoothingKernel,
    /// The box and radius of the search.
    pub domain: Domain,
    /// The particles.
    pub state: &'a ParticleState,
    /// The parameters that every pass reads.
    pub parameters: &'a FluidParameters,
    /// The arrays of the particles of solids; `None` where all particles are fluid.
    pub solids: Option<SolidArrays>,
    /// The arrays that the solver carries.
    pub carried: &'static [CarriedArray],
    /// Whether there is a surface tension.
    pub surface_tension: bool,
    /// Whether probes read forces on the walls of the box.
    pub wall_loads: bool,
}

/// One search and smoothing kernel over a particle state, with the arrays in the order of its build.
pub(super) struct Context {
    /// A number that distinguishes these buffers from those of any other simulation or settings.
    pub number: u64,
    /// The search.
    pub search: Box<dyn NeighborSearch>,
    /// Density in kg/m³ and pressure / density² in m⁵/(kg s²), in the order of the last build.
    pub densities: wgpu::Buffer,
    /// Pair counters, filled only by a counting traversal.
    pub counters: PairCounters,
    /// Velocities in the order of the last build; as [`ParticleState::velocities`].
    pub sorted_velocities: wgpu::Buffer,
    /// [`PushParameters`].
    pub push: wgpu::Buffer,
    /// [`FluidParameters`].
    pub parameters: wgpu::Buffer,
    /// Sums that a depositing search accumulates; `None` for other searches.
    pub deposits: Option<wgpu::Buffer>,
    /// The number of particles near walls, that of the others, and then the indices of both in the order of the last
    /// build (`near_walls.wgsl`); `None` for a search that does not gather sums, and does not serve them separately.
    /// len = `particle_count` + 2.
    pub near_walls: Option<wgpu::Buffer>,
    /// The box and radius that the search was made for.
    pub domain: Domain,
    /// The smoothing kernel.
    pub kernel: SmoothingKernel,
    /// Present where not all particles are fluid.
    pub boundary: Option<BoundaryBuffers>,
    /// The kinds of particles that shaders are compiled for.
    pub surroundings: Surroundings,
    /// The arrays that the solver carries.
    pub carried: Vec<Carried>,
    /// The gradient of the color times the support radius, which the passes of the surface tension compute in each
    /// step; `None` without one. In the order of the last build; len = `particle_count`.
    pub gradients: Option<wgpu::Buffer>,
    /// What each particle gets from the walls of the box in a step ([`StoredLoad`]), by original index; `None` where no
    /// probe reads it. len = `particle_count`.
    pub wall_loads: Option<wgpu::Buffer>,
}

/// `Load` in loads.wgsl: accelerations by the walls in m/s², by iterated pressures, by the rest across the walls, and
/// along them.
pub(super) type StoredLoad = [[f32; 4]; 3];

impl Context {
    /// Makes the search and allocates the arrays.
    ///
    /// # Errors
    /// When the search refuses the particles, or the device has no memory for them.
    pub(super) fn new(gpu: &Gpu, input: ContextInput<'_>) -> Result<Self, FluidError> {
        let ContextInput {
            search,
            options,
            neighbors,
            kernel,
            domain,
            state,
            parameters,
            solids,
            carried,
            surface_tension,
            wall_loads,
        } = input;
        let positions = &state.positions;
        let search_input = SearchInput { positions, particle_count: state.count, domain, options };
        let count = u64::from(state.count);
        let search = neighbors.search(gpu, search, search_input)?;
        let near_walls = || gpu.storage::<u32>("particles near walls and others", count + 2);
        let deposits = || gpu.storage::<[u32; LARGEST_SUM]>("deposits", count);
        let gradients = || gpu.storage::<[f32; 4]>("gradients of the color", count);
        let boundary = solids.map(|solids| BoundaryBuffers::new(gpu, state.count, solids)).transpose()?;
        Ok(Self {
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            deposits: search.deposits().then(deposits).transpose()?,
            near_walls: search.gathers().then(near_walls).transpose()?,
            search,
            densities: gpu.storage::<[f32; 2]>("densities", count)?,
            counters: PairCounters::new(gpu, state.count)?,
            sorted_velocities: gpu.storage::<[f32; 4]>("velocities in sorted order", count)?,
            push: gpu.uniform("push", &PushParameters::default()),
            parameters: gpu.uniform("fluid", parameters),
            domain,
            kernel,
            surroundings: Surroundings { boundary: boundary.is_some(), wall_loads },
            boundary,
            carried: carried.iter().map(|array| Carried::new(gpu, array, count)).collect::<Result<_, _>>()?,
            gradients: surface_tension.then(gradients).transpose()?,
            wall_loads: wall_loads.then(|| gpu.storage::<StoredLoad>("loads on walls", count)).transpose()?,
        })
    }

    /// The buffers with the names of the shaders' variables.
    pub(super) fn named(&self) -> Vec<(&str, &wgpu::Buffer)> {
        let mut buffers = vec![
            ("fluid", &self.parameters),
            ("push", &self.push),
            ("sorted_positions", self.search.sorted_positions()),
            ("sorted_velocities", &self.sorted_velocities),
            ("densities", &self.densities),
        ];
        buffers.extend(self.deposits.as_ref().map(|deposits| ("deposits", deposits)));
        buffers.extend(self.gradients.as_ref().map(|gradients| ("gradients", gradients)));
        buffers.extend(self.wall_loads.as_ref().map(|loads| ("wall_loads", loads)));
        buffers.extend(self.near_walls.as_ref().map(|listed| ("divided_particles", listed)));
        if let Some(boundary) = &self.boundary {
            buffers.extend([("weights", &boundary.sorted_weights), ("reactions", &boundary.reactions)]);
            buffers.extend([("boundary_weights", &boundary.weights), ("water_shares", &boundary.water_shares)]);
            buffers.extend([("stage_reactions", &boundary.stage_reactions), ("mobilities", &boundary.mobilities)]);
        }
        for carried in &self.carried {
            buffers.extend([(carried.array.name, &carried.unsorted), (carried.array.sorted_name, &carried.sorted)]);
        }
        buffers
    }

    /// Fills the arrays that the solver carries with zeros.
    pub(super) fn forget_carried(&self, gpu: &Gpu) {
        if !self.carried.is_empty() {
            gpu.submit(|encoder| {
                self.carried.iter().for_each(|carried| encoder.clear_buffer(&carried.unsorted, 0, None));
            });
        }
    }
}
