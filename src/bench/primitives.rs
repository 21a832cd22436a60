//! Timing of the exclusive scan and the radix sort.

use super::{Spread, median, run_times};
use crate::gpu::{Gpu, GpuError, Pass, Phase, read_buffer, record};
use crate::primitives::{ExclusiveScan, RadixSort};
use crate::search::random;

const SEED: u64 = 12_345;
const SCAN_COUNT: u32 = 1 << 24;
const PAIR_COUNT: u32 = 1 << 23;
const KEY_BITS: u32 = 24;

/// Times the exclusive scan of 2^24 numbers and the radix sort of 2^23 pairs with 24-bit keys, both random and copied
/// again before every run. Returns a description of each with the median, over that many runs, of the time of all its
/// passes in ms; the median of each pass is logged.
///
/// # Errors
/// When the device has no timestamps or too little memory, or a result differs from the CPU's.
pub fn time_primitives(gpu: &Gpu, runs: u32) -> Result<Vec<(String, Spread)>, GpuError> {
    Ok(vec![time_scan(gpu, SCAN_COUNT, runs)?, time_sort(gpu, PAIR_COUNT, runs)?])
}

fn time_scan(gpu: &Gpu, count: u32, run_count: u32) -> Result<(String, Spread), GpuError> {
    let name = format!("exclusive scan of {count}");
    let numbers = random_keys(count);
    let fresh = gpu.storage_with("numbers to scan", &numbers)?;
    let values = gpu.storage::<u32>("scanned numbers", count.into())?;
    let passes = ExclusiveScan::new(gpu, &values, count)?.passes(gpu, Phase::Build)?;
    let prepare = |encoder: &mut wgpu::CommandEncoder| copy(encoder, &fresh, &values);

    gpu.submit(|encoder| {
        prepare(encoder);
        record(&passes, encoder, None);
    });
    let before = |sum: &mut u32, number: &u32| {
        let next = sum.wrapping_add(*number);
        Some(std::mem::replace(sum, next))
    };
    check(gpu, &name, &values, &numbers.iter().scan(0, before).collect::<Vec<_>>())?;

    let milliseconds = median_of_runs(gpu, &passes, run_count, prepare)?;
    Ok((name, milliseconds))
}

fn time_sort(gpu: &Gpu, count: u32, run_count: u32) -> Result<(String, Spread), GpuError> {
    let name = format!("radix sort of {count} pairs by {KEY_BITS} bits");
    let numbers = random_keys(count);
    let mut order: Vec<u32> = (0..count).collect();
    let fresh_keys = gpu.storage_with("keys to sort", &numbers)?;
    let fresh_values = gpu.storage_with("values to sort", &order)?;
    let keys = gpu.storage::<u32>("keys", count.into())?;
    let values = gpu.storage::<u32>("values", count.into())?;
    let sort = RadixSort::new(gpu, &keys, &values, count, KEY_BITS)?;
    let passes = sort.passes(gpu, Phase::Build)?;
    let prepare = |encoder: &mut wgpu::CommandEncoder| {
        copy(encoder, &fresh_keys, &keys);
        copy(encoder, &fresh_values, &values);
    };

    gpu.submit(|encoder| {
        prepare(encoder);
        record(&passes, encoder, None);
    });
    order.sort_by_key(|&place| numbers[place as usize]);
    let sorted: Vec<u32> = order.iter().map(|&place| numbers[place as usize]).collect();
    check(gpu, &format!("{name}: keys"), sort.sorted_keys(), &sorted)?;
    check(gpu, &format!("{name}: values"), sort.sorted_values(), &order)?;

    let milliseconds = median_of_runs(gpu, &passes, run_count, prepare)?;
    Ok((name, milliseconds))
}

/// Random numbers of [`KEY_BITS`] bits, which is the precision of the generator's floats.
fn random_keys(count: u32) -> Vec<u32> {
    (0..u64::from(count)).map(|index| (random::uniform(SEED, index) * (1 << KEY_BITS) as f32) as u32).collect()
}

fn copy(encoder: &mut wgpu::CommandEncoder, from: &wgpu::Buffer, to: &wgpu::Buffer) {
    encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
}

fn check(gpu: &Gpu, what: &str, buffer: &wgpu::Buffer, expected: &[u32]) -> Result<(), GpuError> {
    let found = read_buffer::<u32>(gpu, buffer, expected.len())?;
    match found.iter().zip(expected).enumerate().find(|(_, (found, expected))| found != expected) {
        None => Ok(()),
        Some((index, (&found, &expected))) => Err(GpuError::WrongResult {
            what: what.to_owned(),
            adapter: gpu.capabilities.name.clone(),
            index,
            found,
            expected,
        }),
    }
}

/// Median, over the runs, of the time of all passes, ms.
fn median_of_runs(
    gpu: &Gpu,
    passes: &[Pass],
    run_count: u32,
    prepare: impl Fn(&mut wgpu::CommandEncoder),
) -> Result<Spread, GpuError> {
    let runs = run_times(gpu, passes, run_count, prepare)?;
    for (index, pass) in passes.iter().enumerate() {
        let milliseconds = median(runs.iter().filter_map(|run| run.get(index)).map(|time| time.milliseconds));
        log::info!("{}: {:.4} ms", pass.label, milliseconds.unwrap_or(f64::NAN));
    }
    Ok(Spread::of(runs.iter().map(|run| run.iter().map(|time| time.milliseconds).sum()).collect()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{check, time_scan, time_sort};
    use crate::gpu::{Gpu, GpuError, ShaderLibrary};

    fn gpu() -> Arc<Gpu> {
        Gpu::open(None, ShaderLibrary::embedded().checked()).expect("the tests need a Vulkan adapter")
    }

    #[test]
    fn what_is_timed_is_checked_first_and_takes_time() {
        let gpu = gpu();
        for timed in [time_scan(&gpu, 40_003, 3), time_sort(&gpu, 40_003, 3)] {
            match timed {
                Ok((name, spread)) => assert!(spread.median > 0.0, "{name}: {spread} ms"),
                Err(GpuError::NoTimestamps { .. }) => assert!(!gpu.capabilities.has_timestamps()),
                Err(other) => panic!("{other}"),
            }
        }
    }

    #[test]
    fn wrong_results_are_named() {
        let gpu = gpu();
        let buffer = gpu.storage_with("numbers", &[1_u32, 2, 4]).expect("it fits");
        let wrong = check(&gpu, "counting", &buffer, &[1, 2, 3]);
        assert!(matches!(wrong, Err(GpuError::WrongResult { index: 2, found: 4, expected: 3, .. })));
    }
}
