//! `nearwater verify`: checks every search against the CPU oracle.

use std::process::ExitCode;
use std::time::Instant;

use nearwater::gpu::Gpu;
use nearwater::search::ReferenceNeighbors;
use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::{Comparison, SearchConfiguration, compare};

use super::CommandError;
use super::arguments::{Common, VerifyArguments};
use super::progress::progress_bar;

/// Checks every configuration of every search against the oracle. The exit code is 1 when one of them is wrong.
pub fn run(common: &Common, arguments: &VerifyArguments) -> Result<ExitCode, CommandError> {
    let gpu = common.gpu()?;
    let only = common.search_or_all()?;
    let size = if arguments.full { FixtureSize::Full } else { FixtureSize::Small };
    let mut fixtures = fixtures(size, common.seed())?;
    if let Some(only) = &arguments.only {
        let names: Vec<_> = fixtures.iter().map(|fixture| fixture.name.clone()).collect();
        fixtures.retain(|fixture| fixture.name.contains(only.as_str()));
        if fixtures.is_empty() {
            return Err(CommandError::Fixture { wanted: only.clone(), available: names.join("; ") });
        }
    }
    let configurations: Vec<SearchConfiguration> = SearchConfiguration::all()
        .into_iter()
        .filter(|configuration| only.is_none_or(|search| search == configuration.search))
        .collect();
    outln!("{}; seed {}; {} fixtures", gpu.capabilities.name, common.seed(), fixtures.len());

    let mut tallies = vec![Tally::default(); configurations.len()];
    let mut different = Vec::new();
    let progress = progress_bar(fixtures.len() as u64, "{pos}/{len} {msg}");
    for fixture in &fixtures {
        progress.set_message(fixture.name.clone());
        let reference = ReferenceNeighbors::find(&fixture.positions, fixture.domain, fixture.exact_ties);
        let mut found: Option<(u64, &SearchConfiguration)> = None;
        for (configuration, tally) in configurations.iter().zip(&mut tallies) {
            let Some(fingerprint) = tally.take(&gpu, configuration, fixture, &reference)? else { continue };
            match found {
                Some((other, of)) if other != fingerprint => {
                    different.push(format!("{configuration} and {of} on \"{}\"", fixture.name));
                }
                _ => found = Some((fingerprint, configuration)),
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();

    for (configuration, tally) in configurations.iter().zip(&tallies) {
        outln!("{}", tally.line(&configuration.to_string()));
        tally.wrong.iter().for_each(|wrong| outln!("    WRONG on {wrong}"));
        tally.refused.iter().for_each(|refused| outln!("    refused {refused}"));
    }
    if different.is_empty() {
        outln!(
            "the fingerprints of the neighbor sets are equal for all searches on each of the {} fixtures",
            fixtures.len()
        );
    }
    for pair in &different {
        outln!("    DIFFERENT FINGERPRINTS of {pair}");
    }
    let all_right = different.is_empty() && tallies.iter().all(|tally| tally.wrong.is_empty());
    Ok(if all_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Clone, Default)]
struct Tally {
    right: u32,
    neighbors: u64,
    ambiguous: u64,
    candidates: u64,
    seconds: f64,
    wrong: Vec<String>,
    refused: Vec<String>,
}

impl Tally {
    /// Checks one fixture, and returns the fingerprint of the neighbor sets, or `None` if the search refused it.
    fn take(
        &mut self,
        gpu: &Gpu,
        configuration: &SearchConfiguration,
        fixture: &Fixture,
        reference: &ReferenceNeighbors,
    ) -> Result<Option<u64>, CommandError> {
        let started = Instant::now();
        let fingerprint = match compare(gpu, configuration, fixture, reference) {
            Ok(comparison) => {
                self.add(&comparison, &fixture.name);
                Some(comparison.fingerprint)
            }
            // A search may refuse a set that exceeds its limits. This is reported, and is not an error of the check.
            Err(refusal) if refusal.is_refusal() => {
                self.refused.push(format!("\"{}\": {refusal}", fixture.name));
                None
            }
            Err(error) => return Err(error.into()),
        };
        self.seconds += started.elapsed().as_secs_f64();
        Ok(fingerprint)
    }

    fn add(&mut self, comparison: &Comparison, fixture: &str) {
        match &comparison.disagreement {
            Some(disagreement) => self.wrong.push(format!("\"{fixture}\": {disagreement}")),
            None => self.right += 1,
        }
        self.neighbors += comparison.neighbor_count;
        self.ambiguous += comparison.ambiguous_count;
        self.candidates += comparison.totals.candidates;
    }

    fn line(&self, configuration: &str) -> String {
        format!(
            "{configuration:<32} {:>3} exact, {} wrong, {} refused; {:>12} pairs, {:>14} candidates, \
             {} left out at the radius; {:.1} s",
            self.right,
            self.wrong.len(),
            self.refused.len(),
            self.neighbors,
            self.candidates,
            self.ambiguous,
            self.seconds
        )
    }
}
