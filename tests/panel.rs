//! The panel and the overlay without a window: clicked through, and read, by `egui_kittest`.
#![cfg(feature = "app")]

use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use nearwater::app::{Action, Controls, KEYS, ProbeHistory, Report, Running, apply_theme, window_ui};
use nearwater::fluid::{
    BodyShape, Density, Resolution, Scene, SceneEdits, Settings, Size, SmoothingKernel, Solver, Survey,
};
use nearwater::gpu::{AdapterClass, PassTime, Phase};
use nearwater::render::{ColorField, SolidStyle};
use nearwater::search::{PairTotals, SEARCHES, SearchInfo, SearchOption, SearchOptions, same_value};

const COUNT: u32 = 4_096;

struct App {
    controls: Controls,
    report: Report,
}

impl App {
    fn new() -> Self {
        let scene = Scene::load("dam_break").expect("the default scene is embedded");
        let settings = Settings {
            search: SEARCHES[0],
            options: SearchOptions::default(),
            kernel: SmoothingKernel::WendlandC2,
            size: Size::Count(COUNT),
            seed: 1,
            edits: SceneEdits::default(),
        };
        let controls = Controls::new(scene, settings, AdapterClass::Discrete);
        let mut app = Self { controls, report: Report::default() };
        app.report.adapter = "a test's adapter".into();
        app.report.has_timestamps = true;
        app.accept();
        app
    }

    /// What the simulating side does when it takes the controls on.
    fn accept(&mut self) {
        let (scene, settings) = (Arc::clone(&self.controls.scene), self.controls.settings.clone());
        let resolution = match settings.size {
            Size::Count(count) => Resolution::from_count(&scene, settings.kernel, count),
            Size::Radius(radius) => Resolution::from_radius(&scene, settings.kernel, radius),
        }
        .expect("the test asks for what fits");
        self.report.applied = self.controls.revision;
        self.report.refused = None;
        self.report.running = Some(Running {
            scene,
            settings,
            resolution,
            notices: Vec::new(),
            search_bytes: 1_234_567,
            has_drawable_cells: true,
            body_count: 0,
        });
        self.controls.settle(&self.report);
    }

    fn refuse(&mut self, sentence: &str) {
        self.report.applied = self.controls.revision;
        self.report.refused = Some(sentence.to_owned());
        self.controls.settle(&self.report);
    }
}

fn harness(width: f32, height: f32) -> Harness<'static, App> {
    let mut themed = false;
    Harness::builder().with_size([width, height]).build_ui_state(
        move |ui, app: &mut App| {
            if !themed {
                apply_theme(ui.ctx());
                themed = true;
            }
            window_ui(ui, &mut app.controls, &app.report);
        },
        App::new(),
    )
}

fn click(harness: &mut Harness<'_, App>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

fn click_nth(harness: &mut Harness<'_, App>, label: &str, place: usize) {
    harness.get_all_by_label(label).nth(place).unwrap_or_else(|| panic!("no button {label} number {place}")).click();
    harness.run();
}

#[test]
fn every_search_can_be_chosen_and_leaves_the_particles_alone() {
    let mut harness = harness(1280.0, 1000.0);
    for &search in SEARCHES.iter().rev() {
        click(&mut harness, search.title);
        let app = harness.state_mut();
        assert_eq!(app.controls.settings.search, search);
        assert_eq!(app.controls.settings.size, Size::Count(COUNT));
        app.accept();
    }
}

#[test]
fn every_option_of_every_search_follows_its_buttons() {
    let mut harness = harness(1280.0, 1000.0);
    for &search in SEARCHES {
        click(&mut harness, search.title);
        for &option in search.options {
            for value in option.usual_values().into_iter().rev() {
                // Options of one search may share a label: the button after the option's title is meant.
                let place = search.options.iter().position(|other| *other.name == *option.name).unwrap_or_default();
                click_nth(
                    &mut harness,
                    &option.label(value),
                    shared_labels_before(search, place, &option.label(value)),
                );
                let chosen = harness.state().controls.settings.options.value(option);
                assert!(same_value(chosen, value), "{}, {}", search.title, option.title);
            }
        }
    }
}

/// How many buttons of that label the search's options before `place` have.
fn shared_labels_before(search: &SearchInfo, place: usize, label: &str) -> usize {
    let of_option =
        |option: &SearchOption| option.usual_values().into_iter().filter(|&value| option.label(value) == label).count();
    search.options[..place].iter().map(|option| of_option(option)).sum()
}

#[test]
fn colour_fields_kernels_and_time_follow_their_buttons() {
    let mut harness = harness(1280.0, 1600.0);
    for (place, field) in ColorField::ALL.into_iter().enumerate() {
        click(&mut harness, &format!("{} {}", field.label(), place + 1));
        assert_eq!(harness.state().controls.field, field);
    }
    for kernel in SmoothingKernel::ALL {
        click(&mut harness, kernel.label());
        assert_eq!(harness.state().controls.settings.kernel, kernel);
    }
    click(&mut harness, "Pause Space");
    assert!(harness.state().controls.paused);
    harness.get_by_label("paused");
    click(&mut harness, "Go on Space");
    assert!(!harness.state().controls.paused);
    click(&mut harness, "One step .");
    let controls = &harness.state().controls;
    assert!(controls.paused && controls.single_steps == 1, "one step, then paused");
    click(&mut harness, "Reset R");
    assert_eq!(harness.state().controls.resets, 1);
    click(&mut harness, "Slow motion Q");
    assert!(harness.state().controls.slow_motion);
    click(&mut harness, "Wait for the display (vsync)");
    assert!(!harness.state().controls.vsync);
}

#[test]
fn a_refused_count_is_told_and_the_panel_goes_back_to_what_runs() {
    let mut harness = harness(1280.0, 1000.0);
    click(&mut harness, "4M");
    assert_eq!(harness.state().controls.settings.size, Size::Count(4_194_304));
    let sentence = "the positions need 67108864 bytes, and the adapter binds at most 1000; use fewer particles";
    harness.state_mut().refuse(sentence);
    harness.run();
    harness.get_by_label(sentence);
    assert_eq!(harness.state().controls.settings.size, Size::Count(COUNT), "the old simulation runs on");
    click(&mut harness, "Dismiss");
    assert!(harness.query_by_label(sentence).is_none());
    // The next refusal is told again.
    click(&mut harness, "4M");
    harness.state_mut().refuse(sentence);
    harness.run();
    harness.get_by_label(sentence);
}

#[test]
fn an_unknown_scene_is_told_and_the_old_one_stays() {
    let mut harness = harness(1280.0, 1000.0);
    harness.state_mut().controls.load_scene("dam_brake");
    harness.run();
    harness.get_by_label_contains("dam_break");
    assert_eq!(harness.state().controls.scene.name, "dam_break");
}

#[test]
fn the_overlay_reads_the_numbers_and_says_where_there_are_none() {
    let mut harness = harness(1280.0, 800.0);
    {
        let report = &mut harness.state_mut().report;
        let time = |phase, label, milliseconds| PassTime { phase, label, milliseconds, start_milliseconds: 0.0 };
        report.timings.push(&[
            time(Phase::Build, "sort", 0.5),
            time(Phase::Search, "density", 1.5),
            time(Phase::Physics, "reorder", 0.25),
            time(Phase::Drawing, "picture", 2.0),
        ]);
        report.steps_per_frame = 4;
        report.speed.real_time_factor = 0.4;
        report.speed.frames_per_second = 60.0;
        report.survey = Some(Survey {
            pairs: PairTotals { candidates: 300 * 4_096, neighbors: 30 * 4_096 },
            present: 65_536,
            not_finite: 0,
            outside: 0,
            border: Some(3_000),
            lowest_density: 990.0,
            highest_density: 1010.0,
            mean_density: 1000.0,
            mean_compression: 0.5,
            highest_speed: 3.0,
        });
    }
    harness.run();
    harness.get_by_label("0.40x");
    harness.get_by_label("60");
    harness.get_by_label_contains("10.0 candidates per neighbor");
    harness.get_by_label_contains("11.0 ms = 4 steps x 2.25 ms + drawing 2.00 ms");
    harness.get_by_label_contains("search memory 1.2 MB");
    harness.get_by_label_contains("3,000 border, 1,212 inner particles");
    harness.state_mut().report.has_timestamps = false;
    harness.run();
    harness.get_by_label("pass times: not supported by this adapter");
}

#[test]
fn the_solver_and_its_numbers_are_edited_and_left_behind_with_the_scene() {
    let mut harness = harness(1280.0, 1600.0);
    click(&mut harness, "PBF");
    assert_eq!(harness.state().controls.settings.edits.solver, Some(Solver::Pbf));
    harness.state_mut().accept();
    click(&mut harness, "Material and solver");
    harness.run_steps(30);
    harness.get_by_label("Iterations");
    harness.get_by_label("Surface tension");
    let controls = &mut harness.state_mut().controls;
    controls.load_scene("drop");
    assert_eq!(controls.settings.edits, SceneEdits::default());
}

#[test]
fn edges_of_cells_are_offered_where_they_can_be_drawn() {
    let mut harness = harness(1280.0, 1400.0);
    click(&mut harness, "Edges of cells");
    assert!(harness.state().controls.cell_edges);
    if let Some(running) = &mut harness.state_mut().report.running {
        running.has_drawable_cells = false;
    }
    harness.run();
    click(&mut harness, "Edges of cells");
    assert!(harness.state().controls.cell_edges, "a disabled box does not answer");
}

#[test]
fn help_lists_every_key_and_closes() {
    let mut harness = harness(1280.0, 1000.0);
    click(&mut harness, "Keys H");
    for binding in KEYS {
        assert!(harness.query_all_by_label(binding.words).count() >= 1, "\"{}\" is missing", binding.words);
    }
    click(&mut harness, "Close");
    assert!(harness.query_by_label("Close").is_none());
}

#[test]
fn keys_walk_through_the_searches_and_around() {
    let mut app = App::new();
    for expected in SEARCHES.iter().cycle().skip(1).take(SEARCHES.len() * 2) {
        app.controls.act(Action::NextSearch, &app.report);
        assert_eq!(app.controls.settings.search, *expected);
    }
    app.controls.act(Action::PreviousSearch, &app.report);
    assert_eq!(app.controls.settings.search, SEARCHES[SEARCHES.len() - 1]);
    app.controls.act(Action::DoubleCount, &app.report);
    assert_eq!(app.controls.settings.size, Size::Count(2 * COUNT));
    app.accept();
    let radius = app.report.running.as_ref().expect("runs").resolution.support_radius;
    app.controls.act(Action::LargerRadius, &app.report);
    let Size::Radius(larger) = app.controls.settings.size else { panic!("the radius was asked for") };
    // One rounding more than the division here.
    assert!((larger - radius / 0.9).abs() < 1e-6 * radius, "{larger} m after {radius} m");
}

#[test]
fn a_small_window_keeps_its_numbers_and_controls() {
    let mut harness = harness(640.0, 400.0);
    harness.get_by_label("Pause Space");
    harness.get_by_label("frames/s");
    let water = harness.get_by_label("real time").rect();
    assert!(water.bottom() <= 400.0, "the overlay leaves the window: {water:?}");
    harness.state_mut().controls.act(Action::TogglePanel, &Report::default());
    harness.run();
    assert!(harness.query_by_label("Pause Space").is_none());
}

#[test]
fn densities_are_summed_or_kept_as_asked() {
    let mut harness = harness(1280.0, 2000.0);
    click(&mut harness, "Material and solver");
    for (words, density) in [("kept", Density::Continuity { diffusion: 0.1 }), ("summed", Density::Summation)] {
        click(&mut harness, words);
        let controls = &harness.state().controls;
        assert_eq!(controls.settings.edits.applied_to(&controls.scene).material.density, density);
    }
}

#[test]
fn a_state_is_asked_for_by_button_and_its_outcome_told() {
    let mut harness = harness(1280.0, 1800.0);
    click(&mut harness, "Save Z");
    assert_eq!(harness.state().controls.saves, 1);
    harness.state_mut().controls.state_file = "/nowhere/at all.state".into();
    harness.run();
    click(&mut harness, "Load L");
    harness.get_by_label_contains("/nowhere/at all.state");
    click(&mut harness, "Dismiss");
    assert!(harness.query_by_label_contains("cannot read").is_none());
    let revision = harness.state().controls.revision;
    assert_eq!(harness.state().controls.settings.size, Size::Count(COUNT), "{revision}: nothing has changed");
}

#[test]
fn probes_are_plotted_by_unit_and_a_scene_without_any_says_so() {
    let mut harness = harness(1280.0, 1800.0);
    click(&mut harness, "Plots of probes");
    assert!(harness.state().controls.probes_open);
    harness.get_by_label_contains("has no probes");
    let scene = Arc::clone(&harness.state().controls.scene);
    let mut history = ProbeHistory::of(&scene);
    let columns = scene.probe_columns();
    for step in 0..50 {
        history.push(0.01 * f64::from(step), &vec![Some(f64::from(step)); columns.len()]);
    }
    harness.state_mut().report.probes = Arc::new(history);
    harness.run();
    for unit in ["m", "Pa", "J", "%"] {
        assert!(columns.iter().any(|column| column.unit == unit), "the scene probes no {unit}");
        harness.get_by_label(unit);
    }
    assert!(harness.query_by_label_contains("has no probes").is_none());
}

#[test]
fn a_scene_starts_with_its_own_count_unless_one_was_chosen() {
    let mut app = App::new();
    app.controls.settings.size = Size::Count(app.controls.scene.usual_count(AdapterClass::Discrete));
    app.controls.load_scene("bayraktar_dam");
    assert_eq!(app.controls.settings.size, Size::Count(150_000));
    app.controls.change(|settings| settings.size = Size::Count(COUNT));
    app.controls.load_scene("dam_break");
    assert_eq!(app.controls.settings.size, Size::Count(COUNT));
}

#[test]
fn solids_are_shown_as_asked_and_bodies_are_thrown_by_button() {
    let mut harness = harness(1280.0, 1800.0);
    for solids in SolidStyle::ALL.into_iter().rev() {
        // The overlay counts particles under a label of the same words.
        let last = harness.get_all_by_label(solids.label()).count() - 1;
        click_nth(&mut harness, solids.label(), last);
        assert_eq!(harness.state().controls.solids, solids);
        assert_eq!(harness.state().controls.depiction().solids, solids);
    }
    click(&mut harness, "Ball");
    click(&mut harness, "Drop D");
    let first = harness.state().controls.toss.clone().expect("it was asked for");
    assert!(matches!(first.body.shape, BodyShape::Sphere { .. }) && first.body.velocity.y < 0.0, "{first:?}");
    click(&mut harness, "Box");
    click(&mut harness, "Shoot X");
    let second = harness.state().controls.toss.clone().expect("it was asked for");
    assert!(matches!(second.body.shape, BodyShape::Box { .. }), "{second:?}");
    assert_eq!(second.number, first.number + 1);
}
