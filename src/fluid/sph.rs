use super::parameters::{FluidParameters, PushParameters};
use super::survey::Surveyor;
use super::{FluidError, Resolution, Scene, Settings, SmoothingKernel};
use crate::gpu::{Dispatch, Gpu, PairKernel, Pass, Phase, ShaderVariant};
use crate::search::{BoundPairKernel, Domain, NeighborSearch, PairCounters, SearchInput};

const DENSITY: PairKernel = PairKernel { file: "fluid/density.wgsl", vanishes_at_radius: true };
const FORCES: PairKernel = PairKernel { file: "fluid/forces.wgsl", vanishes_at_radius: false };

/// The particles' state between steps: the search's input.
pub(super) struct ParticleState {
    /// xyz in m; len = `particle_count`.
    pub positions: wgpu::Buffer,
    /// xyz in m/s, bits of the original index; len = `particle_count`.
    pub velocities: wgpu::Buffer,
    /// Number of particles.
    pub count: u32,
}

impl ParticleState {
    /// Room for `count` particles.
    pub(super) fn new(gpu: &Gpu, count: u32) -> Result<Self, FluidError> {
        // Positions are the largest single binding of the fluid and of every search.
        let limit = gpu.capabilities.largest_binding_bytes() / size_of::<[f32; 4]>() as u64;
        if u64::from(count) > limit {
            return Err(FluidError::TooManyParticles { count: count.into(), limit });
        }
        Ok(Self {
            positions: gpu.storage::<[f32; 4]>("positions", count.into())?,
            velocities: gpu.storage::<[f32; 4]>("velocities", count.into())?,
            count,
        })
    }
}

/// One search, smoothing kernel and resolution over a particle state: what is made anew when one of them changes.
pub(super) struct Sph {
    /// The search.
    pub search: Box<dyn NeighborSearch>,
    /// Density in kg/m³ and pressure / density² in m⁵/(kg s²), in the order of the last build.
    pub densities: wgpu::Buffer,
    /// What a survey counts.
    pub counters: PairCounters,
    /// Velocities in the order of the last build; as [`ParticleState::velocities`].
    pub sorted_velocities: wgpu::Buffer,
    /// [`PushParameters`].
    pub push: wgpu::Buffer,
    parameters: wgpu::Buffer,
    deposits: Option<wgpu::Buffer>,
    kernel: SmoothingKernel,
}

/// The passes of a step and of a survey.
pub(super) struct SphPasses {
    /// Build, reorder, density: what moves nothing.
    pub densities: Vec<Pass>,
    /// Forces and the time step.
    pub forces: Vec<Pass>,
    /// The density again, counting pairs.
    pub count: Vec<Pass>,
    /// Reads the health off the particles.
    pub survey: Vec<Pass>,
}

impl Sph {
    pub(super) fn new(
        gpu: &Gpu,
        scene: &Scene,
        settings: &Settings,
        resolution: &Resolution,
        state: &ParticleState,
    ) -> Result<Self, FluidError> {
        let input = SearchInput {
            positions: &state.positions,
            particle_count: state.count,
            domain: Domain::new(scene.low, scene.high, resolution.support_radius)?,
            options: &settings.options,
        };
        let count = u64::from(state.count);
        let search = (settings.search.create)(gpu, input)?;
        // A sum of forces has three floats; densities and forces take turns.
        let deposits = search.deposits().then(|| gpu.storage::<[u32; 3]>("deposits", count)).transpose()?;
        Ok(Self {
            search,
            deposits,
            densities: gpu.storage::<[f32; 2]>("densities", count)?,
            counters: PairCounters::new(gpu, state.count)?,
            sorted_velocities: gpu.storage::<[f32; 4]>("velocities in sorted order", count)?,
            push: gpu.uniform("push", &PushParameters::default()),
            parameters: gpu.uniform("fluid", &FluidParameters::new(scene, settings.kernel, resolution)),
            kernel: settings.kernel,
        })
    }

    /// Compiles the shaders and binds them.
    pub(super) fn passes(
        &self,
        gpu: &Gpu,
        state: &ParticleState,
        surveyor: &mut Surveyor,
    ) -> Result<SphPasses, FluidError> {
        let definitions = [(self.kernel.definition(), None)];
        let mut buffers = vec![
            ("fluid", &self.parameters),
            ("push", &self.push),
            ("sorted_positions", self.search.sorted_positions()),
            ("sorted_velocities", &self.sorted_velocities),
            ("densities", &self.densities),
            ("positions", &state.positions),
            ("velocities", &state.velocities),
        ];
        buffers.extend(self.deposits.as_ref().map(|deposits| ("deposits", deposits)));
        let pair = |label, kernel| BoundPairKernel { label, kernel, definitions: &definitions, buffers: &buffers };
        let reorder = Pass::new(
            gpu,
            (Phase::Physics, "reorder"),
            (&ShaderVariant::new("fluid/reorder.wgsl"), "reorder"),
            &buffers,
            Dispatch::Invocations(state.count.into()),
        )?;
        let mut densities = self.search.build_passes(gpu)?;
        densities.push(reorder);
        densities.extend(self.search.traversal_passes(gpu, pair("density", DENSITY), None)?);
        Ok(SphPasses {
            densities,
            forces: self.search.traversal_passes(gpu, pair("forces", FORCES), None)?,
            count: self.search.traversal_passes(gpu, pair("count pairs", DENSITY), Some(&self.counters))?,
            survey: surveyor.passes(gpu, &buffers, self.search.cells())?,
        })
    }
}
