//! Tests of the memory strip: it contains the words of the search's own buffers, and the chunks of a coarse cell agree
//! with the blocks of the search.

use std::sync::Arc;

use crate::common;
use glam::UVec3;
use nearwater::fluid::{Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel};
use nearwater::gpu::{Gpu, read_buffer};
use nearwater::laboratory::{LabFindings, LabRequest, MOST_STRIP_PLACES, StripWanted, Target, Workbench};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{BlockClass, COARSE_CELLS, SearchOptions, search_named};

const COUNT: u32 = 2_000;

fn simulation(gpu: &Arc<Gpu>, configuration: &SearchConfiguration) -> Simulation {
    let scene = Scene::load("dam_break").expect("an embedded scene");
    let settings = Settings {
        search: configuration.search,
        options: configuration.options.clone(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(COUNT),
        seed: 7,
        edits: SceneEdits::default(),
    };
    let mut simulation = Simulation::new(gpu, &scene, &settings).expect("a small scene");
    // A few steps, so that the order differs from the initial one.
    gpu.submit(|encoder| (0..3).for_each(|_| simulation.record_step(encoder, None)));
    simulation
}

/// The results of a workbench for a request, with the tables of one build.
fn found(gpu: &Gpu, simulation: &mut Simulation, request: &LabRequest) -> LabFindings {
    let mut bench = Workbench::default();
    for frame in 0..3 {
        bench.follow(gpu, simulation, request, frame == 0);
        gpu.submit(|encoder| {
            if frame == 0 {
                simulation.record_densities(encoder, None);
                simulation.record_survey(encoder);
            }
            bench.record(gpu, encoder, simulation);
        });
        gpu.wait().expect("the device answers");
    }
    bench.collect(gpu).clone()
}

fn request(window: std::ops::Range<u32>, cell: Option<u32>) -> LabRequest {
    LabRequest {
        target: Target { particles: Vec::new(), cell },
        strip: Some(StripWanted { window, near_cell: cell.unwrap_or_default() }),
        ..LabRequest::default()
    }
}

fn fourth_words(gpu: &Gpu, buffer: &wgpu::Buffer, count: u32) -> Vec<u32> {
    let vectors: Vec<[u32; 4]> = read_buffer(gpu, buffer, count as usize).expect("the device answers");
    vectors.into_iter().map(|vector| vector[3]).collect()
}

#[test]
fn the_strip_contains_the_words_of_the_buffers_with_every_search() {
    let gpu = common::gpu();
    let mut with_classes = 0;
    for configuration in SearchConfiguration::all() {
        let mut simulation = simulation(&gpu, &configuration);
        let count = simulation.particles().count;
        let findings = found(&gpu, &mut simulation, &request(0..count, None));
        assert_eq!(findings.error, None, "{configuration}");
        let strip = findings.strip.unwrap_or_else(|| panic!("{configuration}: the strip has not arrived"));
        assert_eq!((strip.particle_count, strip.window.clone()), (count, 0..count), "{configuration}");
        let before: Vec<u32> = strip.places.iter().map(|place| place.before).collect();
        let identities: Vec<u32> = strip.places.iter().map(|place| place.identity).collect();
        assert_eq!(before, fourth_words(&gpu, simulation.search().sorted_positions(), count), "{configuration}");
        assert_eq!(identities, fourth_words(&gpu, simulation.sorted_identities(), count), "{configuration}");
        let mut sorted = identities.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..count), "{configuration}: each particle occurs once");
        if strip.cells.len() as u32 == strip.cell_counts.map_or(0, UVec3::element_product) {
            let ends = strip.blocks.iter().scan(0, |end, block| {
                let follows = block.start == *end;
                *end = block.end;
                Some((follows, block.end))
            });
            let ends: Vec<(bool, u32)> = ends.collect();
            assert!(ends.iter().all(|(follows, _)| *follows), "{configuration}: there are gaps between blocks");
            let expected = if strip.cell_counts.is_some() { Some(count) } else { None };
            assert_eq!(ends.last().map(|(_, end)| *end), expected, "{configuration}");
        }
        let survey = simulation.take_survey().expect("the survey was recorded");
        if let Some(border) = survey.border {
            assert_eq!(strip.count_of(BlockClass::Border), u64::from(border), "{configuration}: border particles");
            assert_eq!(strip.count_of(BlockClass::Inner), u64::from(survey.present - border), "{configuration}");
            with_classes += 1;
        }
        let memory = findings.workgroup.unwrap_or_else(|| panic!("{configuration} has a traversal"));
        assert!(memory.bytes <= memory.limit, "{configuration}: {memory:?}");
        assert_eq!(memory.chunk_capacity.is_some(), survey.border.is_some(), "{configuration}");
    }
    assert!(with_classes >= 4, "{with_classes} configurations with classes");
}

#[test]
fn a_window_contains_its_places_and_nothing_is_kept_without_a_request() {
    let gpu = common::gpu();
    let configuration = SearchConfiguration {
        search: search_named("claws").expect("a registered search"),
        options: SearchOptions::default(),
    };
    let mut simulation = simulation(&gpu, &configuration);
    let count = simulation.particles().count;
    let part = found(&gpu, &mut simulation, &request(700..900, None)).strip.expect("the strip has arrived");
    let identities = fourth_words(&gpu, simulation.sorted_identities(), count);
    assert_eq!(part.window, 700..900);
    for place in 700..900 {
        assert_eq!(part.at(place).map(|at| at.identity), Some(identities[place as usize]));
    }
    assert_eq!((part.at(699), part.at(900)), (None, None));
    let past = found(&gpu, &mut simulation, &request(count + 5..count + 500_000, None)).strip.expect("the last place");
    assert_eq!(past.window, count - 1..count);
    assert!(past.places.len() as u32 <= MOST_STRIP_PLACES);
    let nothing = found(&gpu, &mut simulation, &LabRequest::default());
    assert!(nothing.strip.is_none() && nothing.workgroup.is_none());
}

#[test]
fn a_chunk_consists_of_its_cell_and_reads_that_cell_and_the_surrounding_border_blocks() {
    let gpu = common::gpu();
    let mut read_from_others = 0;
    for name in ["fenns", "claws"] {
        let options = SearchOptions::default().with(&COARSE_CELLS, 6.0);
        let configuration = SearchConfiguration { search: search_named(name).expect("a registered search"), options };
        let mut simulation = simulation(&gpu, &configuration);
        let count = simulation.particles().count;
        let counts = simulation.search_cells().expect("coarse cells").counts;
        let whole = found(&gpu, &mut simulation, &request(0..count, None)).strip.expect("the strip has arrived");
        let mut cells: Vec<u32> = whole.blocks.iter().map(|block| block.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        for &cell in cells.iter().step_by(cells.len().div_ceil(5)) {
            let findings = found(&gpu, &mut simulation, &request(0..count, Some(cell)));
            let (strip, inspection) = findings.strip.zip(findings.inspection).expect("both have arrived");
            assert_eq!(inspection.target.cell, Some(cell));
            let mut members = Vec::new();
            for chunk in &inspection.recording.chunks {
                for member in &chunk.members {
                    assert_eq!(strip.block_at(member.place).map(|block| block.cell), Some(cell), "{name}: {member:?}");
                    assert_eq!(strip.at(member.place).map(|at| at.identity), Some(member.identity), "{name}");
                    members.push(member.place);
                }
                let read = strip.read_by(chunk);
                let checked: u32 = read.iter().map(|of| of.checked).sum();
                let kept: u32 = read.iter().map(|of| of.kept).sum();
                assert_eq!(checked as usize, chunk.visitors.len(), "{name}: every visitor is in a block");
                assert_eq!(kept as usize, chunk.visitors.iter().filter(|visitor| visitor.kept).count(), "{name}");
                for of in read.iter().filter(|of| of.block.cell != cell) {
                    assert_eq!(of.block.class, Some(BlockClass::Border), "{name}: {of:?} is read by cell {cell}");
                    let (one, other) = (strip.coordinate(cell), strip.coordinate(of.block.cell));
                    let apart = (one.as_ivec3() - other.as_ivec3()).abs();
                    assert!(apart.max_element() <= 1, "{name}: cell {one} reads {other} of {counts}");
                    read_from_others += of.kept;
                }
            }
            members.sort_unstable();
            let mut own: Vec<u32> = strip.blocks_of(cell).flat_map(|block| block.start..block.end).collect();
            own.sort_unstable();
            assert_eq!(members, own, "{name}: the chunks of cell {cell} are its blocks");
        }
    }
    assert!(read_from_others > 100, "only {read_from_others} visitors of other cells were kept");
}
