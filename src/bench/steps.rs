//! A whole time step of the default scene, timed in the middle of its motion.

use std::sync::Arc;

use super::{BenchError, Spread};
use crate::fluid::{Scene, Settings, Simulation, Size};
use crate::gpu::{Gpu, GpuError, PassTimer, span_milliseconds};

/// Steps taken before timing: the water has begun to move, and the device has left its idle clock.
const STEPS_BEFORE: u32 = 300;

/// What a step took.
#[derive(Clone, Debug)]
pub struct StepFigures {
    /// Particles that the scene really holds.
    pub particle_count: u32,
    /// From the first pass's start to the last one's end, ms.
    pub step: Spread,
    /// Every pass's label with its time, ms.
    pub passes: Vec<(&'static str, Spread)>,
}

/// Times a step of the dam break with about `particle_count` particles and otherwise these settings.
///
/// # Errors
/// When the scene does not fit the device, or the device fails or has no timestamps.
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
