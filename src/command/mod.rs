//! The commands of the program: one file for each, and what several of them share.

// First, because the macros that print are used in all others.
#[macro_use]
pub mod output;

mod adapters;
mod arguments;
mod at_random;
mod bench;
mod compare;
mod error;
mod export_lammps;
mod filming;
mod gallery;
mod interrupt;
mod lesson;
mod open;
mod pace;
mod paper_bench;
mod plausibility;
mod play;
mod probe_table;
mod progress;
mod recorder;
mod report;
mod same_file;
mod scaling;
mod schedule;
mod settings;
mod simulate;
mod soak;
#[cfg(feature = "app")]
mod soak_window;
mod step_count;
mod table;
mod thumbnails;
mod timings;
#[cfg(feature = "app")]
mod trial;
mod usage;
mod validate;
mod verify;

use std::process::ExitCode;

pub use arguments::Arguments;
use arguments::Verb;
pub use error::CommandError;
pub use usage::parse;

/// Runs the command that the arguments name, or opens the app when they name none.
///
/// # Errors
/// One sentence for the user; the caller then ends the process with exit code 2.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    match &arguments.verb {
        None => open::run(arguments),
        Some(Verb::Simulate(simulate)) => simulate::run(&arguments.common, simulate),
        Some(Verb::Verify(verify)) => verify::run(&arguments.common, verify),
        Some(Verb::Soak(soak)) => soak::run(&arguments.common, soak),
        Some(Verb::Validate(validate)) => validate::run(&arguments.common, validate),
        Some(Verb::Bench(bench)) => bench::run(&arguments.common, bench),
        Some(Verb::Compare(compare)) => compare::run(&arguments.common, compare),
        Some(Verb::ExportLammps(export)) => export_lammps::run(&arguments.common, export),
        Some(Verb::Play(play)) => play::run(&arguments.common, play),
        Some(Verb::Pace(pace)) => pace::run(&arguments.common, pace),
        Some(Verb::Adapters) => adapters::run(&arguments.common),
        Some(Verb::Settings(settings)) => settings::run(&arguments.common, settings),
        Some(Verb::Gallery(gallery)) => gallery::run(&arguments.common, gallery),
        Some(Verb::Thumbnails(thumbnails)) => thumbnails::run(&arguments.common, thumbnails),
        Some(Verb::Lesson(lesson)) => lesson::run(&arguments.common, lesson),
    }
}
