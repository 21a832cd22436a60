//! Every search in every configuration, compared with the CPU oracle on every fixture.

mod altered;
mod common;

use std::sync::LazyLock;

use nearwater::bench::paper_tables;
use nearwater::gpu::{AdapterClass, Capabilities, Gpu, PairKernel, Pass, read_buffer, record};
use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::{Case, SearchConfiguration, compare};
use nearwater::search::{
    BoundPairKernel, COARSE_CELLS, SEARCHES, SearchError, SearchInfo, SearchInput, SearchOptions, count_kernel,
    search_named,
};
use wgpu::util::DeviceExt as _;

const SEED: u64 = 20_261_121;

/// All fixtures, with the results of the oracle, which all tests share.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    fixtures(FixtureSize::Small, SEED).expect("fixtures have good boxes").into_iter().map(Case::new).collect()
});

/// The cases of these names.
fn cases(names: &[&str]) -> Vec<&'static Case> {
    let found: Vec<_> = CASES.iter().filter(|case| names.contains(&&*case.fixture().name)).collect();
    assert_eq!(found.len(), names.len());
    found
}

fn case(name: &str) -> &'static Case {
    cases(&[name])[0]
}

#[test]
fn every_search_finds_exactly_the_neighbors() {
    let gpu = common::gpu();
    assert!(CASES.len() >= 40, "only {} fixtures", CASES.len());
    let mut failures = Vec::new();
    let mut pairs_found = 0;
    for case in &*CASES {
        let fixture = case.fixture();
        let mut fingerprints = Vec::new();
        for configuration in SearchConfiguration::all_with_lists() {
            match compare(&gpu, &configuration, case) {
                Ok(comparison) => {
                    pairs_found += comparison.neighbor_count;
                    fingerprints.push(comparison.fingerprint);
                    if let Some(disagreement) = comparison.disagreement {
                        failures.push(format!("{configuration} on \"{}\": {disagreement}", fixture.name));
                    }
                }
                Err(SearchError::TooSlow { .. }) if configuration.search.name == "brute_force" => {}
                Err(error) => failures.push(format!("{configuration} on \"{}\": {error}", fixture.name)),
            }
        }
        fingerprints.dedup();
        if fingerprints.len() != 1 {
            failures.push(format!("different fingerprints on \"{}\"", fixture.name));
        }
    }
    assert!(failures.is_empty(), "seed {SEED}:\n{}", failures.join("\n"));
    assert!(pairs_found > 1_000_000, "only {pairs_found} pairs were compared");
}

/// A search as it is by default, and with a halo if it offers one.
fn with_and_without_halo(search: &'static SearchInfo) -> impl Iterator<Item = SearchConfiguration> {
    let plain = SearchConfiguration { search, options: SearchOptions::default() };
    let halo = search.options.iter().any(|option| option.name == "halo").then(|| {
        let mut options = SearchOptions::default();
        options.parse("halo=on").expect("the search has this setting");
        SearchConfiguration { search, options }
    });
    std::iter::once(plain).chain(halo)
}

/// Runs the searches that derive sizes and features from the adapter on adapters with lower capabilities.
#[test]
fn two_level_searches_find_exactly_the_neighbors_on_less_capable_adapters() {
    let adapters = [
        ("without atomic addition of floats", altered::altered(no_float_atomics)),
        ("with the smallest workgroup memory", altered::altered(least_workgroups)),
        (
            "without subgroups, with the smallest workgroup memory",
            altered::altered(|capabilities| {
                least_workgroups(capabilities);
                capabilities.subgroup_sizes = None;
            }),
        ),
        (
            "where subgroups run concurrently",
            altered::altered(|capabilities| capabilities.class = AdapterClass::Discrete),
        ),
        (
            "with tiled dispatches",
            altered::altered(|capabilities| capabilities.limits.max_compute_workgroups_per_dimension = 97),
        ),
    ];
    let names = ["uniform 4097", "clustered", "one dense blob in an empty box", "lattice, ties at r = 2 spacings"];
    let two_level = |search: &&&SearchInfo| search.options.iter().any(|option| option.name == COARSE_CELLS.name);
    assert!(SEARCHES.iter().filter(two_level).count() > 0);
    let mut failures = Vec::new();
    for case in cases(&names) {
        let fixture = case.fixture();
        for (adapter, gpu) in &adapters {
            for configuration in SEARCHES.iter().filter(two_level).flat_map(|search| with_and_without_halo(search)) {
                let comparison = compare(gpu, &configuration, case).expect("no fixture is refused");
                assert!(comparison.neighbor_count > 0, "{configuration} {adapter} on \"{}\"", fixture.name);
                if let Some(disagreement) = comparison.disagreement {
                    failures.push(format!("{configuration} {adapter} on \"{}\": {disagreement}", fixture.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "seed {SEED}:\n{}", failures.join("\n"));
}

/// Every pass over particles needs more workgroups than one dimension of a dispatch allows.
#[test]
fn every_search_finds_exactly_the_neighbors_with_tiled_dispatches() {
    let gpu = altered::altered(|capabilities| capabilities.limits.max_compute_workgroups_per_dimension = 97);
    let case = case("uniform 65537");
    let mut compared = 0;
    for &search in SEARCHES {
        let configuration = SearchConfiguration { search, options: SearchOptions::default() };
        match compare(&gpu, &configuration, case) {
            Ok(comparison) => {
                assert_eq!(comparison.disagreement, None, "{configuration}");
                compared += 1;
            }
            Err(SearchError::TooSlow { .. }) if search.name == "brute_force" => {}
            Err(error) => panic!("{configuration}: {error}"),
        }
    }
    // A fast device takes brute force as well.
    assert!(compared >= SEARCHES.len() - 1, "only {compared} searches were compared");
}

/// The benchmark's sum for every particle, in the caller's order; computed twice, so that leftover deposits would show.
fn kernel_sums(gpu: &Gpu, configuration: &SearchConfiguration, fixture: &Fixture) -> (bool, Vec<f32>) {
    let count = fixture.positions.len();
    let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|p| p.extend(0.0).to_array()).collect();
    let positions = gpu.storage_with("positions", &padded).expect("they fit");
    let input = SearchInput {
        positions: &positions,
        particle_count: count as u32,
        domain: fixture.domain,
        options: &configuration.options,
    };
    let search = configuration.search.create(gpu, input).expect("a small input");
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
        kernel: PairKernel::new("search/kernel_sum.wgsl", true),
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
fn deposited_sums_equal_gathered_ones_with_and_without_atomic_addition_of_floats() {
    let fixture = case("uniform 4097").fixture();
    let gathering = SearchConfiguration {
        search: search_named("hoetzlein").expect("it is there"),
        options: SearchOptions::default(),
    };
    let (deposits, expected) = kernel_sums(&common::gpu(), &gathering, fixture);
    assert!(!deposits && expected.iter().sum::<f32>() > 1_000.0);
    let mut depositing_count = 0;
    for gpu in [common::gpu(), altered::altered(no_float_atomics)] {
        for configuration in SearchConfiguration::all() {
            let (deposits, found) = kernel_sums(&gpu, &configuration, fixture);
            depositing_count += u32::from(deposits);
            for (index, (a, b)) in found.iter().zip(&expected).enumerate() {
                // The same terms in a different order.
                assert!((a - b).abs() <= 1e-5 * b.max(1.0), "{configuration}: particle {index} has {a}, not {b}");
            }
        }
    }
    assert!(depositing_count >= 4, "only {depositing_count} searches deposited");
}

fn no_float_atomics(capabilities: &mut Capabilities) {
    capabilities.features.remove(wgpu::Features::SHADER_FLOAT32_ATOMIC);
}

/// The least capabilities that WebGPU guarantees.
fn least_workgroups(capabilities: &mut Capabilities) {
    capabilities.limits.max_compute_workgroup_storage_size = 16_384;
    capabilities.limits.max_compute_invocations_per_workgroup = 256;
}

/// The bytes of a search include all buffers that its passes bind, with the deposits, except the input, its sorted copy
/// and the output of the pair kernel.
#[test]
fn the_bytes_of_a_search_are_those_of_the_buffers_that_its_passes_bind() {
    let gpu = common::gpu();
    let fixture = case("uniform 4097").fixture();
    let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|p| p.extend(0.0).to_array()).collect();
    let positions = gpu.storage_with("positions", &padded).expect("they fit");
    let particle_count = padded.len() as u32;
    let sums = gpu.storage::<u32>("sums", particle_count.into()).expect("they fit");
    let deposits = gpu.storage::<u32>("deposits", particle_count.into()).expect("they fit");
    let buffers = [("pair_counts", &sums), ("deposits", &deposits)];
    let mut depositing_count = 0;
    for configuration in SearchConfiguration::all() {
        let domain = fixture.domain;
        let input = SearchInput { positions: &positions, particle_count, domain, options: &configuration.options };
        let search = configuration.search.create(&gpu, input).expect("a small input");
        let mut passes = search.build_passes(&gpu).expect("the shaders compile");
        passes.extend(search.traversal_passes(&gpu, count_kernel(&buffers), None).expect("the shaders compile"));
        let not_counted = [&positions, search.sorted_positions(), &sums];
        let mut bound = Vec::new();
        for buffer in passes.iter().flat_map(Pass::bindings).map(|binding| &binding.buffer) {
            if !not_counted.contains(&buffer) && !bound.contains(&buffer) {
                bound.push(buffer);
            }
        }
        // The size of a buffer is rounded up to a multiple of 16 bytes.
        let room = 16 * bound.len() as u64;
        let bound_bytes = bound.iter().map(|buffer| buffer.size()).sum::<u64>();
        let said = search.bytes() + search.deposit_bytes(particle_count, 1);
        assert!(
            (said..=said + room).contains(&bound_bytes),
            "{configuration}: {said} bytes reported, {bound_bytes} bound"
        );
        assert_eq!(bound.contains(&&deposits), search.deposits(), "{configuration}");
        depositing_count += u32::from(search.deposits());
    }
    assert!(depositing_count >= 4, "only {depositing_count} configurations deposited");
}

/// Runs every search with its settings in the papers' tables: the cells of the papers, with the papers' look-ups and
/// with the default look-ups.
#[test]
fn every_run_of_the_papers_tables_finds_exactly_the_neighbors() {
    let gpu = common::gpu();
    let names = ["uniform 4097", "clustered", "lattice, ties at r = 2 spacings", "most outside the box"];
    let mut configurations: Vec<SearchConfiguration> = Vec::new();
    for table in paper_tables("all").expect("the tables ship with the program") {
        for run in table.runs(&table.cases[0]).expect("every search and setting is there") {
            if !configurations.contains(&run.configuration) {
                configurations.push(run.configuration);
            }
        }
    }
    assert!(configurations.len() > 20, "only {} configurations", configurations.len());
    let mut failures = Vec::new();
    for case in cases(&names) {
        let fixture = case.fixture();
        for configuration in &configurations {
            let comparison = compare(&gpu, configuration, case).expect("no fixture is refused");
            assert!(comparison.neighbor_count > 0, "{configuration} on \"{}\"", fixture.name);
            if let Some(disagreement) = comparison.disagreement {
                failures.push(format!("{configuration} on \"{}\": {disagreement}", fixture.name));
            }
        }
    }
    assert!(failures.is_empty(), "seed {SEED}:\n{}", failures.join("\n"));
}

/// At an edge of twice the radius, all 27 cells contain 216 r³ and the touched cells 64 r³.
#[test]
fn a_look_up_of_27_cells_tests_more_candidates_for_the_same_neighbors() {
    let gpu = common::gpu();
    let case = case("uniform 4097");
    let configurations: Vec<_> =
        SEARCHES.iter().filter(|search| search.published.contains(&"look-up=27 cells")).collect();
    assert_eq!(configurations.len(), 2, "Green and Hoetzlein");
    for &search in configurations {
        let [touched, all] = ["look-up=touched cells", "look-up=27 cells"].map(|look_up| {
            let mut configuration = SearchConfiguration { search, options: SearchOptions::default() };
            for option in ["cell-edge=2r", look_up] {
                configuration.options.parse(option).expect("a setting");
            }
            compare(&gpu, &configuration, case).expect("a small fixture").totals
        });
        assert_eq!(touched.neighbors, all.neighbors, "{}", search.name);
        let factor = all.candidates as f64 / touched.candidates as f64;
        // 216 / 64 = 3.4 away from the walls of the box.
        assert!((1.5..3.5).contains(&factor), "{}: {factor} times the candidates", search.name);
    }
}
