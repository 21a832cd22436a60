//! How passes of the fluid are made: a shader compiled with the definitions that the scene requires, bound to the
//! buffers that all passes share and to buffers of its own.

use super::FluidError;
use super::context::Context;
use super::particles::ParticleState;
use super::shader::{FluidShader, ShaderKind, Surroundings};
use super::step_part::StepPart;
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant};
use crate::search::{BoundPairKernel, Instrument};

/// Makes the passes over one search and particle state. Buffers are bound by the names of the WGSL variables; those
/// that all passes share are `fluid`, `push`, `sorted_positions`, `sorted_velocities` (in the order of the search's
/// build), `densities`, `positions`, `velocities` (the state: read before the build and written by the step),
/// `deposits`, `weights`, `reactions` and `stage_reactions` (of solids), `gradients` (of the color, where there is a
/// surface tension), and the arrays that the solver carries.
#[derive(Clone, Copy)]
pub struct PassMaker<'a> {
    /// The device.
    pub gpu: &'a Gpu,
    pub(super) context: &'a Context,
    pub(super) state: &'a ParticleState,
    /// The parts of a step besides search and solver.
    pub(super) parts: &'a [&'a dyn StepPart],
}

impl<'a> PassMaker<'a> {
    /// The kinds of particles besides the fluid's that shaders are compiled for.
    pub fn surroundings(&self) -> Surroundings {
        self.context.surroundings
    }

    /// Positions in the order of the search's build, m.
    pub fn sorted_positions(&self) -> &'a wgpu::Buffer {
        self.context.search.sorted_positions()
    }

    /// Velocities in the order of the search's build, m/s, with the bits of the original index.
    pub fn sorted_velocities(&self) -> &'a wgpu::Buffer {
        &self.context.sorted_velocities
    }

    /// Positions of the state, m: the input of the search, and the result of the step.
    pub fn positions(&self) -> &'a wgpu::Buffer {
        &self.state.positions
    }

    /// Velocities of the state, m/s, with the bits of the original index.
    pub fn velocities(&self) -> &'a wgpu::Buffer {
        &self.state.velocities
    }

    /// Number of particles of the state, including those of solids.
    pub fn particle_count(&self) -> u32 {
        self.state.count
    }

    /// The buffers that all passes share, by the names of the shaders' variables.
    pub(super) fn shared(&self) -> Vec<(&'a str, &'a wgpu::Buffer)> {
        let mut buffers = self.context.named();
        buffers.extend([("positions", &self.state.positions), ("velocities", &self.state.velocities)]);
        buffers
    }

    /// The passes of all parts of a step at one of its points, such as [`StepPart::before_stages`].
    pub(super) fn of_parts(
        &self,
        passes: impl Fn(&dyn StepPart) -> Result<Vec<Pass>, FluidError>,
    ) -> Result<Vec<Pass>, FluidError> {
        let of_each = self.parts.iter().map(|part| passes(*part)).collect::<Result<Vec<_>, _>>()?;
        Ok(of_each.into_iter().flatten().collect())
    }

    /// The passes of the search's traversal combined with a pair kernel. Where a name is both shared and in `own`,
    /// the buffer in `own` is bound.
    ///
    /// # Errors
    /// When the shader does not compile.
    pub fn pairs(
        &self,
        label: &'static str,
        shader: &FluidShader,
        own: &[(&str, &wgpu::Buffer)],
        instrument: Option<Instrument<'_>>,
    ) -> Result<Vec<Pass>, FluidError> {
        let ShaderKind::Pair(kernel) = shader.kind else { return Ok(vec![self.each(label, shader, own)?]) };
        let buffers: Vec<_> = own.iter().copied().chain(self.shared()).collect();
        let flags = shader.definitions(self.surroundings());
        let definitions: Vec<_> =
            flags.into_iter().chain([self.context.kernel.definition()]).map(|flag| (flag, None)).collect();
        let bound = BoundPairKernel { label, kernel, definitions: &definitions, buffers: &buffers };
        Ok(self.context.search.traversal_passes(self.gpu, bound, instrument)?)
    }

    /// A pass with one invocation per particle. Names are bound as in [`PassMaker::pairs`].
    ///
    /// # Errors
    /// When the shader does not compile.
    pub fn each(
        &self,
        label: &'static str,
        shader: &FluidShader,
        own: &[(&str, &wgpu::Buffer)],
    ) -> Result<Pass, FluidError> {
        self.dispatched(label, shader, own, Dispatch::Invocations(self.state.count.into()))
    }

    /// A pass with the number of invocations or workgroups given by `dispatch`. Names are bound as in
    /// [`PassMaker::pairs`].
    ///
    /// # Errors
    /// When the shader does not compile.
    pub fn dispatched(
        &self,
        label: &'static str,
        shader: &FluidShader,
        own: &[(&str, &wgpu::Buffer)],
        dispatch: Dispatch,
    ) -> Result<Pass, FluidError> {
        let buffers: Vec<_> = own.iter().copied().chain(self.shared()).collect();
        let flags = shader.definitions(self.surroundings());
        let variant = flags.into_iter().fold(ShaderVariant::new(shader.file()), ShaderVariant::with_flag);
        let entry_point = shader.entry_point().unwrap_or("traverse");
        Ok(Pass::new(
            self.gpu,
            PassDescriptor { phase: Phase::Physics, label, shader: &variant, entry_point, buffers: &buffers, dispatch },
        )?)
    }
}

/// The passes that list the particles near walls, for searches that serve these separately.
///
/// # Errors
/// When the shader does not compile.
pub(super) fn near_wall_passes(maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
    if maker.context.near_walls.is_none() {
        return Ok(Vec::new());
    }
    let pass = |entry_point, dispatch| {
        let shader = FluidShader::single("fluid/near_walls.wgsl", entry_point);
        maker.dispatched("list near walls", &shader, &[], dispatch)
    };
    let particles = Dispatch::Invocations(maker.particle_count().into());
    Ok(vec![pass("clear_list", Dispatch::Workgroups(1))?, pass("list_near_walls", particles)?])
}

/// The pass that brings velocities into the order that the search has just sorted the positions into.
///
/// # Errors
/// When the shader does not compile.
pub(super) fn reorder_pass(maker: &PassMaker<'_>) -> Result<Pass, FluidError> {
    maker.each("reorder", &FluidShader::single("fluid/reorder.wgsl", "reorder"), &[])
}
