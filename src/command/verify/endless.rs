//! `nearwater verify --endless`: random fixtures until stopped, or until a search is wrong.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use nearwater::verification::{Endless, EndlessFailure, EndlessTotals, TestDevice, joined, test_devices};

use crate::command::CommandError;
use crate::command::arguments::{Common, VerifyArguments};
use crate::command::at_random::AtRandom;
use crate::command::interrupt::Interrupts;
use crate::command::report::Report;

/// Most particles on a software adapter, an integrated and a discrete one, unless `--particles` says another number.
const MOST_PARTICLES: [u32; 3] = [4_000, 40_000, 200_000];
/// Most fixtures that are compared at the same time unless `--jobs` asks for more.
const MOST_WORKERS: usize = 8;

/// Runs until the limit of `--pairs` or `--seconds` is reached, the process is asked to end, or a search is wrong; then
/// the exit code is 1.
pub(super) fn run(common: &Common, arguments: &VerifyArguments) -> Result<ExitCode, CommandError> {
    if arguments.seconds.is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0) {
        return Err(CommandError::Seconds(arguments.seconds.unwrap_or_default()));
    }
    nearwater::files::make_folder(&arguments.failures)?;
    let interrupts = Interrupts::watch().map_err(CommandError::Signals)?;
    let report = Report::open(arguments.report.as_deref())?;
    let gpu = common.gpu()?;
    let AtRandom { seed, most_particles } = AtRandom::new(common, &gpu, MOST_PARTICLES);
    let endless = Endless {
        configurations: super::configurations(common)?,
        seed,
        most_particles,
        folder: arguments.failures.clone(),
    };
    let workers = super::worker_count(&gpu, arguments, MOST_WORKERS);
    let devices_of_workers = devices_for(workers, || Ok(test_devices(&gpu.capabilities.name, gpu.shaders())?))?;
    let subgroups = gpu.capabilities.subgroup_sizes.map_or("without subgroups".to_owned(), |(least, most)| {
        if least == most { format!("subgroups of {least}") } else { format!("subgroups of {least} to {most}") }
    });
    report.say(&format!(
        "{}, {subgroups}; --seed {seed}; {} searches with their settings; up to {most_particles} particles; {workers} fixtures \
         at a time",
        gpu.capabilities.name,
        endless.configurations.len(),
    ))?;
    drop(gpu);

    let started = Instant::now();
    let (next, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let found = Mutex::new((EndlessTotals::default(), None::<EndlessFailure>));
    let is_over = |totals: &EndlessTotals| {
        arguments.pairs.is_some_and(|pairs| totals.pairs >= pairs)
            || arguments.seconds.is_some_and(|seconds| started.elapsed().as_secs_f64() >= seconds)
            || interrupts.signal().is_some()
    };
    let work = |devices: &[TestDevice]| -> Result<(), CommandError> {
        for device in devices.iter().cycle() {
            if is_stopped.load(Ordering::Relaxed) {
                break;
            }
            let round = endless.round(next.fetch_add(1, Ordering::Relaxed), device)?;
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            let (totals, failure) = &mut *found;
            totals.add(&round);
            report.say(&format!(
                "{}: {} pairs in all after {:.0} s; {} ({})",
                totals.fixtures,
                totals.pairs,
                started.elapsed().as_secs_f64(),
                round.fixture,
                round.device
            ))?;
            let is_last = round.failure.is_some() || is_over(totals);
            *failure = failure.take().or(round.failure);
            is_stopped.fetch_or(is_last, Ordering::Relaxed);
        }
        Ok(())
    };
    // The others end when one of them cannot go on.
    let work = |devices: &[TestDevice]| work(devices).inspect_err(|_| is_stopped.store(true, Ordering::Relaxed));
    thread::scope(|scope| {
        let work = &work;
        joined(devices_of_workers.iter().map(|devices| scope.spawn(move || work(devices))).collect())
    })?;

    let (EndlessTotals { fixtures, comparisons, refused, pairs }, failure) =
        found.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.say(&format!(
        "{fixtures} fixtures, {comparisons} comparisons, {refused} refused, {pairs} pairs in {:.1} s",
        started.elapsed().as_secs_f64()
    ))?;
    let Some(failure) = failure else { return Ok(ExitCode::SUCCESS) };
    report.say(&failure.to_string())?;
    Ok(ExitCode::FAILURE)
}

/// Divides sets of devices among workers, so that each kind of device is used, and none by two workers.
fn devices_for(
    workers: usize,
    open: impl Fn() -> Result<Vec<TestDevice>, CommandError>,
) -> Result<Vec<Vec<TestDevice>>, CommandError> {
    let mut of_workers: Vec<Vec<TestDevice>> = (0..workers).map(|_| Vec::new()).collect();
    let mut next = 0;
    while next < workers {
        for device in open()? {
            of_workers[next % workers].push(device);
            next += 1;
        }
    }
    Ok(of_workers)
}
