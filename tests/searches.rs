//! Every search, in every manner it can be run, against the CPU oracle on every fixture.

mod altered;
mod common;

use nearwater::gpu::{Capabilities, Gpu, PairKernel, read_buffer, record};
use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::{Manner, compare};
use nearwater::search::{
    BoundPairKernel, COARSE_CELLS, ReferenceNeighbors, SEARCHES, SearchError, SearchInfo, SearchInput, SearchOptions,
    search_named,
};
use wgpu::util::DeviceExt as _;

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
        ("without atomic addition of floats", altered::altered(no_float_atomics)),
        ("with the least workgroup memory", altered::altered(least_workgroups)),
        (
            "without subgroups, with the least workgroup memory",
            altered::altered(|capabilities| {
                least_workgroups(capabilities);
                capabilities.subgroup_sizes = None;
            }),
        ),
        (
            "with tiled dispatches",
            altered::altered(|capabilities| capabilities.limits.max_compute_workgroups_per_dimension = 97),
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

/// The benchmark's sum for every particle, in the caller's order; twice, so that deposits left behind show.
fn kernel_sums(gpu: &Gpu, manner: &Manner, fixture: &Fixture) -> (bool, Vec<f32>) {
    let count = fixture.positions.len();
    let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|p| p.extend(0.0).to_array()).collect();
    let positions = gpu.storage_with("positions", &padded).expect("they fit");
    let input = SearchInput {
        positions: &positions,
        particle_count: count as u32,
        domain: fixture.domain,
        options: &manner.options,
    };
    let search = (manner.search.create)(gpu, input).expect("a small input");
    let sums = gpu.storage::<f32>("sums", count as u64).expect("they fit");
    let deposits = gpu.storage_with("deposits", &vec![0_u32; count]).expect("they fit");
    let inverse = fixture.domain.support_radius.powi(-2);
    let parameters = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("kernel sum"),
        contents: &[inverse, 0.0, 0.0, 0.0].map(f32::to_le_bytes).concat(),
        usage: wgpu::BufferUsages::UNIFORM,
    });
    let pair = BoundPairKernel {
        label: "kernel sum",
        kernel: PairKernel { file: "search/kernel_sum.wgsl", vanishes_at_radius: true },
        definitions: &[],
        buffers: &[("kernel_sum", &parameters), ("sums", &sums), ("deposits", &deposits)],
    };
    let mut passes = search.build_passes(gpu).expect("the shader compiles");
    passes.extend(search.traversal_passes(gpu, pair, None).expect("the shader compiles"));
    gpu.submit(|encoder| record(&passes, encoder, None));
    gpu.submit(|encoder| record(&passes, encoder, None));
    let sorted: Vec<[f32; 4]> = read_buffer(gpu, search.sorted_positions(), count).expect("the device answers");
    let found: Vec<f32> = read_buffer(gpu, &sums, count).expect("the device answers");
    let mut by_original = vec![f32::NAN; count];
    for (sum, [.., index]) in found.iter().zip(&sorted) {
        by_original[index.to_bits() as usize] = *sum;
    }
    (search.deposits(), by_original)
}

#[test]
fn deposited_sums_are_the_gathered_ones_with_and_without_atomic_addition_of_floats() {
    let fixtures = fixtures(FixtureSize::Small, SEED).expect("fixtures have good boxes");
    let fixture = fixtures.iter().find(|fixture| fixture.name == "uniform 4097").expect("it is there");
    let gathering =
        Manner { search: search_named("hoetzlein").expect("it is there"), options: SearchOptions::default() };
    let (deposits, expected) = kernel_sums(&common::gpu(), &gathering, fixture);
    assert!(!deposits && expected.iter().sum::<f32>() > 1_000.0);
    let mut depositing_count = 0;
    for gpu in [common::gpu(), altered::altered(no_float_atomics)] {
        for manner in Manner::all() {
            let (deposits, found) = kernel_sums(&gpu, &manner, fixture);
            depositing_count += u32::from(deposits);
            for (index, (a, b)) in found.iter().zip(&expected).enumerate() {
                // The same terms in another order.
                assert!((a - b).abs() <= 1e-5 * b.max(1.0), "{manner}: particle {index} has {a}, not {b}");
            }
        }
    }
    assert!(depositing_count >= 4, "only {depositing_count} searches deposited");
}

fn no_float_atomics(capabilities: &mut Capabilities) {
    capabilities.features.remove(wgpu::Features::SHADER_FLOAT32_ATOMIC);
}

/// The least that WebGPU promises.
fn least_workgroups(capabilities: &mut Capabilities) {
    capabilities.limits.max_compute_workgroup_storage_size = 16_384;
    capabilities.limits.max_compute_invocations_per_workgroup = 256;
}
