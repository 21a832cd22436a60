//! The iterations of one of the two solvers of DFSPH. As many as the settings allow are recorded in each step; the device
//! decides by the error after which one the solver has finished, and skips the others: their passes read the number of
//! their workgroups from a buffer that the decision writes.

use std::sync::LazyLock;

use super::settings::MOST_ITERATIONS;
use super::{DECIDE, MEASURE, PRESSURE, RATE};
use crate::fluid::FluidError;
use crate::fluid::passes::PassMaker;
use crate::gpu::{Dispatch, Gpu, Pass};
use crate::search::ADDED_LABELS;

/// Workgroups of *measure*, each with as many invocations: PARTS in measure.wgsl.
const PARTS: u64 = 256;
/// Floats or words of the structs in parameters.wgsl and measure.wgsl.
const CONTROL_WORDS: u64 = 4;
/// Largest number of passes of a traversal and of its measurement whose sizes may differ.
const SIZES: u64 = 16;

/// Which of the two solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Removes the divergence of the velocities.
    DivergenceFree,
    /// Corrects the predicted density.
    ConstantDensity,
}

impl Kind {
    /// The definitions of its shaders.
    pub(super) fn flags(self) -> &'static [&'static str] {
        match self {
            Self::DivergenceFree => &[],
            Self::ConstantDensity => &[CONSTANT_DENSITY],
        }
    }
}

/// Definition of the shaders of the constant-density solver.
pub(super) const CONSTANT_DENSITY: &str = "CONSTANT_DENSITY";
/// Definition of the shaders of a solver's first error.
pub(super) const FIRST: &str = "FIRST";

/// Labels of the passes of an iteration.
struct Labels {
    pressure: String,
    rate: String,
    measure: String,
    decide: String,
}

impl Labels {
    fn of(solver: &str) -> Vec<Self> {
        let label = |number: usize| Self {
            pressure: format!("{solver} {number}: pressure"),
            rate: format!("{solver} {number}: error"),
            measure: format!("{solver} {number}: mean error"),
            decide: format!("{solver} {number}: decide"),
        };
        (0..=MOST_ITERATIONS).map(label).collect()
    }
}

static LABELS: LazyLock<[Vec<Labels>; 2]> = LazyLock::new(|| [Labels::of("divergence"), Labels::of("density")]);

/// The buffers with which a solver decides when it has finished.
pub(super) struct Iterations {
    kind: Kind,
    most: usize,
    /// The solver's state: `Control` in parameters.wgsl.
    pub(super) control: wgpu::Buffer,
    /// Numbers of workgroups of the passes of an iteration, three for each size.
    full: wgpu::Buffer,
    /// The same, or zeros once the solver has finished.
    arguments: wgpu::Buffer,
}

impl Iterations {
    pub(super) fn new(gpu: &Gpu, kind: Kind, most: u32) -> Result<Self, FluidError> {
        Ok(Self {
            kind,
            most: most as usize,
            control: gpu.storage::<u32>("state of the iterations", CONTROL_WORDS)?,
            full: gpu.storage::<u32>("workgroups of an iteration", 3 * SIZES)?,
            arguments: gpu.storage::<u32>("remaining workgroups of an iteration", 3 * SIZES)?,
        })
    }

    /// The passes that measure the error of the velocities before the first iteration, and decide whether there is one.
    pub(super) fn first(
        &self,
        maker: &PassMaker<'_>,
        own: &[(&'static str, &wgpu::Buffer)],
    ) -> Result<Vec<Pass>, FluidError> {
        let labels = &LABELS[self.kind as usize][0];
        Ok(vec![
            self.measure(maker, own)?.labeled(&labels.measure),
            self.decide(maker, own, true)?.labeled(&labels.decide),
        ])
    }

    /// The passes of all iterations. `own` contains the velocities without the solver's pressure (`unpressed`) and with
    /// it (`iterate`).
    pub(super) fn passes(
        &self,
        maker: &PassMaker<'_>,
        own: &[(&'static str, &wgpu::Buffer)],
    ) -> Result<Vec<Pass>, FluidError> {
        let own = [own, &[("control", &self.control)]].concat();
        let flags = self.kind.flags();
        let mut sizes = Sizes { known: Vec::new(), arguments: &self.arguments };
        let mut counted = |passes: Vec<Pass>| passes.into_iter().map(|pass| sizes.counted(pass)).collect::<Vec<_>>();
        let pressure = counted(maker.pairs("pressure", &PRESSURE.with(flags), &own, None)?);
        let rate = counted(maker.pairs("error", &RATE.with(flags), &own, None)?);
        let measure = counted(vec![self.measure(maker, &own)?]);
        let decide = self.decide(maker, &own, false)?;
        let words: Vec<u32> = sizes.known.iter().flat_map(|[x, y]| [*x, *y, 1]).collect();
        maker.gpu.queue.write_buffer(&self.full, 0, bytemuck::cast_slice(&words));
        let mut passes = Vec::new();
        for labels in &LABELS[self.kind as usize][1..=self.most] {
            let parts = [(&pressure, &labels.pressure), (&rate, &labels.rate), (&measure, &labels.measure)];
            for (made, label) in parts {
                passes.extend(made.iter().map(|pass| relabeled(pass, label)));
            }
            passes.push(decide.labeled(&labels.decide));
        }
        Ok(passes)
    }

    fn measure(&self, maker: &PassMaker<'_>, own: &[(&'static str, &wgpu::Buffer)]) -> Result<Pass, FluidError> {
        let shader = MEASURE.with(self.kind.flags());
        let own = self.with_arguments(own);
        maker.dispatched("mean error", &shader, &own, Dispatch::Workgroups(PARTS))
    }

    fn decide(
        &self,
        maker: &PassMaker<'_>,
        own: &[(&'static str, &wgpu::Buffer)],
        is_first: bool,
    ) -> Result<Pass, FluidError> {
        let shader = DECIDE.with(self.kind.flags()).with_if(is_first, FIRST);
        let own = self.with_arguments(own);
        maker.dispatched("decide", &shader, &own, Dispatch::Workgroups(1))
    }

    fn with_arguments<'a>(&'a self, own: &[(&'static str, &'a wgpu::Buffer)]) -> Vec<(&'static str, &'a wgpu::Buffer)> {
        let arguments = [("control", &self.control), ("full", &self.full), ("arguments", &self.arguments)];
        let others = own.iter().copied().filter(|(name, _)| *name != "control");
        others.chain(arguments).collect()
    }
}

/// The passes that a search adds keep their own labels.
fn relabeled(pass: &Pass, label: &'static str) -> Pass {
    if ADDED_LABELS.contains(&pass.label) { pass.clone() } else { pass.labeled(label) }
}

/// The different sizes of passes, in the order of the arguments.
struct Sizes<'a> {
    known: Vec<[u32; 2]>,
    arguments: &'a wgpu::Buffer,
}

impl Sizes<'_> {
    /// The pass with its size read from the arguments.
    fn counted(&mut self, pass: Pass) -> Pass {
        let size = pass.workgroups();
        let place = self.known.iter().position(|known| *known == size).unwrap_or_else(|| {
            self.known.push(size);
            self.known.len() - 1
        });
        debug_assert!((place as u64) < SIZES, "an iteration has more passes than arguments");
        pass.counted_by(self.arguments, 12 * place as u64)
    }
}
