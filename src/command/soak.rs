//! `nearwater soak`: random use of the simulation until a limit is reached, the process is asked to end, or something
//! is wrong.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use nearwater::gpu::AdapterClass;
use nearwater::soak::{Episode, GENERATION, Growth, Soak, SoakTotals, Usage};

use super::CommandError;
use super::arguments::{Common, SoakArguments};
use super::at_random::AtRandom;
use super::interrupt::Interrupts;
use super::report::Report;

/// Most particles on a software adapter, an integrated and a discrete one, unless `--particles` says another number.
const MOST_PARTICLES: [u32; 3] = [1_500, 30_000, 300_000];

/// Runs episodes. The exit code is 1 when one fails or when memory or handles grow.
pub fn run(common: &Common, arguments: &SoakArguments) -> Result<ExitCode, CommandError> {
    let drawn = ["--cell-edge", "--option", "--radius", "--solver", "--kernel", "--set"];
    common.refuse(&drawn, "soak chooses these settings at random")?;
    if arguments.window {
        #[cfg(feature = "app")]
        return {
            common.refuse(&["--search"], "soak --window switches between all searches")?;
            super::soak_window::run(common, arguments)
        };
        #[cfg(not(feature = "app"))]
        return Err(CommandError::NoApp("--window"));
    }
    let limit = limit(arguments)?;
    let interrupts = Interrupts::watch().map_err(CommandError::Signals)?;
    let report = Report::open(arguments.report.as_deref())?;
    let folder = tempfile::tempdir().map_err(|error| no_folder(&error))?;
    let mut gpu = common.gpu()?;
    let AtRandom { seed, most_particles } = AtRandom::new(common, &gpu, MOST_PARTICLES);
    let mut soak = Soak {
        seed,
        search: common.search_or_all()?,
        most_particles,
        most_steps: arguments.longest.unwrap_or(match gpu.capabilities.class {
            AdapterClass::Software => 40,
            AdapterClass::Integrated | AdapterClass::Discrete => 1_000,
        }),
        folder: folder.path().to_owned(),
        totals: SoakTotals::default(),
    };
    report.say(&format!("{}; --seed {}; up to {} particles", gpu.capabilities.name, soak.seed, soak.most_particles))?;
    let (started, mut growth) = (Instant::now(), Growth::default());
    let is_called_off = || limit.is_some_and(|limit| started.elapsed() >= limit) || interrupts.signal().is_some();
    let failure = loop {
        let totals = soak.totals;
        let is_over = is_called_off()
            || arguments.steps.is_some_and(|steps| totals.steps >= steps)
            || arguments.episodes.is_some_and(|episodes| totals.episodes >= episodes);
        if is_over {
            break None;
        }
        let episode = soak.episode(&gpu, &is_called_off)?;
        report.say(&line(&episode, soak.totals, started.elapsed()))?;
        if let Some(wrong) = failure_of(&episode, &soak) {
            break Some(wrong);
        }
        if soak.totals.episodes.is_multiple_of(GENERATION) {
            // Nothing may remain of a device that is closed. Opening one is part of what is tried.
            drop(gpu);
            if let Some(usage) = Usage::now() {
                growth.note(usage);
                report.say(&format!("{} MiB, {} handles", usage.resident >> 20, usage.handles))?;
            }
            if let Some(fault) = growth.fault() {
                report.say(&format!("WRONG: {fault}; --seed {}", soak.seed))?;
                return Ok(ExitCode::FAILURE);
            }
            gpu = common.gpu()?;
        }
    };
    let SoakTotals { episodes, steps, actions, refused, unjudged } = soak.totals;
    report.say(&format!(
        "{episodes} episodes, {steps} steps, {actions} actions, {refused} refused, densities not judged after {unjudged}, in \
         {:.1} s",
        started.elapsed().as_secs_f64()
    ))?;
    let Some(failure) = failure else { return Ok(ExitCode::SUCCESS) };
    report.say(&failure)?;
    Ok(ExitCode::FAILURE)
}

/// That the folder for the files of a run cannot be used.
pub(super) fn no_folder(error: &std::io::Error) -> CommandError {
    CommandError::Report { file: std::env::temp_dir().display().to_string(), reason: error.to_string() }
}

/// How long the run lasts; `None` without a limit of time.
pub(super) fn limit(arguments: &SoakArguments) -> Result<Option<Duration>, CommandError> {
    let seconds = arguments.hours.map(|hours| 3600.0 * hours).or(arguments.seconds);
    let as_duration = |seconds| Duration::try_from_secs_f64(seconds).map_err(|_| CommandError::Seconds(seconds));
    seconds.map(as_duration).transpose()
}

/// The line of an episode.
fn line(episode: &Episode, totals: SoakTotals, elapsed: Duration) -> String {
    let start = episode.sequence.first().map(String::as_str).unwrap_or_default();
    format!(
        "{}: seed {}: {start}; {} actions, {} steps; {} steps in all after {:.0} s",
        totals.episodes,
        episode.seed,
        episode.sequence.len().saturating_sub(1),
        episode.steps,
        totals.steps,
        elapsed.as_secs_f64()
    )
}

/// What was wrong in an episode, what was done, and how to repeat it.
fn failure_of(episode: &Episode, soak: &Soak) -> Option<String> {
    let reason = episode.failure.as_ref()?;
    let Soak { search, most_particles, most_steps, .. } = soak;
    let search = search.map(|search| format!(" --search {}", search.name)).unwrap_or_default();
    let actions: Vec<_> =
        episode.sequence.iter().zip(1..).map(|(action, number)| format!("    {number}. {action}")).collect();
    Some(format!(
        "WRONG: {reason}\n{}\n    repeat it with: nearwater soak --seed {} --episodes 1 --particles {most_particles} --longest \
         {most_steps}{search}",
        actions.join("\n"),
        episode.seed
    ))
}
