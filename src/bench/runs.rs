//! Timed repetitions of a list of passes.

use std::time::{Duration, Instant};

use crate::gpu::{Gpu, GpuError, Pass, PassTime, PassTimer, record};

/// An idle device lowers its clock rate; it has to work this long before times count.
pub(super) const WARM_UP: Duration = Duration::from_millis(150);

/// Runs `passes` for a while to warm up, then `run_count` times, and returns the pass times of each of those runs.
/// `prepare` records, untimed, what must precede every run.
///
/// # Errors
/// When the device has no timestamps or is lost.
pub fn run_times(
    gpu: &Gpu,
    passes: &[Pass],
    run_count: u32,
    prepare: impl Fn(&mut wgpu::CommandEncoder),
) -> Result<Vec<Vec<PassTime>>, GpuError> {
    let mut timer = PassTimer::new(gpu, passes.len() as u32);
    if !timer.supported() {
        return Err(GpuError::NoTimestamps { adapter: gpu.capabilities.name.clone() });
    }
    let mut run = || {
        // A separate submission, so that its work does not overlap with the first timed pass.
        gpu.submit(&prepare);
        gpu.submit(|encoder| {
            record(passes, encoder, Some(&mut timer));
            timer.resolve(gpu, encoder);
        });
        gpu.wait()?;
        Ok(timer.collect(gpu))
    };
    let start = Instant::now();
    while start.elapsed() < WARM_UP {
        run()?;
    }
    let mut times = Vec::new();
    for _ in 0..run_count {
        times.extend(run()?);
    }
    Ok(times)
}
