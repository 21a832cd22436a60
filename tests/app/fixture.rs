//! The app without Bevy and without a window, for these tests: the dam break with few particles, frames in the same
//! order as in the plugin, and the panel for `egui_kittest`.

use std::sync::Arc;

use bevy_egui::egui;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use nearwater::app::{
    Action, Controls, Driver, Plan, Report, Running, apply_theme, update_laboratory, update_lessons, view_named,
    window_ui,
};
use nearwater::fluid::{Scene, SceneEdits, Settings, Size, SmoothingKernel};
use nearwater::gpu::{AdapterClass, Gpu};
use nearwater::search::{Cells, SearchOptions, search_named};

/// Duration of a frame, s.
const REFRESH: f64 = 1.0 / 60.0;

/// The default settings of a search, for that many particles.
pub fn settings(search: &str, count: u32) -> Settings {
    Settings {
        search: search_named(search).unwrap_or_else(|error| panic!("{error}")),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(count),
        seed: 3,
        edits: SceneEdits::default(),
    }
}

/// The controls and the report of the panel, without a simulation.
pub struct PanelApp {
    pub controls: Controls,
    pub report: Report,
}

impl PanelApp {
    /// The controls of the dam break, with a report from the test.
    pub fn new(search: &str, count: u32, report: Report) -> Self {
        Self { controls: controls(search, count, AdapterClass::Discrete), report }
    }

    /// Opens a view of the laboratory.
    pub fn open(&mut self, view: &str) {
        open(&mut self.controls, &self.report, view);
    }

    /// Fills in the report as if the simulation ran with the present controls, with these cells of the search.
    pub fn accept(&mut self, cells: Option<Cells>) {
        let (scene, settings) = (Arc::clone(&self.controls.scene), self.controls.settings.clone());
        let resolution = settings.resolution(&scene).expect("the settings fit the scene");
        self.report.applied = self.controls.revision;
        self.report.refused = None;
        self.report.running = Some(Running {
            scene,
            settings,
            resolution,
            notices: Vec::new(),
            search_bytes: 1_234_567,
            cells,
            has_drawable_cells: true,
            body_count: 0,
        });
        self.controls.settle(&self.report);
    }
}

fn controls(search: &str, count: u32, class: AdapterClass) -> Controls {
    let scene = Scene::load("dam_break").expect("an embedded scene");
    Controls::new(scene, settings(search, count), class)
}

fn open(controls: &mut Controls, report: &Report, view: &str) {
    let place = view_named(view).unwrap_or_else(|| panic!("there is no view {view}"));
    controls.act(Action::ChooseView(place), report);
}

/// The controls with a driver that runs the simulation.
pub struct RunningApp {
    pub gpu: Arc<Gpu>,
    pub controls: Controls,
    pub report: Report,
    pub driver: Driver,
}

impl RunningApp {
    /// The running dam break on the device that the tests share.
    pub fn new(search: &str, count: u32) -> Self {
        Self::on(crate::common::gpu(), search, count)
    }

    /// The running dam break on a given device.
    pub fn on(gpu: Arc<Gpu>, search: &str, count: u32) -> Self {
        let controls = controls(search, count, gpu.capabilities.class);
        let mut report = Report::default();
        let driver = Driver::new(&gpu, &mut report);
        Self { gpu, controls, report, driver }
    }

    pub fn act(&mut self, action: Action) {
        self.controls.act(action, &self.report);
    }

    /// Opens a view of the laboratory.
    pub fn open(&mut self, view: &str) {
        open(&mut self.controls, &self.report, view);
    }

    /// Runs one frame as the plugin does, without waiting for the device.
    pub fn frame_without_waiting(&mut self) -> Plan {
        self.controls.play_lesson_without_a_window(&self.report);
        update_lessons(&mut self.controls, &self.report);
        update_laboratory(&mut self.controls, &self.report);
        self.driver.follow(&self.controls, &mut self.report);
        let plan = self.driver.plan(&self.controls, REFRESH, &mut self.report);
        self.gpu.submit(|encoder| {
            self.driver.record(encoder);
            self.driver.resolve(encoder);
        });
        plan
    }

    /// Runs one frame, and waits until the device has finished it.
    pub fn frame(&mut self) -> Plan {
        let plan = self.frame_without_waiting();
        self.gpu.wait().expect("the device answers");
        self.controls.settle(&self.report);
        plan
    }

    /// Runs that many single steps, one per frame.
    pub fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.act(Action::StepOnce);
            self.frame();
        }
    }

    /// Runs that many frames, and then updates the overlay from the report of the last one.
    pub fn frames(&mut self, count: usize) {
        for _ in 0..count {
            self.frame();
        }
        update_laboratory(&mut self.controls, &self.report);
    }
}

/// An app that can be shown in a window.
pub trait Shown {
    fn parts(&mut self) -> (&mut Controls, &Report);
}

impl Shown for PanelApp {
    fn parts(&mut self) -> (&mut Controls, &Report) {
        (&mut self.controls, &self.report)
    }
}

impl Shown for RunningApp {
    fn parts(&mut self) -> (&mut Controls, &Report) {
        (&mut self.controls, &self.report)
    }
}

/// The whole window in the program's theme, with `size` in points. The laboratory is updated before each frame, as in
/// the app.
pub fn window<A: Shown + 'static>(app: A, size: [f32; 2]) -> Harness<'static, A> {
    let mut is_themed = false;
    Harness::builder().with_size(size).build_ui_state(
        move |ui: &mut egui::Ui, app: &mut A| {
            if !is_themed {
                apply_theme(ui.ctx());
                is_themed = true;
            }
            let (controls, report) = app.parts();
            update_laboratory(controls, report);
            window_ui(ui, controls, report);
        },
        app,
    )
}

/// Clicks the widget with that label, and runs frames until the window does not change.
pub fn click<A>(harness: &mut Harness<'_, A>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

/// Whether some text of the window contains `part`.
pub fn shows<A>(harness: &Harness<'_, A>, part: &str) -> bool {
    harness.query_all_by_label_contains(part).next().is_some()
}
