//! Entry point of the program: parses the command line, runs the command and turns errors into exit code 2, and panics
//! into a report and exit code 101.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod command;

use std::process::ExitCode;

use command::output;
use nearwater::panic_report;

/// The exit code of everything that was refused or failed.
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    panic_report::install();
    let code = match command::parse() {
        Ok(arguments) => command::run(&arguments).unwrap_or_else(|error| {
            error.each(&mut |error| output::complain(error));
            ExitCode::from(FAILURE)
        }),
        Err(code) => code,
    };
    // Also where the panic was in a thread that nobody waited for.
    let code = if panic_report::has_panicked() { ExitCode::from(panic_report::EXIT_CODE) } else { code };
    match output::finish() {
        Ok(()) => code,
        Err(kind) => {
            output::complain(&format_args!(
                "the report could not be printed: {kind}; all files were written regardless"
            ));
            ExitCode::from(FAILURE)
        }
    }
}
