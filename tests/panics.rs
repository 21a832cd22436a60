//! A panic of the program, which debug builds can be made to have: it ends with its exit code, says in one sentence
//! where its report is, and saves the last state.

#![cfg(all(unix, debug_assertions))]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("panics").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Self(folder)
    }

    /// The program, which is to panic at a place.
    fn command(&self, panic_at: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nearwater"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command.env("NEARWATER_PANIC", panic_at).env("TMPDIR", &self.0);
        command
    }

    /// Files of the folder whose names end like this.
    fn files(&self, ending: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.0).expect("a folder").flatten().map(|entry| entry.path());
        let is_wanted = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with("nearwater-panic-") && name.ends_with(ending)
        };
        entries.filter(is_wanted).collect()
    }

    /// The only report, which the sentence must name.
    fn report(&self, told: &str) -> String {
        let reports = self.files(".txt");
        let [report] = &reports[..] else { panic!("{} reports: {told}", reports.len()) };
        assert!(told.contains(&report.display().to_string()), "{told}");
        fs::read_to_string(report).expect("it was written")
    }
}

const RUN: [&str; 6] = ["simulate", "drop", "--seconds", "0.01", "--particles", "600"];

fn told(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(101), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_panic_leaves_a_report_and_the_last_state() {
    let place = Place::new("step");
    let told = told(&place.command("step", &RUN).output().expect("it runs"));
    let report = place.report(&told);
    for part in [
        "Nearwater 0.",
        "adapter: ",
        "scene: drop",
        "search ",
        "solver ",
        "a panic on purpose: step",
        "panic: at src/command/simulate.rs:",
        "simulate drop --seconds 0.01 --particles 600",
        "thread main",
        "backtrace:",
    ] {
        assert!(report.contains(part), "the report lacks \"{part}\":\n{report}");
    }
    assert!(!report.contains("not known yet"), "{report}");
    let sentences: Vec<_> = told.lines().collect();
    assert!(sentences[0].starts_with("nearwater: a fault of the program ended it (at "), "{told}");
    let states = place.files(".state");
    assert_eq!(states.len(), 1, "{told}");
    assert!(told.contains(&states[0].display().to_string()), "{told}");
    // The state is whole: a run resumes from it.
    let state = states[0].to_string_lossy();
    let resumed = place.command("", &["simulate", "--load", &state, "--seconds", "0.002"]).output().expect("it runs");
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
}

#[test]
fn a_panic_in_a_thread_is_reported() {
    let place = Place::new("thread");
    let video = ["--video", "a.gif", "--size", "32x32"];
    let told = told(&place.command("video", &[&RUN[..], &video].concat()).output().expect("it runs"));
    let report = place.report(&told);
    assert!(report.contains("in the thread video: a panic on purpose: video"), "{report}");
}

#[test]
fn without_a_folder_the_report_is_printed() {
    let place = Place::new("unwritable");
    let mut command = place.command("step", &RUN);
    // Nobody can make files in /proc.
    let output = command.env("TMPDIR", "/proc").current_dir("/proc").output().expect("it runs");
    let told = told(&output);
    for part in ["no report of it could be written", "scene: drop", "backtrace:"] {
        assert!(told.contains(part), "it lacks \"{part}\": {told}");
    }
}

#[test]
fn a_closed_standard_error_loses_nothing() {
    let place = Place::new("closed");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = place.command("step", &RUN).stderr(writer).stdout(Stdio::null()).status().expect("it runs");
    assert_eq!(status.code(), Some(101));
    assert_eq!((place.files(".txt").len(), place.files(".state").len()), (1, 1));
    let closed = Place::new("closed-entirely");
    let program = env!("CARGO_BIN_EXE_nearwater");
    let script = format!("exec {program} {} 2>&- >/dev/null", RUN.join(" "));
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(&closed.0).env("TMPDIR", &closed.0).env("NEARWATER_PANIC", "step");
    let status = command.status().expect("sh is there");
    assert_eq!(status.code(), Some(101));
    assert_eq!((closed.files(".txt").len(), closed.files(".state").len()), (1, 1));
}

/// Runs the app off screen, with a panic at a place, and returns what it says.
#[cfg(feature = "app")]
fn app_panics(place: &Place, panic_at: &str) -> String {
    fs::write(place.0.join("run.script"), "water 0.5\n").expect("it can be written");
    let run = ["drop", "--particles", "600", "--script", "run.script", "--off-screen"];
    told(&place.command(panic_at, &run).output().expect("it runs"))
}

/// The app, off screen with a script, panics in a frame after a few steps.
#[test]
#[cfg(feature = "app")]
fn a_panic_of_the_app_leaves_a_report_and_the_last_state() {
    let place = Place::new("app");
    let told = app_panics(&place, "frame");
    let report = place.report(&told);
    for part in ["adapter: ", "scene: drop", "search ", "a panic on purpose: frame", "driver.rs:"] {
        assert!(report.contains(part), "the report lacks \"{part}\":\n{report}");
    }
    let states = place.files(".state");
    assert_eq!(states.len(), 1, "{told}");
    let state = states[0].to_string_lossy();
    let resumed = place.command("", &["simulate", "--load", &state, "--seconds", "0.002"]).output().expect("it runs");
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
}

/// A panic of the program's own while the window is made is not taken for a missing display.
#[test]
#[cfg(feature = "app")]
fn a_panic_while_the_app_is_built_leaves_a_report() {
    let place = Place::new("building");
    let told = app_panics(&place, "window");
    let report = place.report(&told);
    for part in ["adapter: ", "a panic on purpose: window", "window.rs:"] {
        assert!(report.contains(part), "the report lacks \"{part}\":\n{report}");
    }
}
