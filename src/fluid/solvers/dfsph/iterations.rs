//! The iterations of DFSPH. As many as the settings allow are recorded in each step; the device decides by the errors
//! after which one to end, and skips the others: their passes read the number of their workgroups from a buffer that
//! the decision writes.
//!
//! An iteration consists of the errors of the current velocities and shifts, with which the pressures are corrected; of
//! the mean error; of the velocities and shifts by the new pressures; and of the decision.

use std::sync::LazyLock;

use super::settings::MOST_ITERATIONS;
use super::{DECIDE, FIRST, MEASURE};
use crate::fluid::FluidError;
use crate::fluid::passes::PassMaker;
use crate::fluid::shader::FluidShader;
use crate::fluid::solids::Shown;
use crate::gpu::{Dispatch, Gpu, Pass};
use crate::search::ADDED_LABELS;

/// Most workgroups of *mean error*, and the invocations of each: PARTS in measure.wgsl.
const PARTS: u64 = 256;
/// Words of `Control` in parameters.wgsl.
const CONTROL_WORDS: u64 = 3;
/// Largest number of passes of a traversal and of its measurement whose sizes may differ.
const SIZES: u64 = 16;

/// Labels of the passes of an iteration.
struct Labels {
    rate: String,
    measure: String,
    pressure: String,
    decide: String,
}

static LABELS: LazyLock<Vec<Labels>> = LazyLock::new(|| {
    let label = |number: usize| Labels {
        rate: format!("iteration {number}: error"),
        measure: format!("iteration {number}: mean error"),
        pressure: format!("iteration {number}: pressure"),
        decide: format!("iteration {number}: decide"),
    };
    (1..=MOST_ITERATIONS).map(label).collect()
});

/// The buffers with which the device decides when the iterations end.
pub(super) struct Iterations {
    most: usize,
    /// The state: `Control` in parameters.wgsl.
    control: wgpu::Buffer,
    /// Numbers of workgroups of the passes of an iteration, three for each size.
    full: wgpu::Buffer,
    /// The same, or zeros once the iterations have ended.
    arguments: wgpu::Buffer,
}

impl Iterations {
    pub(super) fn new(gpu: &Gpu, most: u32) -> Result<Self, FluidError> {
        Ok(Self {
            most: most as usize,
            control: gpu.storage::<u32>("state of the iterations", CONTROL_WORDS)?,
            full: gpu.storage::<u32>("workgroups of an iteration", 3 * SIZES)?,
            arguments: gpu.storage::<u32>("remaining workgroups of an iteration", 3 * SIZES)?,
        })
    }

    /// The state: `Control` in parameters.wgsl; len = 1.
    pub(super) fn control(&self) -> &wgpu::Buffer {
        &self.control
    }

    /// The passes of all iterations, with these pair kernels of the errors and of pressure.
    pub(super) fn passes(
        &self,
        maker: &PassMaker<'_>,
        own: &[(&'static str, &wgpu::Buffer)],
        error: &FluidShader,
        pressure: &FluidShader,
    ) -> Result<Vec<Pass>, FluidError> {
        let own = [own, &[("full", &self.full), ("arguments", &self.arguments)]].concat();
        let parts = u64::from(maker.particle_count()).div_ceil(PARTS).clamp(1, PARTS);
        let moved = || maker.of_parts(|part| part.after_pressures(maker, Shown::Velocities(maker.velocities())));
        // The first iteration is always made.
        let measure = maker.dispatched("mean error", &MEASURE, &own, Dispatch::Workgroups(parts))?;
        let first = Iteration {
            rate: maker.pairs("error", &error.clone().with(&[FIRST]), &own, None)?,
            measure: measure.clone(),
            pressure: maker.pairs("pressure", &pressure.clone().with(&[FIRST]), &own, None)?,
            moved: moved()?,
            decide: maker.dispatched("decide", &DECIDE.with(&[FIRST]), &own, Dispatch::Workgroups(1))?,
        };
        let mut sizes = Sizes { known: Vec::new(), arguments: &self.arguments };
        let further = Iteration {
            rate: sizes.all_counted(maker.pairs("error", error, &own, None)?),
            measure: sizes.counted(measure),
            pressure: sizes.all_counted(maker.pairs("pressure", pressure, &own, None)?),
            moved: sizes.all_counted(moved()?),
            decide: maker.dispatched("decide", &DECIDE, &own, Dispatch::Workgroups(1))?,
        };
        let words: Vec<u32> = sizes.known.iter().flat_map(|[x, y]| [*x, *y, 1]).collect();
        maker.gpu.queue.write_buffer(&self.full, 0, bytemuck::cast_slice(&words));
        let further = LABELS[1..self.most].iter().flat_map(|labels| further.labeled(labels));
        Ok(first.labeled(&LABELS[0]).into_iter().chain(further).collect())
    }
}

/// The passes of an iteration.
struct Iteration {
    rate: Vec<Pass>,
    measure: Pass,
    pressure: Vec<Pass>,
    /// Those of what moves by its pressures besides the water.
    moved: Vec<Pass>,
    decide: Pass,
}

impl Iteration {
    /// The passes in their order. Those that the search adds keep their own labels.
    fn labeled(&self, labels: &'static Labels) -> Vec<Pass> {
        let relabeled = |pass: &Pass, label: &'static str| {
            if ADDED_LABELS.contains(&pass.label) { pass.clone() } else { pass.labeled(label) }
        };
        let mut passes: Vec<_> = self.rate.iter().map(|pass| relabeled(pass, &labels.rate)).collect();
        passes.push(self.measure.labeled(&labels.measure));
        passes.extend(self.pressure.iter().map(|pass| relabeled(pass, &labels.pressure)));
        passes.extend(self.moved.iter().cloned());
        passes.push(self.decide.labeled(&labels.decide));
        passes
    }
}

/// The different sizes of passes, in the order of the arguments.
struct Sizes<'a> {
    known: Vec<[u32; 2]>,
    arguments: &'a wgpu::Buffer,
}

impl Sizes<'_> {
    fn all_counted(&mut self, passes: Vec<Pass>) -> Vec<Pass> {
        passes.into_iter().map(|pass| self.counted(pass)).collect()
    }

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
