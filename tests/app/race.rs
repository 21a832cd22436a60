//! Tests of the views that measure and of the oracle badge, without a window: tables show the results, buttons work,
//! refusals are shown with their messages, each frame runs a small part of a job, and the badge describes wrong
//! particles correctly.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy_egui::egui;
use egui_kittest::kittest::Queryable as _;
use nearwater::app::{Action, LabSelection, MeasureTab, Report, VIEWS, update_laboratory};
use nearwater::bench::{Scenario, SearchFigures, Spread};
use nearwater::gpu::Gpu;
use nearwater::laboratory::{
    BadgeReport, Breakage, Circumstances, Fault, JobOrder, JobWork, LessonResult, MOST_PARTS_A_FRAME, Numbers,
    Offender, PRESETS, Partner, Preset, RaceColumn, RaceFigures, RaceOutcome, RaceResult, RaceRow, RaceTable,
    ScalingPoint, ScalingTable, ScalingTimes, Swept, Verdict, Water,
};
use nearwater::render::{DrawStyle, Mark};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{
    CELL_EDGE, DIRECT_CELLS_ONLY, PairTotals, ReferenceNeighbors, SEARCHES, SearchOptions, same_value, search_named,
};

use crate::replaced_line::with_replaced_line;

use super::fixture::{PanelApp, RunningApp, click, shows, window};

const WINDOW: [f32; 2] = [1440.0, 2600.0];

fn app() -> PanelApp {
    let report = Report { adapter: "a test's adapter".into(), has_timestamps: true, ..Report::default() };
    PanelApp::new("brute_force", 4_096, report)
}

fn app_at(view: &str) -> PanelApp {
    let mut app = app();
    app.open(view);
    app
}

fn circumstances() -> Circumstances {
    Circumstances {
        adapter: "Test Card".to_owned(),
        driver: "1.2".to_owned(),
        backend: "Vulkan".to_owned(),
        version: "0.0",
        date: "2026-11-22".to_owned(),
        remark: None,
    }
}

fn timed(configuration: SearchConfiguration, total: f64) -> RaceRow {
    let spread = |median| Spread { median, deviation: 0.0 };
    let search = SearchFigures {
        configuration: configuration.clone(),
        build: spread(0.25 * total),
        traversal: spread(0.75 * total),
        total: spread(total),
        physics: None,
        totals: PairTotals { candidates: 30_000, neighbors: 10_000 },
        bytes: 123_456,
        paper_bytes: 0,
        cell_count: 1,
        largest_error: 0.0,
    };
    RaceRow { configuration, outcome: RaceOutcome::Timed(Box::new(RaceFigures { search, physics: None })) }
}

fn race() -> RaceResult {
    let plain = |name: &str| SearchConfiguration {
        search: search_named(name).expect("a registered search"),
        options: SearchOptions::default(),
    };
    let other_edge = SearchConfiguration {
        options: SearchOptions::default().with(&CELL_EDGE, CELL_EDGE.usual_values()[1]),
        ..plain("green")
    };
    let refused = RaceRow {
        outcome: RaceOutcome::Refused("the test's refusal says why and what helps".to_owned()),
        ..timed(plain("fenns"), 1.0)
    };
    let rows = vec![timed(plain("brute_force"), 8.0), timed(other_edge, 2.0), refused];
    let table = RaceTable { circumstances: circumstances(), particle_count: 1_000, radius: 0.5, runs: 3, rows };
    RaceResult { water: Water::Dense, table: Arc::new(table) }
}

#[test]
fn the_race_shows_its_table_its_refusals_and_runs_the_winner() {
    let mut app = app_at("race");
    app.report.jobs.races = vec![race()];
    let mut harness = window(app, WINDOW);
    harness.run();
    for part in ["8.00 (4.00x)", "2.00 (1.00x)", "the test's refusal says why and what helps", "Test Card", "123.5 kB"]
    {
        assert!(shows(&harness, part), "{part} is not shown");
    }
    assert!(shows(&harness, "4.00 times as long"), "the lead of the fastest search is missing");
    click(&mut harness, "Use the winner");
    let settings = &harness.state().controls.settings;
    assert_eq!(settings.search.name, "green");
    assert!((settings.options.value(&CELL_EDGE) - CELL_EDGE.usual_values()[1]).abs() < 1e-6, "with its settings");

    let file = std::env::temp_dir().join(format!("nearwater-race-{}.csv", std::process::id()));
    harness.state_mut().controls.lab.measure.race_file = file.display().to_string();
    click(&mut harness, "Save CSV");
    let text = std::fs::read_to_string(&file).expect("the file was saved");
    assert_eq!(text.lines().count(), 4, "a header and a row for each search");
    assert!(shows(&harness, "saved in"), "the path of the file is missing");
    std::fs::remove_file(&file).expect("the file exists");
    harness.state_mut().controls.lab.measure.race_file = "/nowhere/race.csv".to_owned();
    click(&mut harness, "Save CSV");
    assert!(shows(&harness, "/nowhere/race.csv"), "the error of writing the file is missing");
}

#[test]
fn the_race_view_begins_with_three_inputs_and_pauses_the_simulation() {
    let app = app_at("race");
    let order = app.controls.lab.measure.order.clone().expect("the example is ordered");
    let JobWork::Race { waters, configurations, .. } = &order.work else { panic!("not a race: {order:?}") };
    assert_eq!((waters.as_slice(), configurations.len()), (Water::MADE.as_slice(), SEARCHES.len()));
    assert!(
        app.controls.paused && app.controls.lab.stopped_water,
        "the simulation resumes when the laboratory is closed"
    );
    let mut harness = window(app, WINDOW);
    click(&mut harness, "With every setting");
    click(&mut harness, "This scene");
    let order = harness.state().controls.lab.measure.order.clone().expect("another order");
    let JobWork::Race { waters, configurations, .. } = &order.work else { panic!("not a race: {order:?}") };
    assert_eq!(
        (waters.as_slice(), configurations.len()),
        ([Water::Running].as_slice(), SearchConfiguration::all().len())
    );
}

#[test]
fn the_scaling_lab_shows_where_the_fastest_search_changes() {
    let mut app = app_at("race");
    app.controls.lab.measure.tab = MeasureTab::Scaling;
    let configuration = |name: &str| SearchConfiguration {
        search: search_named(name).expect("a registered search"),
        options: SearchOptions::default(),
    };
    let scenario = Scenario { particle_count: 1, box_edge: 1.0, radius: 1.0 };
    let point = |value: f64, configuration: usize, total: f64| ScalingPoint {
        configuration,
        value,
        scenario,
        outcome: Ok(ScalingTimes { build: 0.5 * total, search: 0.5 * total, total }),
    };
    let points = [1e2, 1e3, 1e4, 1e5].into_iter().flat_map(|n| [point(n, 0, n * n), point(n, 1, 3_100.0 * n)]);
    let table = ScalingTable {
        circumstances: circumstances(),
        swept: Swept::Particles,
        configurations: vec![configuration("brute_force"), configuration("green")],
        runs: 3,
        points: points.collect(),
    };
    app.report.jobs.scaling = Some(Arc::new(table));
    let mut harness = window(app, WINDOW);
    harness.run();
    assert!(shows(&harness, "Brute force is the fastest below 3,100 particles; above it is Green 2008."));
    let name = std::env::temp_dir().join(format!("nearwater-scaling-{}", std::process::id()));
    harness.state_mut().controls.lab.measure.scaling_file = name.display().to_string();
    click(&mut harness, "Save PNG");
    let file = name.with_extension("png");
    let size = image::open(&file).expect("a PNG file").to_rgb8().dimensions();
    assert!(size.0 > 100 && size.1 > 100);
    std::fs::remove_file(file).expect("the file exists");
    click(&mut harness, "Sweep");
    let order = harness.state().controls.lab.measure.order.clone().expect("a sweep is ordered");
    let JobWork::Scale(input) = &order.work else { panic!("not a sweep: {order:?}") };
    assert_eq!(input.configurations.len(), SEARCHES.len());
}

#[test]
fn a_lesson_shows_its_numbers_side_by_side_and_whether_it_is_deliberately_wrong() {
    let mut app = app_at("break_it");
    let place = PRESETS.iter().position(|preset| preset.is_wrong).expect("one lesson is wrong");
    app.controls.lab.measure.lesson = place;
    let verdict = wrong_verdict();
    let before = Numbers { candidates: 250.0, bytes: 1_000, ..Numbers::default() };
    let after = Numbers { candidates: 125.0, bytes: 2_000, verdict: Some(verdict), ..Numbers::default() };
    let configuration = SearchConfiguration { search: SEARCHES[1], options: SearchOptions::default() };
    let breakage = Arc::new(Breakage { preset: &PRESETS[place], before, after });
    app.report.jobs.lessons = vec![LessonResult { configuration, particle_count: 777, breakage }];
    let mut harness = window(app, WINDOW);
    harness.run();
    for part in ["deliberately wrong", "250", "125", "5 of 64", "is missing neighbor 77", "777 particles"] {
        assert!(shows(&harness, part), "{part} is not shown");
    }
    click(&mut harness, "Run the simulation with it");
    let app = harness.state();
    let refusal =
        app.controls.lab.measure.file_message.clone().and_then(Result::err).expect("brute force has no cells");
    assert!(refusal.contains("Green 2008") && app.controls.badge.is_none(), "{refusal}");
    harness.state_mut().controls.change(|settings| settings.search = SEARCHES[1]);
    click(&mut harness, "Run the simulation with it");
    let controls = &harness.state().controls;
    assert!(same_value(controls.settings.options.value(&DIRECT_CELLS_ONLY), 1.0));
    assert_eq!(controls.badge, Some(true), "the badge must report the errors");
    click(&mut harness, "Restore the search");
    let controls = &harness.state().controls;
    assert_eq!((controls.settings.options.clone(), controls.badge), (SearchOptions::default(), None));
    click(&mut harness, "Run the simulation with it");
    let PanelApp { controls, report } = harness.state_mut();
    controls.act(Action::ToggleLaboratory, report);
    assert_eq!(controls.settings.options, SearchOptions::default(), "closing the laboratory restores the search");
    controls.act(Action::ToggleLaboratory, report);
    harness.run();
    click(&mut harness, "Measure all");
    let order = harness.state().controls.lab.measure.order.clone().expect("lessons are ordered");
    let JobWork::Break { presets, .. } = &order.work else { panic!("not lessons: {order:?}") };
    assert_eq!(presets.len(), PRESETS.len());
}

fn wrong_verdict() -> Verdict {
    let partner = Partner {
        fault: Fault::Missing,
        particle: 77,
        position: glam::Vec3::ZERO,
        cell: Some(glam::UVec3::new(4, 4, 5)),
        radii: 0.431,
    };
    let offender = Offender {
        particle: 1234,
        position: glam::Vec3::ZERO,
        cell: Some(glam::UVec3::new(3, 4, 5)),
        fault: Fault::Missing,
        found: 3,
        expected: 4,
        partners: vec![partner],
    };
    Verdict {
        search: SEARCHES[1],
        checked: 64,
        wrong: 5,
        undecided: 0,
        order_is_complete: true,
        offenders: vec![offender],
        milliseconds: Some(0.5),
    }
}

#[test]
fn the_badge_is_always_visible_and_leads_to_the_offender() {
    let mut harness = window(app(), WINDOW);
    harness.run();
    assert!(!shows(&harness, "checking"), "nothing is shown while the badge is off");
    let right = Verdict { wrong: 0, offenders: Vec::new(), ..wrong_verdict() };
    let badge = BadgeReport { on: true, checked: 12_800, last: Some(Arc::new(right)), ..BadgeReport::default() };
    harness.state_mut().report.badge = badge;
    harness.run();
    assert!(shows(&harness, "checked: 12,800 particles, all exact"));
    let wrong = Arc::new(wrong_verdict());
    harness.state_mut().report.badge.wrong = Some(Arc::clone(&wrong));
    harness.run();
    assert!(shows(&harness, &wrong.sentence()) && shows(&harness, "WRONG"));
    let at = harness.get_by_label("WRONG").rect().center();
    harness.hover_at(at);
    harness.run();
    harness.drag_at(at);
    harness.run();
    harness.drop_at(at);
    harness.run();
    let app = harness.state_mut();
    assert!(app.controls.lab.open && app.controls.paused);
    assert_eq!(app.controls.lab.selection, LabSelection::Particle(1234));
    assert_eq!(VIEWS[app.controls.lab.view].name, "inspector");
    // The missing partner flashes in the scene.
    update_laboratory(&mut app.controls, &app.report);
    let marking = app.controls.lab.request.markings.first().expect("particles are marked");
    assert!(marking.entries.iter().any(|entry| entry.particle == 77 && entry.role == Mark::Wrong as u32));
    harness.run();
    assert!(shows(&harness, &wrong.sentence()), "the laboratory shows it too");
}

#[test]
fn the_badge_is_above_the_legend_if_both_do_not_fit_side_by_side() {
    for (width, side_by_side) in [(1440.0, true), (760.0, false)] {
        let mut app = app();
        app.accept(None);
        // Clear water has no legend.
        app.controls.style = DrawStyle::Beads;
        let report = &mut app.report;
        report.badge = BadgeReport { on: true, wrong: Some(Arc::new(wrong_verdict())), ..BadgeReport::default() };
        let mut harness = window(app, [width, 900.0]);
        harness.run();
        let lines = ["WRONG", "is missing neighbor 77", "click to inspect"];
        let badge = lines.map(|line| harness.get_by_label_contains(line).rect()).into_iter().reduce(egui::Rect::union);
        let badge = badge.expect("three lines");
        // The panel at the left contains speeds too.
        let over_water = |rect: &egui::Rect| rect.left() > 280.0;
        let legend = harness.get_all_by_label_contains("m/s").map(|text| text.rect()).find(over_water);
        let legend = legend.expect("the legend shows the unit");
        assert!(!badge.intersects(legend), "{width} points wide: {badge:?} overlaps {legend:?}");
        assert_eq!(badge.bottom() > legend.top(), side_by_side, "{width} points wide: {badge:?} and {legend:?}");
    }
}

// --------------------------------------------------------------------------------------------------- the driver

/// The dam break with the badge on.
fn checked_water(gpu: Arc<Gpu>, search: &str, count: u32) -> RunningApp {
    let mut water = RunningApp::on(gpu, search, count);
    water.controls.badge = Some(true);
    water
}

/// The dam break with the laboratory open and the badge off.
fn laboratory(search: &str, count: u32) -> RunningApp {
    let mut water = RunningApp::new(search, count);
    water.controls.badge = Some(false);
    water.controls.lab.open = true;
    water.frame();
    water
}

/// Runs frames until the ordered job is done.
fn finish(water: &mut RunningApp) {
    let begun = Instant::now();
    loop {
        let before = water.report.jobs.parts;
        water.frame_without_waiting();
        let parts = water.report.jobs.parts - before;
        assert!(parts <= MOST_PARTS_A_FRAME, "{parts} parts in a frame");
        if water.report.jobs.progress.is_none() {
            return;
        }
        assert!(begun.elapsed() < Duration::from_mins(5), "the job does not end");
    }
}

/// Runs frames until `until`, or panics after a minute.
fn frames_until(water: &mut RunningApp, what: &str, until: impl Fn(&RunningApp) -> bool) {
    let begun = Instant::now();
    while !until(water) {
        assert!(begun.elapsed() < Duration::from_mins(1), "{what}: not within a minute; {:?}", water.report.badge);
        water.frame();
    }
}

#[test]
fn the_badge_does_not_check_tables_of_which_a_part_was_built() {
    let mut water = checked_water(crate::common::gpu(), "hoetzlein", 500);
    frames_until(&mut water, "a check", |water| water.report.badge.last.is_some());
    water.open("step_by_step");
    water.frames(3);
    // The tables were built for the view, and a check of them would be due soon; now their cells are cleared.
    for _ in 0..4 {
        water.act(Action::StepOnce);
        water.frame();
    }
    frames_until(&mut water, "the first passes", |water| water.report.lab.stepping.is_half_done);
    let (checked, begun) = (water.report.badge.checked, Instant::now());
    let due = 2 * water.report.badge.interval + Duration::from_secs(1);
    frames_until(&mut water, "the time of two checks", |_| begun.elapsed() > due);
    let badge = &water.report.badge;
    assert!(badge.wrong.is_none(), "{}", badge.last.as_ref().expect("a verdict").sentence());
    water.controls.lab.open = false;
    water.controls.paused = false;
    frames_until(&mut water, "a check of whole steps", |water| water.report.badge.checked > checked);
    assert!(water.report.badge.wrong.is_none());
}

/// Opens a device on which Green's search skips the last cell along x.
fn with_wrong_green() -> (tempfile::TempDir, Arc<Gpu>) {
    let line = "for (var x = cells.low.x; x <= cells.high.x; x++) {";
    with_replaced_line("search/green.wgsl", (line, "for (var x = cells.low.x; x < cells.high.x; x++) {"))
}

#[test]
fn the_badge_detects_a_wrong_search_within_a_second_and_describes_its_errors_correctly() {
    let (_folder, gpu) = with_wrong_green();
    let mut water = checked_water(gpu, "green", 2_000);
    // The first frames create the simulation and the badge and compile shaders, which does not count.
    water.frame();
    water.frame();
    // One second of frames at the rate of a display, however long a busy machine takes for them.
    for _ in 0..60 {
        water.frame();
        if water.report.badge.wrong.is_some() {
            break;
        }
    }
    let verdict =
        water.report.badge.wrong.clone().unwrap_or_else(|| panic!("no error was found: {:?}", water.report.badge));
    assert!(verdict.sentence().starts_with("Green 2008: particle "), "{}", verdict.sentence());
    // Every reported pair is a pair of neighbors: the reference finds it at the reported positions.
    for offender in &verdict.offenders {
        assert_eq!(offender.fault, Fault::Missing, "{}", offender.sentence());
        for partner in &offender.partners {
            let positions = [offender.position, partner.position];
            let running = water.report.running.as_ref().expect("the simulation runs");
            let radius = running.resolution.support_radius;
            let (low, high) = (running.scene.low, running.scene.high);
            let domain = nearwater::search::Domain::new(low, high, radius).expect("a valid box");
            let reference = ReferenceNeighbors::find(&positions, domain, false);
            assert_eq!(reference.certain[0], [1], "{}", offender.sentence());
            let (own, other) = (offender.cell.expect("a grid"), partner.cell.expect("a grid"));
            assert!(other.x > own.x, "the skipped cells are those with the highest x: {}", offender.sentence());
        }
    }
}

#[test]
fn the_badge_finds_no_errors_in_a_running_simulation_with_any_search_and_is_empty_when_off() {
    let mut water = checked_water(crate::common::gpu(), SEARCHES[0].name, 1_000);
    for search in SEARCHES {
        water.controls.change(|settings| settings.search = search);
        let begun = Instant::now();
        loop {
            water.frame();
            let badge = &water.report.badge;
            assert!(badge.wrong.is_none() && badge.error.is_none(), "{}: {badge:?}", search.title);
            // Two checks of 64 particles, so that the particles have moved in between; or one check on a busy software
            // adapter, where checks are far apart.
            let checks_are_far_apart = badge.interval > Duration::from_secs(5);
            let enough = badge.checked > 64 || (badge.checked > 0 && checks_are_far_apart);
            if enough && badge.last.as_ref().is_some_and(|last| last.search == *search) {
                break;
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "{} is not checked: {badge:?}", search.title);
        }
    }
    water.controls.badge = Some(false);
    water.frame();
    let badge = &water.report.badge;
    assert!(!badge.on && badge.last.is_none() && badge.checked == 0, "{badge:?}");
}

#[test]
fn each_frame_runs_a_small_part_of_a_job_and_closing_the_laboratory_cancels_it() {
    let mut water = laboratory("hoetzlein", 1_000);
    let configurations: Vec<SearchConfiguration> = ["brute_force", "hoetzlein"]
        .map(|name| SearchConfiguration {
            search: search_named(name).expect("a registered search"),
            options: SearchOptions::default(),
        })
        .into();
    let race = JobWork::Race {
        waters: vec![Water::Running, Water::Dense],
        configurations,
        runs: 2,
        physics_milliseconds: Some(1.0),
    };
    water.controls.measure(race.clone());
    water.frame_without_waiting();
    assert!(water.report.jobs.progress.is_some_and(|progress| !progress.is_done()), "a race takes more than one frame");
    finish(&mut water);
    assert_eq!(water.report.jobs.error, None);
    for wanted in [Water::Running, Water::Dense] {
        let found = water.report.jobs.race(wanted).expect("the race has a result");
        assert_eq!(found.table.rows.iter().filter_map(RaceRow::figures).count(), 2);
        assert!(found.table.winner().is_some(), "{wanted:?}");
    }
    let here = water.report.jobs.race(Water::Running).expect("the race has a result");
    let running = water.report.running.as_ref().expect("the simulation runs");
    assert_eq!(here.table.particle_count, running.resolution.particle_count, "all particles take part");
    assert!(here.table.columns().contains(&RaceColumn::Physics), "physics is measured in the running simulation");

    water.controls.take_lessons(vec![Preset::named("dense").expect("a lesson")]);
    finish(&mut water);
    assert_eq!(water.report.jobs.error, None);
    let lesson = water.report.jobs.lesson(Preset::named("dense").expect("a lesson")).expect("the lesson was measured");
    let [before, after] = [&lesson.breakage.before, &lesson.breakage.after];
    assert!(after.candidates > 2.0 * before.candidates, "{before:?}, {after:?}");

    water.controls.take_lessons(vec![Preset::named("narrow-cells").expect("a lesson")]);
    water.controls.lab.open = true;
    finish(&mut water);

    water.controls.measure(race);
    water.frame_without_waiting();
    assert!(water.report.jobs.progress.is_some());
    water.controls.lab.open = false;
    water.frame_without_waiting();
    assert!(water.report.jobs.progress.is_none(), "closing cancels the job");
    assert!(water.report.jobs.race(Water::Running).is_some(), "results are kept");
}

#[test]
fn a_sweep_runs_in_the_window_and_invalid_ranges_are_reported() {
    let mut water = laboratory("hoetzlein", 500);
    let measure = &mut water.controls.lab.measure;
    measure.counts = Some([100.0, 400.0]);
    measure.points = 2;
    measure.runs = 1;
    measure.swept_searches =
        ["brute_force", "green"].map(|name| search_named(name).expect("a registered search")).into();
    water.controls.sweep();
    finish(&mut water);
    let table = water.report.jobs.scaling.clone().expect("the sweep was measured");
    assert_eq!(table.points.iter().filter(|point| point.outcome.is_ok()).count(), 4, "{:?}", table.points);

    water.controls.lab.measure.counts = Some([400.0, 100.0]);
    water.controls.sweep();
    water.frame_without_waiting();
    water.frame_without_waiting();
    let sentence = water.report.jobs.error.clone().expect("the range is reversed");
    assert!(sentence.contains("400") && sentence.contains("100"), "{sentence}");
    let order = JobOrder {
        number: 99,
        work: JobWork::Race { waters: Vec::new(), configurations: Vec::new(), runs: 1, physics_milliseconds: None },
    };
    water.controls.lab.measure.order = Some(Arc::new(order));
    water.frame_without_waiting();
    assert!(water.report.jobs.progress.is_none(), "an empty job is done at once");
}
