//! One file a verb of the command line.

mod adapters;
mod arguments;
mod bench;
mod error;
mod open;
mod paper_bench;
mod probe_table;
mod progress;
mod recorder;
mod schedule;
mod simulate;
mod table;
mod timings;
mod validate;
mod verify;

use std::process::ExitCode;

pub use arguments::Arguments;
use arguments::Verb;
pub use error::CommandError;

/// Runs the verb that the arguments name; without one, the app.
///
/// # Errors
/// One sentence for the user; the process then ends with exit code 2.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    match &arguments.verb {
        None => open::run(arguments),
        Some(Verb::Simulate(simulate)) => simulate::run(&arguments.common, simulate),
        Some(Verb::Verify(verify)) => verify::run(&arguments.common, verify),
        Some(Verb::Validate(validate)) => validate::run(&arguments.common, validate),
        Some(Verb::Bench(bench)) => bench::run(&arguments.common, bench),
        Some(Verb::Adapters) => adapters::run(),
    }
}
