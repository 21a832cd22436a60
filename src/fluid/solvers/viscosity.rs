//! The stages of viscosity, for solvers with long steps. An explicit step of viscosity is unstable where the steps are
//! long for the viscosity and the resolution. Then it consists of several explicit stages, whose factors are those of a
//! Runge-Kutta-Legendre method of first order (C. D. Meyer, D. S. Balsara and T. D. Aslam, A stabilized Runge-Kutta-
//! Legendre method for explicit super-time-stepping of parabolic and mixed equations, Journal of Computational Physics
//! 257, 2014, equation 10): with s stages a wave that decays with the rate λ is multiplied by the Legendre polynomial
//! of degree s of 1 − 2 λ Δt / (s² + s), whose absolute value is at most 1 up to λ Δt = s² + s, and which to first
//! order is 1 − λ Δt at any s. Long waves therefore decay as they should, whatever the number. Each stage repeats a
//! part of the change by the last one and adds forces that are opposite in each pair, so momentum is kept as in a
//! single step.
//!
//! Where a single stage suffices, it is part of a pass in which the solver has other forces as well. Only scenes with a
//! kinematic viscosity have more; they are passes of the pair kernel here, with the exception of the last one where the
//! solver has that in its own pass. There are an odd number of stages, because the passes go from one buffer of
//! velocities to another and back. No step of a scene with a kinematic viscosity is longer than what the largest number
//! can do (`longest_step`): solvers shorten those that they choose, and given ones are refused.
//!
//! Bodies that move freely take part in the stages, because the velocity of one that kept its velocity until the end of
//! the step would grow where viscosity moves more water than the body weighs (`StepPart::after_stage`). Light ones may
//! need more stages than the water (`viscous_rate.rs`).

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::contract::{Shape, SolverInput};
use super::problem::Problem;
use super::viscous_rate::{factor_of_solids, viscous_rate};
use crate::explanation::PassTag;
use crate::fluid::FluidError;
use crate::fluid::passes::PassMaker;
use crate::fluid::shader::FluidShader;
use crate::fluid::step_part::StageOfViscosity;
use crate::gpu::{Pass, gpu_struct};

/// Definition of a solver's shaders where there is any viscosity.
pub(super) const VISCOUS: &str = "VISCOUS";
/// Definition where it may need several stages.
pub(super) const STAGED: &str = "STAGED";

/// The longest step, s, for which there are enough stages; infinite without a kinematic viscosity, since the artificial
/// one has no stages and is limited.
pub(in crate::fluid) fn longest_step(problem: &Problem<'_>) -> f64 {
    if problem.medium.material.kinematic_viscosity > 0.0 {
        f64::from(reach(MOST)) / (factor_of_solids(problem) * viscous_rate(problem))
    } else {
        f64::INFINITY
    }
}

/// Largest number of stages. With a radius ratio of 3 in two dimensions it suffices up to a kinematic viscosity of
/// about 300 squares of the spacing per step.
const MOST: u32 = 49;
/// Largest rate times the length of a step, as a share of what is stable. The rate is that of a lattice whose neighbors
/// all have the opposite velocity, which no wave exceeds, but disorder does.
const SAFETY: f32 = 0.75;

/// The pair kernel of a stage. With REACTS it adds the reactions of solids to those that are stored, otherwise it
/// leaves them to the pass of the last stage.
const STAGE_FILE: &str = "fluid/viscous_stage.wgsl";
pub(super) const STAGE: FluidShader = FluidShader::pair_with_images(STAGE_FILE, false).loading_walls();
pub(super) static STAGE_WITH_REACTIONS: LazyLock<FluidShader> = LazyLock::new(|| STAGE.with(&["REACTS"]));
/// What the explanation of a solver says about, in its line on the stages.
pub(super) const EXPLAINED: &[PassTag] = &[PassTag::PairKernel(STAGE_FILE)];

/// Whether viscosity may need several stages.
pub(super) fn is_staged(shape: &Shape) -> bool {
    shape.has(VISCOUS) && shape.has(STAGED)
}

static LABELS: LazyLock<Vec<String>> =
    LazyLock::new(|| (1..=MOST).map(|number| format!("viscosity, stage {number}")).collect());

gpu_struct! {
    /// The factors of a stage.
    pub struct Stage {
        /// Factor of the change of the velocities by the stage before; 0 in the first stage.
        pub repeated: f32,
        /// By how much an impulse of this stage has grown at the end of the last one.
        pub carried: f32,
        /// 2 α c h of the artificial viscosity between particles that approach each other, limited to what is stable
        /// and times the share of the step that this stage is, m²/s.
        pub approach_viscosity: f32,
        /// Strength of the kinematic viscosity as in `FluidParameters`, limited and shared in the same way,
        /// kg/(m³ s).
        pub viscosity: f32,
        /// The share of the step that this stage is, with which accelerations besides viscosity act in it.
        pub share: f32,
    }
}

/// What a stage does, whatever the viscosity.
struct Factors {
    repeated: f32,
    /// Factor of the acceleration by viscosity.
    share: f32,
    carried: f32,
}

/// Largest rate times the length of a step with this number of stages.
fn reach(stages: u32) -> f32 {
    SAFETY * (stages * (stages + 1)) as f32
}

/// The number of stages and what they can do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Largest rate times the length of a step of a single stage.
    pub(super) alone: f32,
    /// Whether there may be more than one.
    pub(super) may_be_many: bool,
}

impl Reach {
    /// What is stable for velocities that nothing else changes at the same time.
    pub(super) const WHOLE: f32 = 2.0 * SAFETY;

    /// Number of stages for this rate times the length of a step, which is odd.
    fn stages_for(self, rate: f32) -> u32 {
        if !self.may_be_many || rate <= self.alone {
            return 1;
        }
        (3..MOST).step_by(2).find(|&stages| rate <= reach(stages)).unwrap_or(MOST)
    }

    /// The factor on the viscosity with which a step at this rate times its length is stable: 1 where there may be as
    /// many stages as it needs.
    fn limit(self, rate: f32) -> f32 {
        if self.may_be_many { 1.0 } else { (self.alone / rate).min(1.0) }
    }
}

/// The factors of the stages, of which there are `stages`.
fn factors(stages: u32) -> Vec<Factors> {
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
        .map(|stage| Factors {
            repeated: repeated(stage),
            share: whole * (1.0 + repeated(stage)),
            carried: carried(stage),
        })
        .collect()
}

/// The rate of viscosity in the water times the length of the step.
fn rate_in_step(input: &SolverInput<'_>) -> f32 {
    input.resolution.time_step * viscous_rate(&input.problem) as f32
}

/// What the stages need.
pub(super) struct Viscosity {
    /// The factors: of the stages before the last one, and then of that.
    stages: Vec<wgpu::Buffer>,
    reach: Reach,
    /// Number of stages.
    chosen: AtomicU32,
    /// Number of stages that the passes were made for.
    made: AtomicU32,
}

impl Viscosity {
    pub(super) fn new(input: &SolverInput<'_>, reach: Reach) -> Self {
        let none = Stage { repeated: 0.0, carried: 1.0, approach_viscosity: 0.0, viscosity: 0.0, share: 1.0 };
        let count = if reach.may_be_many { MOST } else { 1 };
        let stages = (0..count).map(|_| input.gpu.uniform("stage of viscosity", &none)).collect();
        let viscosity = Self { stages, reach, chosen: AtomicU32::new(1), made: AtomicU32::new(1) };
        viscosity.write(input);
        viscosity
    }

    /// The factor on the viscosities of the parameters with which the step is stable.
    pub(super) fn limit(&self, input: &SolverInput<'_>) -> f32 {
        self.reach.limit(rate_in_step(input))
    }

    /// Chooses the number of stages, and writes their factors.
    pub(super) fn write(&self, input: &SolverInput<'_>) {
        let count = self.reach.stages_for(factor_of_solids(&input.problem) as f32 * rate_in_step(input));
        let stable = self.limit(input);
        let (before, last) = self.stages.split_at(self.stages.len() - 1);
        for (buffer, Factors { repeated, share, carried }) in
            before[..count as usize - 1].iter().chain(last).zip(factors(count))
        {
            let approach_viscosity = share * stable * input.parameters.approach_viscosity;
            let viscosity = share * stable * input.parameters.viscosity;
            input.gpu.write_uniform(buffer, &Stage { repeated, carried, approach_viscosity, viscosity, share });
        }
        self.chosen.store(count, Ordering::Relaxed);
    }

    /// The factors of the last stage.
    pub(super) fn last(&self) -> Option<&wgpu::Buffer> {
        self.stages.last()
    }

    /// Whether there is more than one stage.
    pub(super) fn has_many(&self) -> bool {
        self.chosen.load(Ordering::Relaxed) > 1
    }

    /// Whether the passes that were made are as many as the chosen number of stages needs.
    pub(super) fn is_current(&self) -> bool {
        self.chosen.load(Ordering::Relaxed) == self.made.load(Ordering::Relaxed)
    }

    /// The passes of all stages before the last one; none where there is a single one. They begin with the velocities
    /// in the first of two buffers, and leave the result there and in the other what it was a stage before.
    pub(super) fn passes_before_last(
        &self,
        maker: &PassMaker<'_>,
        velocities: [&wgpu::Buffer; 2],
        own: &[(&'static str, &wgpu::Buffer)],
    ) -> Result<Vec<Pass>, FluidError> {
        let count = self.chosen.load(Ordering::Relaxed);
        self.made.store(count, Ordering::Relaxed);
        if count == 1 {
            return Ok(Vec::new());
        }
        let stages = &self.stages[..count as usize - 1];
        stage_passes(maker, &STAGE, (stages.iter(), velocities), own)
    }

    /// The passes after that of the last one of several stages, where the solver has that in a pass of its own, which
    /// leaves these velocities.
    pub(super) fn passes_after_last(
        &self,
        maker: &PassMaker<'_>,
        velocities: &wgpu::Buffer,
    ) -> Result<Vec<Pass>, FluidError> {
        let Some(factors) = self.last().filter(|_| self.has_many()) else { return Ok(Vec::new()) };
        maker.of_parts(|part| part.after_stage(maker, &StageOfViscosity { factors, velocities }))
    }

    /// The passes of all stages where there are several, and none where there is a single one. They begin with the
    /// velocities in the first of two buffers and leave the result in the second.
    pub(super) fn passes_of_many(
        &self,
        maker: &PassMaker<'_>,
        velocities: [&wgpu::Buffer; 2],
        own: &[(&'static str, &wgpu::Buffer)],
    ) -> Result<Vec<Pass>, FluidError> {
        let count = self.chosen.load(Ordering::Relaxed);
        self.made.store(count, Ordering::Relaxed);
        if count == 1 {
            return Ok(Vec::new());
        }
        let stages = self.stages[..count as usize - 1].iter().chain(self.last());
        stage_passes(maker, &STAGE_WITH_REACTIONS, (stages, velocities), own)
    }
}

fn stage_passes<'a>(
    maker: &PassMaker<'_>,
    shader: &FluidShader,
    (stages, velocities): (impl Iterator<Item = &'a wgpu::Buffer>, [&wgpu::Buffer; 2]),
    own: &[(&'static str, &wgpu::Buffer)],
) -> Result<Vec<Pass>, FluidError> {
    let mut passes = maker.of_parts(|part| part.before_stages(maker, velocities[0]))?;
    for (number, (label, factors)) in LABELS.iter().zip(stages).enumerate() {
        let (before, after) = (velocities[number % 2], velocities[1 - number % 2]);
        let bound = [("stage", factors), ("before", before), ("after", after)];
        passes.extend(maker.pairs(label, shader, &[own, &bound].concat(), None)?);
        let stage = StageOfViscosity { factors, velocities: after };
        passes.extend(maker.of_parts(|part| part.after_stage(maker, &stage))?);
    }
    Ok(passes)
}

#[cfg(test)]
mod tests {
    use super::{MOST, Reach, STAGE, Stage, factors, reach};
    use crate::fluid::tests::assert_pair_layout;

    #[test]
    fn stages_have_the_layout_of_the_shader() {
        assert_pair_layout::<Stage>(&STAGE);
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
        let rates = [0.0, 1.4, 1.6, 8.9, 9.1, 60.0, 70.0, 1800.0, 1e4];
        let many = Reach { alone: Reach::WHOLE, may_be_many: true };
        let one = Reach { alone: 1.0, may_be_many: false };
        assert_eq!(rates.map(|rate| many.stages_for(rate)), [1, 1, 3, 3, 5, 9, 11, 49, 49]);
        assert_eq!((one.stages_for(50.0), Reach { may_be_many: true, ..one }.stages_for(1.1)), (1, 3));
        assert!((one.limit(0.9) - 1.0).abs() < 1e-6 && (one.limit(10.0) - 0.1).abs() < 1e-6);
        assert!((many.limit(1800.0) - 1.0).abs() < 1e-6);
    }
}
