//! Entry point of the program: parses the command line, runs the command and turns errors into exit code 2.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod command;

use std::process::ExitCode;

use command::output;

/// The exit code of everything that was refused or failed.
const FAILURE: u8 = 2;

fn main() -> ExitCode {
    let code = match command::parse() {
        Ok(arguments) => command::run(&arguments).unwrap_or_else(|error| {
            error.each(&mut |error| output::complain(error));
            ExitCode::from(FAILURE)
        }),
        Err(code) => code,
    };
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
