//! Times complete time steps of the default scene while the water is in motion.

use std::sync::Arc;

use super::{BenchError, Spread};
use crate::fluid::{Scene, Settings, Simulation, Size};
use crate::gpu::{Gpu, GpuError, PassTimer, span_milliseconds};

/// Steps before timing: afterwards the water is in motion, and the device has left its idle clock rate.
const STEPS_BEFORE: u32 = 300;

/// The time of a step.
#[derive(Clone, Debug)]
pub struct StepFigures {
    /// Number of particles in the scene.
    pub particle_count: u32,
    /// From the start of the first pass to the end of the last one, ms.
    pub step: Spread,
    /// The label of every pass with its time, ms.
    pub passes: Vec<(&'static str, Spread)>,
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
    let mut timer = PassTimer::new(gpu, pass_count as u32);
    if !timer.supported() {
        return Err(GpuError::NoTimestamps { adapter: gpu.capabilities.name.clone() }.into());
    }
    for _ in 0..STEPS_BEFORE {
        gpu.submit(|encoder| simulation.record_step(encoder, None));
    }
    gpu.wait()?;
    let mut spans = Vec::new();
    let mut times = vec![("", Vec::new()); pass_count];
    for _ in 0..runs {
        gpu.submit(|encoder| {
            simulation.record_step(encoder, Some(&mut timer));
            timer.resolve(gpu, encoder);
        });
        gpu.wait()?;
        for passes in timer.collect(gpu) {
            spans.push(span_milliseconds(&passes));
            for ((label, values), pass) in times.iter_mut().zip(&passes) {
                *label = pass.label;
                values.push(pass.milliseconds);
            }
        }
    }
    Ok(StepFigures {
        particle_count: simulation.resolution().particle_count,
        step: Spread::of(spans),
        passes: times.into_iter().map(|(label, values)| (label, Spread::of(values))).collect(),
    })
}
