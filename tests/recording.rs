//! Tests of recording traversals: the recorded neighbors are those of the oracle, the number of candidates is that of
//! the counting variant, and every candidate is in the range and the cells in which it was found.

mod common;

use nearwater::gpu::{Gpu, read_buffer, record};
use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{
    BoundPairKernel, Instrument, PairCounters, ParticleRecord, RangeSpace, Recorder, Recording, ReferenceNeighbors,
    SearchInput, count_kernel,
};

const SEED: u64 = 20_261_121;
/// Fixtures with uniform particles, clusters, and ties at the radius.
const FIXTURES: [&str; 3] = ["uniform 4097", "clustered", "lattice, ties at r = 2 spacings"];

/// The recording and the buffers of a search that was built and recorded once.
struct Run {
    recording: Recording,
    /// Index in the fixture, for each place of the sorted order.
    original: Vec<u32>,
    positions: Vec<[f32; 4]>,
    candidates: Vec<u32>,
    cells: Option<nearwater::search::Cells>,
}

fn run(gpu: &Gpu, configuration: &SearchConfiguration, fixture: &Fixture, picked: &[u32], cell: Option<u32>) -> Run {
    let count = fixture.positions.len() as u32;
    let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|p| p.extend(0.0).to_array()).collect();
    let positions = gpu.storage_with("positions", &padded).expect("the buffer fits");
    let input = SearchInput {
        positions: &positions,
        particle_count: count,
        domain: fixture.domain,
        options: &configuration.options,
    };
    let search = configuration.search.create(gpu, input).expect("a small input");
    let counts = gpu.storage::<u32>("counts", count.into()).expect("they fit");
    let deposits = gpu.storage::<u32>("deposits", count.into()).expect("they fit");
    let buffers = [("pair_counts", &counts), ("deposits", &deposits)];
    let pair: BoundPairKernel<'_> = count_kernel(&buffers);
    let recorder = Recorder::new(gpu, count).expect("the buffers fit");
    recorder.aim(gpu, picked, cell);
    let counters = PairCounters::new(gpu, count).expect("the buffers fit");
    let passes = |instrument| search.traversal_passes(gpu, pair, Some(instrument)).expect("the shader compiles");
    let (counting, recording) = (passes(Instrument::Count(&counters)), passes(Instrument::Record(&recorder)));
    let [find, name] = recorder.passes_around(gpu, search.sorted_positions()).expect("the shader compiles");
    let build = search.build_passes(gpu).expect("the shaders compile");
    gpu.submit(|encoder| {
        recorder.clear(encoder);
        counters.clear(encoder);
        record(build.iter().chain([&find]).chain(&counting).chain(&recording).chain([&name]), encoder, None);
    });
    let sorted: Vec<[f32; 4]> =
        read_buffer(gpu, search.sorted_positions(), count as usize).expect("the device answers");
    Run {
        recording: recorder.read_now(gpu).expect("the device answers"),
        original: sorted.iter().map(|place| place[3].to_bits()).collect(),
        positions: sorted,
        candidates: read_buffer(gpu, &counters.candidate_counts, count as usize).expect("the device answers"),
        cells: search.cells(),
    }
}

/// Checks that the record of a particle agrees with what the search did for it.
fn check(what: &str, run: &Run, record: &ParticleRecord, index: u32, reference: &ReferenceNeighbors) {
    let neighbors: Vec<u32> = record
        .tested
        .iter()
        .filter(|tested| tested.accepted)
        .map(|tested| run.original[tested.place as usize])
        .collect();
    let (certain, ambiguous) = (&reference.certain[index as usize], &reference.ambiguous[index as usize]);
    let mut sorted = neighbors.clone();
    sorted.sort_unstable();
    assert!(sorted.windows(2).all(|pair| pair[0] != pair[1]), "{what}: a neighbor occurs twice");
    assert!(certain.iter().all(|other| sorted.binary_search(other).is_ok()), "{what}: a neighbor is missing");
    assert!(
        sorted.iter().all(|other| certain.contains(other) || ambiguous.contains(other)),
        "{what}: a recorded neighbor is not a neighbor"
    );
    let place = run.original.iter().position(|&original| original == index).expect("a permutation");
    assert_eq!(record.place, Some(place as u32), "{what}: index in the sorted order");
    assert_eq!(record.tested.len() as u32, run.candidates[place], "{what}: number of candidates");
    for tested in &record.tested {
        assert_eq!(tested.identity, run.original[tested.place as usize], "{what}");
        let at = |place: u32| glam::Vec4::from(run.positions[place as usize]).truncate();
        let expected = at(tested.place).distance_squared(at(place as u32));
        assert!((tested.distance_squared - expected).abs() <= 1e-5 * expected.max(1e-6), "{what}: {tested:?}");
        let Some(range) = tested.range else { continue };
        let range = &record.ranges[range];
        match range.space {
            RangeSpace::Sorted => {
                assert!((range.start..range.end).contains(&tested.place), "{what}: {tested:?} is not in {range:?}");
            }
            RangeSpace::Listed => assert!(range.start < range.end),
            RangeSpace::Local(grid) => {
                let grid = &record.grids[grid];
                let (first, last) = range.cells.expect("a local range has cells");
                assert!(first <= last && last < grid.counts.element_product(), "{what}: {range:?} of {grid:?}");
            }
        }
        if let (RangeSpace::Sorted, Some((first, last)), Some(cells)) = (range.space, range.cells, run.cells) {
            let at = run.positions[tested.place as usize];
            let coord = |axis: usize| {
                let along = (at[axis] - cells.origin[axis]) / cells.size[axis];
                (along.max(0.0) as u32).min(cells.counts[axis] - 1)
            };
            let cell = (coord(2) * cells.counts.y + coord(1)) * cells.counts.x + coord(0);
            assert!((first..=last).contains(&cell), "{what}: a candidate of cell {cell} in {range:?}");
        }
    }
}

#[test]
fn a_record_contains_the_neighbors_of_the_oracle_and_the_candidates_of_the_search() {
    let gpu = common::gpu();
    let fixtures = fixtures(FixtureSize::Small, SEED).expect("fixtures have valid boxes");
    let mut checked = 0;
    for fixture in fixtures.iter().filter(|fixture| FIXTURES.contains(&&*fixture.name)) {
        let count = fixture.positions.len() as u32;
        let reference = ReferenceNeighbors::find(&fixture.positions, fixture.domain, fixture.exact_ties);
        let picked = [0, 1, count / 3, count / 2, count - 1];
        for configuration in SearchConfiguration::all() {
            let run = run(&gpu, &configuration, fixture, &picked, None);
            let what = format!("{configuration} on {}", fixture.name);
            assert!(run.recording.particles.len() <= picked.len(), "{what}");
            // Brute force tests more candidates than fit in a recording of five particles.
            if run.recording.lost > 0 {
                assert!(run.candidates.iter().max() > Some(&4_000), "{what}: {} events lost", run.recording.lost);
                continue;
            }
            for (&index, record) in picked.iter().zip(&run.recording.particles) {
                check(&format!("{what}, particle {index}"), &run, record, index, &reference);
                checked += 1;
            }
        }
    }
    assert!(checked > 200, "only {checked} records were checked");
}

#[test]
fn the_recording_of_a_cell_contains_its_chunks_visitors_and_served_particles() {
    let gpu = common::gpu();
    let fixtures = fixtures(FixtureSize::Small, SEED).expect("fixtures have valid boxes");
    let fixture = fixtures.iter().find(|fixture| fixture.name == "uniform 4097").expect("a fixture with that name");
    let mut cells_checked = 0;
    for configuration in SearchConfiguration::all() {
        let Some(cells) = run(&gpu, &configuration, fixture, &[], None).cells.filter(|cells| cells.border.is_some())
        else {
            continue;
        };
        for cell in [0, cells.counts.element_product() / 2, cells.counts.element_product() - 1] {
            let run = run(&gpu, &configuration, fixture, &[], Some(cell));
            assert_eq!(run.recording.lost, 0, "{configuration}");
            let of_cell = |place: &u32| {
                let at = run.positions[*place as usize];
                let coord = [0, 1, 2].map(|axis| {
                    let along = (at[axis] - cells.origin[axis]) / cells.size[axis];
                    (along.max(0.0) as u32).min(cells.counts[axis] - 1)
                });
                (coord[2] * cells.counts.y + coord[1]) * cells.counts.x + coord[0] == cell
            };
            let mut members: Vec<u32> =
                run.recording.chunks.iter().flat_map(|chunk| chunk.members.iter().map(|member| member.place)).collect();
            members.sort_unstable();
            let expected: Vec<u32> = (0..run.positions.len() as u32).filter(of_cell).collect();
            assert_eq!(members, expected, "{configuration}: chunks of cell {cell}");
            for chunk in &run.recording.chunks {
                let grid = chunk.grid.expect("a chunk has a grid");
                assert_eq!(grid.coarse_cell, cell);
                let mut members: Vec<u32> = chunk.members.iter().map(|member| member.place).collect();
                members.sort_unstable();
                let kept = chunk.visitors.iter().filter(|visitor| visitor.kept).count();
                let visited = chunk.served.iter().filter(|served| served.phase > 0).count();
                assert_eq!(kept, visited, "{configuration}: every kept visitor is served");
                let own: Vec<u32> = {
                    let mut own: Vec<u32> = chunk
                        .served
                        .iter()
                        .map(|served| served.place)
                        .filter(|p| members.binary_search(p).is_ok())
                        .collect();
                    own.sort_unstable();
                    own
                };
                assert_eq!(own, members, "{configuration}: the chunk is searched once for each of its own particles");
                assert!(
                    !chunk.readings.is_empty() || chunk.visitors.is_empty(),
                    "{configuration}: there are visitors without readings"
                );
            }
            cells_checked += run.recording.chunks.len();
        }
    }
    assert!(cells_checked > 20, "only {cells_checked} chunks were checked");
}
