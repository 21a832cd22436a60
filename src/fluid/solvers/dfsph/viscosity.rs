//! The stages of viscosity. An explicit step of viscosity is unstable where the steps are long for the viscosity and
//! the resolution. Then it consists of several explicit stages, whose factors are those of a Runge-Kutta-Legendre
//! method of first order (C. D. Meyer, D. S. Balsara and T. D. Aslam, A stabilized Runge-Kutta-Legendre method for
//! explicit super-time-stepping of parabolic and mixed equations, Journal of Computational Physics 257, 2014, equation
//! 10): with s stages a wave that decays with the rate λ is multiplied by the Legendre polynomial of degree s of 1 − 2
//! λ Δt / (s² + s), whose absolute value is at most 1 up to λ Δt = s² + s, and which to first order is 1 − λ Δt at any
//! s. Long waves therefore decay as they should, whatever the number. Each stage repeats a part of the change by the
//! last one and adds forces that are opposite in each pair, so momentum is kept as in a single step.
//!
//! The last stage is that of the forces. There are an odd number of stages, because the others are made in pairs, after
//! which the velocities are where they were. Where a single one suffices, no others run; only scenes with a kinematic
//! viscosity have any. Viscosity beyond what the largest number can do is limited to it.

use std::sync::{Mutex, PoisonError};

use super::VISCOSITY;
use super::iterations::{SIZES, Sizes};
use crate::fluid::FluidError;
use crate::fluid::passes::PassMaker;
use crate::gpu::{Gpu, Pass, gpu_struct};

/// Largest number of stages.
pub(super) const MOST: u32 = 9;
/// Largest rate times the length of a step, as a share of what is stable. The rate is that of a lattice whose neighbors
/// all have the opposite velocity, which no wave exceeds, but disorder does.
const SAFETY: f32 = 0.75;

/// Labels of the stages before the forces.
const LABELS: [&str; MOST as usize - 1] = [
    "viscosity, stage 1",
    "viscosity, stage 2",
    "viscosity, stage 3",
    "viscosity, stage 4",
    "viscosity, stage 5",
    "viscosity, stage 6",
    "viscosity, stage 7",
    "viscosity, stage 8",
];

gpu_struct! {
    /// The factors of a stage.
    pub struct Stage {
        /// Factor of the change of the velocities by the stage before; 0 in the first stage.
        pub repeated: f32,
        /// Factor of the acceleration by viscosity.
        pub share: f32,
        /// By how much an impulse of this stage has grown at the end of the last one.
        pub carried: f32,
    }
}

/// Largest rate times the length of a step with this number of stages.
fn reach(stages: u32) -> f32 {
    SAFETY * (stages * (stages + 1)) as f32
}

/// Number of stages for this rate times the length of a step; 1 where there may be no others.
pub(super) fn stages_for(rate: f32, may_be_many: bool) -> u32 {
    let most = if may_be_many { MOST } else { 1 };
    (1..most).step_by(2).find(|&stages| rate <= reach(stages)).unwrap_or(most)
}

/// The factor on the viscosity with which this number of stages is stable.
pub(super) fn limit(rate: f32, stages: u32) -> f32 {
    (reach(stages) / rate).min(1.0)
}

/// The factors of the stages, of which there are `stages`.
fn factors(stages: u32) -> Vec<Stage> {
    let repeated = |stage: u32| (stage - 1) as f32 / stage as f32;
    // After its stage, the change by an impulse is repeated in every further one.
    let carried = |stage: u32| {
        let (grown, _) = (stage + 1..=stages).fold((1.0, 1.0), |(grown, change), at| {
            let change = repeated(at) * change;
            (grown + change, change)
        });
        grown
    };
    let whole = 2.0 / (stages * (stages + 1)) as f32;
    (1..=stages)
        .map(|stage| Stage {
            repeated: repeated(stage),
            share: whole * (1.0 + repeated(stage)),
            carried: carried(stage),
        })
        .collect()
}

/// What the stages before the forces need.
pub(super) struct Viscosity {
    /// The factors: of the stages before the forces, and then of the last one.
    stages: Vec<wgpu::Buffer>,
    /// Numbers of workgroups of each pair of stages, three for each size; zeros where they are skipped.
    arguments: wgpu::Buffer,
    chosen: Mutex<Chosen>,
}

/// The number of stages, and the different sizes of their passes.
#[derive(Default)]
struct Chosen {
    stages: u32,
    sizes: Vec<[u32; 2]>,
}

impl Viscosity {
    pub(super) fn new(gpu: &Gpu, stages: u32) -> Result<Self, FluidError> {
        let one = Stage { repeated: 0.0, share: 1.0, carried: 1.0 };
        let viscosity = Self {
            stages: (0..MOST).map(|_| gpu.uniform("stage of viscosity", &one)).collect(),
            arguments: gpu.storage::<u32>("workgroups of the stages", u64::from(MOST / 2) * 3 * SIZES)?,
            chosen: Mutex::default(),
        };
        viscosity.write(gpu, stages);
        Ok(viscosity)
    }

    /// Chooses the number of stages, which is odd.
    pub(super) fn write(&self, gpu: &Gpu, stages: u32) {
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        chosen.stages = stages;
        let factors = factors(stages);
        let buffers = self.stages[..stages as usize - 1].iter().chain(self.stages.last());
        for (buffer, stage) in buffers.zip(&factors) {
            gpu.write_uniform(buffer, stage);
        }
        self.count(gpu, &chosen);
    }

    /// Writes the numbers of workgroups.
    fn count(&self, gpu: &Gpu, chosen: &Chosen) {
        let mut words = vec![0_u32; (MOST / 2) as usize * 3 * SIZES as usize];
        for pair in words.chunks_mut(3 * SIZES as usize).take((chosen.stages / 2) as usize) {
            for (word, [x, y]) in pair.chunks_mut(3).zip(&chosen.sizes) {
                word.copy_from_slice(&[*x, *y, 1]);
            }
        }
        gpu.queue.write_buffer(&self.arguments, 0, bytemuck::cast_slice(&words));
    }

    /// The factors of the last stage, which is that of the forces.
    pub(super) fn last(&self) -> Option<&wgpu::Buffer> {
        self.stages.last()
    }

    /// The passes of all stages before the forces.
    pub(super) fn passes(
        &self,
        maker: &PassMaker<'_>,
        own: &[(&'static str, &wgpu::Buffer)],
    ) -> Result<Vec<Pass>, FluidError> {
        let mut sizes = Sizes { known: Vec::new(), arguments: &self.arguments, first: 0 };
        let mut passes = Vec::new();
        for (number, (label, stage)) in LABELS.iter().zip(&self.stages).enumerate() {
            let velocities = [maker.sorted_velocities(), maker.velocities()];
            let bound = [("stage", stage), ("before", velocities[number % 2]), ("after", velocities[1 - number % 2])];
            sizes.first = (number / 2) as u64 * SIZES;
            passes.extend(sizes.all_counted(maker.pairs(label, &VISCOSITY, &[own, &bound].concat(), None)?));
        }
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        chosen.sizes = sizes.known;
        self.count(maker.gpu, &chosen);
        Ok(passes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::VISCOSITY;
    use super::{MOST, Stage, factors, limit, reach, stages_for};
    use crate::fluid::tests::assert_pair_layout;

    #[test]
    fn stages_have_the_layout_of_the_shader() {
        assert_pair_layout::<Stage>(&VISCOSITY);
    }

    /// What a wave that decays with this rate times the length of a step is multiplied by.
    fn response(stages: u32, rate: f32) -> f32 {
        let (_, after) = factors(stages).iter().fold((1.0, 1.0), |(before, now), stage| {
            (now, now + stage.repeated * (now - before) - stage.share * rate * now)
        });
        after
    }

    #[test]
    fn waves_decay_at_their_rate_and_none_grows() {
        for stages in (1..=MOST).step_by(2) {
            let rate = 0.01;
            assert!((response(stages, rate) - (1.0 - rate)).abs() < 1e-4, "{stages} stages");
            let most = reach(stages) / super::SAFETY;
            let rates = (0..1000_u16).map(|part| most * f32::from(part) / 1000.0);
            let largest = rates.map(|rate| response(stages, rate).abs()).fold(0.0, f32::max);
            assert!(largest <= 1.0 + 1e-4, "{stages} stages: {largest}");
            assert!(response(stages, 1.05 * most).abs() > 1.0, "{stages} stages could do more");
        }
    }

    #[test]
    fn impulses_of_all_stages_add_up_to_one() {
        for stages in (1..=MOST).step_by(2) {
            let whole: f32 = factors(stages).iter().map(|stage| stage.share * stage.carried).sum();
            assert!((whole - 1.0).abs() < 1e-5, "{stages} stages: {whole}");
        }
    }

    #[test]
    fn as_few_stages_as_suffice() {
        assert_eq!([0.0, 1.4, 1.6, 8.9, 9.1, 60.0, 1e4].map(|rate| stages_for(rate, true)), [1, 1, 3, 3, 5, 9, 9]);
        assert_eq!(stages_for(50.0, false), 1);
        assert!((limit(1.0, 1) - 1.0).abs() < 1e-6 && (limit(15.0, 1) - 0.1).abs() < 1e-6);
    }
}
