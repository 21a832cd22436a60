//! Tests of the chart of subgroups: it contains every served particle of the recording once and all candidates, and
//! subgroups read the rows that the schedule of CLAWS assigns to them.

use std::collections::{BTreeMap, BTreeSet};

use crate::common;
use glam::UVec3;
use nearwater::gpu::{Gpu, record};
use nearwater::laboratory::{Gantt, Inspection, Inspector, SectionWork, Target, Work};
use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{
    ChunkRecord, InspectedSearch, Schedule, SearchOptions, Specimen, schedule_of_cell, search_named,
};

const SEED: u64 = 20_261_121;
/// Number of subgroups of a workgroup with 1,024 and with 256 invocations, for subgroups of 32 invocations.
const SUBGROUPS_OF_32: [u32; 2] = [32, 8];

fn fixture(name: &str) -> Fixture {
    let mut all = fixtures(FixtureSize::Small, SEED).expect("fixtures have valid boxes");
    let place = all.iter().position(|fixture| fixture.name == name).expect("a fixture with that name");
    all.swap_remove(place)
}

fn configuration(search: &str, options: &[&str]) -> SearchConfiguration {
    let search = search_named(search).expect("a registered search");
    let mut configuration = SearchConfiguration { search, options: SearchOptions::default() };
    for option in options {
        configuration.options.parse(option).expect("a valid setting");
    }
    configuration
}

struct Run {
    specimen: Specimen,
    inspector: Inspector,
    counts: UVec3,
}

impl Run {
    fn new(gpu: &Gpu, configuration: &SearchConfiguration, fixture: &Fixture) -> Self {
        let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|p| p.extend(0.0).to_array()).collect();
        let positions = gpu.storage_with("positions", &padded).expect("the buffer fits");
        let count = fixture.positions.len() as u32;
        let specimen = Specimen::new(gpu, configuration, (&positions, count), fixture.domain).expect("a small input");
        let subject = InspectedSearch {
            search: specimen.search.as_ref(),
            identities: specimen.search.sorted_positions(),
            densities: None,
            particle_count: count,
        };
        let inspector = Inspector::new(gpu, subject).expect("the buffers fit");
        gpu.submit(|encoder| record(&specimen.build, encoder, None));
        let counts = specimen.search.cells().expect("coarse cells").counts;
        Self { specimen, inspector, counts }
    }

    fn inspect(&mut self, gpu: &Gpu, cell: UVec3) -> Inspection {
        let index = (cell.z * self.counts.y + cell.y) * self.counts.x + cell.x;
        self.inspector.aim(gpu, &Target { particles: Vec::new(), cell: Some(index) });
        gpu.submit(|encoder| assert!(self.inspector.record(gpu, encoder, None), "an inspection is in progress"));
        gpu.wait().expect("the device answers");
        self.inspector.take().expect("the inspection has arrived")
    }

    fn cells(&self) -> Vec<UVec3> {
        let last = self.counts - 1;
        vec![UVec3::ZERO, self.counts / 2, last]
    }
}

#[test]
fn a_chart_contains_every_served_particle_once_and_all_candidates() {
    let gpu = common::gpu();
    let mut chunks = 0;
    let mut crowded = 0;
    for name in ["uniform 4097", "clustered"] {
        let fixture = fixture(name);
        for configuration in [
            configuration("claws", &[]),
            configuration("claws", &["claws-schedule=off"]),
            configuration("claws", &["claws-rows=off", "claws-once=off"]),
            configuration("claws", &["claws-queue=off"]),
            configuration("claws", &["claws-queue=off", "claws-local-grid=27 cells", "coarse-cells=2"]),
            configuration("claws", &["claws-queue=off", "claws-schedule=off", "coarse-cells=1"]),
            configuration("claws", &["coarse-cells=1"]),
            configuration("claws", &["coarse-cells=2"]),
            configuration("fenns", &[]),
            configuration("fenns", &["coarse-cells=2"]),
            configuration("fenns", &["halo=on", "coarse-cells=2"]),
            configuration("claws", &["halo=on", "coarse-cells=2"]),
        ] {
            let mut run = Run::new(&gpu, &configuration, &fixture);
            for cell in run.cells() {
                let inspection = run.inspect(&gpu, cell);
                let what = format!("{configuration} on {name}, cell {cell}");
                if inspection.recording.lost > 0 {
                    continue;
                }
                crowded += usize::from(inspection.recording.chunks.len() > 1);
                for chunk in &inspection.recording.chunks {
                    let chart = Gantt::new(chunk, 0);
                    let mut shown: Vec<(u32, u32)> = chart
                        .bars
                        .iter()
                        .flat_map(|bar| bar.pieces.iter().map(|piece| (piece.place, piece.rounds)))
                        .collect();
                    let mut served: Vec<(u32, u32)> =
                        chunk.served.iter().map(|served| (served.place, served.tested)).collect();
                    shown.sort_unstable();
                    served.sort_unstable();
                    assert_eq!(shown, served, "{what}");
                    assert!(shown.windows(2).all(|pair| pair[0].0 != pair[1].0), "{what}: a particle occurs twice");
                    let tested: u64 = [0, 1, 2].map(|phase| chart.tested(phase)).iter().sum();
                    let expected: u64 = chunk.served.iter().map(|served| u64::from(served.tested)).sum();
                    assert_eq!(tested, expected, "{what}");
                    check_time(&chart, &what);
                    // A lane serves one particle at a time.
                    for bar in &chart.bars {
                        let lanes: BTreeSet<u32> = bar.pieces.iter().map(|piece| piece.lane).collect();
                        assert_eq!(lanes.len(), bar.pieces.len(), "{what}: two particles in a lane at once");
                    }
                    // All visitors were read by their subgroup in their turn, and no more than the turn can read.
                    let mut checked: BTreeMap<(Option<u32>, u32), u32> = BTreeMap::new();
                    for visitor in &chunk.visitors {
                        *checked.entry((visitor.worker.subgroup, visitor.batch)).or_default() += 1;
                    }
                    let read: BTreeMap<(Option<u32>, u32), u32> = chunk
                        .readings
                        .iter()
                        .map(|reading| ((reading.worker.subgroup, reading.batch), reading.rounds * chart.lanes))
                        .collect();
                    for (turn, count) in checked {
                        assert!(
                            read.get(&turn).is_some_and(|most| count <= *most),
                            "{what}: {count} visitors in {turn:?}"
                        );
                    }
                    chunks += 1;
                }
            }
        }
    }
    assert!(chunks > 15 && crowded > 0, "{chunks} chunks, {crowded} cells with several chunks");
}

/// Checks that the bars of a subgroup do not overlap and are inside their sections.
fn check_time(chart: &Gantt, what: &str) {
    let mut by_subgroup: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for bar in &chart.bars {
        by_subgroup.entry(bar.subgroup).or_default().push((bar.start, bar.start + bar.rounds));
        let fits = |work: SectionWork| match work {
            SectionWork::Reading => bar.work == Work::Reading,
            SectionWork::Serving => bar.work != Work::Reading,
            SectionWork::ReadingAndServing => true,
        };
        let inside = chart.sections.iter().any(|section| {
            fits(section.work) && section.start <= bar.start && bar.start + bar.rounds <= section.start + section.rounds
        });
        assert!(inside, "{what}: {bar:?} is in none of {:?}", chart.sections);
    }
    for (subgroup, mut bars) in by_subgroup {
        bars.sort_unstable();
        assert!(bars.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{what}: bars of subgroup {subgroup} overlap");
        assert!(bars.iter().all(|bar| bar.1 <= chart.rounds), "{what}");
    }
}

/// Without the shared queue, each visitor is served by the lane that read it, in the same turn: so the schedule, which
/// gives rows to the subgroups that read them, decides who serves.
fn check_who_serves(chunk: &ChunkRecord, what: &str) {
    assert!(chunk.readings.iter().all(|reading| !reading.queued), "{what}: nobody waits in a queue");
    let kept = chunk.visitors.iter().filter(|visitor| visitor.kept);
    let mut read: Vec<_> = kept.map(|visitor| (visitor.place, visitor.batch, visitor.worker)).collect();
    let visited = chunk.served.iter().filter(|served| served.phase > 0);
    let mut served: Vec<_> = visited.map(|served| (served.place, served.batch, served.worker)).collect();
    read.sort_unstable();
    served.sort_unstable();
    assert_eq!(served, read, "{what}: who serves a visitor has read it");
}

#[test]
fn subgroups_read_the_rows_that_the_schedule_assigns_to_them() {
    let gpu = common::gpu();
    let fixture = fixture("uniform 4097");
    let mut rows_read = 0;
    let settings = ["on", "off"].into_iter().flat_map(|rows| ["on", "off"].map(|queue| (rows, queue)));
    for (rows, queue) in settings {
        for schedule in ["on", "off"] {
            let own = [("rows", rows), ("queue", queue), ("schedule", schedule)];
            let own = own.map(|(name, value)| format!("claws-{name}={value}"));
            let configuration = configuration("claws", &["coarse-cells=4", &own[0], &own[1], &own[2]]);
            let mut run = Run::new(&gpu, &configuration, &fixture);
            for cell in run.cells() {
                let what = format!("{configuration}, cell {cell}");
                let found = schedule_of_cell(&gpu, run.specimen.search.as_ref(), cell);
                let of_cell = found.expect("the cell exists").expect("CLAWS has a schedule").schedule;
                let inspection = run.inspect(&gpu, cell);
                let ranges = of_cell.loads.len() as u32;
                for chunk in &inspection.recording.chunks {
                    let readings = chunk.readings.iter().filter(|reading| reading.phase == 2);
                    let mut read: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
                    for reading in readings {
                        assert!(reading.source < ranges, "{what}: the cell's own particles are not a row");
                        read.entry(reading.source)
                            .or_default()
                            .insert(reading.worker.subgroup.expect("CLAWS uses subgroups"));
                    }
                    let loaded: Vec<u32> =
                        (0..).zip(&of_cell.loads).filter(|(_, load)| **load > 0).map(|(row, _)| row).collect();
                    assert_eq!(read.keys().copied().collect::<Vec<_>>(), loaded, "{what}: rows that were read");
                    for (row, subgroups) in &read {
                        if schedule == "on" {
                            let (_, group) = of_cell.groups().find(|(of, _)| of == row).expect("the row has load");
                            assert!(
                                subgroups.iter().all(|subgroup| group.contains(subgroup)),
                                "{what}: {row}, {subgroups:?}"
                            );
                        } else {
                            assert_eq!(subgroups.len(), 1, "{what}: one subgroup per row");
                        }
                        rows_read += 1;
                    }
                    if queue == "off" {
                        check_who_serves(chunk, &what);
                    }
                    for (row, load) in (0..).zip(&of_cell.loads) {
                        let visitors = chunk.visitors.iter().filter(|visitor| visitor.source == row);
                        let places: BTreeSet<u32> = visitors.map(|visitor| visitor.place).collect();
                        assert_eq!(places.len() as u32, *load, "{what}: row {row} is not read completely");
                    }
                }
                for subgroup_count in SUBGROUPS_OF_32.into_iter().chain([of_cell.subgroup_count]) {
                    let made = Schedule::new(&of_cell.loads, subgroup_count);
                    let mut covered: Vec<u32> = made.groups().map(|(row, _)| row).collect();
                    covered.dedup();
                    let loaded = (0..ranges).filter(|&row| of_cell.loads[row as usize] > 0);
                    assert_eq!(covered, loaded.collect::<Vec<_>>(), "{what}: {subgroup_count} subgroups");
                    if subgroup_count == of_cell.subgroup_count {
                        assert_eq!(made, of_cell, "{what}: the schedule on the device differs");
                    }
                }
            }
        }
    }
    assert!(rows_read > 20, "only {rows_read} rows");
}
