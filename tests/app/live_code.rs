//! Tests of shaders that are edited while the water moves: the badge turns red when an edit breaks exactness, an edit
//! that does not compile changes nothing, and edits survive what happens to the simulation and the device.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use nearwater::app::{Action, CodeReport, Driver, PassCode, Report, Timings, cost_sentence, pass_costs, patch};
use nearwater::gpu::{Gpu, PassTime, Phase, ShaderLibrary, ShaderTexts};
use nearwater::laboratory::Circumstances;
use nearwater::search::search_named;

use super::fixture::{RunningApp, click, shows, window};

const GREEN: &str = "search/green.wgsl";
/// A line of the traversal, and one that skips a column of cells.
const WHOLE: &str = "for (var x = cells.low.x; x <= cells.high.x; x++) {";
const SKIPPING: &str = "for (var x = cells.low.x; x < cells.high.x; x++) {";
/// Number of frames within which a check of the badge and a measurement end even on a busy machine.
const MANY: usize = 400;

/// A running dam break on a device of its own, because edits belong to the device. The shaders of the program run
/// without checks there, as for a user.
fn app(search: &str, count: u32) -> RunningApp {
    let wanted = std::env::var("NEARWATER_ADAPTER").ok();
    let gpu = Gpu::open(wanted.as_deref(), ShaderLibrary::embedded()).expect("the tests need an adapter");
    let mut app = RunningApp::on(gpu, search, count);
    app.controls.paused = true;
    app.controls.badge = Some(true);
    app.frame();
    app
}

/// Replaces a part of a file in the editor and applies it.
fn edit(app: &mut RunningApp, file: &str, (part, replacement): (&str, &str)) {
    let library = app.report.code.library.clone();
    let text = app.controls.code.text(file, &library);
    assert_eq!(text.matches(part).count(), 1, "{part} in {file}");
    app.controls.code.write(file, text.replace(part, replacement));
    app.controls.code.apply(&library);
    app.frame();
}

/// Makes steps until the report satisfies a condition.
fn until(app: &mut RunningApp, what: &str, is_so: impl Fn(&Report) -> bool) {
    for _ in 0..MANY {
        if is_so(&app.report) {
            return;
        }
        app.act(Action::StepOnce);
        app.frame();
    }
    panic!("{what}: not within {MANY} frames: {:?}", app.report.badge);
}

fn is_green(report: &Report) -> bool {
    report.badge.last.is_some() && report.badge.wrong.is_none() && report.badge.error.is_none()
}

fn in_use(report: &CodeReport) -> Vec<&str> {
    report.in_use.keys().map(String::as_str).collect()
}

#[test]
fn the_badge_turns_red_when_an_edit_breaks_exactness_and_green_when_it_is_reverted() {
    let mut app = app("green", 500);
    until(&mut app, "the original is exact", is_green);
    let steps = app.report.step_count;
    edit(&mut app, GREEN, (WHOLE, SKIPPING));
    assert_eq!(in_use(&app.report.code), [GREEN]);
    assert!(app.report.badge.last.is_none(), "verdicts of the original shaders are forgotten");
    assert!(app.report.step_count >= steps, "the scene was restarted");
    // The simulation is paused: the badge must check without a further step.
    for _ in 0..MANY {
        if app.report.badge.last.is_some() {
            break;
        }
        app.frame();
    }
    let wrong = app.report.badge.wrong.clone().expect("the edited traversal misses neighbors");
    assert!(wrong.wrong > 0, "{}", wrong.sentence());
    app.controls.code.revert_all();
    app.frame();
    assert!(app.report.code.in_use.is_empty() && app.report.badge.wrong.is_none());
    until(&mut app, "the reverted shaders are exact", is_green);
}

#[test]
fn an_edit_that_does_not_compile_keeps_the_old_pipelines_and_names_the_line() {
    let mut app = app("green", 500);
    edit(&mut app, GREEN, (WHOLE, SKIPPING));
    edit(&mut app, GREEN, ("let range = cell_ranges[cell];", "let range = cell_range[cell];"));
    let text = app.controls.code.text(GREEN, &app.report.code.library);
    let line = 1 + text.lines().position(|line| line.contains("cell_range[cell]")).expect("it is there");
    let [fault] = app.report.code.faults.as_slice() else { panic!("{:?}", app.report.code.faults) };
    assert_eq!((fault.file.as_str(), fault.line), (GREEN, line), "{}", fault.sentence());
    assert!(fault.message.contains("cell_range"), "{}", fault.message);
    let before = app.report.step_count;
    app.steps(3);
    app.frame();
    assert_eq!(app.report.step_count, before + 3, "the water stopped");
    let used = &app.report.code.in_use[GREEN];
    assert!(used.contains(SKIPPING) && !used.contains("cell_range["), "the first edit stays in use");
    edit(&mut app, GREEN, ("let range = cell_range[cell];", "let range = cell_ranges[cell];"));
    assert!(app.report.code.faults.is_empty(), "{:?}", app.report.code.faults);
}

#[test]
fn an_edit_of_an_imported_file_is_checked_in_every_shader_that_imports_it() {
    let mut app = app("green", 500);
    let visit = "common/visit.wgsl";
    let line = "let distance_squared = dot(offset, offset);\n#ifdef COUNT_PAIRS\n    counting::tested(is_another";
    let half = line.replace("dot(offset, offset)", "2.0 * dot(offset, offset)");
    edit(&mut app, visit, (line, &half));
    assert_eq!(in_use(&app.report.code), [visit]);
    until(&mut app, "a smaller radius misses neighbors", |report| report.badge.wrong.is_some());
    // This part is compiled only while pairs are counted, which a survey does.
    let wrong = half.replace("counting::tested(is_another", "counting::tasted(is_another");
    edit(&mut app, visit, (&half, &wrong));
    let [fault] = app.report.code.faults.as_slice() else { panic!("{:?}", app.report.code.faults) };
    assert_eq!(fault.file, visit, "{}", fault.sentence());
    assert!(fault.message.contains("tasted"), "{}", fault.sentence());
    assert!(app.report.code.in_use[visit].contains("2.0 * dot"), "the text before stays in use");
    assert!(app.report.code.passes.iter().any(|pass| pass.files.iter().any(|file| file == visit)));
}

#[test]
fn a_change_of_search_in_the_same_frame_uses_the_edit_or_is_refused() {
    let mut app = app("hoetzlein", 500);
    let library = app.report.code.library.clone();
    let text = app.controls.code.text(GREEN, &library);
    app.controls.code.write(GREEN, text.replace(WHOLE, SKIPPING));
    app.controls.code.apply(&library);
    app.act(Action::NextSolver);
    app.controls.change(|settings| settings.search = search_named("green").expect("it is one"));
    app.frame();
    assert_eq!((in_use(&app.report.code), app.report.refused.as_deref()), (vec![GREEN], None));
    until(&mut app, "the edited search runs", |report| report.badge.wrong.is_some());
    // A search whose edited shader does not compile is refused, and the running one stays.
    let bayraktar = "search/bayraktar.wgsl";
    app.controls.code.write(bayraktar, "this is no shader");
    app.controls.code.apply(&library);
    app.frame();
    app.controls.change(|settings| settings.search = search_named("bayraktar").expect("it is one"));
    app.frame();
    assert!(app.report.refused.as_ref().is_some_and(|words| words.contains("bayraktar")), "{:?}", app.report.refused);
    assert_eq!(app.controls.settings.search.name, "green", "the panel shows what runs");
    app.controls.code.revert(bayraktar);
    app.controls.change(|settings| settings.search = search_named("bayraktar").expect("it is one"));
    app.frame();
    assert_eq!(app.report.refused, None);
}

#[test]
fn every_shader_has_checks_until_the_particles_are_replaced() {
    let mut app = app("green", 500);
    assert!(!app.report.code.is_guarded);
    app.controls.code.set_editing(true);
    app.frame();
    assert!(app.report.code.is_guarded, "checks are on before the first edit");
    app.controls.code.set_editing(false);
    app.frame();
    assert!(!app.report.code.is_guarded, "nothing was edited");
    edit(&mut app, GREEN, (WHOLE, SKIPPING));
    app.frame();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("water.state");
    app.controls.state_file = file.display().to_string();
    let save = |app: &mut RunningApp| {
        app.act(Action::SaveState);
        app.frame();
        app.report.failure.clone()
    };
    assert!(save(&mut app).is_some_and(|words| words.contains("edited")), "a state of edited shaders was saved");
    app.controls.code.revert_all();
    app.frame();
    assert!(app.report.code.is_guarded, "unedited shaders read what the edited one has written");
    assert!(save(&mut app).is_some(), "the particles were moved by an edited shader");
    assert!(!file.exists());
    app.act(Action::Reset);
    app.frame();
    assert!(!app.report.code.is_guarded, "the particles were replaced");
    assert_eq!(save(&mut app), None);
    assert!(file.exists());
}

#[test]
fn edits_survive_a_lost_device_unless_they_have_never_worked() {
    let mut app = app("green", 500);
    edit(&mut app, GREEN, (WHOLE, SKIPPING));
    // What recovery does: another device with the same library, and another driver.
    let lose = |app: &mut RunningApp| {
        let gpu = Gpu::open(None, app.gpu.shaders().clone()).expect("an adapter");
        app.driver = Driver::new(&gpu, &mut app.report);
        app.gpu = gpu;
        app.report.badge = nearwater::laboratory::BadgeReport::default();
        app.frame();
    };
    let work = |app: &mut RunningApp| {
        app.steps(4);
        lose(app);
    };
    work(&mut app);
    assert_eq!(in_use(&app.report.code), [GREEN], "{:?}", app.report.code.refusal);
    until(&mut app, "the edited search runs on the new device", |report| report.badge.wrong.is_some());
    work(&mut app);
    assert!(app.report.code.in_use.is_empty(), "the same texts have lost two devices");
    assert!(app.report.code.refusal.is_some());
    assert_eq!(app.controls.code.edited_files().into_iter().collect::<Vec<_>>(), [GREEN], "the text is lost");
    until(&mut app, "the original runs", is_green);
    let library = app.report.code.library.clone();
    app.controls.code.apply(&library);
    app.frame();
    assert_eq!((in_use(&app.report.code), app.report.code.refusal.clone()), (vec![GREEN], None));
}

#[test]
fn a_text_that_does_not_compile_keeps_no_reopened_device_from_starting() {
    let mut app = app("green", 500);
    app.steps(2);
    edit(&mut app, GREEN, ("let range = cell_ranges[cell];", "let range = cell_range[cell];"));
    assert!(!app.report.code.faults.is_empty() && app.report.code.in_use.is_empty());
    let gpu = Gpu::open(None, app.gpu.shaders().clone()).expect("an adapter");
    let mut report = Report::default();
    app.driver = Driver::new(&gpu, &mut report);
    (app.gpu, app.report) = (gpu, report);
    app.steps(3);
    app.frame();
    // A new driver also makes the single steps that were requested of the old one.
    assert_eq!((app.report.refused.clone(), app.report.step_count), (None, 5), "the simulation did not start");
    assert!(app.report.code.in_use.is_empty() && !app.report.code.faults.is_empty(), "the error is told again");
}

#[test]
fn the_cost_of_an_edit_is_measured_against_the_original_with_checks() {
    let mut app = app("green", 500);
    if !app.report.has_timestamps {
        return;
    }
    app.controls.code.set_editing(true);
    app.steps(20);
    edit(&mut app, GREEN, (WHOLE, SKIPPING));
    assert!(app.report.code.original.is_some(), "the original was timed while nothing was edited");
    app.steps(20);
    let sentence = cost_sentence(&app.report).expect("a shader is edited");
    assert!(sentence.contains("build ") && sentence.contains("search ") && sentence.contains(" %"), "{sentence}");
    app.controls.code.compare();
    app.frame();
    assert!(app.report.code.in_use.is_empty() && app.report.code.measuring > 0);
    until(&mut app, "the measurement ends", |report| report.code.measuring == 0);
    assert_eq!(in_use(&app.report.code), [GREEN], "the edited shaders run again");
    assert!(app.report.code.original.is_some());
    app.controls.change(|settings| settings.search = search_named("hoetzlein").expect("it is one"));
    app.frame();
    assert!(app.report.code.original.is_none(), "times of another search cannot be compared");
}

#[test]
fn a_shader_cannot_add_buffers_or_enlarge_them() {
    let mut app = app("green", 500);
    let before = "@group(0) @binding(2) var<storage, read> cell_ranges: array<vec2<u32>>;";
    let more = format!("{before}\n@group(0) @binding(9) var<storage, read> invented: array<u32>;");
    let line = "let range = cell_ranges[cell];";
    let text = app.controls.code.text(GREEN, &app.report.code.library.clone());
    let edited = text.replace(before, &more).replace(line, "let range = cell_ranges[cell] + invented[0];");
    app.controls.code.write(GREEN, edited);
    app.controls.code.apply(&app.report.code.library.clone());
    app.frame();
    let [fault] = app.report.code.faults.as_slice() else { panic!("{:?}", app.report.code.refusal) };
    assert!(fault.message.contains("invented") && fault.line > 0, "{}", fault.sentence());
    let huge = before.replace("array<vec2<u32>>", "array<vec2<u32>, 4000000>");
    app.controls.code.revert_all();
    app.frame();
    edit(&mut app, GREEN, (before, &huge));
    let said = app.report.code.refusal.clone().or_else(|| app.report.code.faults.first().map(|f| f.message.clone()));
    assert!(said.is_some() && app.report.code.in_use.is_empty(), "a buffer shorter than declared was bound");
    app.steps(2);
}

#[test]
fn the_window_says_all_the_time_that_shaders_are_edited() {
    let mut app = app("green", 500);
    edit(&mut app, GREEN, (WHOLE, SKIPPING));
    let mut harness = window(app, [1280.0, 800.0]);
    let is_marked = |harness: &egui_kittest::Harness<'_, RunningApp>| shows(harness, "1 shader edited");
    assert!(is_marked(&harness));
    harness.state_mut().act(Action::ToggleLaboratory);
    harness.run();
    assert!(is_marked(&harness));
    harness.state_mut().act(Action::TogglePresenting);
    harness.run();
    assert!(is_marked(&harness), "the mark is hidden while presenting");
    harness.state_mut().act(Action::ToggleLaboratory);
    harness.run();
    click(&mut harness, "Show code");
    assert!(shows(&harness, "shaders/search/green.wgsl"));
    click(&mut harness, "Difference");
    assert!(shows(&harness, "-            for (var x = cells.low.x; x <= cells.high.x; x++) {"));
    click(&mut harness, "Revert all");
    harness.state_mut().frame();
    harness.run();
    assert!(harness.state().report.code.in_use.is_empty() && shows(&harness, "Checks stay on"));
}

#[test]
fn a_patch_of_the_edits_is_exported_on_request_only() {
    let mut app = app("green", 500);
    edit(&mut app, GREEN, (WHOLE, SKIPPING));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("edits.patch");
    app.controls.code.patch_file = file.display().to_string();
    app.controls.code.export(&app.report);
    assert!(app.controls.code.message().is_some_and(Result::is_ok), "{:?}", app.controls.code.message());
    let patch = std::fs::read_to_string(&file).expect("it was written");
    assert!(patch.contains("--- a/shaders/search/green.wgsl"), "{patch}");
    assert!(patch.contains(&format!("+            {SKIPPING}")), "{patch}");
    app.controls.code.patch_file = "/nowhere/edits.patch".into();
    app.controls.code.export(&app.report);
    let words = app.controls.code.message().cloned().expect("an outcome").expect_err("there is no such folder");
    assert!(words.contains("/nowhere"), "{words}");
}

/// Applies a patch with a program to the originals and returns the files' texts.
fn applied(program: &[&str], patch: &str, files: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let library = ShaderLibrary::embedded();
    for file in files {
        let path = folder.path().join("shaders").join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is writable");
        std::fs::write(path, library.original(file).expect("an embedded file")).expect("the folder is writable");
    }
    std::fs::write(folder.path().join("edits.patch"), patch).expect("the folder is writable");
    let outcome = Command::new(program[0]).args(&program[1..]).current_dir(folder.path()).output();
    let outcome = outcome.unwrap_or_else(|error| panic!("{} is needed for this test: {error}", program[0]));
    assert!(outcome.status.success(), "{program:?}: {}", String::from_utf8_lossy(&outcome.stderr));
    let read = |file: &&str| std::fs::read_to_string(folder.path().join("shaders").join(file));
    files.iter().map(read).collect::<Result<_, _>>().expect("the files are there")
}

#[test]
fn git_applies_the_patch_of_several_files() {
    let library = ShaderLibrary::embedded();
    let files = ["common/grid.wgsl", GREEN];
    let mut edited = BTreeMap::new();
    for (place, file) in files.into_iter().enumerate() {
        let original = library.original(file).expect("an embedded file");
        let mut lines: Vec<String> = original.lines().map(str::to_owned).collect();
        lines.remove(4);
        lines.insert(20, format!("// a new line with ä, {place}"));
        // The last line of the second file has no end, which the format has to say.
        let text = lines.join("\n") + if place == 0 { "\n" } else { "" };
        edited.insert(file.to_owned(), Arc::from(text));
    }
    let difference = patch(&library, &edited).expect("something differs");
    let wanted: Vec<_> = files.iter().map(|file| edited[*file].to_string()).collect();
    assert_eq!(applied(&["git", "apply", "edits.patch"], &difference, &files), wanted);
    if Command::new("patch").arg("--version").output().is_ok() {
        assert_eq!(applied(&["patch", "-p1", "-i", "edits.patch"], &difference, &files), wanted);
    }
    let original: Arc<str> = library.original(GREEN).expect("an embedded file").into();
    let same = BTreeMap::from([(GREEN.to_owned(), original)]);
    assert!(patch(&library, &same).is_err_and(|words| words.contains("no patch")));
}

#[test]
fn a_text_is_checked_while_it_is_typed_and_not_used_before_it_is_applied() {
    let mut app = app("green", 500);
    let library = app.report.code.library.clone();
    let text = app.controls.code.text(GREEN, &library);
    let wrong = text.replace("let range = cell_ranges[cell];", "let range = cell_ranges[sell];");
    app.controls.code.write(GREEN, wrong);
    let wait = |app: &mut RunningApp| {
        for _ in 0..MANY {
            if app.controls.code.faults(&app.report.code).is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
            app.frame();
        }
        panic!("the text was not checked");
    };
    wait(&mut app);
    let [fault] = app.controls.code.faults(&app.report.code).expect("checked") else { panic!("one error") };
    assert!(fault.message.contains("sell") && fault.file == GREEN, "{}", fault.sentence());
    app.controls.code.write(GREEN, text.replace(WHOLE, SKIPPING));
    assert!(app.controls.code.faults(&app.report.code).is_none(), "errors of an older text");
    wait(&mut app);
    assert!(app.controls.code.faults(&app.report.code).is_some_and(<[_]>::is_empty));
    assert!(app.report.code.in_use.is_empty(), "it was not applied");
}

fn timings(build: f64, search: f64, frames: usize) -> Timings {
    let mut timings = Timings::default();
    let time = |phase, label, milliseconds| PassTime { phase, label, milliseconds, start_milliseconds: 0.0 };
    for _ in 0..frames {
        timings.push(&[time(Phase::Build, "count", build), time(Phase::Search, "density", search)]);
    }
    timings
}

#[test]
fn the_cost_of_an_edit_is_told_by_phases_once_both_were_measured() {
    let mut report = Report { has_timestamps: true, timings: timings(1.03, 2.82, 20), ..Report::default() };
    assert_eq!(cost_sentence(&report), None, "nothing is edited");
    let pass = PassCode {
        label: "density",
        phase: Phase::Search,
        file: GREEN,
        entry_point: "traverse",
        pair_file: None,
        files: vec![GREEN.to_owned()],
    };
    report.code.passes = Arc::new(vec![pass]);
    report.code.in_use = ShaderTexts::new([(GREEN.to_owned(), "b".into())].into_iter().collect());
    assert!(cost_sentence(&report).is_some_and(|words| words.contains("not measured")));
    report.code.original = Some(Arc::new(timings(1.0, 2.0, 20)));
    assert_eq!(
        cost_sentence(&report).as_deref(),
        Some("build +3 %, search +41 % against the original with the same checks; passes with unchanged code +3 %")
    );
    let costs = pass_costs(&report);
    assert!((costs[1].change() - 0.41).abs() < 1e-3 && costs[1].has_edited_code, "{costs:?}");
    report.timings = timings(1.0, 1.0, 3);
    assert!(cost_sentence(&report).is_some_and(|words| words.contains("Measuring")), "too few frames");
}

#[test]
fn measurements_say_that_shaders_are_edited() {
    let mut app = app("green", 500);
    let now = |app: &RunningApp| Circumstances::now(&app.gpu).line();
    assert!(!now(&app).contains("edited"), "{}", now(&app));
    edit(&mut app, GREEN, (WHOLE, SKIPPING));
    assert!(now(&app).contains("edited shaders: search/green.wgsl"), "{}", now(&app));
    app.controls.code.revert_all();
    app.frame();
    assert!(now(&app).contains("checks"), "times with checks are not those of the program: {}", now(&app));
}
