//! Tests of the limits card and of the check of another program's list, without a window.

use std::sync::{Arc, OnceLock};

use crate::common;
use bevy_egui::egui::OutputCommand;
use egui_kittest::kittest::Queryable as _;
use nearwater::app::{Action, Report, update_laboratory};
use nearwater::fluid::Size;
use nearwater::gpu::AdapterClass;
use nearwater::laboratory::LimitsCard;
use nearwater::laboratory::check::{CheckOrder, CheckedList};
use nearwater::search::SEARCHES;

use super::fixture::{PanelApp, click, window};

const WINDOW: [f32; 2] = [1440.0, 1100.0];

fn app() -> PanelApp {
    let report = Report { limits: Arc::new(LimitsCard::new(&common::gpu().capabilities)), ..Report::default() };
    PanelApp::new("brute_force", 4_096, report)
}

/// The app with the view of that name opened.
fn app_at(view: &str) -> PanelApp {
    let mut app = app();
    app.open(view);
    app
}

fn update(app: &mut PanelApp) {
    update_laboratory(&mut app.controls, &app.report);
}

/// The prepared example, checked once for all tests.
fn example() -> Arc<CheckedList> {
    static LIST: OnceLock<Arc<CheckedList>> = OnceLock::new();
    let check = || Arc::new(CheckOrder::example(1).carry_out(&common::gpu()).unwrap_or_else(|error| panic!("{error}")));
    Arc::clone(LIST.get_or_init(check))
}

#[test]
fn the_card_names_the_device_and_every_search_and_can_be_copied() {
    let mut harness = window(app_at("limits"), WINDOW);
    harness.run();
    for name in ["Workgroup memory", "Float atomics", "Timestamps", "Largest binding"] {
        harness.get_by_label(name);
    }
    for search in SEARCHES {
        assert!(
            harness.get_all_by_label(search.title).count() >= 2,
            "{} must be a button and on the card",
            search.title
        );
    }
    harness.get_by_label("Copy as text").click();
    harness.step();
    let text = harness.output().platform_output.commands.iter().find_map(|command| match command {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    let text = text.expect("a text was copied");
    assert_eq!(text, harness.state().report.limits.text());
    assert!(SEARCHES.iter().all(|search| text.contains(search.title)));
}

#[test]
fn counts_that_do_not_fit_the_device_cannot_be_selected() {
    let mut harness = window(app(), WINDOW);
    let limits = harness.state().report.limits.of(SEARCHES[0]).expect("every search is on the card").clone();
    assert!(limits.last_offered() > 4_096 && limits.last_offered() < 4_194_304, "{limits:?}");
    harness.get_by_label("4M").click();
    harness.run();
    assert_eq!(harness.state().controls.settings.size, Size::Count(4_096), "the button is disabled");
    let mut large = common::gpu().capabilities.clone();
    large.class = AdapterClass::Discrete;
    harness.state_mut().report.limits = Arc::new(LimitsCard::new(&large));
    harness.run();
    click(&mut harness, "262k");
    assert_eq!(harness.state().controls.settings.size, Size::Count(262_144));
}

#[test]
fn the_example_shows_the_pattern_of_its_missing_pairs_and_each_pair_in_the_scene() {
    let mut app = app_at("check_mine");
    update(&mut app);
    let order = app.controls.lab.request.check.clone().expect("the view orders its example");
    assert_eq!(order.number, 1);
    let list = example();
    app.report.lab.check.outcome = Some((1, Ok(Arc::clone(&list))));
    let mut harness = window(app, WINDOW);
    harness.run();
    harness.get_by_label("The list is wrong");
    harness.get_by_label_contains("All 522 missing pairs cross a face between cells along x");
    update(harness.state_mut());
    let overlay = Arc::clone(&harness.state().controls.lab.overlay);
    assert_eq!(overlay.segments.len(), list.points.len() + 522, "every point and every missing pair");
    assert_eq!(overlay.boxes[0].len(), 27, "the coarse cells");
    assert!(overlay.stage.is_some() && overlay.shells.is_empty());

    let first = list.mine.missing.pairs[0];
    let row = format!("{:>9} {:>9}", first.first, first.second);
    harness.get_by_label_contains(&row).click();
    harness.run();
    update(harness.state_mut());
    assert_eq!(harness.state().controls.lab.check.pair, Some(0));
    let overlay = Arc::clone(&harness.state().controls.lab.overlay);
    assert_eq!((overlay.shells.len(), overlay.boxes[0].len(), overlay.labels.len()), (1, 2, 4));
    assert!(overlay.segments.len() < list.points.len(), "only the points around the pair");
    harness.get_by_label("A missing pair");

    let PanelApp { controls, report } = harness.state_mut();
    controls.act(Action::Close, report);
    assert!(controls.lab.check.pair.is_none() && controls.lab.open, "Escape shows all pairs again first");
}

#[test]
fn missing_fields_and_unreadable_files_are_named() {
    let mut harness = window(app_at("check_mine"), WINDOW);
    harness.run();
    click(&mut harness, "Check");
    harness.get_by_label_contains("type the radius");
    let check = &mut harness.state_mut().controls.lab.check;
    (check.radius, check.points, check.neighbors) = ("0.1".into(), "no such.csv".into(), "none.csv".into());
    click(&mut harness, "Check");
    let order = harness.state().controls.lab.check.order.clone().expect("an order");
    assert_eq!(order.number, 2, "after the example");
    let refusal = order.carry_out(&common::gpu()).expect_err("there is no such file");
    harness.state_mut().report.lab.check.outcome = Some((2, Err(refusal)));
    harness.run();
    harness.get_by_label_contains("cannot read no such.csv");
}
