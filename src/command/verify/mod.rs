//! `nearwater verify`: checks every search against the CPU oracle, on fixed fixtures, on random ones without an end, or
//! with deliberately wrong shaders.

mod endless;
mod mutants;
mod tally;

use std::cmp::Reverse;
use std::iter;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use nearwater::gpu::{AdapterClass, Gpu};
use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::{Case, SearchConfiguration};
use nearwater::verification::{joined, read_fixture};

use self::tally::{Checked, Tally};
use super::CommandError;
use super::arguments::{Common, VerifyArguments};
use super::report::Report;

/// Checks every configuration of every search against the oracle. The exit code is 1 when one of them is wrong.
pub fn run(common: &Common, arguments: &VerifyArguments) -> Result<ExitCode, CommandError> {
    let settled = ["--cell-edge", "--option", "--radius", "--solver", "--kernel", "--set"];
    common.refuse(&settled, "verify checks all settings of a search on its own fixtures")?;
    if !arguments.endless {
        common.refuse(&["--particles"], "only verify --endless chooses numbers of particles")?;
    }
    if let Some(of) = arguments.mutants {
        return mutants::run(common, arguments, of);
    }
    if arguments.endless {
        return endless::run(common, arguments);
    }
    let mut cases: Vec<Case> = chosen_fixtures(common, arguments)?.into_iter().map(Case::new).collect();
    // The largest first, so that no worker begins one when the others have nothing left to do.
    cases.sort_by_key(|case| Reverse(case.fixture().positions.len()));
    let parts: Vec<Part> = configurations(common)?.into_iter().map(Part::new).collect();
    let mut report = Report::open(arguments.report.as_deref())?;
    let gpu = common.gpu()?;
    report.say(&format!("{}; seed {}; {} fixtures", gpu.capabilities.name, common.seed(), cases.len()))?;

    report.begin((parts.len() * cases.len()) as u64);
    let next = AtomicUsize::new(0);
    let findings = Mutex::new(Findings { is_right: true, found: vec![None; cases.len()], different: Vec::new() });
    let work = |gpu: &Gpu| -> Result<(), CommandError> {
        // Each worker begins configurations of its own, so that their shaders are compiled once, and helps the others
        // when all have begun.
        let own = iter::from_fn(|| parts.get(next.fetch_add(1, Ordering::Relaxed)));
        for Part { configuration, begun, tally } in own.chain(&parts) {
            while let Some((number, case)) = nth(&cases, begun) {
                report.show(&format!("{configuration} on {}", case.fixture().name));
                let checked = Checked::new(gpu, configuration, case)?;
                let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                let mut findings = findings.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(fingerprint) = checked.fingerprint() {
                    findings.add(number, case, (configuration, fingerprint));
                }
                tally.add(checked, &case.fixture().name);
                report.advance();
                if tally.fixtures() == cases.len() {
                    findings.is_right &= tally.wrong.is_empty();
                    report.say(&tally.lines(&configuration.to_string()).join("\n"))?;
                }
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        // Each worker has a device of its own, because a read-back is reported by the thread that polls its device.
        let others = (1..worker_count(&gpu, arguments, MOST_WORKERS))
            .map(|_| scope.spawn(|| work(common.gpu()?.as_ref())))
            .collect();
        work(&gpu)?;
        joined(others)
    })?;
    report.end();
    let Findings { is_right, different, .. } = findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    if different.is_empty() {
        let count = cases.len();
        report.say(&format!(
            "the fingerprints of the neighbor sets are equal for all searches on each of the {count} fixtures"
        ))?;
    }
    for pair in &different {
        report.say(&format!("    DIFFERENT FINGERPRINTS of {pair}"))?;
    }
    Ok(if is_right && different.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Most searches that are checked at the same time unless `--jobs` asks for more.
const MOST_WORKERS: usize = 8;

/// What is done with one configuration, by one worker or several.
struct Part {
    configuration: SearchConfiguration,
    /// Number of fixtures that workers have begun.
    begun: AtomicUsize,
    tally: Mutex<Tally>,
}

impl Part {
    fn new(configuration: SearchConfiguration) -> Self {
        Self { configuration, begun: AtomicUsize::new(0), tally: Mutex::default() }
    }
}

/// The next fixture that no worker has begun, with its number.
fn nth<'a>(cases: &'a [Case], begun: &AtomicUsize) -> Option<(usize, &'a Case)> {
    let number = begun.fetch_add(1, Ordering::Relaxed);
    cases.get(number).map(|case| (number, case))
}

/// How many devices work at the same time. On a graphics card, compiling shaders and reading results back take most of
/// the time, for which a core is idle; a software adapter needs all cores for one.
fn worker_count(gpu: &Gpu, arguments: &VerifyArguments, most: usize) -> usize {
    let chosen = match gpu.capabilities.class {
        AdapterClass::Discrete | AdapterClass::Integrated => {
            thread::available_parallelism().map_or(1, usize::from).div_ceil(2).min(most)
        }
        AdapterClass::Software => 1,
    };
    arguments.jobs.map_or(chosen, usize::from)
}

/// What all workers have found.
struct Findings<'a> {
    /// Whether no search was wrong.
    is_right: bool,
    /// For each fixture the fingerprint of its neighbors, and the search that found it first.
    found: Vec<Option<(u64, &'a SearchConfiguration)>>,
    /// Searches whose fingerprints differ.
    different: Vec<String>,
}

impl<'a> Findings<'a> {
    fn add(&mut self, number: usize, case: &Case, (configuration, fingerprint): (&'a SearchConfiguration, u64)) {
        let (first, of) = *self.found[number].get_or_insert((fingerprint, configuration));
        if first != fingerprint {
            self.different.push(format!("{configuration} and {of} on \"{}\"", case.fixture().name));
        }
    }
}

/// The configurations of the searches that `--search` leaves.
fn configurations(common: &Common) -> Result<Vec<SearchConfiguration>, CommandError> {
    let only = common.search_or_all()?;
    let all = SearchConfiguration::all_with_lists().into_iter();
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
