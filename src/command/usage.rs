//! Parses the command line. Help is printed as clap formats it; what is wrong with arguments becomes one sentence.

use std::process::ExitCode;

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Arguments, output};

/// The arguments of this process.
///
/// # Errors
/// The exit code, when help was requested and printed, or when arguments are invalid and this was reported.
pub fn parse() -> Result<Arguments, ExitCode> {
    Arguments::try_parse().map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            out!("{}", error.render());
            ExitCode::SUCCESS
        }
        _ => {
            output::complain(&sentence(&error));
            ExitCode::from(2)
        }
    })
}

/// What is wrong with the arguments, and the mend: clap's first paragraph and its tip, without the usage.
fn sentence(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let (first, _) = rendered.split_once("\n\n").unwrap_or((&rendered, ""));
    let words: Vec<_> = first.split_whitespace().skip_while(|word| *word == "error:").collect();
    let sentence = words.join(" ");
    let suggested = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let suggestion = suggested.into_iter().find_map(|kind| error.get(kind)).and_then(|value| match value {
        ContextValue::String(name) => Some(name.clone()),
        ContextValue::Strings(names) => names.first().cloned(),
        _ => None,
    });
    let nearest = suggestion.map(|name| format!("; the nearest is '{name}'")).unwrap_or_default();
    format!("{sentence}{nearest}; --help lists what there is")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::{Arguments, sentence};

    #[test]
    fn faulty_arguments_are_told_in_one_line_with_a_suggestion() {
        let told = |arguments: &[&str]| {
            sentence(&Arguments::try_parse_from([&["nearwater"], arguments].concat()).expect_err("it is faulty"))
        };
        for (arguments, parts) in [
            (&["simulate", "drop", "--secnds", "3"][..], &["'--secnds'", "'--seconds'"][..]),
            (&["simulate", "drop"], &["required", "--seconds <T>"]),
            (&["simulate", "drop", "--seconds"], &["value is required", "--seconds <T>"]),
            (&["simulate", "drop", "--seconds", "1", "--size", "9x9"], &["9x9", "from 16 to 16384"]),
            (
                &["simulate", "drop", "--seconds", "1", "--radius", "1", "--particles", "3"],
                &["--radius", "--particles"],
            ),
        ] {
            let told = told(arguments);
            assert!(!told.contains('\n') && !told.contains("Usage"), "{told}");
            for part in parts {
                assert!(told.contains(part), "{arguments:?}: \"{told}\" lacks \"{part}\"");
            }
        }
    }
}
