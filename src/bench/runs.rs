use std::time::{Duration, Instant};

use crate::gpu::{Gpu, GpuError, PassTime, PassTimer};

/// An idle device clocks down; this long it must work before its times count.
const WARM_UP: Duration = Duration::from_millis(150);

/// Warms up by running for a while, then runs `run_count` times, and returns what each pass took in each of those
/// runs. `prepare` records, untimed, what must precede every run; `record` the run, of at most `pass_capacity` timed
/// passes.
///
/// # Errors
/// When the device has no timestamps or is lost.
pub fn run_times(
    gpu: &Gpu,
    (pass_capacity, run_count): (u32, usize),
    prepare: impl Fn(&mut wgpu::CommandEncoder),
    record: impl Fn(&mut wgpu::CommandEncoder, &mut PassTimer),
) -> Result<Vec<Vec<PassTime>>, GpuError> {
    let mut timer = PassTimer::new(gpu, pass_capacity);
    if !timer.supported() {
        return Err(GpuError::NoTimestamps { adapter: gpu.capabilities.name.clone() });
    }
    let mut run = || {
        // A submission of its own, so that nothing of it reaches into the first pass's time.
        gpu.submit(&prepare);
        gpu.submit(|encoder| {
            record(encoder, &mut timer);
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

/// The middle one of `values`, the upper of two; `None` when there are none.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
