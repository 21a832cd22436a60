//! Tests of the explanations: what the panel shows of every search, solver and kernel, and that its highlights follow
//! the passes that run.

use std::collections::BTreeSet;

use bevy_egui::egui::FontFamily;
use egui_kittest::kittest::Queryable as _;
use nearwater::app::{Action, ExplainTab, Report, lit_lines, slowness_counters};
use nearwater::explanation::{SlownessCause, why_slow};
use nearwater::fluid::SmoothingKernel;
use nearwater::gpu::Phase;
use nearwater::search::{LIST_EXPLANATION, SEARCHES};

use super::fixture::{PanelApp, RunningApp, click, shows, window};

const WINDOW: [f32; 2] = [1280.0, 2400.0];

#[test]
fn the_panel_opens_and_closes_with_its_key_and_follows_the_search() {
    let mut app = PanelApp::new("green", 4_096, Report::default());
    app.accept(None);
    app.controls.act(Action::ToggleExplain, &app.report);
    let mut harness = window(app, WINDOW);
    harness.run();
    for search in SEARCHES {
        let app = harness.state_mut();
        app.controls.settings.search = search;
        app.accept(None);
        harness.run();
        let explanation = search.explanation.expect("every search of the registry has one");
        assert!(shows(&harness, search.paper), "{}: no paper", search.name);
        assert!(shows(&harness, explanation.sentences[1]), "{}: no idea", search.name);
        for line in explanation.lines() {
            assert!(shows(&harness, line.text), "{}: no line {}", search.name, line.text);
        }
        for formula in explanation.formulas {
            assert!(shows(&harness, &formula.expression.written()), "{}: no {}", search.name, formula.title);
        }
    }
    let app = harness.state_mut();
    app.controls.act(Action::ToggleExplain, &app.report);
    harness.run();
    assert!(!shows(&harness, "Pseudocode"));
    assert_eq!(Action::of_key("l"), Some((Action::ToggleExplain, false)));
    assert_eq!(Action::of_key(","), Some((Action::LoadState, false)));
}

#[test]
fn the_tabs_show_the_solver_and_every_kernel() {
    let mut app = PanelApp::new("green", 4_096, Report::default());
    app.accept(None);
    app.controls.act(Action::ToggleExplain, &app.report);
    let mut harness = window(app, WINDOW);
    harness.run();
    click(&mut harness, "Solver");
    let solver = harness.state().controls.scene.solver.0;
    assert!(shows(&harness, solver.source));
    assert!(shows(&harness, solver.explanation.expect("it has one").explanation.sentences[0]));
    click(&mut harness, "Kernel");
    for kernel in SmoothingKernel::ALL {
        harness.state_mut().controls.settings.kernel = kernel;
        harness.run();
        assert!(shows(&harness, kernel.explanation().value[0]), "{}", kernel.label());
        assert!(shows(&harness, kernel.explanation().source), "{}", kernel.label());
    }
    assert!(shows(&harness, "Select a particle"), "no particle is selected");
}

#[test]
fn a_click_on_a_line_shows_its_code() {
    let mut app = PanelApp::new("hoetzlein", 4_096, Report::default());
    app.accept(None);
    app.controls.act(Action::ToggleExplain, &app.report);
    let mut harness = window(app, WINDOW);
    harness.run();
    assert!(shows(&harness, "shaders/search/hoetzlein.wgsl"), "the traversal is shown first");
    click(&mut harness, "start := exclusive prefix sum (count)");
    assert!(shows(&harness, "shaders/primitives/exclusive_scan.wgsl"));
    click(&mut harness, "offset[i] := atomicAdd(count[cell[i]], 1)");
    let chosen = harness.state().controls.explain.chosen_code;
    assert_eq!(chosen, Some(("search/hoetzlein.wgsl", Some("count_particles"))));
}

/// Runs frames with the time of a display until `until` holds.
fn frames_until(app: &mut RunningApp, what: &str, until: impl Fn(&RunningApp) -> bool) {
    for _ in 0..600 {
        app.controls.advance_slowly(&app.report, 1.0 / 60.0);
        app.frame();
        if until(app) {
            return;
        }
    }
    panic!("{what} did not happen in ten seconds");
}

#[test]
fn highlights_follow_the_passes_of_a_step_that_runs_slowly() {
    let mut app = RunningApp::new("hoetzlein", 1_000);
    app.frames(3);
    app.act(Action::ToggleExplain);
    app.frames(2);
    let explanation = app.controls.settings.search.explanation.expect("it has one");
    // The panel shows the lines of the search and those of the list of neighbors.
    let lines = || explanation.lines().chain(LIST_EXPLANATION.lines());
    assert!(lit_lines(lines(), &app.controls, &app.report).is_empty(), "at full speed nothing is highlighted");
    app.controls.toggle_slowly();
    assert!(app.controls.paused);
    // The report of the steps before lags a frame behind.
    app.frame();
    let mut lit_passes = 0;
    let step = app.report.step_count;
    for number in 1.. {
        frames_until(&mut app, "the next pass", |app| app.report.lab.stepping.done == number);
        let stepping = &app.report.lab.stepping;
        let current = stepping.current().expect("a pass has run").clone();
        let lit = lit_lines(lines(), &app.controls, &app.report);
        let lines: Vec<_> = lines().collect();
        assert_eq!(lit.is_empty(), current.phase == Phase::Physics, "{}", current.label);
        assert!(lit.iter().all(|&line| lines[line].describes(&current.source)), "{}", current.label);
        lit_passes += u32::from(!lit.is_empty());
        if stepping.passes.len() == number {
            break;
        }
    }
    assert!(lit_passes >= 6, "only {lit_passes} passes were highlighted");
    frames_until(&mut app, "the end of the step", |app| app.report.step_count == step + 1);
    // The passes of the next step follow, and each is shown for half a second.
    let mut shown = 0;
    frames_until(&mut app, "another step", |app| app.report.lab.stepping.done == 1);
    while app.report.lab.stepping.done == 1 {
        app.controls.advance_slowly(&app.report, 1.0 / 60.0);
        app.frame();
        shown += 1;
    }
    assert!((28..=34).contains(&shown), "the first pass was shown for {shown} frames");
    app.act(Action::ToggleExplain);
    app.frames(3);
    assert!(!app.controls.paused, "the water runs again");
    assert!(!app.report.lab.stepping.is_half_done, "the step was finished");
}

#[test]
fn symbols_and_the_sentence_on_slowness_follow_the_counters() {
    let mut app = RunningApp::new("green", 1_000);
    app.frames(3);
    app.act(Action::ToggleExplain);
    app.steps(4);
    app.frames(4);
    let survey = app.report.survey.expect("pairs were counted");
    let values = &app.report.explained.search;
    assert_eq!(values.get("T"), Some(survey.pairs.candidates as f64));
    let running = app.report.running.as_ref().expect("it runs");
    let list = values.get("L").expect("the neighbors are listed");
    let own = values.get("M").expect("it has tables");
    assert!((own + list - running.search_bytes as f64).abs() < 1e-9, "{own} and {list}: green has no deposits");
    assert_eq!(values.get("n"), Some(f64::from(running.resolution.particle_count)));
    let counters = slowness_counters(&app.report);
    assert_eq!(counters.candidates_per_neighbor, survey.pairs.overhead());
    assert!(counters.idle_lanes.is_some_and(|idle| (0.0..1.0).contains(&idle)), "{counters:?}");
    assert!(counters.workgroup_memory.is_some());
    let slowness = why_slow(&counters, &[]);
    let much_memory = why_slow(&nearwater::explanation::SlownessCounters { build: counters.step, ..counters }, &[]);
    assert!(counters.step.is_none() || much_memory.cause == Some(SlownessCause::Build), "{}", slowness.sentence);
}

#[test]
fn the_panel_takes_the_place_of_the_numbers_in_the_laboratory() {
    let mut app = PanelApp::new("green", 4_096, Report::default());
    app.accept(None);
    app.open("step_by_step");
    let mut harness = window(app, [1280.0, 800.0]);
    harness.run();
    assert!(shows(&harness, "Run the first pass to see its numbers."));
    let app = harness.state_mut();
    app.controls.act(Action::ToggleExplain, &app.report);
    app.controls.explain.tab = ExplainTab::Search;
    harness.run();
    assert!(!shows(&harness, "Run the first pass to see its numbers.") && shows(&harness, "Pseudocode"));
    harness.state_mut().controls.lab.presenting = true;
    harness.run();
    assert!(shows(&harness, "Pseudocode"), "also in the presentation mode");
    assert!(harness.get_all_by_label("Run slowly").count() >= 1);
}

#[test]
fn the_fonts_have_every_character_of_the_explanations() {
    let mut app = PanelApp::new("green", 4_096, Report::default());
    app.accept(None);
    let mut harness = window(app, WINDOW);
    harness.run();
    let mut texts: Vec<String> = Vec::new();
    let of_solvers = nearwater::fluid::Solver::all().filter_map(|solver| Some(&solver.0.explanation?.explanation));
    for explanation in SEARCHES.iter().filter_map(|search| search.explanation).chain(of_solvers) {
        texts.extend(explanation.lines().map(|line| line.text.to_owned()));
        texts.extend(explanation.formulas.iter().map(|formula| formula.expression.written()));
        texts.extend(explanation.symbols.iter().map(|symbol| symbol.name.to_owned()));
    }
    for kernel in SmoothingKernel::ALL.map(SmoothingKernel::explanation) {
        texts.extend(kernel.value.iter().chain(kernel.derivative).map(|&line| line.to_owned()));
    }
    let known = harness.ctx.fonts_mut(|fonts| {
        let mut font = fonts.fonts.font(&FontFamily::Monospace);
        font.characters().keys().copied().collect::<BTreeSet<char>>()
    });
    for text in texts {
        for character in text.chars() {
            assert!(known.contains(&character), "no glyph for {character} in \"{text}\"");
        }
    }
}
