//! `nearwater verify --endless`: random fixtures until stopped, or until a search is wrong.

use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use nearwater::gpu::AdapterClass;
use nearwater::verification::{Endless, EndlessTotals, test_devices};

use crate::command::CommandError;
use crate::command::arguments::{Common, VerifyArguments};
use crate::command::report::Report;

/// Runs until the limit of `--pairs` or `--seconds` is reached, the process is stopped, or a search is wrong; then the exit
/// code is 1.
pub(super) fn run(common: &Common, arguments: &VerifyArguments) -> Result<ExitCode, CommandError> {
    if arguments.seconds.is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0) {
        return Err(CommandError::Seconds(arguments.seconds.unwrap_or_default()));
    }
    nearwater::files::make_folder(&arguments.failures)?;
    let report = Report::open(arguments.report.as_deref())?;
    let gpu = common.gpu()?;
    let most_particles = match gpu.capabilities.class {
        AdapterClass::Software => 4_000,
        AdapterClass::Integrated => 40_000,
        AdapterClass::Discrete => 200_000,
    };
    let of_now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let mut endless = Endless {
        configurations: super::configurations(common)?,
        devices: test_devices(&gpu.capabilities.name, gpu.shaders())?,
        seed: common.seed.unwrap_or_else(of_now),
        most_particles,
        folder: arguments.failures.clone(),
        totals: EndlessTotals::default(),
    };
    let subgroups = gpu.capabilities.subgroup_sizes.map_or("without subgroups".to_owned(), |(least, most)| {
        if least == most { format!("subgroups of {least}") } else { format!("subgroups of {least} to {most}") }
    });
    report.say(&format!(
        "{}, {subgroups}; --seed {}; {} searches with their settings; up to {most_particles} particles; shaders {}",
        gpu.capabilities.name,
        endless.seed,
        endless.configurations.len(),
        endless.devices.iter().map(|device| device.name.as_str()).collect::<Vec<_>>().join("; ")
    ))?;
    drop(gpu);
    let started = Instant::now();
    let failure = loop {
        let is_over = arguments.pairs.is_some_and(|pairs| endless.totals.pairs >= pairs)
            || arguments.seconds.is_some_and(|seconds| started.elapsed().as_secs_f64() >= seconds);
        if is_over {
            break None;
        }
        let round = endless.round()?;
        let totals = endless.totals;
        report.say(&format!(
            "{}: {} pairs in all after {:.0} s; {} ({})",
            totals.fixtures,
            totals.pairs,
            started.elapsed().as_secs_f64(),
            round.fixture,
            round.device
        ))?;
        if round.failure.is_some() {
            break round.failure;
        }
    };
    let EndlessTotals { fixtures, comparisons, refused, pairs } = endless.totals;
    report.say(&format!(
        "{fixtures} fixtures, {comparisons} comparisons, {refused} refused, {pairs} pairs in {:.1} s",
        started.elapsed().as_secs_f64()
    ))?;
    let Some(failure) = failure else { return Ok(ExitCode::SUCCESS) };
    report.say(&failure.to_string())?;
    Ok(ExitCode::FAILURE)
}
