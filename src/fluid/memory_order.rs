//! Experiments with the order of the particles in memory. A step writes the state in the order of its build, so that
//! the input of the next build is nearly sorted and particles close in space are close in memory.
//! [`Simulation::shuffle_memory`] destroys this order, and [`Simulation::set_resort_interval`] keeps the order of the
//! state unchanged for several steps. The search still sorts its own copies and finds the same pairs, at a different
//! cost.
//!
//! The physics does not change, because a particle's original index is stored with its velocity. Only the order of
//! summation changes, and with it the rounding.
//!
//! With an interval of 1, the default, there is no additional buffer or pass. Otherwise the cost is 16 bytes per
//! particle, and a pass and a copy for each array that a step writes: positions, velocities, densities and the arrays
//! that the solver carries.

use super::context::Context;
use super::particles::ParticleState;
use super::{FluidError, Simulation};
use crate::gpu::{Dispatch, Gpu, GpuError, Pass, PassDescriptor, PassTimer, Phase, ShaderVariant, gpu_struct, record};
use crate::search::random::splitmix64;

const FILE: &str = "fluid/memory_order.wgsl";

gpu_struct! {
    /// Parameters of the passes that reorder the state.
    pub struct OrderParameters {
        /// Number of particles, including those of solids.
        pub particle_count: u32,
        /// Seed of the random order.
        pub seed: u32,
        /// Half the number of bits of the smallest power of four that is at least the count.
        pub half_bits: u32,
    }
}

impl OrderParameters {
    fn new(particle_count: u32, seed: u64) -> Self {
        let bits = u32::BITS - particle_count.saturating_sub(1).leading_zeros();
        // Scrambled, since consecutive seeds would otherwise give networks with the same rounds in another order.
        Self { particle_count, seed: splitmix64(seed) as u32, half_bits: bits.div_ceil(2).max(1) }
    }
}

/// The buffers that restore the order of the state after steps that are not to sort it.
pub(super) struct KeptOrder {
    /// Number of steps from one that sorts the state to the next; above 1.
    pub interval: u64,
    /// Whether the state is in the order of the last build.
    pub is_sorted: bool,
    /// Temporary copy of an array while it is reordered; 16 bytes per particle.
    spare: wgpu::Buffer,
    parameters: wgpu::Buffer,
}

impl KeptOrder {
    fn new(gpu: &Gpu, count: u32, interval: u64) -> Result<Self, GpuError> {
        Ok(Self {
            interval,
            is_sorted: true,
            spare: gpu.storage::<[u32; 4]>("particles in another order", count.into())?,
            parameters: gpu.uniform("memory order", &OrderParameters::new(count, 0)),
        })
    }
}

/// The reordering of one array: a pass writes it in another order to a spare buffer, which is then copied back.
pub(super) struct Move {
    pass: Pass,
    spare: wgpu::Buffer,
    array: wgpu::Buffer,
    bytes: u64,
}

impl Move {
    fn new(
        gpu: &Gpu,
        (entry_point, label): (&'static str, &'static str),
        order: (&wgpu::Buffer, &wgpu::Buffer, &wgpu::Buffer),
        (array, words, count): (&wgpu::Buffer, u32, u32),
    ) -> Result<Self, GpuError> {
        let (parameters, sorted_positions, spare) = order;
        let buffers =
            [("order", parameters), ("sorted_positions", sorted_positions), ("moved_from", array), ("moved_to", spare)];
        let shader = ShaderVariant::new(FILE).with_number("WORDS", words);
        let dispatch = Dispatch::Invocations(count.into());
        Ok(Self {
            pass: Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Physics,
                    label,
                    shader: &shader,
                    entry_point,
                    buffers: &buffers,
                    dispatch,
                },
            )?,
            spare: spare.clone(),
            array: array.clone(),
            bytes: u64::from(count) * u64::from(words) * size_of::<u32>() as u64,
        })
    }

    fn record(&self, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) {
        record([&self.pass], encoder, timer);
        encoder.copy_buffer_to_buffer(&self.spare, 0, &self.array, 0, self.bytes);
    }
}

/// The passes that restore the order that arrays had before the build. Empty where every step sorts.
#[derive(Default)]
pub(super) struct RestorePasses {
    /// Arrays that a step advances: positions, velocities and the arrays that the solver carries.
    state: Vec<Move>,
    /// Densities.
    densities: Vec<Move>,
    /// Counters of a survey.
    counters: Vec<Move>,
}

impl RestorePasses {
    pub(super) fn new(
        gpu: &Gpu,
        context: &Context,
        state: &ParticleState,
        kept: Option<&KeptOrder>,
    ) -> Result<Self, GpuError> {
        let Some(kept) = kept else { return Ok(Self::default()) };
        let order = (&kept.parameters, context.search.sorted_positions(), &kept.spare);
        let made = |label, array, words| Move::new(gpu, ("restore", label), order, (array, words, state.count));
        let mut moves =
            vec![made("restore positions", &state.positions, 4)?, made("restore velocities", &state.velocities, 4)?];
        for carried in &context.carried {
            moves.push(made("restore carried", &carried.unsorted, carried.array.words)?);
        }
        Ok(Self {
            state: moves,
            densities: vec![made("restore densities", &context.densities, 2)?],
            counters: vec![
                made("restore neighbor counts", &context.counters.neighbor_counts, 1)?,
                made("restore candidate counts", &context.counters.candidate_counts, 1)?,
            ],
        })
    }

    /// Records the passes that follow a step, which leaves the state sorted.
    pub(super) fn record_state(&self, encoder: &mut wgpu::CommandEncoder, mut timer: Option<&mut PassTimer>) {
        for array in self.state.iter().chain(&self.densities) {
            array.record(encoder, timer.as_deref_mut());
        }
    }

    /// Records the passes that follow densities without a step.
    pub(super) fn record_densities(&self, encoder: &mut wgpu::CommandEncoder, mut timer: Option<&mut PassTimer>) {
        self.densities.iter().for_each(|array| array.record(encoder, timer.as_deref_mut()));
    }

    /// Records the passes that follow a survey, which computes the densities again while it counts.
    pub(super) fn record_counters(&self, encoder: &mut wgpu::CommandEncoder) {
        self.densities.iter().chain(&self.counters).for_each(|array| array.record(encoder, None));
    }
}

impl Simulation {
    /// Brings all arrays of the particles into a random order in memory, which depends only on `seed`. The physical
    /// state does not change. Counts of the last survey are out of date until the next step or densities.
    ///
    /// # Errors
    /// When the device has no memory for one more array of the particles.
    pub fn shuffle_memory(&mut self, seed: u64) -> Result<(), FluidError> {
        let count = self.state.count;
        let gpu = &self.gpu;
        let spare = gpu.storage::<[u32; 4]>("particles in another order", count.into())?;
        let parameters = gpu.uniform("memory order", &OrderParameters::new(count, seed));
        let order = (&parameters, self.model.context.search.sorted_positions(), &spare);
        let counters = &self.model.context.counters;
        let mut arrays = vec![
            (&self.state.positions, 4),
            (&self.state.velocities, 4),
            (&self.model.context.densities, 2),
            (&counters.neighbor_counts, 1),
            (&counters.candidate_counts, 1),
        ];
        arrays.extend(self.model.context.carried.iter().map(|carried| (&carried.unsorted, carried.array.words)));
        let made = |(array, words)| Move::new(gpu, ("shuffle", "shuffle memory"), order, (array, words, count));
        let moves = arrays.into_iter().map(made).collect::<Result<Vec<_>, _>>()?;
        gpu.submit(|encoder| moves.iter().for_each(|array| array.record(encoder, None)));
        self.smoothing.forget();
        Ok(())
    }

    /// Number of steps from one that leaves the particles sorted in memory to the next; 1 by default.
    pub fn resort_interval(&self) -> u64 {
        self.kept_order.as_ref().map_or(1, |kept| kept.interval)
    }

    /// Leaves the particles sorted in memory only after steps whose number is a multiple of `interval`; after the
    /// other steps their order is the same as before. 0 and 1 sort on every step.
    ///
    /// # Errors
    /// When the device has no memory for one more array of the particles, or a shader does not compile.
    pub fn set_resort_interval(&mut self, interval: u64) -> Result<(), FluidError> {
        let interval = interval.max(1);
        match &mut self.kept_order {
            Some(kept) if interval > 1 => {
                kept.interval = interval;
                return Ok(());
            }
            None if interval == 1 => return Ok(()),
            _ => {}
        }
        let kept = (interval > 1).then(|| KeptOrder::new(&self.gpu, self.state.count, interval)).transpose()?;
        self.kept_order = kept;
        self.passes.restore =
            RestorePasses::new(&self.gpu, &self.model.context, &self.state, self.kept_order.as_ref())?;
        Ok(())
    }

    /// Records the passes that restore the order of the state from before the step that was just recorded, if this
    /// step is not to sort it.
    pub(super) fn record_kept_order(&mut self, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) {
        let Some(kept) = &mut self.kept_order else { return };
        kept.is_sorted = self.step_count.is_multiple_of(kept.interval);
        if !kept.is_sorted {
            self.passes.restore.record_state(encoder, timer);
        }
    }

    /// Records the passes that bring densities into the order of the state, which does not change. Returns false, and
    /// records nothing, where every step sorts.
    pub(super) fn record_kept_densities(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        timer: Option<&mut PassTimer>,
    ) -> bool {
        let Some(kept) = &mut self.kept_order else { return false };
        kept.is_sorted = false;
        self.passes.restore.record_densities(encoder, timer);
        true
    }

    /// Records the passes that bring a survey's counters into the order of the state, if the state is not sorted.
    pub(super) fn record_kept_counters(&self, encoder: &mut wgpu::CommandEncoder) {
        if self.kept_order.as_ref().is_some_and(|kept| !kept.is_sorted) {
            self.passes.restore.record_counters(encoder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, assert_same_layout};

    #[test]
    fn order_parameters_have_the_layout_of_the_shader() {
        let variant = ShaderVariant::new(FILE).with_number("WORDS", 4);
        let (module, _) = ShaderLibrary::embedded().compose(&variant).expect("it composes");
        assert_same_layout::<OrderParameters>(&module);
    }

    #[test]
    fn the_network_has_room_for_every_particle() {
        for count in [1, 2, 3, 4, 5, 16, 17, 4_096, 4_097, 1 << 20, u32::MAX / 4] {
            let bits = 2 * OrderParameters::new(count, 0).half_bits;
            assert!(u64::from(count) <= 1 << bits && bits <= 32, "{count}");
            assert!(count < 4 || 1_u64 << bits < 4 * u64::from(count), "{count}");
        }
    }
}
