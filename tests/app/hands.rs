//! Tests of what the user does to the water, without a window: orders reach the simulation, are reported, refused with
//! a sentence and undone, and the panel gives them.

use std::time::Duration;

use egui_kittest::kittest::Queryable as _;
use glam::Vec3;
use nearwater::app::{Action, Aim, HandsOrder, Preset, Report, Tool};
use nearwater::fluid::Face;
use nearwater::search::SEARCHES;

use super::fixture::{PanelApp, RunningApp, click, shows, window};

const LEFT: Face = Face::ALL[0];

fn paused() -> RunningApp {
    let mut app = RunningApp::new("fenns", 500);
    app.controls.paused = true;
    app.frame();
    app
}

fn order(app: &mut RunningApp, order: HandsOrder) {
    app.controls.hands.order(order);
    app.frame();
}

/// Waits so long that the next action is undone by itself.
fn rest() {
    std::thread::sleep(Duration::from_secs(1));
}

#[test]
fn arrow_keys_tilt_gravity_which_is_undone_step_by_step_and_returns() {
    let mut app = paused();
    let own = app.report.hands.scene_gravity;
    assert_eq!(app.report.hands.gravity, own);
    for key in ["right", "right", "up"] {
        let (action, repeats) = Action::of_key(key).expect("it is a key");
        assert!(repeats);
        app.act(action);
    }
    app.frame();
    let tilted = app.report.hands.gravity;
    assert!((tilted.angle_between(own).to_degrees() - 10.0).abs() < 6.0 && tilted.x > 0.5, "{tilted}");
    assert!((tilted.length() - own.length()).abs() < 1e-3);
    assert!(app.report.hands.is_tilted());
    rest();
    app.act(Action::WalkBack);
    app.frame();
    assert!(app.report.hands.gravity.x < tilted.x);
    app.act(Action::Undo);
    app.frame();
    assert!(app.report.hands.gravity.distance(tilted) < 1e-4, "the last key is undone");
    app.act(Action::Undo);
    app.frame();
    assert_eq!(app.report.hands.gravity, own, "the three before are undone together");
    app.act(Action::TiltToUser);
    app.act(Action::SceneGravity);
    app.frame();
    assert_eq!(app.report.hands.gravity, own);
    // In the laboratory the keys are those of the walk.
    app.open("inspector");
    app.act(Action::WalkForward);
    app.frame();
    assert_eq!(app.report.hands.gravity, own);
}

#[test]
fn walls_move_are_refused_with_a_sentence_and_are_undone() {
    let mut app = paused();
    order(&mut app, HandsOrder::Wall { face: LEFT, inset: 0.3 });
    assert_eq!(app.report.hands.insets[0].to_bits(), 0.3_f32.to_bits());
    app.controls.paused = false;
    app.frames(12);
    // Steps are recorded after the report of their frame.
    app.controls.paused = true;
    app.frame();
    let low = app.report.hands.walls[0].x;
    assert!(low > app.controls.scene.low.x, "the wall has moved to {low}");
    let (look, _) = app.driver.picture(&app.controls, 0).expect("it runs");
    assert_eq!(look.box_low.x.to_bits(), low.to_bits(), "the picture shows the wall where it is");
    order(&mut app, HandsOrder::Wall { face: LEFT, inset: 1e3 });
    let (number, sentence) = app.report.hands.refused.clone().expect("it is refused");
    assert!(sentence.contains("left") && app.report.failure.as_deref() == Some(sentence.as_str()), "{sentence}");
    assert_eq!(number, app.report.hands.handled);
    assert_eq!(app.report.hands.insets[0].to_bits(), 0.3_f32.to_bits(), "nothing has changed");
    rest();
    order(&mut app, HandsOrder::WallsBack);
    assert_eq!(app.report.hands.insets[0].to_bits(), 0.0_f32.to_bits());
    app.act(Action::Undo);
    app.frame();
    assert_eq!(app.report.hands.insets[0].to_bits(), 0.3_f32.to_bits());
    app.act(Action::Reset);
    app.frame();
    assert_eq!((app.report.hands.insets[0], app.report.hands.walls[0]), (0.0, app.controls.scene.low), "a reset");
    assert_eq!(app.report.hands.undo, None, "nothing is left to undo");
}

#[test]
fn bodies_under_the_pointer_are_removed_and_return() {
    let mut app = paused();
    let (low, high) = (app.controls.scene.low, app.controls.scene.high);
    let aim = |place: Vec3| Aim { origin: place.with_z(high.z + 5.0), direction: Vec3::NEG_Z, point: place };
    app.controls.aim = aim(low.lerp(high, 0.5));
    app.act(Action::DropBody);
    app.frame();
    assert_eq!(app.report.failure, None);
    let bodies = |app: &RunningApp| app.report.running.as_ref().map_or(0, |running| running.body_count);
    assert_eq!(bodies(&app), 1);
    let top = Vec3::new(0.5 * (low.x + high.x), high.y - 0.3, 0.0);
    app.controls.aim = aim(low.with_z(0.0) + Vec3::splat(0.1));
    app.act(Action::RemoveBody);
    app.frame();
    assert_eq!(bodies(&app), 1, "there is no body at the pointer");
    app.controls.aim = aim(top);
    app.act(Action::RemoveBody);
    app.frame();
    assert_eq!((bodies(&app), app.report.failure.clone()), (0, None));
    app.act(Action::Undo);
    app.frame();
    assert_eq!((bodies(&app), app.report.failure.clone()), (1, None), "the removal is undone");
    app.act(Action::Undo);
    app.frame();
    assert_eq!(bodies(&app), 0, "and so is the drop");
    assert_eq!(app.report.hands.undo, None);
    order(&mut app, HandsOrder::RemoveBody(3));
    assert!(app.report.hands.refused.as_ref().is_some_and(|(_, sentence)| sentence.contains("body 3")));
}

#[test]
fn presets_move_the_water_and_end() {
    let mut app = paused();
    order(&mut app, HandsOrder::Preset(Preset::Storm));
    assert!(app.report.hands.sways && app.report.hands.preset == Preset::Storm);
    app.controls.paused = false;
    // A fast device makes no step in many of these frames.
    let tilts = (0..1_000).any(|_| {
        app.frame();
        app.report.hands.gravity != app.report.hands.scene_gravity
    });
    assert!(tilts && app.report.hands.is_tilted());
    rest();
    order(&mut app, HandsOrder::Preset(Preset::Weightless));
    assert_eq!(app.report.hands.gravity, Vec3::ZERO);
    app.act(Action::Undo);
    app.frame();
    assert!(app.report.hands.sways, "the storm is back");
    order(&mut app, HandsOrder::Preset(Preset::Calm));
    assert!(!app.report.hands.is_tilted());
}

#[test]
fn the_pour_tool_adds_water_above_the_pointer() {
    let mut app = paused();
    let before = app.report.running.as_ref().expect("it runs").resolution.particle_count;
    let (low, high) = (app.controls.scene.low, app.controls.scene.high);
    let aim = Aim { origin: Vec3::new(8.0, 1.0, 9.0), direction: Vec3::NEG_Z, point: low.lerp(high, 0.8) };
    let spout = app.controls.spout_over(&aim, &app.report).expect("it runs");
    assert!(spout.center.y > high.y - 1.0 && spout.velocity.y < 0.0, "{spout:?}");
    app.controls.hands.spout = Some(spout);
    app.controls.paused = false;
    app.frames(20);
    assert_eq!(app.report.failure, None);
    let after = app.report.running.as_ref().expect("it runs").resolution.particle_count;
    assert!(after > before, "{before} particles, then {after}");
    app.controls.hands.spout = None;
    app.controls.change(|settings| settings.search = SEARCHES[1]);
    app.frames(6);
    assert_eq!(app.report.running.as_ref().expect("it runs").resolution.particle_count, after, "another search");
    let survey = app.report.survey.expect("it has arrived");
    assert!(survey.present > before && survey.present < after && survey.not_finite == 0, "{survey:?}");
}

#[test]
fn the_panel_offers_tools_presets_walls_and_undo() {
    let mut app = PanelApp::new(SEARCHES[0].name, 4_096, Report::default());
    app.accept(None);
    app.report.hands.most_insets = [1.0; 6];
    app.report.hands.undo = Some("gravity".into());
    app.report.hands.stop = Some("the left wall stops here".into());
    let mut harness = window(app, [1280.0, 2400.0]);
    for tool in [Tool::Pull, Tool::Pour, Tool::Push] {
        click(&mut harness, tool.label());
        assert_eq!(harness.state().controls.hands.tool, tool);
    }
    assert!(shows(&harness, "the left wall stops here"));
    click(&mut harness, "Storm");
    click(&mut harness, "Walls");
    click(&mut harness, "All walls back");
    harness.get_by_label_contains("Undo: gravity").click();
    harness.run();
    let orders: Vec<_> = harness.state().controls.hands.latest().cloned().collect();
    assert_eq!(orders, [HandsOrder::Preset(Preset::Storm), HandsOrder::WallsBack, HandsOrder::Undo]);
}
