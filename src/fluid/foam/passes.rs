//! The passes of foam.

use super::FILE;
use super::buffers::FoamBuffers;
use super::parameters::FoamParameters;
use crate::fluid::FluidError;
use crate::fluid::context::Context;
use crate::fluid::particles::ParticleState;
use crate::gpu::{Dispatch, Gpu, PairKernel, Pass, PassDescriptor, Phase, ShaderVariant};
use crate::primitives::ExclusiveScan;
use crate::search::{BoundPairKernel, NeighborSearch};

/// The pair kernel that moves diffuse particles and sums normals and approaching speeds.
const SURROUNDINGS: PairKernel = PairKernel::new("fluid/foam/surroundings.wgsl", false);
/// The pair kernel that sums the curvature of the surface.
const CRESTS: PairKernel = PairKernel::new("fluid/foam/crests.wgsl", false);

/// The lists of passes.
pub(in crate::fluid) struct FoamPasses {
    /// A step of foam.
    pub(in crate::fluid) step: Vec<Pass>,
    /// Lists and counts the diffuse particles, after they were replaced.
    pub(super) list: Vec<Pass>,
    /// Removes all diffuse particles.
    pub(super) park: Vec<Pass>,
}

impl FoamPasses {
    /// Compiles the shaders and binds their buffers.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub(super) fn new(
        gpu: &Gpu,
        (state, context): (&ParticleState, &Context),
        (buffers, parameters, values): (&FoamBuffers, &wgpu::Buffer, &FoamParameters),
        search: &dyn NeighborSearch,
    ) -> Result<Self, FluidError> {
        let has_solids = context.surroundings.boundary;
        let mut named = vec![
            ("fluid", &context.parameters),
            ("foam", parameters),
            ("state_positions", &state.positions),
            ("state_velocities", &state.velocities),
            ("positions", &buffers.positions),
            ("velocities", &buffers.velocities),
            ("sorted_positions", search.sorted_positions()),
            ("sorted_velocities", &buffers.sorted_velocities),
            ("surfaces", &buffers.surfaces),
            ("births", &buffers.births),
            ("parents", &buffers.parents),
            ("ranks", &buffers.ranks),
            ("control", &buffers.control),
            ("drawn", &buffers.drawn),
            ("arguments", &buffers.arguments),
        ];
        named.extend(buffers.deposits.as_ref().map(|deposits| ("deposits", deposits)));
        named.extend(context.boundary.as_ref().map(|boundary| ("boundary_weights", &boundary.weights)));
        let (particles, places) = (u64::from(values.particle_count), u64::from(values.capacity));
        let shader = ShaderVariant::new(FILE).with_flag_if(has_solids, "BOUNDARY");
        let pass = |label, entry_point, dispatch| {
            let phase = Phase::Physics;
            Pass::new(gpu, PassDescriptor { phase, label, shader: &shader, entry_point, buffers: &named, dispatch })
        };
        let each = |label, entry_point, count| pass(label, entry_point, Dispatch::Invocations(count));
        let kernel = context.kernel.definition();
        let flags: Vec<_> =
            has_solids.then_some("BOUNDARY").into_iter().chain([kernel]).map(|flag| (flag, None)).collect();
        let pairs = |label, kernel| {
            let pair = BoundPairKernel { label, kernel, definitions: &flags, buffers: &named };
            search.traversal_passes(gpu, pair, None)
        };
        let births = ExclusiveScan::new(gpu, &buffers.births, values.particle_count + 1)?;
        let ranks = ExclusiveScan::new(gpu, &buffers.ranks, values.capacity + 1)?;

        let begin = pass("begin foam", "begin", Dispatch::Workgroups(1))?;
        let mut ending = vec![each("mark free places", "mark_free", places)?];
        ending.extend(ranks.passes(gpu, Phase::Physics)?);
        ending.push(each("make foam", "make", places)?);
        let mut step = vec![begin.clone(), each("gather", "gather", particles)?];
        step.extend(search.build_passes(gpu)?);
        step.push(each("reorder foam", "reorder", particles + places)?);
        step.extend(pairs("surroundings", SURROUNDINGS)?);
        step.extend(pairs("crests", CRESTS)?);
        step.extend(births.passes(gpu, Phase::Physics)?);
        step.extend(ending.iter().cloned());
        let park = vec![each("park foam", "park", places)?];
        Ok(Self { step, list: [vec![begin], ending].concat(), park })
    }
}
