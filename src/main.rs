//! Entry point of the program: parses the command line, runs the command and turns errors into exit code 2.

mod command;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let arguments = command::Arguments::parse();
    match command::run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("nearwater: {error}");
            ExitCode::from(2)
        }
    }
}
