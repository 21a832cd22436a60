//! Tests of the views of space and of memory order without a window: the controls make the right requests, the driver
//! carries them out and restores the user's scene, and the panel shows the results.

use std::sync::Arc;

use egui_kittest::kittest::Queryable as _;
use nearwater::app::{Action, LabCut, LabSelection, OrderEvent};
use nearwater::laboratory::CostField;

use super::fixture::{RunningApp, click, window};

/// The dam break with few particles, paused, with a view of the laboratory opened.
fn at(view: &str) -> RunningApp {
    let mut app = RunningApp::new("fenns", 900);
    go_to(&mut app, view);
    app.frames(4);
    app
}

fn go_to(app: &mut RunningApp, view: &str) {
    app.open(view);
    app.controls.paused = true;
}

#[test]
fn a_cost_map_of_a_paused_simulation_counts_every_particle_and_shows_its_range() {
    let mut app = at("cost_maps");
    app.steps(3);
    for field in CostField::ALL {
        app.controls.lab.cost.field = field;
        app.frames(4);
        let found = app.report.lab.cost.clone().expect("the map has arrived, although nothing moves");
        assert_eq!(found.request, app.controls.lab.cost);
        let count = app.report.running.as_ref().expect("the simulation runs").resolution.particle_count;
        assert_eq!(found.with_value + found.without_value, count, "{field:?}");
        assert_eq!(found.bins.iter().sum::<u32>(), found.with_value, "{field:?}");
        let color = app.controls.lab.overlay.color.expect("the view sets the color field");
        assert_eq!(color.range, Some((found.low, found.high)), "the legend does not show the range of the map");
        let (look, drawn) = app.driver.picture(&app.controls, 0).expect("the simulation runs");
        assert!(drawn.custom_field.is_some() && look.field == color.field, "{field:?} is not drawn");
    }
    app.act(Action::ToggleLaboratory);
    app.frames(2);
    let (_, drawn) = app.driver.picture(&app.controls, 0).expect("the simulation runs");
    assert!(
        drawn.custom_field.is_none() && app.report.lab.cost.is_none(),
        "a closed laboratory still computes its map"
    );
}

#[test]
fn memory_is_shuffled_and_rarely_sorted_only_while_that_view_is_open() {
    let mut app = at("memory_order");
    app.steps(8);
    assert!(app.controls.lab.request.memory.resort_interval > 1, "the view must open with rare sorts");
    app.controls.lab.memory.shuffles += 1;
    app.steps(3);
    let marks: Vec<_> = app.report.step_times.marks().map(|(_, event)| event).collect();
    let shuffles = marks.iter().filter(|event| **event == OrderEvent::Shuffled).count();
    assert_eq!(shuffles, 1, "{marks:?}");
    if app.report.has_timestamps {
        let steps: Vec<u64> = app.report.step_times.times().map(|time| time.step).collect();
        assert!(
            steps.len() >= 8 && steps.is_sorted_by(|a, b| a < b),
            "steps were timed twice or not at all: {steps:?}"
        );
    }
    app.open("cost_maps");
    app.steps(2);
    assert_eq!(app.report.step_times.marks().last().map(|(_, event)| event), Some(OrderEvent::Interval(1)));
    go_to(&mut app, "memory_order");
    app.frames(2);
    let again = app.report.step_times.marks().filter(|(_, event)| *event == OrderEvent::Shuffled).count();
    assert_eq!(again, 1, "opening the view again must not shuffle again");
}

#[test]
fn flatland_restores_the_user_s_simulation() {
    let mut app = at("cost_maps");
    app.steps(5);
    let (scene, settings) = (Arc::clone(&app.controls.scene), app.controls.settings.clone());
    app.act(Action::ToggleFlatland);
    app.frames(3);
    let running = app.report.running.clone().expect("the simulation runs");
    assert_eq!((running.scene.name.as_str(), app.report.step_count), ("flatland", 0));
    app.act(Action::ToggleFlatland);
    app.frames(2);
    assert!(Arc::ptr_eq(&app.controls.scene, &scene), "another scene was restored");
    assert_eq!(app.controls.settings, settings);
    assert_eq!(app.report.step_count, 5, "the user's simulation started again");
}

#[test]
fn a_rectangle_has_statistics_and_the_cutting_box_cuts_every_view() {
    let mut app = at("inspector");
    app.steps(2);
    let chosen: Vec<u32> = (100..400).collect();
    app.controls.lab.select(LabSelection::Particles(chosen));
    app.frames(4);
    let found = app.report.lab.gathered.clone().expect("the statistics have arrived");
    assert_eq!(found.found, 300);
    assert!(found.candidates.sum >= found.neighbors.sum && found.neighbors.sum > 0.0, "{found:?}");
    assert!(found.border.expect("FENNS has border particles") <= 300);
    let marking = app.controls.lab.overlay.markings.first().expect("the particles are marked");
    assert_eq!(marking.entries.len(), 300);
    app.controls.lab.cut = Some(LabCut::default());
    for view in ["inspector", "cost_maps", "memory_order"] {
        go_to(&mut app, view);
        app.frames(1);
        assert!(app.controls.lab.overlay.cut.is_some(), "{view} is not cut");
    }
}

#[test]
fn the_panel_shows_the_numbers_and_its_buttons_work() {
    let app = at("cost_maps");
    let mut harness = window(app, [1500.0, 1000.0]);
    click(&mut harness, "lanes idle");
    assert_eq!(harness.state().controls.lab.cost.field, CostField::LanesIdle);
    harness.state_mut().frames(4);
    harness.run();
    harness.get_by_label("subgroup");
    click(&mut harness, "cut the fluid open");
    assert!(harness.state().controls.lab.cut.is_some());
    click(&mut harness, "Flat example");
    harness.state_mut().frames(2);
    harness.run();
    click(&mut harness, "Restore your scene");
    assert_eq!(harness.state().controls.scene.name, "dam_break");
    harness.state_mut().open("memory_order");
    harness.run();
    click(&mut harness, "Shuffle memory");
    assert_eq!(harness.state().controls.lab.memory.shuffles, 1);
}

#[test]
fn the_drawer_keeps_its_height_while_its_plot_is_drawn() {
    let mut app = at("memory_order");
    app.controls.paused = false;
    app.frames(4);
    let mut harness = window(app, [1280.0, 800.0]);
    harness.run_steps(2);
    let opened = harness.state().controls.lab.drawer_share;
    assert!(opened > 0.3, "the view opens its drawer to a third of the window, and not {opened}");
    harness.run_steps(40);
    let later = harness.state().controls.lab.drawer_share;
    assert!((later - opened).abs() < 0.01, "the drawer went from {opened} to {later} of the window");
}

#[test]
fn a_view_left_at_once_does_not_lead_the_camera_afterwards() {
    let mut app = RunningApp::new("green", 500);
    app.frame();
    app.open("inspector");
    assert!(app.controls.lab.wants_framing, "the inspector leads to its particle");
    app.open("cost_maps");
    app.frames(4);
    assert!(!app.controls.lab.wants_framing && app.controls.lab.wanted_view.is_none());
}
