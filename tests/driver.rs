//! The side of the app that simulates, without Bevy and without a window: it follows the controls, refuses in words,
//! and keeps what ran.
#![cfg(feature = "app")]

use std::sync::{Arc, OnceLock};

use nearwater::app::{Action, Controls, Driver, Plan, Report};
use nearwater::fluid::{Scene, SceneEdits, Settings, Size, SmoothingKernel};
use nearwater::gpu::{Gpu, ShaderLibrary};
use nearwater::search::{SEARCHES, SearchOptions};

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
        let mut controls = Controls::new(scene, settings);
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
