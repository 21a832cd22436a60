//! `nearwater verify --mutants`: deliberately wrong shaders, each of which the fixtures must reveal.

use std::process::ExitCode;
use std::sync::Mutex;

use nearwater::search::fixtures::{FixtureSize, fixtures};
use nearwater::search::verify::Case;
use nearwater::verification::{Mutant, MutantBench, Verdict, mutants};

use crate::command::CommandError;
use crate::command::arguments::{Common, VerifyArguments};
use crate::command::report::Report;

/// Most mutants that run at the same time unless `--jobs` asks for more.
const MOST_WORKERS: usize = 8;

/// Runs every mutant of the list, or those whose description contains the text of `--only`. The exit code is 1 when one
/// survives that is not known to be equivalent, or one is caught that is.
pub(super) fn run(common: &Common, arguments: &VerifyArguments) -> Result<ExitCode, CommandError> {
    let mut chosen = mutants()?;
    if let Some(only) = &arguments.only {
        chosen.retain(|mutant| mutant.to_string().contains(only.as_str()));
        if chosen.is_empty() {
            return Err(CommandError::Mutant(only.clone()));
        }
    }
    let mut report = Report::open(arguments.report.as_deref())?;
    let gpu = common.gpu()?;
    let cases: Vec<Case> = fixtures(FixtureSize::Small, common.seed())?.into_iter().map(Case::new).collect();
    report.say(&format!("{}; {} mutants; {} fixtures", gpu.capabilities.name, chosen.len(), cases.len()))?;
    let bench = MutantBench::new(&gpu, cases, super::configurations(common)?)?;
    let workers = super::worker_count(&gpu, arguments, MOST_WORKERS);
    report.begin(chosen.len() as u64);
    let totals = Mutex::new((Totals::default(), Ok(())));
    bench.run(&chosen, workers, |mutant, verdict| {
        let said = report.say(&format!("{mutant}: {verdict}{}", remark(mutant, verdict)));
        report.advance();
        let mut totals = totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        totals.0.count(mutant, verdict);
        if totals.1.is_ok() {
            totals.1 = said;
        }
    })?;
    report.end();
    let (totals, said) = totals.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    said?;
    report.say(&format!(
        "{} caught, {} equivalent, {} SURVIVED without an explanation, {} explained as equivalent and yet caught, {} \
         do not compile",
        totals.caught, totals.equivalent, totals.survived, totals.wrongly_explained, totals.invalid
    ))?;
    Ok(if totals.survived + totals.wrongly_explained + totals.invalid == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[derive(Default)]
struct Totals {
    caught: u32,
    equivalent: u32,
    survived: u32,
    wrongly_explained: u32,
    invalid: u32,
}

impl Totals {
    fn count(&mut self, mutant: &Mutant, verdict: &Verdict) {
        let of_kind = match (verdict, mutant.equivalent.is_empty()) {
            (Verdict::Caught { .. }, true) => &mut self.caught,
            (Verdict::Caught { .. }, false) => &mut self.wrongly_explained,
            (Verdict::Survived { .. }, true) => &mut self.survived,
            (Verdict::Survived { .. }, false) => &mut self.equivalent,
            (Verdict::Invalid(_), _) => &mut self.invalid,
        };
        *of_kind += 1;
    }
}

fn remark(mutant: &Mutant, verdict: &Verdict) -> String {
    match (verdict, mutant.equivalent.as_str()) {
        (_, "") | (Verdict::Invalid(_), _) => String::new(),
        (Verdict::Survived { .. }, why) => format!("; as explained: {why}"),
        (Verdict::Caught { .. }, why) => format!("; although it was explained as equivalent: {why}"),
    }
}
