//! Compares CLAWS with its ideas in every combination, with and without the additions of this project, with the CPU
//! oracle, and its schedules with the algorithm on the CPU.

mod altered;
mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{IVec3, UVec3, Vec3Swizzles as _};
use nearwater::gpu::{Capabilities, Gpu, GpuError, record};
use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::{Case, SearchConfiguration, compare};
use nearwater::search::{
    NeighborSearch, Schedule, SearchError, SearchInput, SearchOption, SearchOptions, schedule_of_cell, search_named,
};

const SEED: u64 = 20_261_121;

fn option(name: &str) -> &'static SearchOption {
    let claws = search_named("claws").expect("it is there");
    claws.options.iter().find(|option| option.name == name).expect("it has the option")
}

/// The default settings with these changes.
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

/// The least capabilities that WebGPU guarantees.
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
        ("unaltered", common::gpu()),
        ("smallest limits", altered::altered(least)),
        ("smallest limits without subgroups", altered::altered(least_without_subgroups)),
        ("few subgroups", altered::altered(few_subgroups)),
    ]
}

#[test]
fn every_combination_of_the_ideas_finds_exactly_the_neighbors() {
    let ideas = ["claws-reorder", "claws-rows", "claws-once", "claws-schedule"].map(option);
    // The additions of this project to the paper, each of which can be switched off.
    let ours = ["claws-queue", "claws-local-grid", "claws-fine-order"].map(option);
    // Unordered particles, a blob of several chunks in one cell, ties at the radius, and particles far outside the box.
    let fixtures = fixtures_named(&[
        "uniform 4097",
        "one dense blob in an empty box",
        "lattice, ties at r = 2 spacings",
        "most outside the box",
    ]);
    let cases: Vec<Case> = fixtures.into_iter().map(Case::new).collect();
    let mut failures = Vec::new();
    for (number, (adapter, gpu)) in adapters().into_iter().enumerate() {
        for case in &cases {
            let fixture = case.fixture();
            // On the unaltered adapter, all combinations of the ideas run with none and with all of the additions, and
            // some combinations with a part of them. On each of the others only a few run, because each takes seconds
            // to compile.
            let is_run = |bits: &u8| match (number, bits >> ideas.len()) {
                (0, 0b000 | 0b111) => true,
                (0, _) => bits.is_multiple_of(10),
                (number, _) => usize::from(bits % 42) + 1 == number,
            };
            for bits in (0..1_u8 << (ideas.len() + ours.len())).filter(is_run) {
                // Few and many coarse cells, alternately.
                let cells = ["coarse-cells=auto", "coarse-cells=5"][bits.count_ones() as usize % 2];
                let every = ideas.iter().chain(&ours).enumerate();
                let chosen = every.fold(options(&[cells]), |options, (place, option)| {
                    options.with(option, f32::from(bits >> place & 1))
                });
                let configuration =
                    SearchConfiguration { search: search_named("claws").expect("it is there"), options: chosen };
                // Unclipped cells of the blob contain so many candidates that the loops of the few invocations of "few
                // subgroups" can exceed the 65,535 iterations after which llvmpipe ends them. That must be an error,
                // never a shorter list of neighbors.
                let looks_up_27 = bits >> (ideas.len() + 1) & 1 == 1;
                let is_crowded =
                    adapter == "few subgroups" && looks_up_27 && fixture.name == "one dense blob in an empty box";
                let comparison = match compare(&gpu, &configuration, case) {
                    Err(SearchError::Gpu(GpuError::LoopsCut { .. })) if is_crowded => continue,
                    outcome => outcome.expect("no other fixture is refused"),
                };
                assert!(comparison.neighbor_count > 0, "{configuration} on \"{}\"", fixture.name);
                if let Some(disagreement) = comparison.disagreement {
                    failures.push(format!("{configuration} {adapter} on \"{}\": {disagreement}", fixture.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "seed {SEED}:\n{}", failures.join("\n"));
}

/// Creates a search on a fixture and runs its build passes.
fn built(gpu: &Gpu, fixture: &Fixture, name: &str, options: &SearchOptions) -> Box<dyn NeighborSearch> {
    let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|p| p.extend(0.0).to_array()).collect();
    let positions = gpu.storage_with("positions", &padded).expect("they fit");
    let particle_count = padded.len() as u32;
    let input = SearchInput { positions: &positions, particle_count, domain: fixture.domain, options };
    let search = search_named(name).expect("it is there").create(gpu, input).expect("a small input");
    let passes = search.build_passes(gpu).expect("the shaders compile");
    gpu.submit(|encoder| record(&passes, encoder, None));
    search
}

fn cells_of(search: &dyn NeighborSearch) -> impl Iterator<Item = UVec3> {
    let counts = search.cells().expect("it has cells").counts;
    (0..counts.element_product())
        .map(move |i| UVec3::new(i % counts.x, i / counts.x % counts.y, i / (counts.x * counts.y)))
}

/// Checks that a schedule serves every range with particles, and uses every subgroup exactly once if possible.
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
        // Shares are rounded up; the excess is taken back from the larger shares.
        assert!((subgroups.len() as f64) < exact + 1.0, "{what}: {schedule:?}");
    }
}

#[test]
fn schedules_match_the_cpu_and_fill_the_workgroup() {
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
                // The load of a row is that of its three cells, without the cell itself.
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
fn the_schedule_uses_all_subgroups_of_a_workgroup() {
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

/// The laboratory reads the schedule from the blocks, which a halo leaves where they are.
#[test]
fn a_halo_leaves_the_schedule_of_each_cell_as_it_is() {
    let gpu = common::gpu();
    let [fixture] = fixtures_named(&["uniform 4097"]).try_into().expect("one");
    let [plain, halo] =
        ["halo=off", "halo=on"].map(|halo| built(&gpu, &fixture, "claws", &options(&["coarse-cells=4", halo])));
    for cell in cells_of(plain.as_ref()) {
        let [expected, found] = [&plain, &halo].map(|search| {
            schedule_of_cell(&gpu, search.as_ref(), cell).expect("there is such a cell").expect("it is CLAWS")
        });
        assert!(!expected.schedule.target_map.is_empty(), "{cell}");
        assert_eq!(found, expected, "{cell}");
    }
}

#[test]
fn other_searches_have_no_schedule_and_cells_outside_the_grid_are_refused() {
    let gpu = common::gpu();
    let [fixture] = fixtures_named(&["uniform 4097"]).try_into().expect("one");
    let hoetzlein = built(&gpu, &fixture, "hoetzlein", &SearchOptions::default());
    assert_eq!(schedule_of_cell(&gpu, hoetzlein.as_ref(), UVec3::ZERO).expect("no error"), None);
    let claws = built(&gpu, &fixture, "claws", &options(&["coarse-cells=2"]));
    let refusal = schedule_of_cell(&gpu, claws.as_ref(), UVec3::new(0, 2, 0)).expect_err("there are 2 by 2 by 2");
    assert!(refusal.to_string().contains("[0, 2, 0]") && refusal.to_string().contains("[2, 2, 2]"), "{refusal}");
}

/// Number of schedules that differ from those of the CPU on a device with one text of the schedule's shader replaced.
fn wrong_schedules(gpu: &Gpu, (from, to): (&str, &str)) -> usize {
    let file = "search/claws_schedule.wgsl";
    let text = gpu.shaders().original(file).expect("a shader");
    assert_eq!(text.matches(from).count(), 1, "{from}");
    gpu.edit_shaders(Arc::new(BTreeMap::from([(file.to_owned(), Arc::from(text.replace(from, to)))])), true);
    let fixtures = fixtures_named(&["uniform 4097", "clustered"]);
    let wrong_on = |fixture: &Fixture| {
        let search = built(gpu, fixture, "claws", &options(&["coarse-cells=4", "claws-rows=off"]));
        let is_wrong = |cell: &UVec3| {
            let read = schedule_of_cell(gpu, search.as_ref(), *cell).expect("there is such a cell");
            let Schedule { loads, subgroup_count, .. } = &read.as_ref().expect("it is CLAWS").schedule;
            read.as_ref().expect("it is CLAWS").schedule != Schedule::new(loads, *subgroup_count)
        };
        cells_of(search.as_ref()).filter(is_wrong).count()
    };
    fixtures.iter().map(wrong_on).sum()
}

/// Two mutants that no comparison of neighbors reveals, since every share of the work is done by somebody.
#[test]
fn a_wrong_schedule_is_noticed_although_all_neighbors_are_found() {
    let barrier = "groups);\n    }\n    workgroupBarrier();\n";
    let unaltered = altered::altered(|_| ());
    assert_eq!(wrong_schedules(&unaltered, (barrier, barrier)), 0);
    // Ranges of one subgroup are replaced at once, so that the race needs ranges of several.
    let largest = unaltered.capabilities.subgroup_sizes.map_or(1, |(_, largest)| largest);
    let raced = wrong_schedules(&unaltered, (barrier, "groups);\n    }\n"));
    println!("without the barrier {raced} schedules are wrong on subgroups of {largest}");
    assert!(largest >= 27 || raced > 0, "a missing barrier stays unnoticed on subgroups of {largest}");
    let crowded =
        ("if groups > subgroup_count {\n        return 1u;", "if groups > subgroup_count {\n        return 0u;");
    assert!(wrong_schedules(&altered::altered(few_subgroups), crowded) > 0);
}
