//! Tests of the panel and the overlay without a window: `egui_kittest` clicks their widgets and reads their texts.

use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use nearwater::app::{Action, KEYS, ProbeHistory, Report, UserSettings};
use nearwater::fluid::{BodyShape, Density, SceneEdits, Size, SmoothingKernel, Solver, Survey};
use nearwater::gpu::{AdapterClass, PassTime, Phase};
use nearwater::render::{ColorField, SolidStyle};
use nearwater::search::{PairTotals, SEARCHES, SearchInfo, SearchOption, same_value};

use super::fixture::{PanelApp, click, window};

const COUNT: u32 = 4_096;

fn app() -> PanelApp {
    let report = Report { adapter: "a test's adapter".into(), has_timestamps: true, ..Report::default() };
    let mut app = PanelApp::new(SEARCHES[0].name, COUNT, report);
    app.accept(None);
    app
}

fn refuse(app: &mut PanelApp, sentence: &str) {
    app.report.applied = app.controls.revision;
    app.report.refused = Some(sentence.to_owned());
    app.controls.settle(&app.report);
}

fn harness(width: f32, height: f32) -> Harness<'static, PanelApp> {
    window(app(), [width, height])
}

fn click_nth(harness: &mut Harness<'_, PanelApp>, label: &str, place: usize) {
    harness
        .get_all_by_label(label)
        .nth(place)
        .unwrap_or_else(|| panic!("there is no button {label} with index {place}"))
        .click();
    harness.run();
}

#[test]
fn every_search_can_be_selected_and_keeps_the_number_of_particles() {
    let mut harness = harness(1280.0, 1000.0);
    for &search in SEARCHES.iter().rev() {
        click(&mut harness, search.title);
        let app = harness.state_mut();
        assert_eq!(app.controls.settings.search, search);
        assert_eq!(app.controls.settings.size, Size::Count(COUNT));
        app.accept(None);
    }
}

#[test]
fn every_option_of_every_search_is_set_by_its_buttons() {
    let mut harness = harness(1280.0, 1000.0);
    for &search in SEARCHES {
        click(&mut harness, search.title);
        for &option in search.options {
            for value in option.usual_values().into_iter().rev() {
                // Options of a search may share labels, so the button is identified by its index among equal labels.
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

/// Number of buttons with this label among the search's options before the index `place`.
fn shared_labels_before(search: &SearchInfo, place: usize, label: &str) -> usize {
    let of_option =
        |option: &SearchOption| option.usual_values().into_iter().filter(|&value| option.label(value) == label).count();
    search.options[..place].iter().map(|option| of_option(option)).sum()
}

#[test]
fn color_fields_kernels_and_time_are_set_by_their_buttons() {
    let mut harness = harness(1280.0, 2200.0);
    for (place, field) in ColorField::all().enumerate() {
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
    click(&mut harness, "Resume Space");
    assert!(!harness.state().controls.paused);
    click(&mut harness, "One step .");
    let controls = &harness.state().controls;
    assert!(controls.paused && controls.single_steps == 1, "the button makes one step and pauses");
    click(&mut harness, "Reset R");
    assert_eq!(harness.state().controls.resets, 1);
    click(&mut harness, "Slow motion Q");
    assert!(harness.state().controls.slow_motion);
    click(&mut harness, "Wait for the display (vsync)");
    assert!(!harness.state().controls.vsync);
}

#[test]
fn a_refused_count_is_reported_and_the_panel_shows_the_running_one() {
    let mut harness = harness(1280.0, 1000.0);
    click(&mut harness, "4M");
    assert_eq!(harness.state().controls.settings.size, Size::Count(4_194_304));
    let sentence = "the positions need 67108864 bytes, and the adapter binds at most 1000; use fewer particles";
    refuse(harness.state_mut(), sentence);
    harness.run();
    harness.get_by_label(sentence);
    assert_eq!(harness.state().controls.settings.size, Size::Count(COUNT), "the old simulation keeps running");
    click(&mut harness, "Dismiss");
    assert!(harness.query_by_label(sentence).is_none());
    // The next refusal is reported again, although the last one was dismissed.
    click(&mut harness, "4M");
    refuse(harness.state_mut(), sentence);
    harness.run();
    harness.get_by_label(sentence);
}

#[test]
fn an_unknown_scene_is_reported_and_the_old_one_stays() {
    let mut harness = harness(1280.0, 1000.0);
    harness.state_mut().controls.load_scene("dam_brake");
    harness.run();
    harness.get_by_label_contains("dam_break");
    assert_eq!(harness.state().controls.scene.name, "dam_break");
}

#[test]
fn the_overlay_shows_the_numbers_or_reports_that_there_are_none() {
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
            figures: Default::default(),
            loops_cut: false,
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
fn edits_of_the_solver_and_the_material_are_discarded_with_the_scene() {
    let mut harness = harness(1280.0, 1600.0);
    click(&mut harness, "PBF");
    assert_eq!(harness.state().controls.settings.edits.solver, Some(Solver::named("pbf").expect("a solver")));
    harness.state_mut().accept(None);
    click(&mut harness, "Material and solver");
    harness.get_by_label("Iterations");
    harness.get_by_label("Surface tension");
    let controls = &mut harness.state_mut().controls;
    controls.load_scene("drop");
    assert_eq!(controls.settings.edits, SceneEdits::default());
}

#[test]
fn sections_fold_and_the_settings_keep_which() {
    let mut harness = harness(1280.0, 2000.0);
    harness.get_by_label("Edges of cells");
    click(&mut harness, "Display");
    assert!(harness.query_by_label("Edges of cells").is_none(), "the folded section shows its rows");
    click(&mut harness, "Material and solver");
    harness.get_by_label("Artificial viscosity");
    let kept = UserSettings::of(&harness.state().controls);
    let expected = [("display".to_owned(), false), ("material".to_owned(), true)];
    assert_eq!(kept.sections, expected.into());
    let mut next = app();
    kept.apply(&mut next.controls);
    let mut harness = window(next, [1280.0, 2000.0]);
    assert!(harness.query_by_label("Edges of cells").is_none(), "the section is open again after a restart");
    click(&mut harness, "Display");
    click(&mut harness, "Material and solver");
    harness.get_by_label("Edges of cells");
    assert!(harness.state().controls.panel.sections.is_empty(), "sections as they are at first need no entry");
}

#[test]
fn edges_of_cells_can_be_selected_only_if_they_can_be_drawn() {
    let mut harness = harness(1280.0, 2200.0);
    click(&mut harness, "Edges of cells");
    assert!(harness.state().controls.cell_edges);
    if let Some(running) = &mut harness.state_mut().report.running {
        running.has_drawable_cells = false;
    }
    harness.run();
    click(&mut harness, "Edges of cells");
    assert!(harness.state().controls.cell_edges, "a disabled checkbox ignores clicks");
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
fn keys_cycle_through_the_searches_and_change_count_and_radius() {
    let mut app = app();
    for expected in SEARCHES.iter().cycle().skip(1).take(SEARCHES.len() * 2) {
        app.controls.act(Action::NextSearch, &app.report);
        assert_eq!(app.controls.settings.search, *expected);
    }
    app.controls.act(Action::PreviousSearch, &app.report);
    assert_eq!(app.controls.settings.search, SEARCHES[SEARCHES.len() - 1]);
    app.controls.act(Action::DoubleCount, &app.report);
    assert_eq!(app.controls.settings.size, Size::Count(2 * COUNT));
    app.accept(None);
    let radius = app.report.running.as_ref().expect("runs").resolution.support_radius;
    app.controls.act(Action::LargerRadius, &app.report);
    let Size::Radius(larger) = app.controls.settings.size else { panic!("the size is a radius") };
    // The app multiplies by a rounded factor, so its result differs from this division by rounding.
    assert!((larger - radius / 0.9).abs() < 1e-6 * radius, "{larger} m after {radius} m");
}

#[test]
fn a_small_window_shows_its_numbers_and_controls() {
    let mut harness = harness(640.0, 400.0);
    harness.get_by_label("Pause Space");
    harness.get_by_label("frames/s");
    let label = harness.get_by_label("real time").rect();
    assert!(label.bottom() <= 400.0, "the overlay extends beyond the window: {label:?}");
    harness.state_mut().controls.act(Action::TogglePanel, &Report::default());
    harness.run();
    assert!(harness.query_by_label("Pause Space").is_none());
}

#[test]
fn densities_are_summed_or_integrated_as_selected() {
    let mut harness = harness(1280.0, 2000.0);
    click(&mut harness, "Material and solver");
    for (words, density) in [("integrated", Density::Continuity { diffusion: 0.1 }), ("summed", Density::Summation)] {
        click(&mut harness, words);
        let controls = &harness.state().controls;
        assert_eq!(controls.settings.edits.applied_to(&controls.scene).material.density, density);
    }
}

#[test]
fn states_are_saved_and_loaded_by_button_and_failures_reported() {
    let mut harness = harness(1280.0, 2200.0);
    click(&mut harness, "Save Z");
    assert_eq!(harness.state().controls.saves, 1);
    harness.state_mut().controls.state_file = "/nowhere/at all.state".into();
    harness.run();
    click(&mut harness, "Load ,");
    harness.get_by_label_contains("/nowhere/at all.state");
    click(&mut harness, "Dismiss");
    assert!(harness.query_by_label_contains("cannot read").is_none());
    let revision = harness.state().controls.revision;
    assert_eq!(harness.state().controls.settings.size, Size::Count(COUNT), "{revision}: a failure changes nothing");
}

#[test]
fn probes_are_plotted_by_unit_and_their_absence_is_reported() {
    let mut harness = harness(1280.0, 2200.0);
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
        assert!(columns.iter().any(|column| column.unit == unit), "the scene has no probe in {unit}");
        harness.get_by_label(unit);
    }
    assert!(harness.query_by_label_contains("has no probes").is_none());
}

#[test]
fn a_scene_starts_with_its_default_count_unless_one_was_selected() {
    let mut app = app();
    app.controls.settings.size = Size::Count(app.controls.scene.usual_count(AdapterClass::Discrete));
    app.controls.load_scene("bayraktar_dam");
    assert_eq!(app.controls.settings.size, Size::Count(150_000));
    app.controls.change(|settings| settings.size = Size::Count(COUNT));
    app.controls.load_scene("dam_break");
    assert_eq!(app.controls.settings.size, Size::Count(COUNT));
}

#[test]
fn solids_are_drawn_as_selected_and_bodies_are_added_by_button() {
    let mut harness = harness(1280.0, 2200.0);
    for solids in SolidStyle::ALL.into_iter().rev() {
        // The overlay has a label with the same text as one of these buttons.
        let last = harness.get_all_by_label(solids.label()).count() - 1;
        click_nth(&mut harness, solids.label(), last);
        assert_eq!(harness.state().controls.solids, solids);
        assert_eq!(harness.state().controls.depiction().solids, solids);
    }
    click(&mut harness, "Ball");
    click(&mut harness, "Drop D");
    let first = harness.state().controls.toss.clone().expect("a body was requested");
    assert!(matches!(first.body.shape, BodyShape::Sphere { .. }) && first.body.velocity.y < 0.0, "{first:?}");
    click(&mut harness, "Box");
    click(&mut harness, "Shoot X");
    let second = harness.state().controls.toss.clone().expect("a body was requested");
    assert!(matches!(second.body.shape, BodyShape::Box { .. }), "{second:?}");
    assert_eq!(second.number, first.number + 1);
}
