//! Random lines of scripts: every command with words that it knows, words that it does not, and numbers beyond any
//! sense.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use super::{Command, names, parse_line};
use crate::search::random::splitmix64;

/// Number of lines.
const LINES: u64 = 10_000;
/// Longest time that reading a line may take.
const LONGEST: Duration = Duration::from_secs(1);

/// Numbers and texts at which commands stumble.
const WORDS: [&str; 48] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "0.5",
    "100",
    "nan",
    "NaN",
    "-nan",
    "inf",
    "-inf",
    "infinity",
    "1e300",
    "-1e300",
    "1e39",
    "3.5e38",
    "3e38",
    "1e-320",
    "1e-46",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e9999",
    "0x10",
    "1,5",
    "+3",
    "",
    "\"",
    "\"\"",
    "\"Reset\"",
    "#",
    "none",
    "stop",
    "scene",
    "back",
    "on",
    "off",
    "left",
    "right",
    "next",
    "99999999999999999999x1",
    "1x1",
    "0x0",
    "é\u{0}",
];

/// Names that commands know.
const NAMES: [&str; 14] = [
    "claws",
    "green",
    "pbf",
    "pbf.substeps",
    "dfsph",
    "cubic_spline",
    "speed",
    "smooth",
    "inspector",
    "storm",
    "drop",
    "most-neighbors",
    "block",
    "f1",
];

/// A random line: a command with up to seven words.
fn line(number: u64) -> String {
    let mut state = number.wrapping_mul(16);
    let mut below = |end: usize| {
        state += 1;
        (splitmix64(state) >> 16) as usize % end
    };
    let commands: Vec<_> = names().collect();
    let mut line = commands[below(commands.len())].to_owned();
    for _ in 0..below(8) {
        let (is_word, word, name) = (below(4) > 0, below(WORDS.len()), below(NAMES.len()));
        line += " ";
        line += if is_word { WORDS[word] } else { NAMES[name] };
    }
    line
}

/// Whether a command contains text that may say anything.
fn is_text(command: &Command) -> bool {
    matches!(
        command,
        Command::Type(_)
            | Command::Shot(_)
            | Command::Record(_)
            | Command::Set(_)
            | Command::Scene(_)
            | Command::Setup(super::SetupCommand::SolverSetting(_))
            | Command::Lesson(_)
            | Command::Key(_)
    )
}

#[test]
fn random_lines_are_refused_in_a_sentence_or_contain_numbers_that_are_finite() {
    let (mut read, mut refused) = (0, 0);
    for number in 0..LINES {
        let line = line(number);
        let started = Instant::now();
        let parsed = catch_unwind(|| parse_line(&line)).unwrap_or_else(|_| panic!("{line:?} panics"));
        assert!(started.elapsed() < LONGEST, "{line:?} took {:?}", started.elapsed());
        match parsed {
            Ok(command) => {
                read += 1;
                if let Some(command) = command.filter(|command| !is_text(command)) {
                    let shown = format!("{command:?}");
                    assert!(!shown.contains("inf") && !shown.contains("NaN"), "{line:?} is read as {shown}");
                }
            }
            Err(sentence) => {
                refused += 1;
                assert!(!sentence.is_empty() && sentence.len() < 4_000, "{line:?} is refused with {sentence:?}");
            }
        }
    }
    assert!(read > LINES / 100 && refused > LINES / 2, "{read} lines were read and {refused} refused");
}

#[test]
fn numbers_that_mean_nothing_are_refused() {
    for wrong in [
        "camera 1e300 0 0 0 0 0",
        "gravity 0 1e39 0",
        "radius 1e-46",
        "hover 1e300 1",
        "scroll -1e300",
        "pick-cell 0.5 0 0",
        "remove-body 4294967296",
        "wall left 3.5e38",
        "water nan",
        "wait inf",
    ] {
        assert!(parse_line(wrong).is_err(), "{wrong} is accepted");
    }
}
