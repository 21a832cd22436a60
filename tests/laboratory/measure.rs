//! Tests of the measurements: races agree with the benchmark, the number of each lesson reveals its effect, and sweeps
//! report what they left out. The times themselves are not tested.

use std::time::Duration;

use crate::common;
use glam::Vec3;
use nearwater::bench::{InputOrder, Progress, Scenario, time_searches, upload};
use nearwater::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant};
use nearwater::laboratory::{
    BreakIt, LaboratoryError, PRESETS, Preset, Race, RaceColumn, RaceInput, Reveals, ScalingInput, ScalingLab, Swept,
    Undamaged,
};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{CELL_RADII, Grid, SEARCHES, SearchOptions, search_named};

const SCENARIO: Scenario = Scenario { particle_count: 1_500, box_edge: 10.0, radius: 1.4 };

/// Advances a job to its end, and checks that its progress never decreases.
fn finish(gpu: &Gpu, mut advance: impl FnMut(&Gpu) -> Result<Progress, LaboratoryError>) {
    let mut last = Progress::default();
    loop {
        let progress = advance(gpu).expect("the device answers");
        assert!(progress.done >= last.done && progress.done <= progress.total, "{progress:?} after {last:?}");
        if progress.is_done() {
            return;
        }
        last = progress;
        gpu.wait().expect("the device answers");
    }
}

fn configuration(name: &str) -> SearchConfiguration {
    SearchConfiguration { search: search_named(name).expect("a registered search"), options: SearchOptions::default() }
}

#[test]
fn a_race_counts_the_same_pairs_as_the_benchmark() {
    let gpu = common::gpu();
    let configurations = SearchConfiguration::all();
    let expected = time_searches(&gpu, &SCENARIO, InputOrder::Random, &configurations, 1)
        .expect("the benchmark runs on this adapter");
    let positions = upload(&gpu, &SCENARIO.positions(InputOrder::Random)).expect("the buffer fits");
    let input = RaceInput {
        positions: &positions,
        particle_count: SCENARIO.particle_count,
        domain: SCENARIO.domain().expect("a valid box"),
        configurations,
        runs: 2,
        physics: None,
        physics_milliseconds: Some(0.25),
    };
    let mut race = Race::new(&gpu, input).expect("a race");
    // The simulation may change the positions during the race.
    gpu.submit(|encoder| encoder.clear_buffer(&positions, 0, None));
    finish(&gpu, |gpu| race.advance(gpu));
    let table = race.table();
    assert_eq!(table.rows.len(), expected.len());
    for (row, expected) in table.rows.iter().zip(&expected) {
        let expected = expected.as_ref().expect("no search refuses so few particles");
        let figures = row.figures().expect("no search refuses so few particles");
        assert_eq!(row.configuration, expected.configuration);
        let (counted, expected_totals) = (figures.search.totals, expected.totals);
        assert_eq!(counted.neighbors, expected_totals.neighbors, "{}", row.configuration);
        // A search whose order differs from run to run may test some other candidates: neighbors in memory share a
        // chunk, or one group of owned particles.
        let slack = if row.configuration.search.repeatable { 0 } else { expected_totals.candidates / 20 };
        assert!(counted.candidates.abs_diff(expected_totals.candidates) <= slack, "{}", row.configuration);
        assert_eq!((figures.search.bytes, figures.search.cell_count), (expected.bytes, expected.cell_count));
        assert!(figures.search.is_right() && figures.search.totals.neighbors > 10_000);
        assert!(figures.search.build.median > 0.0 && figures.search.traversal.median > 0.0);
        assert!((figures.total() - figures.search.total.median - 0.25).abs() < 1e-12);
    }
    let winner = table.winner().expect("all searches were timed");
    assert!((table.ratio(winner, RaceColumn::Total).expect("the search was timed") - 1.0).abs() < 1e-12);
    assert!(table.columns().contains(&RaceColumn::Physics));
    assert!(table.text().contains(&gpu.capabilities.name) && table.text().contains("1,500 particles"));
    assert_eq!(table.csv().expect("enough memory").lines().count(), table.rows.len() + 1);
}

#[test]
fn a_race_times_the_given_physics_passes() {
    let gpu = common::gpu();
    let positions = upload(&gpu, &SCENARIO.positions(InputOrder::Random)).expect("the buffer fits");
    let count = SCENARIO.particle_count;
    let input = RaceInput {
        positions: &positions,
        particle_count: count,
        domain: SCENARIO.domain().expect("a valid box"),
        configurations: vec![configuration("hoetzlein")],
        runs: 2,
        // Any pass is suitable; this one is the build of brute force.
        physics: Some(Box::new(move |gpu, specimen| {
            let sorted = gpu.storage::<[f32; 4]>("positions again", count.into())?;
            let grid = Grid { particle_count: count, ..specimen.search.cells().expect("a grid").grid() };
            let buffers = [
                ("grid_parameters", &gpu.uniform("grid", &grid)),
                ("positions", specimen.search.sorted_positions()),
                ("sorted_positions", &sorted),
            ];
            let shader = ShaderVariant::new("search/brute_force.wgsl");
            let dispatch = Dispatch::Invocations(count.into());
            Ok(vec![Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Physics,
                    label: "stamp",
                    shader: &shader,
                    entry_point: "stamp_indices",
                    buffers: &buffers,
                    dispatch,
                },
            )?])
        })),
        physics_milliseconds: Some(1e9),
    };
    let mut race = Race::new(&gpu, input).expect("a race");
    finish(&gpu, |gpu| race.advance(gpu));
    let table = race.table();
    let figures = table.rows[0].figures().expect("the search was timed");
    let physics = figures.physics.expect("the search was timed").median;
    assert!(physics > 0.0 && physics < 1e6, "the measured time must be used, not the given one: {physics}");
}

#[test]
fn a_refusal_is_a_row_with_its_message() {
    let gpu = common::gpu();
    let scenario = Scenario { particle_count: 40_000, box_edge: 100.0, radius: 0.5 };
    let positions = upload(&gpu, &scenario.positions(InputOrder::Random)).expect("the buffer fits");
    let input = RaceInput {
        positions: &positions,
        particle_count: scenario.particle_count,
        domain: scenario.domain().expect("a valid box"),
        configurations: vec![configuration("brute_force"), configuration("green")],
        runs: 1,
        physics: None,
        physics_milliseconds: None,
    };
    let mut race = Race::new(&gpu, input).expect("a race");
    finish(&gpu, |gpu| race.advance(gpu));
    let table = race.table();
    if gpu.capabilities.class == nearwater::gpu::AdapterClass::Software {
        assert!(table.rows[0].remark().contains("at most"), "{}", table.rows[0].remark());
        assert!(table.text().contains(&table.rows[0].remark()));
    }
    assert!(table.rows[1].figures().is_some());
    assert!(!table.columns().contains(&RaceColumn::Physics));
}

#[test]
fn the_number_of_every_lesson_reveals_its_effect_and_only_one_is_wrong() {
    let gpu = common::gpu();
    // Sorted like the particles of a running simulation, so that a shuffle changes the order.
    let scenario = Scenario { particle_count: 2_000, box_edge: 10.0, radius: 1.0 };
    let positions = scenario.positions(InputOrder::Coherent);
    let domain = scenario.domain().expect("a valid box");
    let green = configuration("green");
    for preset in PRESETS {
        let undamaged = Undamaged { positions: &positions, domain, configuration: &green, seed: 7 };
        let mut lesson = BreakIt::new(&gpu, preset, undamaged).expect("the lesson applies");
        finish(&gpu, |gpu| lesson.advance(gpu));
        let breakage = lesson.breakage();
        assert_eq!(breakage.after.refusal, None, "{}", preset.name);
        let verdict = |numbers: &nearwater::laboratory::Numbers| numbers.verdict.clone().expect("the badge checked it");
        assert!(verdict(&breakage.before).is_right());
        assert_eq!(verdict(&breakage.after).is_right(), !preset.is_wrong, "{}", breakage.sentence());
        let [before, after] = [&breakage.before, &breakage.after].map(|n| n.value(preset.reveals).expect("measured"));
        if preset.reveals == Reveals::Time {
            assert!(before > 0.0 && after > 0.0);
        } else {
            assert!(after > 1.5 * before, "{}: {before} before, {after} after", preset.name);
        }
        assert!(breakage.sentence().starts_with(preset.title) && breakage.sentence().ends_with('.'));
    }
}

#[test]
fn the_fullest_cell_is_counted() {
    let gpu = common::gpu();
    let domain = nearwater::search::Domain::new(Vec3::ZERO, Vec3::splat(8.0), 1.0).expect("a valid box");
    // 30 particles in one cell, 10 in another.
    let positions: Vec<Vec3> = (0..40).map(|i| if i < 30 { Vec3::splat(2.5) } else { Vec3::splat(6.5) }).collect();
    let green = configuration("green");
    let shuffled = Preset::named("shuffled").expect("a lesson");
    let undamaged = Undamaged { positions: &positions, domain, configuration: &green, seed: 7 };
    let mut lesson = BreakIt::new(&gpu, shuffled, undamaged).expect("the lesson applies");
    finish(&gpu, |gpu| lesson.advance(gpu));
    let breakage = lesson.breakage();
    assert_eq!((breakage.before.largest_cell, breakage.after.largest_cell), (Some(30), Some(30)));
    assert!((breakage.before.candidates - (30.0 * 29.0 + 10.0 * 9.0) / 40.0).abs() < 1e-9);
}

#[test]
fn a_lesson_that_does_not_apply_names_the_searches_that_it_applies_to() {
    let gpu = common::gpu();
    let narrow = Preset::named("narrow-cells").expect("a lesson");
    let positions = [Vec3::ONE];
    let domain = SCENARIO.domain().expect("a valid box");
    for search in SEARCHES {
        let configuration = SearchConfiguration { search, options: SearchOptions::default() };
        let undamaged = Undamaged { positions: &positions, domain, configuration: &configuration, seed: 7 };
        let applies = search.options.iter().any(|option| option.name == CELL_RADII.name);
        match BreakIt::new(&gpu, narrow, undamaged) {
            Ok(_) => assert!(applies),
            Err(error) => assert!(!applies && error.to_string().contains("Hoetzlein"), "{error}"),
        }
    }
}

fn sweep(swept: Swept, (from, to): (f64, f64), longest: Duration) -> ScalingInput {
    ScalingInput {
        swept,
        from,
        to,
        points: 4,
        base: SCENARIO,
        order: InputOrder::Random,
        configurations: vec![configuration("brute_force"), configuration("hoetzlein")],
        runs: 1,
        longest,
    }
}

#[test]
fn a_sweep_measures_every_value_and_is_plotted() {
    let gpu = common::gpu();
    for (swept, range) in [(Swept::Particles, (64.0, 1_024.0)), (Swept::Radius, (0.5, 2.0))] {
        let mut lab = ScalingLab::new(&gpu, sweep(swept, range, Duration::from_mins(1))).expect("a sweep");
        finish(&gpu, |gpu| lab.advance(gpu));
        let table = lab.table();
        assert_eq!(table.points.len(), 8);
        assert!(table.points.iter().all(|point| point.outcome.as_ref().is_ok_and(|times| times.total > 0.0)));
        let density = |s: &Scenario| s.particle_count as f32 / s.box_edge.powi(3);
        for point in &table.points {
            assert!((density(&point.scenario) / density(&SCENARIO) - 1.0).abs() < 1e-3);
        }
        let values: Vec<f64> = table.curve(0, |times| times.total).iter().map(|point| point.0).collect();
        assert!((values[0] / range.0 - 1.0).abs() < 1e-9 && (values[3] / range.1 - 1.0).abs() < 1e-9);
        assert!(table.sentence().contains("is the fastest"), "{}", table.sentence());
        assert_eq!(table.csv().expect("enough memory").lines().count(), 9);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("scaling.png");
        table.write_png(&file).expect("a plot");
        let picture = image::open(&file).expect("a PNG file").to_rgb8();
        let colored = picture.pixels().filter(|pixel| pixel.0[0].abs_diff(pixel.0[2]) > 60).count();
        assert!(picture.width() > 1_000 && colored > 500, "{colored} pixels have a color");
    }
}

#[test]
fn a_value_that_would_take_too_long_is_left_out_with_a_reason() {
    let gpu = common::gpu();
    let mut lab = ScalingLab::new(&gpu, sweep(Swept::Particles, (64.0, 1_024.0), Duration::ZERO)).expect("a sweep");
    finish(&gpu, |gpu| lab.advance(gpu));
    let left_out = |point: &&nearwater::laboratory::ScalingPoint| point.outcome.is_err();
    let left_out: Vec<_> = lab.table().points.iter().filter(left_out).collect();
    assert_eq!(left_out.len(), 4, "the prediction needs two values");
    assert!(left_out.iter().all(|point| point.outcome.as_ref().is_err_and(|reason| reason.contains("limit"))));
    for (range, words) in [((0.0, 1.0), "two positive numbers"), ((10.0, 5.0), "the smaller one first")] {
        let error = ScalingLab::new(&gpu, sweep(Swept::Particles, range, Duration::ZERO)).err().expect("a refusal");
        assert!(error.to_string().contains(words), "{error}");
    }
}
