use super::bodies::DeviceBodies;
use super::boundaries::BoundarySamples;
use super::cloths::{self, DeviceCloths};
use super::continuity::{Continuity, diffusion};
use super::flow::{Flow, Parking};
use super::parameters::{FluidParameters, PushParameters};
use super::pbf::PbfBuffers;
use super::repulsion::RepulsionBuffers;
use super::survey::Surveyor;
use super::{Dimensions, FluidError, Resolution, Scene, Settings, SmoothingKernel, Solver};
use crate::gpu::{Dispatch, Gpu, PairKernel, Pass, Phase, ShaderVariant};
use crate::search::{BoundPairKernel, Domain, NeighborSearch, PairCounters, SearchInput};

const DENSITY: PairKernel = PairKernel { file: "fluid/density.wgsl", vanishes_at_radius: true };
/// The same file where densities are kept: pairs that have just left the radius still had something.
const CHANGED_DENSITY: PairKernel = PairKernel { file: DENSITY.file, vanishes_at_radius: false };
/// Most floats that any pair kernel sums up for a particle: all of them deposit into one buffer, in turns.
const LARGEST_SUM: usize = 6;

const FORCES: PairKernel = PairKernel { file: "fluid/forces.wgsl", vanishes_at_radius: false };

/// The particles' state between steps: the search's input.
pub(super) struct ParticleState {
    /// xyz in m; len = `particle_count`.
    pub positions: wgpu::Buffer,
    /// xyz in m/s, bits of the original index; len = `particle_count`.
    pub velocities: wgpu::Buffer,
    /// Number of particles, of boundaries too.
    pub count: u32,
    /// How many of them are the fluid's: those with the lowest original indices.
    pub fluid_count: u32,
}

impl ParticleState {
    /// Room for the particles of `resolution`.
    pub(super) fn new(gpu: &Gpu, resolution: &Resolution) -> Result<Self, FluidError> {
        // Positions are the largest single binding of the fluid and of every search.
        let limit = gpu.capabilities.largest_binding_bytes() / size_of::<[f32; 4]>() as u64;
        let count = u64::from(resolution.particle_count) + u64::from(resolution.boundary_count);
        if count > limit {
            return Err(FluidError::TooManyParticles { count, limit });
        }
        Ok(Self {
            positions: gpu.storage::<[f32; 4]>("positions", count)?,
            velocities: gpu.storage::<[f32; 4]>("velocities", count)?,
            count: count as u32,
            fluid_count: resolution.particle_count,
        })
    }
}

/// What passes depend on besides search and smoothing kernel: where it changes they are made anew, and where it does
/// not a scene's numbers are only written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Features {
    solver: Solver,
    iterations: u32,
    /// Definitions of the terms that the scene's fluid has.
    terms: [Option<&'static str>; 5],
}

impl Features {
    pub(super) fn of(scene: &Scene) -> Self {
        let material = &scene.material;
        Self {
            solver: scene.solver,
            iterations: scene.pbf.iterations,
            terms: [
                (material.xsph > 0.0).then_some("XSPH"),
                (material.surface_tension > 0.0).then_some("COHESION"),
                diffusion(scene).map(|_| "CONTINUITY"),
                // WCSPH has the term always.
                (scene.solver == Solver::Pbf && material.is_viscous()).then_some("VISCOUS"),
                (scene.pbf.vorticity > 0.0).then_some("VORTICITY"),
            ],
        }
    }

    /// Those of the given terms that there are.
    fn among(&self, terms: &[&'static str]) -> Vec<&'static str> {
        self.terms.into_iter().flatten().filter(|term| terms.contains(term)).collect()
    }
}

/// One search, smoothing kernel and resolution over a particle state: what is made anew when one of them changes.
pub(super) struct Sph {
    /// The search.
    pub search: Box<dyn NeighborSearch>,
    /// Density in kg/m³ and pressure / density² times the walls' factor in m⁵/(kg s²), in the order of the last build.
    pub densities: wgpu::Buffer,
    /// What a survey counts.
    pub counters: PairCounters,
    /// Velocities in the order of the last build; as [`ParticleState::velocities`].
    pub sorted_velocities: wgpu::Buffer,
    /// [`PushParameters`].
    pub push: wgpu::Buffer,
    /// [`FluidParameters`].
    pub parameters: wgpu::Buffer,
    /// Sums of a search that deposits.
    pub deposits: Option<wgpu::Buffer>,
    /// The smoothing kernel.
    pub kernel: SmoothingKernel,
    /// Where not all particles are the fluid's.
    pub boundary: Option<BoundaryBuffers>,
    /// Where densities are kept.
    pub continuity: Option<Continuity>,
    pbf: Option<PbfBuffers>,
    repulsion: Option<RepulsionBuffers>,
    features: Features,
}

/// What tells the fluid's particles from others.
pub(super) struct BoundaryBuffers {
    /// What each particle of a boundary stands for, as boundaries.wgsl says; len = `boundary_count`. Of bodies' that are
    /// outside the box 0.
    pub weights: wgpu::Buffer,
    /// As `weights`, of all in the box.
    pub all_weights: Vec<f32>,
    /// The same of every particle in the order of the last build; len = `particle_count`.
    sorted_weights: wgpu::Buffer,
    /// What the fluid does to each particle of a boundary, in m/s² over a fluid particle's mass; len = `boundary_count`.
    pub reactions: wgpu::Buffer,
}

impl BoundaryBuffers {
    fn new(gpu: &Gpu, count: u32, weights: Vec<f32>) -> Result<Self, FluidError> {
        Ok(Self {
            weights: gpu.storage_with("boundary weights", &weights)?,
            sorted_weights: gpu.storage::<f32>("weights in sorted order", count.into())?,
            reactions: gpu.storage::<[f32; 4]>("reactions on boundaries", weights.len() as u64)?,
            all_weights: weights,
        })
    }

    /// By the names that pair kernels know them by.
    pub(super) fn named(&self) -> [(&'static str, &wgpu::Buffer); 2] {
        [("weights", &self.sorted_weights), ("reactions", &self.reactions)]
    }
}

/// The passes of a step and of a survey.
pub(super) struct SphPasses {
    /// A time step.
    pub step: Vec<Pass>,
    /// Build, reorder, density: what moves nothing.
    pub densities: Vec<Pass>,
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
        (boundary, flow): (Option<&BoundarySamples>, Option<&Flow>),
    ) -> Result<Self, FluidError> {
        let input = SearchInput {
            positions: &state.positions,
            particle_count: state.count,
            domain: domain(scene, resolution)?,
            options: &settings.options,
        };
        let (count, kernel) = (u64::from(state.count), settings.kernel);
        let search = (settings.search.create)(gpu, input)?;
        let deposits = || gpu.storage::<[u32; LARGEST_SUM]>("deposits", count);
        let boundary = (boundary.is_some() || flow.is_some() || !scene.cloths.is_empty()).then(|| {
            let of_boundary = |boundary: &BoundarySamples| boundary.weights(kernel, scene, resolution);
            let mut weights = boundary.map(of_boundary).unwrap_or_default();
            weights.extend(cloths::weights(scene, kernel, resolution));
            if !scene.solver.is_fluid() {
                // Each as one of the others.
                weights.fill(-1.0);
            }
            BoundaryBuffers::new(gpu, state.count, weights)
        });
        let pbf = || PbfBuffers::new(gpu, scene, kernel, resolution, state);
        Ok(Self {
            deposits: search.deposits().then(deposits).transpose()?,
            search,
            densities: gpu.storage::<[f32; 2]>("densities", count)?,
            counters: PairCounters::new(gpu, state.count)?,
            sorted_velocities: gpu.storage::<[f32; 4]>("velocities in sorted order", count)?,
            push: gpu.uniform("push", &PushParameters::default()),
            parameters: gpu.uniform("fluid", &FluidParameters::new(scene, kernel, resolution)),
            kernel,
            boundary: boundary.transpose()?,
            continuity: Continuity::new(gpu, scene, kernel, resolution, state.count)?,
            pbf: (scene.solver == Solver::Pbf).then(pbf).transpose()?,
            repulsion: (!scene.solver.is_fluid()).then(|| RepulsionBuffers::new(gpu, scene, resolution)),
            features: Features::of(scene),
        })
    }

    /// What the passes depend on.
    pub(super) fn features(&self) -> Features {
        self.features
    }

    /// Rewrites the numbers of a scene with the same features.
    pub(super) fn write(&self, gpu: &Gpu, scene: &Scene, resolution: &Resolution) {
        gpu.write_uniform(&self.parameters, &FluidParameters::new(scene, self.kernel, resolution));
        if let Some(pbf) = &self.pbf {
            pbf.write(gpu, scene, self.kernel, resolution);
        }
        if let Some(repulsion) = &self.repulsion {
            repulsion.write(gpu, scene, resolution);
        }
        if let Some(continuity) = &self.continuity {
            continuity.write(gpu, scene, self.kernel, resolution);
        }
    }

    /// Velocities into the order that the search has just sorted the positions into.
    pub(super) fn reorder_pass(&self, gpu: &Gpu, state: &ParticleState) -> Result<Pass, FluidError> {
        let mut buffers = vec![
            ("fluid", &self.parameters),
            ("sorted_positions", self.search.sorted_positions()),
            ("velocities", &state.velocities),
            ("sorted_velocities", &self.sorted_velocities),
        ];
        if let Some(boundary) = &self.boundary {
            buffers.extend([("boundary_weights", &boundary.weights), ("weights", &boundary.sorted_weights)]);
        }
        buffers.extend(self.continuity.iter().flat_map(Continuity::named));
        let shader = ShaderVariant::new("fluid/reorder.wgsl").with_flag_if(self.boundary.is_some(), "BOUNDARY");
        let shader = shader.with_flag_if(self.continuity.is_some(), "CONTINUITY");
        let dispatch = Dispatch::Invocations(state.count.into());
        Ok(Pass::new(gpu, (Phase::Physics, "reorder"), (&shader, "reorder"), &buffers, dispatch)?)
    }

    /// The definitions that every pair kernel of the fluid is composed with.
    pub(super) fn definitions(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.kernel.definition()].into_iter().chain(self.boundary.is_some().then_some("BOUNDARY"))
    }

    /// Compiles the shaders and binds them.
    pub(super) fn passes(
        &self,
        gpu: &Gpu,
        state: &ParticleState,
        (flow, bodies, cloths): (Option<&Flow>, Option<&DeviceBodies>, Option<&DeviceCloths>),
        surveyor: &mut Surveyor,
    ) -> Result<SphPasses, FluidError> {
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
        buffers.extend(self.boundary.iter().flat_map(BoundaryBuffers::named));
        buffers.extend(self.continuity.iter().flat_map(Continuity::named));
        let pair = |label, kernel, flags: &[&'static str], counters| {
            let definitions: Vec<_> =
                flags.iter().copied().chain(self.definitions()).map(|flag| (flag, None)).collect();
            let bound = BoundPairKernel { label, kernel, definitions: &definitions, buffers: &buffers };
            self.search.traversal_passes(gpu, bound, counters)
        };
        let mut step = flow.map_or(Ok(Vec::new()), |flow| flow.passes(gpu, &self.parameters, state))?;
        let moving = bodies.map(|bodies| bodies.passes(gpu, self, state)).transpose()?;
        let mut sorted: Vec<_> = moving.iter().map(|moving| moving.move_bodies.clone()).collect();
        sorted.extend(self.search.build_passes(gpu)?);
        sorted.push(self.reorder_pass(gpu, state)?);
        let (densities, count);
        if let Some(repulsion) = &self.repulsion {
            let passes = |label, counters| repulsion.passes(gpu, self, state, label, counters);
            step.extend(sorted.iter().cloned());
            step.extend(passes(("repulsion", true), None)?);
            densities = [sorted, passes(("pressure", false), None)?].concat();
            count = passes(("count pairs", false), Some(&self.counters))?;
        } else {
            let (density, flags): (_, &[_]) =
                if self.continuity.is_some() { (CHANGED_DENSITY, &["CONTINUITY"]) } else { (DENSITY, &[]) };
            densities = [sorted.as_slice(), &pair("density", density, flags, None)?].concat();
            if let Some(pbf) = &self.pbf {
                step.extend(moving.iter().map(|moving| moving.move_bodies.clone()));
                step.extend(pbf.passes(gpu, self, state)?);
            } else {
                let mut terms = self.features.among(&["XSPH", "COHESION"]);
                terms.extend(cloths.is_some().then_some("CLOTH"));
                if self.continuity.is_some() {
                    step.extend(sorted);
                    step.extend(pair("density", density, &["CONTINUITY", "ADVANCE"], None)?);
                } else {
                    step.extend(densities.iter().cloned());
                }
                step.extend(pair("forces", FORCES, &terms, None)?);
            }
            count = pair("count pairs", density, flags, Some(&self.counters))?;
        }
        step.extend(cloths.map_or(Ok(Vec::new()), |cloths| cloths.passes(gpu, self, state))?);
        step.extend(moving.map(|moving| moving.gather_loads));
        Ok(SphPasses {
            step,
            densities,
            count,
            survey: surveyor.passes(gpu, (&buffers, self.boundary.is_some()), self.search.cells())?,
        })
    }
}

/// The box and radius that the search is told: with room for parked particles. In two dimensions the box is thinner than a cell, so that there is one
/// layer of them.
fn domain(scene: &Scene, resolution: &Resolution) -> Result<Domain, FluidError> {
    let radius = resolution.support_radius;
    let (mut low, mut high) = (scene.low, scene.high);
    if scene.dimensions == Dimensions::Two {
        low.z = scene.plane() - 0.25 * radius;
        high.z = scene.plane() + 0.25 * radius;
    }
    if let Some(parking) = Parking::new(scene, resolution) {
        high.x = parking.end();
    }
    Ok(Domain::new(low, high, radius)?)
}
