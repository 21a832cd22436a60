//! `nearwater soak --window`: random use of the app itself, in a window or off screen.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use nearwater::app::{AppError, AppOptions, RandomUse, run_app};
use nearwater::fluid::{Scene, Settings};
use nearwater::gpu::AdapterClass;

use super::CommandError;
use super::arguments::{Common, DEFAULT_SCENE, SoakArguments};
use super::at_random::AtRandom;
use super::interrupt::Interrupts;
use super::report::Report;
use super::soak::{limit, no_folder};

/// Most particles on a software adapter, an integrated and a discrete one, unless `--particles` says another number.
const MOST_PARTICLES: [u32; 3] = [1_000, 20_000, 100_000];

/// Uses the app at random until a limit is reached, the process is asked to end, or something is wrong, which is exit
/// code 1.
pub fn run(common: &Common, arguments: &SoakArguments) -> Result<ExitCode, CommandError> {
    let limit = limit(arguments)?;
    let interrupts = Interrupts::watch().map_err(CommandError::Signals)?;
    let report = Arc::new(Report::open(arguments.report.as_deref())?);
    let gpu = common.gpu()?;
    let AtRandom { seed, most_particles } = AtRandom::new(common, &gpu, MOST_PARTICLES);
    let lines = std::env::temp_dir().join(format!("nearwater-soak-{seed}.script"));
    let folder = tempfile::tempdir().map_err(|error| no_folder(&error))?;
    // The app writes states, pictures and videos to the current folder.
    std::env::set_current_dir(folder.path()).map_err(|error| no_folder(&error))?;
    report.say(&format!("{}; --seed {seed}; up to {most_particles} particles", gpu.capabilities.name))?;
    let started = Instant::now();
    let most_lines = arguments.lines;
    let random = RandomUse {
        seed,
        most_particles,
        lines: lines.clone(),
        tell: Arc::new(move |sentence| {
            // A report that cannot be written is no reason to stop looking; the exit code tells the result.
            let _ = report.say(sentence);
        }),
        is_over: Arc::new(move |lines| {
            limit.is_some_and(|limit| started.elapsed() >= limit)
                || most_lines.is_some_and(|most| lines >= most)
                || interrupts.signal().is_some()
        }),
    };
    let few = match gpu.capabilities.class {
        AdapterClass::Software => 400,
        AdapterClass::Integrated | AdapterClass::Discrete => 4_000,
    };
    let options = AppOptions {
        off_screen: arguments.off_screen,
        settings_file: Some(folder.path().join("settings.ron")),
        random_use: Some(random),
        ..AppOptions::new(gpu, Scene::load(DEFAULT_SCENE)?, Settings::with_particles(few))
    };
    match run_app(options) {
        Ok(()) => {
            // What was done is only of use after a failure.
            let _ = std::fs::remove_file(&lines);
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ AppError::RandomUse { .. }) => {
            outln!("WRONG: {error}");
            Ok(ExitCode::FAILURE)
        }
        Err(error) => Err(error.into()),
    }
}
