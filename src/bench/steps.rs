//! Times complete time steps of the default scene while the water is in motion.

use std::sync::Arc;

use super::{BenchError, Spread};
use crate::fluid::{Scene, Settings, Simulation, Size};
use crate::gpu::{Gpu, GpuError, PassTimer, span_milliseconds};

/// Steps before timing: afterwards the water is in motion, and the device has left its idle clock rate.
const STEPS_BEFORE: u32 = 300;

/// Number of steps of foam that are timed.
const FOAM_RUNS: u32 = 9;

/// The time of a step.
#[derive(Clone, Debug)]
pub struct StepFigures {
    /// Number of particles in the scene.
    pub particle_count: u32,
    /// From the start of the first pass to the end of the last one, ms.
    pub step: Spread,
    /// The label of every pass with its time, ms.
    pub passes: Vec<(&'static str, Spread)>,
    /// The time of a step of foam, ms, and how many steps of the water there are for each; `None` without foam. It is
    /// not part of the other times.
    pub foam: Option<(Spread, f64)>,
}

/// Times a step of the dam break with about `particle_count` particles and otherwise the given settings.
///
/// # Errors
/// When the scene does not fit into the device's memory, or the device fails or has no timestamps.
pub fn time_steps(
    gpu: &Arc<Gpu>,
    settings: &Settings,
    particle_count: u32,
    runs: u32,
) -> Result<StepFigures, BenchError> {
    let settings = Settings { size: Size::Count(particle_count), ..settings.clone() };
    let mut simulation = Simulation::new(gpu, &Scene::load("dam_break")?, &settings)?;
    let pass_count = simulation.passes().count();
    let mut timer = PassTimer::new(gpu, pass_count as u32 + 1);
    if !timer.supported() {
        return Err(GpuError::NoTimestamps { adapter: gpu.capabilities.name.clone() }.into());
    }
    for _ in 0..STEPS_BEFORE {
        gpu.submit(|encoder| simulation.record_step(encoder, None));
    }
    gpu.wait()?;
    let mut spans = Vec::new();
    let mut times = vec![("", Vec::new()); pass_count];
    let mut of_foam = Vec::new();
    // Foam follows every few steps only, so a few more steps may be needed to time it.
    let wanted_of_foam = if simulation.foam().is_some() { runs.min(FOAM_RUNS) as usize } else { 0 };
    while spans.len() < runs as usize || of_foam.len() < wanted_of_foam {
        gpu.submit(|encoder| {
            simulation.record_step(encoder, Some(&mut timer));
            timer.resolve(gpu, encoder);
        });
        gpu.wait()?;
        for passes in timer.collect(gpu) {
            let (passes, foam) = passes.split_at(pass_count.min(passes.len()));
            of_foam.extend(foam.iter().map(|pass| pass.milliseconds));
            spans.push(span_milliseconds(passes));
            for ((label, values), pass) in times.iter_mut().zip(passes) {
                *label = pass.label;
                values.push(pass.milliseconds);
            }
        }
    }
    let steps_of_foam = spans.len() as f64 / of_foam.len().max(1) as f64;
    Ok(StepFigures {
        particle_count: simulation.resolution().particle_count,
        step: Spread::of(spans),
        foam: (!of_foam.is_empty()).then(|| (Spread::of(of_foam), steps_of_foam)),
        passes: times.into_iter().map(|(label, values)| (label, Spread::of(values))).collect(),
    })
}
