//! The side of the app that simulates, without Bevy and without a window: it follows the controls, refuses in words,
//! and keeps what ran.
#![cfg(feature = "app")]

use std::sync::{Arc, OnceLock};

use glam::Vec3;
use nearwater::app::{Action, Aim, Controls, Driver, Plan, Report};
use nearwater::fluid::{Push, Scene, SceneEdits, Settings, Size, SmoothingKernel};
use nearwater::gpu::{Gpu, ShaderLibrary};
use nearwater::search::{SEARCHES, SearchOptions, search_named};

/// Frames within which a busy machine reads the probes too: they rest twelve times as long as a reading took.
const MANY: u32 = 3_000;
const REFRESH: f64 = 1.0 / 60.0;

fn gpu() -> &'static Arc<Gpu> {
    static GPU: OnceLock<Arc<Gpu>> = OnceLock::new();
    GPU.get_or_init(|| Gpu::open(None, ShaderLibrary::embedded().checked()).expect("llvmpipe or a graphics card"))
}

struct App {
    controls: Controls,
    report: Report,
    driver: Driver,
}

impl App {
    /// The dam break with few particles, paused.
    fn paused() -> Self {
        let scene = Scene::load("dam_break").expect("the default scene is embedded");
        let settings = Settings {
            search: SEARCHES[SEARCHES.len() - 1],
            options: SearchOptions::default(),
            kernel: SmoothingKernel::WendlandC2,
            size: Size::Count(500),
            seed: 3,
            edits: SceneEdits::default(),
        };
        let mut controls = Controls::new(scene, settings, gpu().capabilities.class);
        controls.paused = true;
        let mut report = Report::default();
        let driver = Driver::new(gpu(), &mut report);
        Self { controls, report, driver }
    }

    fn act(&mut self, action: Action) {
        self.controls.act(action, &self.report);
    }

    /// One frame as the plugin makes it, and waits for the device.
    fn frame(&mut self) -> Plan {
        self.driver.follow(&self.controls, &mut self.report);
        let plan = self.driver.plan(&self.controls, REFRESH, &mut self.report);
        gpu().submit(|encoder| {
            self.driver.record(encoder);
            self.driver.resolve(encoder);
        });
        gpu().wait().expect("the device answers");
        self.controls.settle(&self.report);
        plan
    }
}

#[test]
fn a_pause_computes_densities_once_and_a_step_is_one_step() {
    let mut app = App::paused();
    let first = app.frame();
    assert_eq!((first.steps, first.densities), (0, true), "the first frame needs densities");
    assert_eq!(app.frame(), Plan::default(), "nothing changed");
    app.act(Action::StepOnce);
    assert_eq!(app.frame().steps, 1);
    app.frame();
    assert_eq!(app.report.step_count, 1);
    let running = app.report.running.as_ref().expect("something runs");
    assert!((app.report.time - f64::from(running.resolution.time_step)).abs() < 1e-12);
    app.act(Action::Reset);
    let reset = app.frame();
    assert_eq!((reset.steps, reset.densities), (0, true), "frame 0 is shown with its densities");
    assert_eq!(app.report.step_count, 0);
}

#[test]
fn another_search_keeps_the_particles_and_the_time() {
    let mut app = App::paused();
    for _ in SEARCHES {
        app.act(Action::StepOnce);
        app.frame();
        app.act(Action::NextSearch);
        let plan = app.frame();
        assert!(plan.densities, "the new search has sorted the particles anew");
        assert_eq!(app.report.running.as_ref().expect("runs").settings.search, app.controls.settings.search);
    }
    app.frame();
    assert_eq!(app.report.step_count, SEARCHES.len() as u64, "a search started the scene again");
}

#[test]
fn what_is_refused_is_told_and_the_old_simulation_runs_on() {
    let mut app = App::paused();
    app.act(Action::StepOnce);
    app.frame();
    app.controls.change(|settings| settings.size = Size::Radius(1e6));
    app.frame();
    let sentence = app.report.refused.clone().expect("a radius beyond the box is refused");
    assert!(sentence.contains("radius"), "{sentence}");
    assert_eq!(app.controls.settings.size, Size::Count(500), "the panel shows what runs");
    app.act(Action::StepOnce);
    app.frame();
    // The report tells what the frame before recorded.
    app.frame();
    assert_eq!(app.report.step_count, 2);
    assert_eq!(app.report.refused.as_deref(), Some(sentence.as_str()), "told until something else is tried");
}

#[test]
fn a_running_scene_makes_steps_and_is_surveyed_and_timed() {
    let mut app = App::paused();
    app.controls.paused = false;
    let steps: u32 = (0..8).map(|_| app.frame().steps).sum();
    assert!(steps >= 4, "{steps} steps in eight frames");
    let survey = app.report.survey.expect("the first survey has arrived");
    assert!(survey.pairs.neighbors > 0 && survey.pairs.candidates >= survey.pairs.neighbors, "{survey:?}");
    assert_eq!((survey.not_finite, survey.outside), (0, 0));
    assert_eq!(app.report.timings.step_milliseconds().is_some(), app.report.has_timestamps);
}

#[test]
fn a_saved_state_is_gone_on_from_and_what_is_none_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("water.state");
    let mut app = App::paused();
    app.controls.state_file = file.display().to_string();
    app.controls.change(|settings| settings.search = search_named("green").expect("it is one"));
    app.frame();
    let step = |app: &mut App| {
        app.act(Action::StepOnce);
        app.frame();
        app.frame();
    };
    step(&mut app);
    app.act(Action::SaveState);
    app.frame();
    let news = app.report.news().expect("it was told").to_owned();
    assert!(news.contains("water.state") && news.contains("bit for bit"), "{news}");
    let saved = std::fs::read(&file).expect("it is there");

    // Elsewhere in another scene, then back: the state brings its scene and its settings along.
    step(&mut app);
    app.controls.load_scene("drop");
    app.controls.change(|settings| settings.size = Size::Count(300));
    step(&mut app);
    app.act(Action::LoadState);
    let plan = app.frame();
    assert_eq!(plan, Plan::default(), "sorting a state would change what comes after it");
    app.frame();
    assert_eq!((app.report.step_count, app.controls.scene.name.as_str()), (1, "dam_break"));
    assert_eq!(app.controls.settings.size, Size::Count(500));
    assert!(app.report.news().is_some_and(|news| news.contains("bit for bit")), "{:?}", app.report.news());
    app.act(Action::SaveState);
    app.frame();
    assert!(std::fs::read(&file).expect("it is there") == saved, "a state of a loaded state is that state");

    std::fs::write(&file, "no state").expect("it can be written");
    app.act(Action::LoadState);
    app.frame();
    let messages = app.controls.messages(&app.report);
    assert!(messages.iter().any(|message| message.contains("water.state")), "{messages:?}");
    assert_eq!(app.report.step_count, 1, "what ran runs on");
    app.controls.state_file = "/nowhere/water.state".into();
    app.act(Action::SaveState);
    app.frame();
    let messages = app.controls.messages(&app.report);
    assert!(messages.iter().any(|message| message.contains("/nowhere")), "{messages:?}");
    app.act(Action::Close);
    assert!(app.controls.messages(&app.report).is_empty(), "{:?}", app.controls.messages(&app.report));
}

#[test]
fn probes_are_read_while_their_plots_are_shown_and_begin_anew_with_the_scene() {
    let mut app = App::paused();
    app.frame();
    app.act(Action::StepOnce);
    app.frame();
    assert!(app.report.probes.times().is_empty(), "nobody looks");
    app.act(Action::ToggleProbes);
    let until = |app: &mut App, count: usize| {
        for _ in 0..MANY {
            app.act(Action::StepOnce);
            app.frame();
            if app.report.probes.times().len() >= count {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("{} readings in {MANY} frames", app.report.probes.times().len());
    };
    until(&mut app, 3);
    assert!(app.report.probes.is_of(&app.controls.scene));
    for (column, readings) in app.report.probes.columns() {
        assert!(readings.iter().all(|reading| reading.is_finite()), "{column:?}: {readings:?}");
        if column.name == "front" {
            assert!(readings.is_sorted() && readings[0] < readings[2], "the water runs: {readings:?}");
        }
    }
    let before = app.report.probes.times().to_vec();
    app.act(Action::Reset);
    // What is read off the start is earlier than anything read so far.
    for _ in 0..MANY {
        app.frame();
        if app.report.probes.times() != before {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(app.report.probes.times(), [0.0], "after {before:?}");
}

#[test]
fn bodies_are_dropped_held_and_refused_in_words() {
    let mut app = App::paused();
    app.frame();
    let water = app.report.running.as_ref().expect("it runs").resolution;
    app.controls.aim =
        Aim { origin: Vec3::new(3.0, 2.0, 9.0), direction: Vec3::NEG_Z, point: Vec3::new(3.0, 2.0, 0.0) };
    app.act(Action::DropBody);
    app.frame();
    let running = app.report.running.clone().expect("it runs");
    assert_eq!((running.body_count, app.report.failure.as_deref()), (1, None));
    assert_eq!(running.resolution.particle_count, water.particle_count);
    assert!(running.resolution.boundary_count > water.boundary_count, "water feels it by its samples");
    assert_eq!(app.controls.settings.size, Size::Count(500), "the panel has the water's count");
    app.act(Action::StepOnce);
    app.frame();
    app.frame();
    assert_eq!((app.report.step_count, app.report.failure.as_deref()), (1, None));

    // The next one finds the first one in its way at the top, unless that has fallen; one that is too large never fits.
    app.controls.missile.size = 40.0;
    app.act(Action::ShootBody);
    app.frame();
    let sentence = app.report.failure.clone().expect("a body larger than the tank is refused");
    assert_eq!(app.controls.messages(&app.report), [sentence]);
    app.act(Action::Close);
    assert!(app.controls.messages(&app.report).is_empty());
    assert_eq!(app.report.running.as_ref().expect("it runs").body_count, 1);

    // Dragging begins on the body where the ray meets it, and lifts it against its weight.
    let push = Push { origin: Vec3::new(3.0, 4.7, 9.0), direction: Vec3::NEG_Z, velocity: Vec3::ZERO, radius: 0.5 };
    app.controls.push = Some(push);
    app.frame();
    app.controls.push = None;
    app.act(Action::Reset);
    app.frame();
    app.frame();
    assert_eq!(app.report.running.as_ref().expect("it runs").body_count, 0, "what was thrown in goes with a reset");
}
