//! Tests of real time on the panel: presets, estimates, the faster search, and what another scene opens with.

use std::sync::Arc;
use std::time::Duration;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use glam::UVec2;
use nearwater::app::{Action, Report};
use nearwater::depiction::Depiction;
use nearwater::fluid::{SOLVERS, Scene, Settings, Size};
use nearwater::gpu::{Gpu, PassTime, Phase, ShaderLibrary};
use nearwater::pace::{DeviceBook, DrawingTime, LaunchMeasurement, Motion, PRESETS, SceneLoad, StepTime, Wanted};
use nearwater::render::DrawStyle;
use nearwater::search::{SEARCHES, search_named};

use super::fixture::{PanelApp, click, window};

const COUNT: u32 = 16_384;

/// The panel of a device on which every step takes as long, apart from those of a search that takes half.
fn app(nanoseconds: f64, fastest: &str) -> PanelApp {
    let report = Report { adapter: "a test's adapter".into(), has_timestamps: true, ..Report::default() };
    let mut app = PanelApp::new("claws", COUNT, report);
    app.accept(None);
    let running = app.report.running.as_ref().map_or(COUNT, |running| running.resolution.particle_count);
    let mut book = DeviceBook::new("a test's device");
    for solver in SOLVERS.iter().filter(|solver| solver.is_fluid) {
        for search in SEARCHES {
            for particles in [8_192, running, 131_072, 2_097_152] {
                let factor = if search.name == fastest { 0.5 } else { 1.0 };
                book.add_step(StepTime {
                    solver: solver.name.into(),
                    search: search.name.into(),
                    particles,
                    motion: Motion::Moving,
                    milliseconds: factor * nanoseconds * 1e-6 * f64::from(particles),
                });
            }
        }
    }
    app.controls.pace.measured = Arc::new(book);
    app
}

/// A running app learns what pictures take, but not whether its particles could be drawn faster another way. A start
/// that measured the one for the other drew four times as long as needed on an H200.
#[test]
fn the_faster_way_to_draw_particles_is_measured_even_where_pictures_were_timed() {
    let gpu = Arc::new(Gpu::open(None, ShaderLibrary::embedded()).expect("an adapter"));
    let scene = Scene::load("dam_break").expect("an embedded scene");
    let settings = Settings::with_particles(1_000);
    let search = search_named("hoetzlein").expect("a search");
    let solver = scene.solver;
    let (style, size) = (DrawStyle::Beads, UVec2::new(160, 100));
    let measurement = LaunchMeasurement {
        gpu: &gpu,
        wanted: Wanted {
            scene: SceneLoad { scene: &scene, kernel: settings.kernel, style, size, budget: 0.05 },
            solvers: &[solver],
            searches: &[search],
            limits: &|_| (1_000, 1_000),
            particles: None,
        },
        settings: &settings,
        depiction: Depiction { style, ..Depiction::default() },
    };
    let mut book = DeviceBook::new("a test's device");
    book.add_step(StepTime {
        solver: solver.name().into(),
        search: search.name.into(),
        particles: 1_000,
        motion: Motion::Moving,
        milliseconds: 1.0,
    });
    book.add_drawing(DrawingTime { style, particles: 1_000, pixels: size.element_product(), milliseconds: 1.0 });
    measurement.run(&mut book, Duration::from_millis(500)).expect("the device works");
    assert!(book.splatting.is_some(), "{book:?}");
    assert!(book.drawings.iter().all(|time| time.milliseconds.to_bits() != 1.0_f64.to_bits()), "{book:?}");
    let measured = book.clone();
    measurement.run(&mut book, Duration::from_secs(5)).expect("the device works");
    assert_eq!(book, measured, "what is known is not measured again");
}

fn estimate(harness: &Harness<'_, PanelApp>) -> String {
    let node = harness.get_by_label_contains("estimate:");
    let node = node.accesskit_node();
    node.label().or_else(|| node.value()).expect("the label has a text")
}

fn count(harness: &Harness<'_, PanelApp>) -> u32 {
    match harness.state().controls.settings.size {
        Size::Count(count) => count,
        Size::Radius(radius) => panic!("the size became a radius of {radius} m"),
    }
}

#[test]
fn real_time_chooses_the_most_particles_that_the_device_moves_and_presets_choose_theirs() {
    let mut harness = window(app(5.0, "claws"), [1280.0, 1400.0]);
    click(&mut harness, "Real time");
    let chosen = count(&harness);
    let controls = &harness.state().controls;
    let report = &harness.state().report;
    let capacity = |particles: u32| controls.estimate_at(report, particles).expect("times are known").capacity();
    assert!(capacity(chosen) >= 1.0, "{chosen} particles run at {}", capacity(chosen));
    assert!(capacity(chosen + chosen / 8) < 1.06, "an eighth more would still run in real time: {chosen}");
    harness.state_mut().accept(None);
    harness.run();
    assert!(estimate(&harness).contains("real time at"), "{}", estimate(&harness));
    for preset in PRESETS {
        click(&mut harness, preset.name);
        assert_eq!(count(&harness), preset.particles);
        assert!(!harness.state().controls.pace.keeps_real_time);
        harness.state_mut().accept(None);
    }
    harness.run();
    let slow = estimate(&harness);
    assert!(slow.contains("x real time"), "four million particles do not run in real time here: {slow}");
}

#[test]
fn the_estimate_follows_what_was_measured_in_the_running_scene() {
    let mut harness = window(app(5.0, "claws"), [1280.0, 1400.0]);
    let before = {
        let app = harness.state();
        app.controls.estimate_at(&app.report, COUNT).expect("times are known").step
    };
    let app = harness.state_mut();
    // Steps that take four times as long as the estimate, as in a scene with many solids.
    let pass = PassTime { phase: Phase::Search, label: "density", start_milliseconds: 0.0, milliseconds: 4.0 * before };
    app.report.timings.push(&[pass]);
    for (particles, share) in [(COUNT, 1.0), (8 * COUNT, 8.0)] {
        let step = app.controls.estimate_at(&app.report, particles).expect("times are known").step;
        let wanted = 4.0 * before * share;
        assert!((step / wanted - 1.0).abs() < 0.1, "{particles}: {step} ms instead of {wanted} ms");
    }
    // Frames have shown that passes take half as long together as one by one.
    app.report.overstatement = 2.0;
    let step = app.controls.estimate_at(&app.report, COUNT).expect("times are known").step;
    assert!((step / (2.0 * before) - 1.0).abs() < 0.1, "{step} ms instead of {} ms", 2.0 * before);
}

#[test]
fn a_faster_search_is_named_with_its_lead_and_is_one_click_away() {
    let mut harness = window(app(5.0, "hoetzlein"), [1280.0, 1400.0]);
    harness.get_by_label_contains("50 % of the time");
    click(&mut harness, "Fastest here");
    assert_eq!(harness.state().controls.settings.search.name, "hoetzlein");
    harness.state_mut().accept(None);
    harness.run();
    assert!(harness.query_by_label("Fastest here").is_none(), "no search is faster than the fastest");
}

#[test]
fn a_scene_opens_with_fewer_particles_only_where_real_time_is_kept() {
    let mut app = app(30.0, "claws");
    let usual =
        |name: &str, app: &PanelApp| Scene::load(name).expect("an embedded scene").usual_count(app.controls.class);
    app.controls.take_real_time(&app.report);
    assert!(app.controls.pace.keeps_real_time);
    app.accept(None);
    app.controls.load_scene("drop");
    let Size::Count(opened) = app.controls.settings.size else { panic!("a number of particles") };
    assert!(opened < usual("drop", &app) / 2, "{opened} of {}", usual("drop", &app));
    app.controls.act(Action::DoubleCount, &app.report);
    assert!(!app.controls.pace.keeps_real_time, "a number that the user selects is kept");
    let chosen = app.controls.settings.size;
    app.controls.load_scene("dam_break");
    assert_eq!(app.controls.settings.size, chosen);
}
