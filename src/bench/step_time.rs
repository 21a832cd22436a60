//! The wall-clock time of a scene's first steps.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::BenchError;
use crate::fluid::{Scene, Settings, Simulation};
use crate::gpu::{Gpu, GpuError};

/// Most steps that are submitted together.
const MOST_STEPS: u32 = 256;

/// How long steps are timed.
#[derive(Clone, Copy, Debug)]
pub struct StepTiming {
    /// Steps are timed for at least this wall-clock time.
    pub at_least: Duration,
    /// Timing ends when a step takes longer than this, ms.
    pub hopeless: f64,
}

/// The wall-clock time of one of a scene's first steps, ms: the least of several groups of steps.
///
/// # Errors
/// When the scene refuses the settings, or the device fails.
pub fn time_of_step(
    gpu: &Arc<Gpu>,
    scene: &Scene,
    settings: &Settings,
    timing: &StepTiming,
) -> Result<f64, BenchError> {
    time_of_more_steps(&mut Simulation::new(gpu, scene, settings)?, gpu, timing)
}

/// The same for a simulation that may have made steps before.
///
/// # Errors
/// When the device fails.
pub fn time_of_more_steps(simulation: &mut Simulation, gpu: &Gpu, timing: &StepTiming) -> Result<f64, BenchError> {
    let mut run = |steps: u32| -> Result<f64, GpuError> {
        let start = Instant::now();
        gpu.submit(|encoder| (0..steps).for_each(|_| simulation.record_step(encoder, None)));
        gpu.wait()?;
        Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(steps))
    };
    Ok(least_of_groups(timing, MOST_STEPS, &mut run)?)
}

/// The least time that `run` returns for one of its repetitions, ms: it runs groups of one, two, four and up to `most`
/// repetitions after a first one that does not count, because it includes what a driver postpones to the first use of a
/// pipeline.
///
/// # Errors
/// Those of `run`.
pub(crate) fn least_of_groups<E>(
    timing: &StepTiming,
    most: u32,
    run: &mut impl FnMut(u32) -> Result<f64, E>,
) -> Result<f64, E> {
    run(1)?;
    let start = Instant::now();
    let (mut count, mut least) = (1, f64::INFINITY);
    while start.elapsed() < timing.at_least {
        least = least.min(run(count)?);
        if least > timing.hopeless {
            break;
        }
        count = (2 * count).min(most);
    }
    Ok(least)
}
