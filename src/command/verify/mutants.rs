//! `nearwater verify --mutants`: deliberately wrong shaders, each of which the fixtures must reveal, or for the pair
//! kernels of solvers the physical properties.

use std::process::ExitCode;
use std::sync::Mutex;

use nearwater::gpu::Gpu;
use nearwater::search::fixtures::{FixtureSize, fixtures};
use nearwater::search::verify::Case;
use nearwater::verification::{
    Fate, Mutant, MutantBench, Trial, kernel_mutants, kernel_properties, mutants, search_trials,
};

use crate::command::CommandError;
use crate::command::arguments::{Common, MutantsOf, VerifyArguments};
use crate::command::report::Report;

/// Most mutants that run at the same time unless `--jobs` asks for more.
const MOST_WORKERS: usize = 8;

/// Runs every mutant of a list, or those whose description contains the text of `--only`. The exit code is 1 when one
/// survives that is not known to be equivalent, or one is caught that is.
pub(super) fn run(common: &Common, arguments: &VerifyArguments, of: MutantsOf) -> Result<ExitCode, CommandError> {
    let mut chosen = match of {
        MutantsOf::Searches => mutants()?,
        MutantsOf::Kernels => kernel_mutants()?,
    };
    if let Some(only) = &arguments.only {
        chosen.retain(|mutant| mutant.to_string().contains(only.as_str()));
        if chosen.is_empty() {
            return Err(CommandError::Mutant(only.clone()));
        }
    }
    if of == MutantsOf::Kernels {
        common.refuse(&["--search", "--seed"], "verify --mutants=kernels has scenes and searches of its own")?;
    }
    let gpu = common.gpu()?;
    match of {
        MutantsOf::Searches => {
            let cases: Vec<Case> = fixtures(FixtureSize::Small, common.seed())?.into_iter().map(Case::new).collect();
            let words = format!("{} fixtures", cases.len());
            let trials = search_trials(&gpu, cases, super::configurations(common)?)?;
            try_on(&gpu, arguments, &chosen, (trials, &words))
        }
        MutantsOf::Kernels => {
            let trials = kernel_properties(&gpu)?;
            let words = format!("{} properties of solvers", trials.len());
            try_on(&gpu, arguments, &chosen, (trials, &words))
        }
    }
}

fn try_on<T: Trial>(
    gpu: &Gpu,
    arguments: &VerifyArguments,
    chosen: &[Mutant],
    (trials, words): (Vec<T>, &str),
) -> Result<ExitCode, CommandError> {
    let mut report = Report::open(arguments.report.as_deref())?;
    report.say(&format!("{}; {} mutants; {words}", gpu.capabilities.name, chosen.len()))?;
    let bench = MutantBench::new(gpu, trials);
    let workers = super::worker_count(gpu, arguments, MOST_WORKERS);
    report.begin(chosen.len() as u64);
    let totals = Mutex::new((Totals::default(), Ok(())));
    bench.run(chosen, workers, |mutant, fate| {
        let said = report.say(&format!("{mutant}: {fate}{}", remark(mutant, fate)));
        report.advance();
        let mut totals = totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        totals.0.count(mutant, fate);
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
    fn count(&mut self, mutant: &Mutant, fate: &Fate) {
        let of_kind = match (fate, mutant.equivalent.is_empty()) {
            (Fate::Caught { .. }, true) => &mut self.caught,
            (Fate::Caught { .. }, false) => &mut self.wrongly_explained,
            (Fate::Survived { .. }, true) => &mut self.survived,
            (Fate::Survived { .. }, false) => &mut self.equivalent,
            (Fate::Invalid(_), _) => &mut self.invalid,
        };
        *of_kind += 1;
    }
}

fn remark(mutant: &Mutant, fate: &Fate) -> String {
    match (fate, mutant.equivalent.as_str()) {
        (_, "") | (Fate::Invalid(_), _) => String::new(),
        (Fate::Survived { .. }, why) => format!("; as explained: {why}"),
        (Fate::Caught { .. }, why) => format!("; although it was explained as equivalent: {why}"),
    }
}
