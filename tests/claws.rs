//! CLAWS's ideas in every combination, against the CPU oracle; and its schedules, against the algorithm on the CPU.

mod altered;
mod common;

use std::sync::Arc;

use glam::{IVec3, UVec3, Vec3Swizzles as _};
use nearwater::gpu::{Capabilities, Gpu, record};
use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::{Manner, compare};
use nearwater::search::{
    NeighborSearch, ReferenceNeighbors, Schedule, SearchInput, SearchOption, SearchOptions, schedule_of_cell,
    search_named,
};

const SEED: u64 = 20_261_121;

fn option(name: &str) -> &'static SearchOption {
    let claws = search_named("claws").expect("it is there");
    claws.options.iter().find(|option| option.name == name).expect("it has the option")
}

/// The default settings with those changed.
fn options(changes: &[&str]) -> SearchOptions {
    let mut options = SearchOptions::default();
    for change in changes {
        options.parse(change).expect("a setting of CLAWS");
    }
    options
}

fn fixtures_named(names: &[&str]) -> Vec<Fixture> {
    let all = fixtures(FixtureSize::Small, SEED).expect("fixtures have good boxes");
    let found: Vec<_> = all.into_iter().filter(|fixture| names.contains(&&*fixture.name)).collect();
    assert_eq!(found.len(), names.len());
    found
}

/// The least that WebGPU promises.
fn least(capabilities: &mut Capabilities) {
    capabilities.limits.max_compute_workgroup_storage_size = 16_384;
    capabilities.limits.max_compute_invocations_per_workgroup = 256;
}

fn least_without_subgroups(capabilities: &mut Capabilities) {
    least(capabilities);
    capabilities.subgroup_sizes = None;
}

/// Fewer subgroups in a workgroup than there are rows around a cell.
fn few_subgroups(capabilities: &mut Capabilities) {
    let largest = capabilities.subgroup_sizes.map_or(1, |(_, largest)| largest);
    capabilities.limits.max_compute_invocations_per_workgroup = 4 * largest;
}

fn adapters() -> [(&'static str, Arc<Gpu>); 4] {
    [
        ("as it is", common::gpu()),
        ("the least", altered::altered(least)),
        ("the least without subgroups", altered::altered(least_without_subgroups)),
        ("few subgroups", altered::altered(few_subgroups)),
    ]
}

#[test]
fn every_combination_of_the_ideas_finds_exactly_the_neighbors() {
    let ideas = ["claws-reorder", "claws-rows", "claws-once", "claws-schedule"].map(option);
    // A blob of several chunks in one cell, one of no order, ties at the radius, and particles far outside.
    let fixtures = fixtures_named(&[
        "uniform 4097",
        "one dense blob in an empty box",
        "lattice, ties at r = 2 spacings",
        "most outside the box",
    ]);
    let mut failures = Vec::new();
    for (number, (adapter, gpu)) in adapters().into_iter().enumerate() {
        for fixture in &fixtures {
            let reference = ReferenceNeighbors::find(&fixture.positions, fixture.domain, fixture.exact_ties);
            // All on the adapter as it is; on each of the others a third of them, as each takes seconds to compile.
            for bits in (0..1_u8 << ideas.len()).filter(|bits| number == 0 || usize::from(bits % 3) + 1 == number) {
                // Few and many coarse cells by turns.
                let cells = ["coarse-cells=auto", "coarse-cells=5"][bits.count_ones() as usize % 2];
                let chosen = ideas.iter().enumerate().fold(options(&[cells]), |options, (place, option)| {
                    options.with(option, f32::from(bits >> place & 1))
                });
                let manner = Manner { search: search_named("claws").expect("it is there"), options: chosen };
                let comparison = compare(&gpu, &manner, fixture, &reference).expect("no fixture is refused");
                assert!(comparison.neighbor_count > 0, "{manner} on \"{}\"", fixture.name);
                if let Some(disagreement) = comparison.disagreement {
                    failures.push(format!("{manner} {adapter} on \"{}\": {disagreement}", fixture.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "seed {SEED}:\n{}", failures.join("\n"));
}

/// A search of a fixture with its blocks built.
fn built(gpu: &Gpu, fixture: &Fixture, name: &str, options: &SearchOptions) -> Box<dyn NeighborSearch> {
    let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|p| p.extend(0.0).to_array()).collect();
    let positions = gpu.storage_with("positions", &padded).expect("they fit");
    let particle_count = padded.len() as u32;
    let input = SearchInput { positions: &positions, particle_count, domain: fixture.domain, options };
    let search = (search_named(name).expect("it is there").create)(gpu, input).expect("a small input");
    let passes = search.build_passes(gpu).expect("the shaders compile");
    gpu.submit(|encoder| record(&passes, encoder, None));
    search
}

fn cells_of(search: &dyn NeighborSearch) -> impl Iterator<Item = UVec3> {
    let counts = search.cells().expect("it has cells").counts;
    (0..counts.element_product())
        .map(move |i| UVec3::new(i % counts.x, i / counts.x % counts.y, i / (counts.x * counts.y)))
}

/// That a schedule serves every range with particles, and exactly fills the workgroup where that can be.
fn check_schedule(schedule: &Schedule, what: &str) {
    assert_eq!(*schedule, Schedule::new(&schedule.loads, schedule.subgroup_count), "{what}");
    let served: Vec<_> = schedule.groups().collect();
    for (range, load) in schedule.loads.iter().enumerate() {
        let groups = served.iter().filter(|(served, _)| *served == range as u32);
        assert_eq!(groups.map(|(_, subgroups)| u32::from(!subgroups.is_empty())).sum::<u32>(), u32::from(*load > 0));
    }
    let total: u32 = schedule.loads.iter().sum();
    if served.is_empty() || served.len() as u32 > schedule.subgroup_count {
        return;
    }
    let mut filled: Vec<u32> = served.iter().flat_map(|(_, subgroups)| subgroups.clone()).collect();
    filled.sort_unstable();
    assert_eq!(filled, (0..schedule.subgroup_count).collect::<Vec<_>>(), "{what}: {schedule:?}");
    for (range, subgroups) in served {
        let exact = f64::from(schedule.loads[range as usize]) * f64::from(schedule.subgroup_count) / f64::from(total);
        // Rounded up; what is too many is taken back from the larger shares.
        assert!((subgroups.len() as f64) < exact + 1.0, "{what}: {schedule:?}");
    }
}

#[test]
fn schedules_are_those_of_the_cpu_and_fill_the_workgroup() {
    let mut group_counts = [0; 28];
    let mut crowded = 0;
    for (adapter, gpu) in adapters() {
        for fixture in fixtures_named(&["uniform 4097", "clustered", "box 1000:1:1"]) {
            let rows = built(&gpu, &fixture, "claws", &options(&["coarse-cells=4"]));
            let cells = built(&gpu, &fixture, "claws", &options(&["coarse-cells=4", "claws-rows=off"]));
            for cell in cells_of(rows.as_ref()) {
                let what = format!("{adapter}, \"{}\", {cell}", fixture.name);
                let read = |search: &dyn NeighborSearch| {
                    schedule_of_cell(&gpu, search, cell).expect("there is such a cell").expect("it is CLAWS")
                };
                let [by_row, by_cell] = [read(rows.as_ref()), read(cells.as_ref())];
                assert!(by_row.rows && !by_cell.rows, "{what}");
                assert_eq!((by_row.offsets.len(), by_cell.offsets.len()), (9, 27), "{what}");
                for schedule in [&by_row.schedule, &by_cell.schedule] {
                    check_schedule(schedule, &what);
                    group_counts[schedule.target_map.len()] += 1;
                    crowded += u32::from(schedule.target_map.len() as u32 > schedule.subgroup_count);
                }
                // A row is its three cells, less the cell itself.
                for (offset, load) in by_row.offsets.iter().zip(&by_row.schedule.loads) {
                    let of_row = |other: &IVec3| other.yz() == offset.yz();
                    let loads = by_cell.offsets.iter().zip(&by_cell.schedule.loads);
                    assert_eq!(
                        *load,
                        loads.filter(|(other, _)| of_row(other)).map(|(_, load)| load).sum::<u32>(),
                        "{what}"
                    );
                }
            }
        }
    }
    assert!(group_counts[9] > 0 && group_counts[26] > 0, "{group_counts:?}");
    assert!(crowded > 0, "no cell had more ranges than subgroups");
}

#[test]
fn a_workgroup_has_the_adapter_s_subgroups() {
    let gpu = common::gpu();
    let [fixture] = fixtures_named(&["uniform 4097"]).try_into().expect("one");
    let search = built(&gpu, &fixture, "claws", &SearchOptions::default());
    let read =
        schedule_of_cell(&gpu, search.as_ref(), UVec3::ZERO).expect("there is such a cell").expect("it is CLAWS");
    if let Some((smallest, largest)) = gpu.capabilities.subgroup_sizes.filter(|(smallest, largest)| smallest == largest)
    {
        let invocations = gpu.capabilities.limits.max_compute_invocations_per_workgroup.min(32 * largest);
        assert_eq!(read.schedule.subgroup_count, invocations / smallest);
    }
}

#[test]
fn no_other_search_and_no_other_cell_has_a_schedule() {
    let gpu = common::gpu();
    let [fixture] = fixtures_named(&["uniform 4097"]).try_into().expect("one");
    let hoetzlein = built(&gpu, &fixture, "hoetzlein", &SearchOptions::default());
    assert_eq!(schedule_of_cell(&gpu, hoetzlein.as_ref(), UVec3::ZERO).expect("no error"), None);
    let claws = built(&gpu, &fixture, "claws", &options(&["coarse-cells=2"]));
    let refusal = schedule_of_cell(&gpu, claws.as_ref(), UVec3::new(0, 2, 0)).expect_err("there are 2 by 2 by 2");
    assert!(refusal.to_string().contains("[0, 2, 0]") && refusal.to_string().contains("[2, 2, 2]"), "{refusal}");
}
