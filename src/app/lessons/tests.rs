//! A running program for the tests of conditions: the dam break under Green with 4,096 particles, without a device.

use std::sync::Arc;

use super::expression::{Source, Starts};
use crate::app::{Controls, Report, Running};
use crate::fluid::{Scene, SceneEdits, Settings, Size, SmoothingKernel};
use crate::gpu::AdapterClass;
use crate::search::{SearchOptions, search_named};

/// Calls a function with controls and a report that agree.
pub(super) fn with_source(test: impl FnOnce(Source<'_>)) {
    let mut options = SearchOptions::default();
    options.parse("cell-edge=2r").expect("an option");
    let settings = Settings {
        search: search_named("green").expect("a search"),
        options,
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(4_096),
        seed: 1,
        edits: SceneEdits::default(),
    };
    let controls = Controls::new(Scene::load("dam_break").expect("a scene"), settings.clone(), AdapterClass::Software);
    let scene = Arc::clone(&controls.scene);
    let resolution = settings.resolution(&scene).expect("the settings fit the scene");
    let running = Running {
        scene,
        settings,
        resolution,
        notices: Vec::new(),
        search_bytes: 1,
        cells: None,
        has_drawable_cells: false,
        body_count: 0,
    };
    let report = Report { running: Some(running), applied: controls.revision, ..Report::default() };
    test(Source { controls: &controls, report: &report, starts: &Starts::new() });
}
