//! Tests of the driver without Bevy and without a window: it follows the controls, reports what it refuses, and then
//! keeps the old simulation.

use std::time::{Duration, Instant};

use glam::Vec3;
use nearwater::app::{Action, Advance, Aim, Overlay, Plan, VIEWS};
use nearwater::fluid::{Push, Size, SmoothingKernel};
use nearwater::gpu::AdapterClass;
use nearwater::laboratory::LabRequest;
use nearwater::search::{SEARCHES, SearchInfo, search_named};

use super::fixture::RunningApp;

/// Number of frames in which even a busy machine reads the probes, which pause twelve times as long as a reading takes.
const MANY: u32 = 3_000;

/// The dam break with few particles, paused.
fn paused(search: &str) -> RunningApp {
    let mut app = RunningApp::new(search, 500);
    app.controls.paused = true;
    app
}

/// The same with the default search of scenes.
fn paused_as_scenes_start() -> RunningApp {
    paused(SearchInfo::default_for_scenes().name)
}

#[test]
fn a_pause_computes_densities_once_and_a_step_is_one_step() {
    let mut app = paused_as_scenes_start();
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
    assert_eq!((reset.steps, reset.densities), (0, true), "the first frame is shown with its densities");
    assert_eq!(app.report.step_count, 0);
}

#[test]
fn another_search_keeps_the_particles_and_the_time() {
    let mut app = paused_as_scenes_start();
    for _ in SEARCHES {
        app.act(Action::StepOnce);
        app.frame();
        app.act(Action::NextSearch);
        let plan = app.frame();
        assert!(plan.densities, "the new search sorts the particles");
        assert_eq!(app.report.running.as_ref().expect("runs").settings.search, app.controls.settings.search);
    }
    app.frame();
    assert_eq!(app.report.step_count, SEARCHES.len() as u64, "a change of the search restarted the scene");
}

#[test]
fn a_refused_change_is_reported_and_the_old_simulation_keeps_running() {
    let mut app = paused_as_scenes_start();
    app.act(Action::StepOnce);
    app.frame();
    app.controls.change(|settings| settings.size = Size::Radius(1e6));
    app.frame();
    let sentence = app.report.refused.clone().expect("a radius beyond the box is refused");
    assert!(sentence.contains("radius"), "{sentence}");
    assert_eq!(app.controls.settings.size, Size::Count(500), "the panel shows the running simulation");
    app.act(Action::StepOnce);
    app.frame();
    // The report describes the previous frame.
    app.frame();
    assert_eq!(app.report.step_count, 2);
    assert_eq!(
        app.report.refused.as_deref(),
        Some(sentence.as_str()),
        "the refusal is reported until another change is tried"
    );
}

#[test]
fn a_running_scene_makes_steps_and_is_surveyed_and_timed() {
    let mut app = paused_as_scenes_start();
    app.controls.paused = false;
    let steps: u32 = (0..8).map(|_| app.frame().steps).sum();
    assert!(steps >= 4, "{steps} steps in eight frames");
    let survey = app.report.survey.expect("the first survey has arrived");
    assert!(survey.pairs.neighbors > 0 && survey.pairs.candidates >= survey.pairs.neighbors, "{survey:?}");
    assert_eq!((survey.not_finite, survey.outside), (0, 0));
    assert_eq!(app.report.timings.step_milliseconds().is_some(), app.report.has_timestamps);
}

#[test]
fn a_software_adapter_surveys_in_a_frame_without_steps() {
    let mut app = paused_as_scenes_start();
    if app.gpu.capabilities.class != AdapterClass::Software {
        eprintln!("skipped: this device has time for steps and a survey in one frame");
        return;
    }
    app.controls.paused = false;
    app.frames(8);
    app.report.survey = None;
    let begun = Instant::now();
    let plan = loop {
        let plan = app.frame();
        if plan.survey {
            break plan;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "no survey in ten seconds");
    };
    assert_eq!((plan.steps, plan.densities, plan.survey), (0, false, true));
    let steps: u32 = (0..4).map(|_| app.frame().steps).sum();
    assert!(steps > 0, "the water goes on");
    let survey = app.report.survey.expect("it has arrived");
    let count = app.report.running.as_ref().expect("it runs").resolution.particle_count;
    assert!(survey.present == count && survey.pairs.neighbors > 10 * u64::from(count), "{survey:?}");
}

#[test]
fn a_simulation_stops_when_particles_crowd_and_goes_on_after_a_change_or_a_reset() {
    let mut app = paused_as_scenes_start();
    app.controls.paused = false;
    app.frames(4);
    let candidates = app.report.survey.expect("the first survey has arrived").pairs.candidates as f64;
    assert_eq!(app.report.crowded, None);

    app.driver.limit_candidates(0.5 * candidates);
    app.controls.change(|settings| settings.search = search_named("green").expect("it is one"));
    app.frames(4);
    let sentence = app.report.crowded.clone().expect("there are twice as many candidates as accepted");
    assert!(sentence.contains("Green") && sentence.contains("smaller support radius"), "{sentence}");
    let steps = app.report.step_count;
    assert!((0..4).all(|_| app.frame().steps == 0), "no further steps");
    assert_eq!(app.report.step_count, steps);

    app.act(Action::Reset);
    app.controls.paused = false;
    assert!(app.frame().steps > 0, "a reset ends it");
    app.frames(3);
    assert!(app.report.crowded.is_some(), "until the next survey");
    app.driver.limit_candidates(f64::INFINITY);
    app.controls.change(|settings| settings.seed += 1);
    let steps: u32 = (0..8).map(|_| app.frame().steps).sum();
    assert!(steps > 0 && app.report.crowded.is_none(), "{:?}", app.report.crowded);
}

#[test]
fn a_run_resumes_from_a_saved_state_and_another_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("water.state");
    let mut app = paused_as_scenes_start();
    app.controls.state_file = file.display().to_string();
    app.controls.change(|settings| settings.search = search_named("green").expect("it is one"));
    app.frame();
    let step = |app: &mut RunningApp| {
        app.act(Action::StepOnce);
        app.frame();
        app.frame();
    };
    step(&mut app);
    app.act(Action::SaveState);
    app.frame();
    let news = app.report.news().expect("saving was announced").to_owned();
    assert!(news.contains("water.state") && news.contains("bit for bit"), "{news}");
    let saved = std::fs::read(&file).expect("it is there");

    // After a change of scene and size, loading the state restores its scene and its settings.
    step(&mut app);
    app.controls.load_scene("drop");
    app.controls.change(|settings| settings.size = Size::Count(300));
    step(&mut app);
    app.act(Action::LoadState);
    let plan = app.frame();
    assert_eq!(plan, Plan::default(), "sorting a loaded state would change the next step");
    app.frame();
    assert_eq!((app.report.step_count, app.controls.scene.name.as_str()), (1, "dam_break"));
    assert_eq!(app.controls.settings.size, Size::Count(500));
    assert!(app.report.news().is_some_and(|news| news.contains("bit for bit")), "{:?}", app.report.news());
    app.act(Action::SaveState);
    app.frame();
    assert!(std::fs::read(&file).expect("it is there") == saved, "saving a loaded state gives the same state");

    std::fs::write(&file, "not a state").expect("it can be written");
    app.act(Action::LoadState);
    app.frame();
    let messages = app.controls.messages(&app.report);
    assert!(messages.iter().any(|message| message.contains("water.state")), "{messages:?}");
    assert_eq!(app.report.step_count, 1, "the simulation keeps running");
    app.controls.state_file = "/nowhere/water.state".into();
    app.act(Action::SaveState);
    app.frame();
    let messages = app.controls.messages(&app.report);
    assert!(messages.iter().any(|message| message.contains("/nowhere")), "{messages:?}");
    app.act(Action::Close);
    assert!(app.controls.messages(&app.report).is_empty(), "{:?}", app.controls.messages(&app.report));
}

#[test]
fn probes_are_read_while_their_plots_are_shown_and_cleared_by_a_reset() {
    let mut app = paused_as_scenes_start();
    app.frame();
    app.act(Action::StepOnce);
    app.frame();
    assert!(app.report.probes.times().is_empty(), "probes are not read while their plots are hidden");
    app.act(Action::ToggleProbes);
    let until = |app: &mut RunningApp, count: usize| {
        for _ in 0..MANY {
            app.act(Action::StepOnce);
            app.frame();
            if app.report.probes.times().len() >= count {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{} readings in {MANY} frames", app.report.probes.times().len());
    };
    until(&mut app, 3);
    assert!(app.report.probes.is_of(&app.controls.scene));
    for (column, readings) in app.report.probes.columns() {
        assert!(readings.iter().all(|reading| reading.is_finite()), "{column:?}: {readings:?}");
        if column.name == "front" {
            assert!(readings.is_sorted() && readings[0] < readings[2], "the front does not advance: {readings:?}");
        }
    }
    let before = app.report.probes.times().to_vec();
    app.act(Action::Reset);
    // The reading at the start is earlier than all others and so clears the history.
    for _ in 0..MANY {
        app.frame();
        if app.report.probes.times() != before {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(app.report.probes.times(), [0.0], "after {before:?}");
}

#[test]
fn bodies_are_dropped_and_dragged_and_refused_with_a_message() {
    let mut app = paused_as_scenes_start();
    app.frame();
    let water = app.report.running.as_ref().expect("it runs").resolution;
    app.controls.aim =
        Aim { origin: Vec3::new(3.0, 2.0, 9.0), direction: Vec3::NEG_Z, point: Vec3::new(3.0, 2.0, 0.0) };
    app.act(Action::DropBody);
    app.frame();
    let running = app.report.running.clone().expect("it runs");
    assert_eq!((running.body_count, app.report.failure.as_deref()), (1, None));
    assert_eq!(running.resolution.particle_count, water.particle_count);
    assert!(running.resolution.boundary_count > water.boundary_count, "the body is represented by samples");
    assert_eq!(app.controls.settings.size, Size::Count(500), "the count in the panel is that of the fluid");
    app.act(Action::StepOnce);
    app.frame();
    app.frame();
    assert_eq!((app.report.step_count, app.report.failure.as_deref()), (1, None));

    // A second small body could collide with the first at the top, but one that is too large is always refused.
    app.controls.missile.size = 40.0;
    app.act(Action::ShootBody);
    app.frame();
    let sentence = app.report.failure.clone().expect("a body larger than the tank is refused");
    assert_eq!(app.controls.messages(&app.report), [sentence]);
    app.act(Action::Close);
    assert!(app.controls.messages(&app.report).is_empty());
    assert_eq!(app.report.running.as_ref().expect("it runs").body_count, 1);

    // The drag begins on the body, which the ray meets, and lifts it.
    let push = Push {
        origin: Vec3::new(3.0, 4.7, 9.0),
        direction: Vec3::NEG_Z,
        velocity: Vec3::ZERO,
        radius: 0.5,
        ..Push::default()
    };
    app.controls.push = Some(push);
    app.frame();
    app.controls.push = None;
    app.act(Action::Reset);
    app.frame();
    app.frame();
    assert_eq!(app.report.running.as_ref().expect("it runs").body_count, 0, "a reset removes bodies that were added");
}

#[test]
fn another_scene_has_as_many_particles_as_the_one_whose_radius_was_selected() {
    let mut app = paused("green");
    app.controls.load_scene("flatland");
    app.controls.change(|settings| settings.size = Size::Count(3_000));
    app.frame();
    let radius = 0.9 * app.report.running.as_ref().expect("it runs").resolution.support_radius;
    app.controls.change(|settings| settings.size = Size::Radius(radius));
    app.frame();
    let flat = app.report.running.as_ref().expect("it runs").resolution;
    assert!((radius - flat.support_radius).abs() < 1e-6 && flat.particle_count > 3_000);
    // With this radius the block of that scene would hold 200,000 times as many.
    app.controls.load_scene("dam_break");
    app.frame();
    let count = app.report.running.as_ref().expect("it runs").resolution.particle_count;
    let share = f64::from(count) / f64::from(flat.particle_count);
    assert!((0.9..1.1).contains(&share), "{count} particles after {}", flat.particle_count);
}

#[test]
fn bodies_are_dropped_and_shot_in_two_dimensions() {
    let mut app = paused("green");
    app.controls.load_scene("hydrostatic");
    app.frame();
    let plane = app.controls.scene.plane();
    // In front of the plane, as the pointer is.
    let point = Vec3::new(app.controls.scene.low.x, 0.0, plane + 0.3);
    app.controls.aim = Aim { origin: Vec3::new(0.0, 0.5, 9.0), direction: Vec3::NEG_Z, point };
    for (action, count) in [(Action::DropBody, 1), (Action::ShootBody, 2)] {
        app.act(action);
        app.frame();
        let running = app.report.running.clone().expect("it runs");
        assert_eq!((running.body_count, app.report.failure.as_deref()), (count, None));
    }
    app.act(Action::StepOnce);
    app.frame();
    app.frame();
    assert_eq!((app.report.step_count, app.report.failure.as_deref()), (1, None));
}

/// Opens a view of the laboratory with a repeatable search. That search is set before the view is opened too, because
/// the first sort of another search may order the particles differently in every run.
fn in_view(name: &str) -> RunningApp {
    let mut app = paused("green");
    app.frame();
    app.open(name);
    // Replaces the search of the view's example.
    app.controls.change(|settings| settings.search = search_named("green").expect("it is one"));
    // As in the user's own scene, leaving the view must not restore other settings.
    app.controls.lab.kept_scene = None;
    settle(&mut app);
    app
}

/// Waits for results that arrive some frames late.
fn settle(app: &mut RunningApp) {
    app.frames(6);
}

fn saved(app: &mut RunningApp) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("water.state");
    app.controls.state_file = file.display().to_string();
    app.act(Action::SaveState);
    app.frame();
    std::fs::read(&file).expect("it was written")
}

#[test]
fn a_step_run_pass_by_pass_gives_the_state_of_a_whole_step() {
    let mut whole = in_view("inspector");
    let mut stepped = in_view("step_by_step");
    assert!(saved(&mut whole) == saved(&mut stepped), "they start with equal states");
    whole.act(Action::StepOnce);
    settle(&mut whole);
    let passes = stepped.report.lab.stepping.passes.len();
    assert!(passes > 5, "{passes} passes");
    for pass in 1..=passes {
        assert_eq!(stepped.report.step_count, 0, "after {} of {passes} passes", pass - 1);
        stepped.act(Action::StepOnce);
        let plan = stepped.frame();
        assert_eq!(plan.steps, 0, "a single pass is not a step");
        assert!(pass == passes || !plan.densities, "tables of a partly run step are not rebuilt");
        stepped.frame();
        let findings = &stepped.report.lab.stepping;
        assert_eq!((findings.done, findings.stepped.len()), (pass, pass));
        assert_eq!(findings.is_half_done, pass < passes);
    }
    settle(&mut stepped);
    assert_eq!((stepped.report.step_count, whole.report.step_count), (1, 1));
    assert!(saved(&mut whole) == saved(&mut stepped), "the states differ");

    // For each buffer, the report must name the next pass that reads it.
    let findings = &stepped.report.lab.stepping;
    for pass in &findings.stepped {
        for (buffer, next) in pass.report.buffers.iter().zip(&pass.next_readers) {
            let later = &findings.stepped[pass.report.number..];
            let reads = later.iter().find(|later| {
                later
                    .report
                    .buffers
                    .iter()
                    .any(|other| other.after.entry.buffer == buffer.after.entry.buffer && other.access.reads())
            });
            assert_eq!(*next, reads.map(|later| later.report.label), "{}", pass.report.label);
        }
    }
}

#[test]
fn a_partly_run_step_is_finished_or_abandoned_before_other_work() {
    let mut whole = in_view("inspector");
    let before = saved(&mut whole);
    whole.act(Action::StepOnce);
    settle(&mut whole);
    let after = saved(&mut whole);
    let half = || {
        let mut app = in_view("step_by_step");
        for _ in 0..4 {
            app.act(Action::StepOnce);
            app.frame();
        }
        app.frame();
        assert!(app.report.lab.stepping.is_half_done);
        app
    };
    // Opening another view and saving both finish the step and announce it.
    let mut app = half();
    app.open("inspector");
    settle(&mut app);
    assert_eq!(app.report.step_count, 1);
    assert!(app.report.news().is_some_and(|news| news.contains("another view")), "{:?}", app.report.news());
    assert!(saved(&mut app) == after, "another view finishes the step");

    let mut app = half();
    let of_half = saved(&mut app);
    assert_eq!(app.report.step_count, 1);
    assert!(!app.report.lab.stepping.is_half_done);
    // The saved state is that of the end of the step, before the particles are sorted again.
    assert!(of_half != before, "a partly run step is finished before it is saved");

    // The user abandons the step.
    let mut app = half();
    app.controls.lab.stepping.abandon += 1;
    settle(&mut app);
    assert_eq!((app.report.step_count, app.report.lab.stepping.is_half_done), (0, false));
    assert!(saved(&mut app) == before, "an abandoned step does not change the state");

    // Resuming the simulation finishes the step, which counts as one of its steps.
    let mut app = half();
    app.act(Action::TogglePause);
    app.frame();
    app.act(Action::TogglePause);
    assert!(app.report.news().is_some_and(|news| news.contains("simulation was resumed")), "{:?}", app.report.news());
    assert!(app.report.step_count >= 1 && !app.report.lab.stepping.is_half_done);

    // A reset abandons the step.
    let mut app = half();
    app.act(Action::Reset);
    settle(&mut app);
    assert_eq!(app.report.step_count, 0);
    assert!(app.report.news().is_some_and(|news| news.contains("abandoned")), "{:?}", app.report.news());
}

#[test]
fn every_view_opens_with_every_search_and_closing_it_restores_everything() {
    let mut found = Vec::new();
    for search in SEARCHES {
        let mut app = paused_as_scenes_start();
        app.controls.change(|settings| settings.search = search);
        app.frame();
        for view in VIEWS {
            let of = format!("{} with {}", view.name, search.name);
            app.open(view.name);
            settle(&mut app);
            assert_eq!(app.report.lab.error, None, "{of}");
            assert_eq!(app.report.refused, None, "{of}");
            if view.name == "inspector" {
                let inspection = app.report.lab.inspection.clone().expect("the inspector records a particle");
                let selected = app.controls.lab.selection.particle().expect("it selects a particle when it opens");
                let (fields, record) = (&inspection.fields[0], &inspection.recording.particles[0]);
                assert_eq!((fields.found, fields.identity), (1, selected), "{of}");
                found.push(record.neighbor_count());
            }
            app.act(Action::ToggleLaboratory);
            settle(&mut app);
            assert!(!app.controls.lab.open, "{of}");
            assert_eq!(app.controls.settings.search, *search, "{of}: the user's search is not restored");
            assert!(app.controls.paused, "{of}: the simulation was paused before");
            assert_eq!(*app.controls.lab.overlay, Overlay::default(), "{of}: something is still drawn");
            assert_eq!(app.controls.lab.request, LabRequest::default(), "{of}: something is still requested");
            let lab = &app.report.lab;
            assert!(lab.inspection.is_none() && lab.columns.is_empty() && lab.strip.is_none(), "{of}");
            assert!(lab.cost.is_none() && lab.gathered.is_none(), "{of}");
        }
    }
    assert!(
        found[0] > 10 && found.iter().all(|count| *count == found[0]),
        "the searches find different numbers of neighbors: {found:?}"
    );
}

/// Under Poly6, whose slope vanishes at the center, particles gather in groups, which other kernels find far too dense.
#[test]
fn a_kernel_that_finds_the_water_squeezed_says_so_and_others_say_nothing() {
    let mut app = RunningApp::new("hoetzlein", 500);
    app.controls.load_scene("hydrostatic");
    app.controls.change(|settings| {
        (settings.kernel, settings.size) = (SmoothingKernel::Poly6, Size::Count(121));
    });
    app.frame();
    app.driver.set_advance(Advance::Fixed(0.05));
    let told = |app: &mut RunningApp, seconds: f64, kernel: SmoothingKernel| {
        app.act(Action::Reset);
        app.controls.paused = false;
        app.frames((seconds / 0.05) as usize);
        assert_eq!(app.report.news(), None, "the scene has only run");
        // The density is that of the moment of the change.
        app.controls.paused = true;
        app.controls.change(|settings| settings.kernel = kernel);
        app.frames(4);
        app.report.announced.take().map(|(sentence, _)| sentence)
    };
    let sentence = told(&mut app, 4.0, SmoothingKernel::WendlandC2).expect("the new kernel finds groups");
    assert!(sentence.contains("times as dense as at rest") && sentence.contains("Reset"), "{sentence}");
    assert_eq!(told(&mut app, 1.0, SmoothingKernel::CubicSpline), None, "water that has not gathered is as dense");
}
