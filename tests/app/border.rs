//! Tests of the view "Border and inner" without a window, on the results of a running simulation: its example, its
//! numbers, and its memory strip.

use std::sync::Arc;

use bevy_egui::egui;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use glam::UVec3;
use nearwater::app::{Action, LabSelection, update_laboratory};
use nearwater::render::Mark;
use nearwater::search::{BlockClass, search_named};

use super::fixture::{RunningApp, shows, window};

const WINDOW: [f32; 2] = [1440.0, 900.0];

/// The dam break with a search, and the view opened.
fn opened(search: &str) -> RunningApp {
    let mut app = RunningApp::new(search, 500);
    open_view(&mut app);
    app
}

fn open_view(app: &mut RunningApp) {
    app.open("border_and_inner");
    app.frames(5);
}

/// The window with the view, after a few frames of layout.
fn opened_window(app: RunningApp) -> Harness<'static, RunningApp> {
    let mut harness = window(app, WINDOW);
    harness.run_steps(3);
    harness
}

fn select(app: &mut RunningApp, selection: LabSelection) {
    app.controls.lab.select(selection);
    app.frames(1);
    // Other tests share the device, so the result can arrive later.
    for _ in 0..50 {
        app.frames(1);
        let target = &app.controls.lab.request.target;
        if app.report.lab.inspection.as_ref().is_some_and(|found| found.target == *target) {
            break;
        }
    }
    app.frames(2);
}

#[test]
fn the_example_shows_both_classes_and_closing_restores_the_user_s_scene() {
    let mut app = RunningApp::new("green", 500);
    let (scene, settings) = (Arc::clone(&app.controls.scene), app.controls.settings.clone());
    open_view(&mut app);
    assert_eq!(app.report.refused, None);
    assert_eq!(app.controls.settings.search.name, "fenns", "Green has no classes");
    assert!(app.controls.paused, "inspected particles must not move");
    let strip = app.report.lab.strip.clone().expect("the strip has arrived");
    let [border, inner] = [BlockClass::Border, BlockClass::Inner].map(|class| strip.count_of(class));
    assert_eq!(border + inner, u64::from(strip.particle_count));
    assert!(inner * 4 > border && border * 4 > inner, "{border} border and {inner} inner particles");
    let cut = app.controls.lab.overlay.cut.expect("the fluid is cut open");
    assert!(cut.high.z.abs() < 0.01, "the cut is at {} instead of the middle", cut.high.z);
    let cores = app.controls.lab.overlay.labels.iter().filter(|label| label.text.starts_with("inner")).count();
    assert_eq!(cores, 9, "one core for each cell at the cut");

    app.controls.act(Action::ToggleLaboratory, &app.report);
    assert!(Arc::ptr_eq(&app.controls.scene, &scene), "the user's scene is restored");
    assert_eq!(app.controls.settings, settings);
    assert!(!app.controls.paused);
    app.frames(2);
    assert!(app.report.lab.strip.is_none(), "nothing is read back while the laboratory is closed");
}

#[test]
fn the_numbers_show_how_many_particles_are_inner_and_why_and_what_a_cell_reads() {
    let mut app = opened("claws");
    assert_eq!(app.controls.settings.search.name, "claws", "a search with classes is kept");
    let strip = app.report.lab.strip.clone().expect("the strip has arrived");
    let inner = strip.count_of(BlockClass::Inner);
    select(&mut app, LabSelection::Cell(UVec3::ONE));
    let inspection = app.report.lab.inspection.clone().expect("the cell was recorded");
    let chunks = inspection.recording.chunks.len();
    assert!(chunks > 0);
    let chunk = &inspection.recording.chunks[0];
    let roles = &app.controls.lab.overlay.markings[0].entries;
    let in_role = |mark: Mark| roles.iter().filter(|entry| entry.role == mark as u32).count();
    let kept = chunk.visitors.iter().filter(|visitor| visitor.kept).count();
    assert_eq!(in_role(Mark::Highlighted), chunk.members.len());
    assert_eq!(in_role(Mark::Visitor), kept);
    assert_eq!(in_role(Mark::Dropped), chunk.visitors.len() - kept);
    let (members, checked) = (chunk.members.len(), chunk.visitors.len());

    let mut harness = opened_window(app);
    for text in [
        "Coarse cell (1, 1, 1)".to_owned(),
        format!("Chunk 1 of {chunks}"),
        "3 x 3 x 3 = 27".to_owned(),
        nearwater::format::count(inner),
        nearwater::format::count(members as u64),
        nearwater::format::count(checked as u64),
        "9.69 r".to_owned(),
        "Workgroup memory".to_owned(),
        "All inner particles, cell by cell, are followed by all border particles".to_owned(),
        "visitor, kept".to_owned(),
    ] {
        assert!(shows(&harness, &text), "the window does not show \"{text}\"");
    }
    harness.get_by_label("x+").click();
    harness.run_steps(3);
    assert_eq!(harness.state().controls.lab.selection, LabSelection::Cell(UVec3::new(2, 1, 1)));
}

#[test]
fn a_particle_shows_where_its_neighbors_are_and_leads_to_its_cell() {
    let mut app = opened("fenns");
    let strip = app.report.lab.strip.clone().expect("the strip has arrived");
    for class in [BlockClass::Inner, BlockClass::Border] {
        let of_class = |block: &&nearwater::search::Block| block.class == Some(class);
        let block = strip.blocks.iter().find(of_class).expect("both classes occur");
        let particle = strip.at(block.start).expect("all places are read").identity;
        select(&mut app, LabSelection::Particle(particle));
        let mut harness = opened_window(app);
        assert!(shows(&harness, "in other cells"), "{class:?}");
        let inner_words = shows(&harness, "all neighbors are in the particle's own cell");
        assert_eq!(inner_words, class == BlockClass::Inner, "the explanation is that of the class");
        assert!(shows(&harness, &format!("place {}", nearwater::format::count(block.start.into()))));
        harness.get_by_label("Its coarse cell").click();
        harness.run_steps(3);
        let cell = strip.coordinate(block.cell);
        assert_eq!(harness.state().controls.lab.selection, LabSelection::Cell(cell));
        app = harness.into_state();
    }
}

#[test]
fn hovering_over_a_block_highlights_its_particles_and_a_click_selects_its_cell() {
    let app = opened("fenns");
    let strip = app.report.lab.strip.clone().expect("the strip has arrived");
    let mut harness = opened_window(app);
    // A point in the row of the sorted order, which ends a few points above the lower edge of the window.
    let at = egui::pos2(700.0, 900.0 - 12.0 - 15.0 - 9.0 - 8.0);
    harness.event(egui::Event::PointerMoved(at));
    harness.run_steps(2);
    let hovered = harness.state().controls.lab.hovered.clone().expect("a range of memory is hovered");
    let LabSelection::Memory { elements, .. } = hovered else { panic!("{hovered:?} is not a range of memory") };
    let block = *strip.block_at(elements.start as u32).expect("blocks cover memory");
    assert_eq!(elements, u64::from(block.start)..u64::from(block.end));
    let app = harness.state_mut();
    update_laboratory(&mut app.controls, &app.report);
    let mut lit: Vec<u32> = app.controls.lab.overlay.markings[0].entries.iter().map(|entry| entry.particle).collect();
    let mut expected: Vec<u32> =
        (block.start..block.end).map(|place| strip.at(place).expect("all places are read").identity).collect();
    lit.sort_unstable();
    expected.sort_unstable();
    assert_eq!(lit, expected);
    for pressed in [true, false] {
        let modifiers = egui::Modifiers::NONE;
        harness.event(egui::Event::PointerButton { pos: at, button: egui::PointerButton::Primary, pressed, modifiers });
        harness.run_steps(1);
    }
    assert_eq!(harness.state().controls.lab.selection, LabSelection::Cell(strip.coordinate(block.cell)));
    harness.event(egui::Event::PointerMoved(egui::pos2(700.0, 300.0)));
    harness.run_steps(2);
    assert_eq!(harness.state().controls.lab.hovered, None, "nothing is hovered any more");
}

#[test]
fn a_search_with_one_level_of_cells_shows_a_message_and_its_memory() {
    let mut app = opened("fenns");
    for name in ["green", "brute_force"] {
        app.controls.change(|settings| settings.search = search_named(name).expect("a registered search"));
        app.frames(5);
        let strip = app.report.lab.strip.clone().expect("the strip has arrived");
        assert_eq!(strip.places.len() as u32, strip.particle_count);
        let harness = opened_window(app);
        assert!(shows(&harness, "does not distinguish border from inner particles: select"), "{name}");
        assert!(shows(&harness, "sorted order") || shows(&harness, "Whole memory"));
        app = harness.into_state();
    }
}
