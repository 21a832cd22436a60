//! The passes of a traversal: a search's own shader and buffers combined with a pair kernel and an instrument. Every
//! search creates its passes here, so that lengths are checked and loops are watched in all of them.

use super::guards::check_lengths;
use super::{BoundPairKernel, Instrument, SearchError};
use crate::gpu::{AdapterClass, Dispatch, Gpu, PairKernel, Pass, PassDescriptor, Phase, ShaderVariant};

/// Labels of the passes that a traversal adds to the one with the pair kernel's own label.
#[cfg(feature = "fluid")]
pub(crate) const ADDED_LABELS: [&str; 2] = [SPECIAL, FINISH];

/// The definition of traversals that add the contributions to a particle one by one to a sum that begins as `zero()`.
pub(super) const ADDS_ONE_BY_ONE: &str = "ADDS_ONE_BY_ONE";

/// Label of the pass for the special particles of a pair kernel that divides them, which are those near walls.
const SPECIAL: &str = "near walls";
/// Label of the pass that hands deposited sums to the pair kernel.
const FINISH: &str = "finish deposits";

/// The shaders of a gathering traversal for the two classes of particles.
pub(super) struct ServedBy {
    /// For all particles, or for the common ones if the pair kernel divides the particles.
    pub common: ShaderVariant,
    /// For the special ones. `visit::served_by` gives the index of the particle that an invocation serves.
    pub special: ShaderVariant,
}

/// A search's part of a traversal, and what it is combined with.
#[derive(Clone, Copy)]
pub(super) struct Traversal<'a> {
    /// The device.
    pub gpu: &'a Gpu,
    /// The search's buffers by the names of the WGSL variables.
    pub own: &'a [(&'a str, &'a wgpu::Buffer)],
    /// Number of particles; the buffers of the pair kernel and the instrument have an element for each.
    pub particle_count: u32,
    /// The pair kernel.
    pub pair: BoundPairKernel<'a>,
    /// The instrument that observes the traversal, if any.
    pub instrument: Option<Instrument<'a>>,
}

impl<'a> Traversal<'a> {
    /// The pass of a traversal that gathers: entry point `traverse`, one invocation per particle. A pair kernel that
    /// divides the particles gets two passes, for its common and its special particles, unless an instrument observes
    /// the traversal, which must see every particle's work in one place.
    ///
    /// # Errors
    /// When a buffer of the pair kernel or of the instrument has less than one element per particle, or the shader does
    /// not compile.
    pub fn gathering(&self, shader: ShaderVariant) -> Result<Vec<Pass>, SearchError> {
        let shaders = ServedBy { special: shader.clone(), common: shader };
        self.gathering_with(&shaders, Dispatch::Invocations(self.particle_count.into()))
    }

    /// The same where an invocation serves several particles, or several serve one: `dispatch` counts the invocations
    /// or workgroups, not the particles. Where the pair kernel divides the particles, an invocation serves one: the
    /// special ones are listed, and the common ones as well on software adapters.
    ///
    /// # Errors
    /// As [`Traversal::gathering`].
    pub fn gathering_with(&self, shader: &ServedBy, dispatch: Dispatch) -> Result<Vec<Pass>, SearchError> {
        let particles = Dispatch::Invocations(self.particle_count.into());
        let listed = |shader: &ShaderVariant| shader.clone().with_flag_if(self.is_divided(), "DIVIDED");
        let shaders = if self.is_divided() && self.is_spread() {
            let spread = |shader| listed(shader).with_flag("SPREAD");
            ServedBy { common: spread(&shader.common), special: spread(&shader.special) }
        } else {
            ServedBy { common: shader.common.clone(), special: listed(&shader.special) }
        };
        let shaders = ServedBy {
            common: shaders.common.with_flag(ADDS_ONE_BY_ONE),
            special: shaders.special.with_flag(ADDS_ONE_BY_ONE),
        };
        self.gathering_as(&shaders, dispatch, particles)
    }

    /// The same in one pass for both classes of particles of a pair kernel that divides them, with the special ones
    /// first: their few invocations need not wait for those of another pass, nor others for them. Software adapters, which
    /// run the code of both classes for all particles then, get two passes.
    ///
    /// # Errors
    /// As [`Traversal::gathering`].
    pub fn gathering_at_once(&self, shader: ShaderVariant) -> Result<Vec<Pass>, SearchError> {
        if !self.is_divided() || self.gpu.capabilities.class == AdapterClass::Software {
            return self.gathering(shader);
        }
        let variant = self.variant(shader.with_flag("DIVIDED").with_flag("BOTH_CLASSES"));
        Ok(vec![self.pass(&variant, "traverse", Dispatch::Invocations(self.particle_count.into()))?])
    }

    /// The same where each workgroup serves the particles of a region, in either pass: it leaves out those for which
    /// `visit::is_served_here` is false.
    ///
    /// # Errors
    /// As [`Traversal::gathering`].
    pub fn gathering_regions(&self, shader: ShaderVariant, workgroups: u64) -> Result<Vec<Pass>, SearchError> {
        let shader = shader.with_flag(ADDS_ONE_BY_ONE);
        let shaders = ServedBy { special: shader.clone(), common: shader };
        self.gathering_as(&shaders, Dispatch::Workgroups(workgroups), Dispatch::Workgroups(workgroups))
    }

    fn gathering_as(
        &self,
        shader: &ServedBy,
        dispatch: Dispatch,
        dispatch_special: Dispatch,
    ) -> Result<Vec<Pass>, SearchError> {
        let variant = self.variant(shader.common.clone());
        if !self.is_divided() {
            return Ok(vec![self.pass(&variant, "traverse", dispatch)?]);
        }
        // With so much work for each neighbor, a branch is cheaper than adding zeros.
        let kernel = PairKernel { vanishes_at_radius: false, ..self.pair.kernel };
        let special = Traversal { pair: BoundPairKernel { label: SPECIAL, kernel, ..self.pair }, ..*self };
        let special_variant = special.variant(shader.special.clone()).with_flag("ONLY_SPECIAL");
        Ok(vec![
            self.pass(&variant.with_flag("ONLY_COMMON"), "traverse", dispatch)?,
            special.pass(&special_variant, "traverse", dispatch_special)?,
        ])
    }

    /// Whether the particles of both passes are listed, and the invocations that serve them are spread over all, as
    /// `visit.wgsl` describes: its products of numbers of bundles can be represented for so many particles.
    fn is_spread(&self) -> bool {
        self.gpu.capabilities.class == AdapterClass::Software && self.particle_count <= 1 << 20
    }

    /// Whether common and special particles are served by passes of their own.
    fn is_divided(&self) -> bool {
        self.pair.kernel.divides && self.instrument.is_none()
    }

    /// The passes of a traversal in which several workgroups serve one particle: `entry_point` of `shader`, a
    /// [`Traversal::depositing_variant`], deposits the parts of the sums, and the last pass hands every particle's sum
    /// to the pair kernel. `grid` is the search's grid.
    ///
    /// # Errors
    /// As [`Traversal::gathering`].
    pub fn depositing(
        &self,
        shader: &ShaderVariant,
        entry_point: &'static str,
        dispatch: Dispatch,
        grid: &wgpu::Buffer,
    ) -> Result<Vec<Pass>, SearchError> {
        let pair = BoundPairKernel { label: FINISH, ..self.pair };
        let finishing = Traversal { own: &[("grid_parameters", grid)], pair, instrument: None, ..*self };
        let finish = finishing.depositing_variant(ShaderVariant::new("search/finish_deposits.wgsl"));
        let particles = Dispatch::Invocations(self.particle_count.into());
        Ok(vec![
            self.pass(shader, entry_point, dispatch)?,
            finishing.checked_pass(&finish, "finish_deposits", &finishing.buffers(), particles)?,
        ])
    }

    /// The variant of a search's shader that deposits, with atomic addition of floats if the adapter supports it.
    pub fn depositing_variant(&self, shader: ShaderVariant) -> ShaderVariant {
        let float_atomics = self.gpu.capabilities.features.contains(wgpu::Features::SHADER_FLOAT32_ATOMIC);
        self.variant(shader).with_flag("DEPOSITS").with_flag_if(float_atomics, "FLOAT_ATOMICS")
    }

    /// A search's shader with the pair kernel and the instrument. The definitions are the same for every search.
    fn variant(&self, shader: ShaderVariant) -> ShaderVariant {
        let kernel = self.pair.kernel;
        let mut variant = shader.with_pair(kernel).with_flag("TRAVERSAL");
        if let Some(text) = kernel.own_text() {
            variant = variant.with_generated(kernel.file, text);
        }
        variant.definitions.extend(self.pair.definitions.iter().copied());
        let variant = variant
            .with_flag_if(kernel.vanishes_at_radius, "PAIR_VANISHES")
            // Instruments see the tests one by one, and so does a kernel that is evaluated without a branch.
            .with_flag_if(!kernel.vanishes_at_radius && self.instrument.is_none(), "MARKS")
            .with_flag_if(self.gpu.loop_limit().is_some(), "LIMITED_LOOPS");
        self.instrument.into_iter().fold(variant, |variant, instrument| variant.with_flag(instrument.definition()))
    }

    /// The buffers of the search, of the pair kernel and of the instrument.
    fn buffers(&self) -> Vec<(&'a str, &'a wgpu::Buffer)> {
        let instrument = self.instrument.map(Instrument::buffers).into_iter().flatten();
        self.own.iter().chain(self.pair.buffers).copied().chain(instrument).collect()
    }

    fn pass(&self, shader: &ShaderVariant, entry_point: &'static str, dispatch: Dispatch) -> Result<Pass, SearchError> {
        let mut buffers = self.buffers();
        buffers.extend(self.gpu.loop_limit().map(|loops_cut| ("loops_cut", loops_cut)));
        self.checked_pass(shader, entry_point, &buffers, dispatch)
    }

    fn checked_pass(
        &self,
        shader: &ShaderVariant,
        entry_point: &'static str,
        buffers: &[(&str, &wgpu::Buffer)],
        dispatch: Dispatch,
    ) -> Result<Pass, SearchError> {
        let label = self.pair.label;
        let descriptor = PassDescriptor { phase: Phase::Search, label, shader, entry_point, buffers, dispatch };
        check_lengths(self.gpu, Pass::new(self.gpu, descriptor)?, self.particle_count)
    }
}
