//! Every search, in every manner it can be run, against the CPU oracle on every fixture.

mod common;

use nearwater::search::fixtures::{FixtureSize, fixtures};
use nearwater::search::verify::{Manner, compare};
use nearwater::search::{ReferenceNeighbors, SearchError};

const SEED: u64 = 20_261_121;

#[test]
fn every_search_finds_exactly_the_neighbors() {
    let gpu = common::gpu();
    let fixtures = fixtures(FixtureSize::Small, SEED).expect("fixtures have good boxes");
    assert!(fixtures.len() >= 40, "only {} fixtures", fixtures.len());
    let mut failures = Vec::new();
    let mut pairs_found = 0;
    for fixture in &fixtures {
        let reference = ReferenceNeighbors::find(&fixture.positions, fixture.domain, fixture.exact_ties);
        let mut fingerprints = Vec::new();
        for manner in Manner::all() {
            match compare(&gpu, &manner, fixture, &reference) {
                Ok(comparison) => {
                    pairs_found += comparison.neighbor_count;
                    fingerprints.push(comparison.fingerprint);
                    if let Some(disagreement) = comparison.disagreement {
                        failures.push(format!("{manner} on \"{}\": {disagreement}", fixture.name));
                    }
                }
                Err(SearchError::TooSlow { .. }) if manner.search.name == "brute_force" => {}
                Err(error) => failures.push(format!("{manner} on \"{}\": {error}", fixture.name)),
            }
        }
        fingerprints.dedup();
        if fingerprints.len() != 1 {
            failures.push(format!("unlike fingerprints on \"{}\"", fixture.name));
        }
    }
    assert!(failures.is_empty(), "seed {SEED}:\n{}", failures.join("\n"));
    assert!(pairs_found > 1_000_000, "only {pairs_found} pairs were compared");
}
