//! `nearwater verify`: checks every search against the CPU oracle, on fixed fixtures, on random ones without an end, or with
//! deliberately wrong shaders.

mod endless;
mod mutants;
mod report;
mod tally;

use std::path::Path;
use std::process::ExitCode;

use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::{Case, SearchConfiguration};
use nearwater::verification::read_fixture;

use self::report::Report;
use self::tally::Tally;
use super::CommandError;
use super::arguments::{Common, VerifyArguments};

/// Checks every configuration of every search against the oracle. The exit code is 1 when one of them is wrong.
pub fn run(common: &Common, arguments: &VerifyArguments) -> Result<ExitCode, CommandError> {
    if arguments.mutants {
        return mutants::run(common, arguments);
    }
    if arguments.endless {
        return endless::run(common, arguments);
    }
    let cases: Vec<Case> = chosen_fixtures(common, arguments)?.into_iter().map(Case::new).collect();
    let configurations = configurations(common)?;
    let mut report = Report::open(arguments.report.as_deref())?;
    let gpu = common.gpu()?;
    report.say(&format!("{}; seed {}; {} fixtures", gpu.capabilities.name, common.seed(), cases.len()))?;

    let mut all_right = true;
    // The fingerprint of each fixture's neighbors, and the search that found it first.
    let mut found: Vec<Option<(u64, &SearchConfiguration)>> = vec![None; cases.len()];
    let mut different = Vec::new();
    report.begin((configurations.len() * cases.len()) as u64);
    for configuration in &configurations {
        let mut tally = Tally::default();
        for (case, found) in cases.iter().zip(&mut found) {
            report.show(&format!("{configuration} on {}", case.fixture().name));
            if let Some(fingerprint) = tally.take(&gpu, configuration, case)? {
                match found {
                    Some((other, of)) if *other != fingerprint => {
                        different.push(format!("{configuration} and {of} on \"{}\"", case.fixture().name));
                    }
                    Some(_) => {}
                    None => *found = Some((fingerprint, configuration)),
                }
            }
            report.advance();
        }
        for line in tally.lines(&configuration.to_string()) {
            report.say(&line)?;
        }
        all_right &= tally.wrong.is_empty();
    }
    if different.is_empty() {
        let count = cases.len();
        report.say(&format!(
            "the fingerprints of the neighbor sets are equal for all searches on each of the {count} fixtures"
        ))?;
    }
    for pair in &different {
        report.say(&format!("    DIFFERENT FINGERPRINTS of {pair}"))?;
    }
    report.end();
    Ok(if all_right && different.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The configurations of the searches that `--search` leaves.
fn configurations(common: &Common) -> Result<Vec<SearchConfiguration>, CommandError> {
    let only = common.search()?;
    let all = SearchConfiguration::all().into_iter();
    Ok(all.filter(|configuration| only.is_none_or(|search| search == configuration.search)).collect())
}

/// The fixtures that `--full` and `--only` select; `--only` may name a file.
fn chosen_fixtures(common: &Common, arguments: &VerifyArguments) -> Result<Vec<Fixture>, CommandError> {
    let Some(only) = &arguments.only else { return Ok(fixtures(size_of(arguments), common.seed())?) };
    let path = Path::new(only);
    if path.is_file() || path.extension().is_some_and(|ending| ending == "ron") {
        return Ok(vec![read_fixture(path)?]);
    }
    let mut fixtures = fixtures(size_of(arguments), common.seed())?;
    let names: Vec<_> = fixtures.iter().map(|fixture| fixture.name.clone()).collect();
    fixtures.retain(|fixture| fixture.name.contains(only.as_str()));
    if fixtures.is_empty() {
        return Err(CommandError::Fixture { wanted: only.clone(), available: names.join("; ") });
    }
    Ok(fixtures)
}

fn size_of(arguments: &VerifyArguments) -> FixtureSize {
    if arguments.full { FixtureSize::Full } else { FixtureSize::Small }
}
