use std::time::{Duration, Instant};

use crate::gpu::{Gpu, GpuError, Pass, PassTime, PassTimer, record};

/// An idle device clocks down; this long it must work before its times count.
pub(super) const WARM_UP: Duration = Duration::from_millis(150);

/// Runs `passes` for a while to warm up, then `run_count` times, and returns what each took in each of those runs.
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
        // A submission of its own, so that nothing of it reaches into the first pass's time.
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
