//! Tests of the views of time without a window, which `egui_kittest` clicks through and reads.

use std::sync::Arc;

use egui_kittest::kittest::Queryable as _;
use glam::{UVec3, Vec3};
use nearwater::app::{Action, LabSelection, Report};
use nearwater::explanation::PassSource;
use nearwater::gpu::Phase;
use nearwater::laboratory::{CellCounts, Gantt, Inspection, PassName, Target};
use nearwater::search::{AskedVisitor, Cells, ChunkRecord, Reading, Recording, Served, Worker, search_named};

use super::fixture::{PanelApp, window};

const WINDOW: [f32; 2] = [1440.0, 1600.0];

/// A panel with a report that the simulation runs with the present controls.
fn app(search: &str) -> PanelApp {
    let mut app = PanelApp::new(search, 4_096, Report::default());
    accept(&mut app);
    app
}

/// Updates the report, including the search's cells, which have a border if they are coarse.
fn accept(app: &mut PanelApp) {
    let is_coarse = ["claws", "fenns"].contains(&app.controls.settings.search.name);
    let border = is_coarse.then_some(0.3);
    app.accept(Some(Cells { origin: Vec3::ZERO, size: Vec3::ONE, counts: UVec3::splat(4), border }));
}

fn worker(subgroup: u32, lane: u32) -> Worker {
    Worker { workgroup: 2, subgroup: Some(subgroup), lane }
}

/// The recording of a cell in which two subgroups serve three particles.
fn recorded(cell: u32) -> Inspection {
    let served = |place, tested, phase, batch, worker| Served { place, tested, phase, batch, worker };
    let chunk = ChunkRecord {
        workgroup: 2,
        readings: vec![Reading { source: 4, rounds: 4, phase: 2, queued: true, batch: 1, worker: worker(0, 0) }],
        visitors: vec![AskedVisitor { place: 9, identity: 90, kept: true, source: 4, batch: 1, worker: worker(0, 0) }],
        served: vec![
            served(0, 12, 0, 0, worker(0, 0)),
            served(1, 10, 0, 0, worker(1, 0)),
            served(9, 7, 2, 2, worker(0, 0)),
        ],
        ..ChunkRecord::default()
    };
    Inspection {
        target: Target { particles: Vec::new(), cell: Some(cell) },
        recording: Recording { chunks: vec![chunk], ..Recording::default() },
        ..Inspection::default()
    }
}

#[test]
fn searches_without_coarse_cells_show_a_message_and_a_button_that_selects_claws() {
    let mut app = app("green");
    app.open("schedule");
    // The view selects CLAWS; the test then selects a search without coarse cells.
    assert_eq!(app.controls.settings.search.name, "claws");
    app.controls.change(|settings| settings.search = search_named("green").expect("a registered search"));
    accept(&mut app);
    let mut harness = window(app, WINDOW);
    harness.run();
    harness.get_by_label("Switch to CLAWS").click();
    harness.run();
    assert_eq!(harness.state().controls.settings.search.name, "claws");
}

#[test]
fn the_chart_of_a_recorded_cell_has_a_summary_and_leaving_the_example_restores_the_settings() {
    let mut app = app("green");
    app.open("schedule");
    accept(&mut app);
    assert!(app.controls.paused, "inspected particles must not move");
    // Particles in one corner of the grid: the corner cell that the view selects has few non-empty neighbors.
    let particles =
        (0..64).map(|cell| if cell % 4 < 2 && cell / 4 % 4 < 2 && cell / 16 < 2 { 20 } else { 0 }).collect();
    app.report.lab.schedule.counts = Some(Arc::new(CellCounts { counts: UVec3::splat(4), particles }));
    let mut harness = window(app, WINDOW);
    harness.run();
    let selected = harness.state().controls.lab.selection.clone();
    let cell = selected.cell().expect("a cell is selected");
    assert!(cell.cmplt(UVec3::splat(2)).all(), "{selected:?} contains no particles");
    let request = harness.state().controls.lab.request.clone();
    let order = request.schedule.expect("the view requests the schedule");
    assert_eq!((order.cell, order.configurations.len()), (Some(cell), 2), "CLAWS with the other setting, and FENNS");

    let index = (cell.z * 4 + cell.y) * 4 + cell.x;
    let inspection = recorded(index);
    let chart = Gantt::new(&inspection.recording.chunks[0], 0);
    assert_eq!((chart.rounds, chart.subgroups), (12 + 4 + 7, 2));
    harness.state_mut().report.lab.inspection = Some(Arc::new(inspection));
    harness.run();
    let expected =
        "23 rounds, subgroups idle 28 %. Reading the rows takes 4 rounds: 1 of 2 subgroups read nothing, idle 50 %.";
    assert!(harness.query_by_label(expected).is_some(), "the summary of the chart is missing");
    // The kept visitor is marked by its identity.
    let overlay = &harness.state().controls.lab.overlay;
    assert!(overlay.markings[0].entries.iter().any(|entry| entry.particle == 90));

    harness.get_by_label("Restore your scene").click();
    harness.run();
    assert_eq!(harness.state().controls.settings.search.name, "green");
    let app = harness.state_mut();
    app.open("schedule");
    app.controls.act(Action::ToggleLaboratory, &app.report);
    assert_eq!(app.controls.settings.search.name, "green", "closing the laboratory restores the user's search");
    assert!(!app.controls.paused, "and the simulation resumes");
}

#[test]
fn a_step_has_a_list_of_passes_a_key_and_buttons() {
    let mut app = app("claws");
    app.open("step_by_step");
    assert_eq!(app.controls.settings.search.name, "hoetzlein", "a search that scans counts");
    accept(&mut app);
    let source = PassSource { file: "search/test.wgsl", entry_point: "test", pair_file: None };
    let pass = |label, phase| PassName { label, phase, source };
    app.report.lab.stepping.passes = Arc::new(vec![pass("count", Phase::Build), pass("density", Phase::Physics)]);
    let mut harness = window(app, WINDOW);
    harness.run();
    assert!(harness.query_by_label("  1 count").is_some() && harness.query_by_label("  2 density").is_some());
    let app = harness.state_mut();
    app.controls.act(Action::StepOnce, &app.report);
    assert_eq!((app.controls.lab.stepping.forward, app.controls.single_steps), (1, 0), "one pass instead of one step");
    harness.state_mut().report.lab.stepping.is_half_done = true;
    harness.run();
    harness.get_all_by_label("Finish the step").next().expect("a button").click();
    harness.run();
    harness.get_all_by_label("Abandon the step").next().expect("a button").click();
    harness.run();
    let stepping = &harness.state().controls.lab.stepping;
    assert_eq!((stepping.finish, stepping.abandon), (1, 1));
    let order = harness.state().controls.lab.request.stepping.expect("the view requests it");
    assert_eq!((order.forward, order.finish, order.abandon), (1, 1, 1));
    let app = harness.state_mut();
    app.open("inspector");
    assert_eq!(app.controls.settings.search.name, "claws", "the next view runs with the user's settings");
    app.controls.act(Action::StepOnce, &app.report);
    assert_eq!(app.controls.single_steps, 1);
    app.controls.lab.select(LabSelection::All);
}
