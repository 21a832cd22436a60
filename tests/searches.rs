//! Every search, in every manner it can be run, against the CPU oracle on every fixture.

mod common;

use nearwater::gpu::Capabilities;
use nearwater::search::fixtures::{FixtureSize, fixtures};
use nearwater::search::verify::{Manner, compare};
use nearwater::search::{COARSE_CELLS, ReferenceNeighbors, SEARCHES, SearchError, SearchInfo, SearchOptions};

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

/// The searches that take sizes and features from the adapter, on adapters that have less.
#[test]
fn two_level_searches_find_exactly_the_neighbors_on_lesser_adapters() {
    let adapters = [
        ("without atomic addition of floats", common::altered(no_float_atomics)),
        ("with the least workgroup memory", common::altered(least_workgroups)),
        (
            "without subgroups, with the least workgroup memory",
            common::altered(|capabilities| {
                least_workgroups(capabilities);
                capabilities.subgroup_sizes = None;
            }),
        ),
        (
            "with tiled dispatches",
            common::altered(|capabilities| capabilities.limits.max_compute_workgroups_per_dimension = 97),
        ),
    ];
    let names = ["uniform 4097", "clustered", "one dense blob in an empty box", "lattice, ties at r = 2 spacings"];
    let fixtures = fixtures(FixtureSize::Small, SEED).expect("fixtures have good boxes");
    let fixtures: Vec<_> = fixtures.iter().filter(|fixture| names.contains(&&*fixture.name)).collect();
    assert_eq!(fixtures.len(), names.len());
    let two_level = |search: &&&SearchInfo| search.options.iter().any(|option| option.name == COARSE_CELLS.name);
    assert!(SEARCHES.iter().filter(two_level).count() > 0);
    let mut failures = Vec::new();
    for fixture in fixtures {
        let reference = ReferenceNeighbors::find(&fixture.positions, fixture.domain, fixture.exact_ties);
        for (adapter, gpu) in &adapters {
            for &search in SEARCHES.iter().filter(two_level) {
                let manner = Manner { search, options: SearchOptions::default() };
                let comparison = compare(gpu, &manner, fixture, &reference).expect("no fixture is refused");
                assert!(comparison.neighbor_count > 0, "{manner} {adapter} on \"{}\"", fixture.name);
                if let Some(disagreement) = comparison.disagreement {
                    failures.push(format!("{manner} {adapter} on \"{}\": {disagreement}", fixture.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "seed {SEED}:\n{}", failures.join("\n"));
}

fn no_float_atomics(capabilities: &mut Capabilities) {
    capabilities.features.remove(wgpu::Features::SHADER_FLOAT32_ATOMIC);
}

/// The least that WebGPU promises.
fn least_workgroups(capabilities: &mut Capabilities) {
    capabilities.limits.max_compute_workgroup_storage_size = 16_384;
    capabilities.limits.max_compute_invocations_per_workgroup = 256;
}
