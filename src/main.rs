//! The command line of Nearwater: arguments, and which command they name.

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
