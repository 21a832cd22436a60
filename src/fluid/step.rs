//! The order of a step, which is the same for all solvers, solids and searches:
//!
//! 1. emitters and drains, and then solids, before the search sorts;
//! 2. the solver's prediction (*predict*);
//! 3. the search's *build*, and *reorder*, which brings velocities into its order;
//! 4. the surface tension, if there is one;
//! 5. the solver's own passes, which write the state of the next step;
//! 6. the contact of fluid with solids;
//! 7. the final passes of solids, in the reverse order of their first passes.

use super::FluidError;
use super::contact::contact_passes;
use super::memory_order::{KeptOrder, RestorePasses};
use super::model::Model;
use super::particles::ParticleState;
use super::passes::{PassMaker, near_wall_passes, reorder_pass};
use super::step_part::StepPart;
use super::surface_tension::surface_tension_passes;
use super::survey::Surveyor;
use crate::gpu::{Gpu, Pass};
use crate::search::Instrument;

/// The passes of a step and of a survey.
pub(super) struct StepPasses {
    /// A time step.
    pub step: Vec<Pass>,
    /// Build, reorder and density, which move no particle.
    pub densities: Vec<Pass>,
    /// The density again, counting pairs.
    pub count: Vec<Pass>,
    /// Computes the survey of the particles.
    pub survey: Vec<Pass>,
    /// Restores the order that arrays had before the build.
    pub restore: RestorePasses,
}

impl StepPasses {
    /// Compiles the shaders and binds their buffers. `parts` are in the order of their passes before the build.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub(super) fn new(
        gpu: &Gpu,
        model: &Model,
        (state, kept_order): (&ParticleState, Option<&KeptOrder>),
        parts: &[&dyn StepPart],
        surveyor: &mut Surveyor,
    ) -> Result<Self, FluidError> {
        let (context, solver) = (&model.context, &model.solver);
        let maker = PassMaker { gpu, context, state, parts };
        let (mut step, mut densities) = (Vec::new(), Vec::new());
        for part in parts {
            step.extend(part.before_step(&maker)?);
        }
        for part in parts {
            densities.extend(part.before_build(&maker)?);
        }
        step.extend(densities.iter().cloned());
        let predictions = solver.predict(&maker)?;
        let is_predicted = !predictions.is_empty();
        step.extend(predictions);
        let mut sorting = context.search.build_passes(gpu)?;
        sorting.push(reorder_pass(&maker)?);
        sorting.extend(near_wall_passes(&maker)?);
        densities.extend(sorting.iter().cloned());
        step.extend(sorting);
        densities.extend(solver.densities(&maker)?);
        if model.features.surface_tension {
            step.extend(surface_tension_passes(&maker)?);
        }
        step.extend(solver.advance(&maker)?);
        if model.features.solver.is_fluid {
            step.extend(contact_passes(&maker, is_predicted, model.features.solver.shifts)?);
        }
        for part in parts.iter().rev() {
            step.extend(part.after_step(&maker)?);
        }
        Ok(Self {
            step,
            densities,
            count: solver.watch_pairs(&maker, Instrument::Count(&context.counters))?,
            survey: surveyor.passes(gpu, &maker.shared(), context.search.cells())?,
            restore: RestorePasses::new(gpu, context, state, kept_order)?,
        })
    }
}
