//! Runs the program on faulty files, pipes, disks and numbers, and sends it signals: each fault ends in one sentence
//! and exit code 2 within seconds, and output that does not depend on it is written.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A scene with further fields, which may repeat none of its own.
fn scene(fields: &str) -> String {
    tank("low: (0.0, 0.0, 0.0), high: (4.0, 2.0, 2.0)", "(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))", fields)
}

fn tank(bounds: &str, blocks: &str, fields: &str) -> String {
    format!(
        "(title: \"tank\", description: \"\", {bounds}, blocks: [{blocks}], gravity: (0.0, -10.0, 0.0), {fields}
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.1, radius_ratio: 2.0))"
    )
}

/// A folder of one test, in which the program runs.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Self(folder)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), content).expect("it can be written");
    }

    fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nearwater"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program was built")
    }

    /// Runs what must be refused, and returns the sentence.
    fn refusal(&self, arguments: &[&str]) -> String {
        let started = Instant::now();
        let output = self.run(arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?} printed: {told}");
        let sentences: Vec<_> = told.lines().filter(|line| !line.is_empty()).collect();
        let [sentence] = sentences[..] else { panic!("{arguments:?} printed {} lines: {told}", sentences.len()) };
        assert!(sentence.starts_with("nearwater: ") && sentence.len() < 3_000, "{sentence}");
        assert!(!sentence.contains("os error") && !sentence.chars().any(char::is_control), "{sentence}");
        // A refusal takes no time by itself; opening the adapter takes a second on a busy machine.
        assert!(started.elapsed() < Duration::from_secs(20), "{arguments:?} took {:?}", started.elapsed());
        sentence.to_owned()
    }

    fn refuses(&self, arguments: &[&str], parts: &[&str]) {
        let sentence = self.refusal(arguments);
        for part in parts {
            assert!(sentence.contains(part), "{arguments:?} printed \"{sentence}\", which lacks \"{part}\"");
        }
    }

    /// The same for a scene in a file.
    fn refuses_scene(&self, text: &str, parts: &[&str]) {
        self.write("scene.ron", text);
        self.refuses(&["simulate", "scene.ron", "--seconds", "0.01", "--particles", "144"], parts);
    }
}

/// A short run that writes a state.
const SHORT: [&str; 8] = ["simulate", "drop", "--seconds", "0.01", "--particles", "600", "--save", "water.state"];

#[test]
fn a_closed_or_full_standard_output_loses_no_file() {
    let place = Place::new("stdout");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let closed = place.command(&SHORT).stdout(writer).output().expect("it runs");
    let told = String::from_utf8_lossy(&closed.stderr);
    assert!(closed.status.success() && told.trim().is_empty(), "{:?}: {told}", closed.status);
    assert!(place.has("water.state"), "a closed pipe lost the state");
    fs::remove_file(place.0.join("water.state")).expect("it is there");
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    let full = place.command(&SHORT).stdout(full).output().expect("it runs");
    let told = String::from_utf8_lossy(&full.stderr);
    assert_eq!(full.status.code(), Some(2), "{told}");
    assert!(told.contains("could not be printed") && !told.contains("panicked"), "{told}");
    assert!(place.has("water.state"), "a full disk under the report lost the state");
}

#[test]
#[cfg(target_os = "linux")]
fn an_output_that_cannot_be_written_does_not_lose_the_others() {
    let place = Place::new("enospc");
    let more = ["--probes", "/dev/full", "--probe-every", "0.003", "--timings", "times.csv", "--png", "/dev/full"];
    let output = place.run(&[&SHORT[..], &["--size", "64x64"], &more].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert_eq!(told.matches("cannot write /dev/full: No space left on device").count(), 2, "{told}");
    assert!(place.has("water.state") && place.has("times.csv"), "{told}");
}

#[test]
fn a_signal_ends_a_run_and_everything_is_written() {
    for signal in ["INT", "TERM"] {
        let place = Place::new(&format!("signal-{signal}"));
        let more = ["--particles", "600", "--save", "water.state", "--timings", "times.csv", "--export", "frames"];
        let arguments = [&["simulate", "drop", "--seconds", "1000", "--every", "0.1"], &more[..]].concat();
        let child = place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        let deadline = Instant::now() + Duration::from_mins(1);
        while !place.has("frames/water_00001.vtu") {
            assert!(Instant::now() < deadline, "the run does not begin");
            std::thread::sleep(Duration::from_millis(20));
        }
        let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        let output = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(&format!("ended by SIG{signal} at ")) && told.contains("of 1000.000 s"), "{told}");
        assert!(place.has("water.state") && place.has("times.csv"), "{told}");
        // The state is complete: a run resumes from it.
        let resumed = place.run(&["simulate", "drop", "--seconds", "0", "--load", "water.state"]);
        assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    }
}

#[test]
fn outputs_that_are_one_file_or_an_input_are_refused() {
    let place = Place::new("same");
    place.write("tank.ron", scene(""));
    let run = ["simulate", "tank.ron", "--seconds", "0.01", "--particles", "144"];
    let with = |more: &[&'static str]| [&run[..], more].concat();
    place.refuses(&with(&["--save", "a", "--png", "./a"]), &["--save", "--png", "same file"]);
    place.refuses(&with(&["--save", "tank.ron"]), &["the scene", "--save", "tank.ron"]);
    place.refuses(
        &with(&["--export", "f", "--every", "0.01", "--format", "csv", "--timings", "f/frames.csv"]),
        &["f/frames.csv"],
    );
    assert!(fs::read_to_string(place.0.join("tank.ron")).expect("it is there").contains("title"));
    assert!(place.run(&with(&["--save", "/dev/null", "--timings", "/dev/null"])).status.success());
}

#[test]
fn leftovers_of_a_killed_process_are_deleted() {
    let place = Place::new("leftovers");
    place.write(".water.state.aB3dE9.part", "half");
    assert!(place.run(&SHORT).status.success());
    let names: Vec<_> = fs::read_dir(&place.0).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["water.state"]);
}

#[test]
fn lengths_and_speeds_beyond_reason_are_refused() {
    let place = Place::new("numbers");
    let water = "(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))";
    for edge in ["1e12", "3.4e38", "3e38"] {
        let bounds = format!("low: (-{edge}, -{edge}, -{edge}), high: ({edge}, {edge}, {edge})");
        place.refuses_scene(&tank(&bounds, water, ""), &["field low", "1e9"]);
    }
    let thrown = "(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0), velocity: (1e30, 0.0, 0.0))";
    let bounds = "low: (0.0, 0.0, 0.0), high: (4.0, 2.0, 2.0)";
    place.refuses_scene(&tank(bounds, thrown, ""), &["blocks[0].velocity", "1e30", "1e6"]);
    place.refuses_scene(&scene("boundaries: [Mesh(file: \"beach.obj\", scale: 3e38)],"), &["boundaries[0]", "1e9"]);
    let jet = "emitters: [(center: (2.0, 1.0, 1.0), radius: 1e5, velocity: (1.0, 0.0, 0.0))], reservoir: 0.1,";
    place.write("jet.ron", scene(jet));
    let poured = place.run(&["simulate", "jet.ron", "--seconds", "0.001", "--particles", "300"]);
    assert!(poured.status.success(), "{}", String::from_utf8_lossy(&poured.stderr));
    for (radius, part) in [("1e-30", "from 1e-8 to 1e9"), ("1e-7", "particles")] {
        place.refuses(&["simulate", "dam_break", "--seconds", "0.01", "--radius", radius], &[part]);
    }
    place.refuses(&["simulate", "drop", "--particles", "144", "--seconds", "1e300"], &["1e300", "1000000000 steps"]);
}

#[test]
fn walks_are_refused_before_they_begin() {
    let place = Place::new("walks");
    place.write("ball.ron", scene("boundaries: [Sphere(center: (3.0, 1.0, 1.0), radius: 0.3)],"));
    let many = ["simulate", "ball.ron", "--seconds", "0.01", "--particles", "2000000000"];
    place.refuses(&many, &["2000000000 particles", "adapter holds at most"]);
    let block = |number: u32| {
        let x = f64::from(number) * 1e-4;
        format!("(low: ({x:.6}, 0.0, 0.0), high: ({:.6}, 0.1, 0.1))", x + 5e-5)
    };
    let blocks: Vec<_> = (0..20_000).map(block).collect();
    let bounds = "low: (0.0, 0.0, 0.0), high: (4.0, 2.0, 2.0)";
    place.refuses_scene(&tank(bounds, &blocks.join(","), ""), &["blocks", "20000 entries", "4096"]);
    // A floor and a column far larger than the tank, of which only the parts in it count.
    for solid in [
        "Box(low: (-2000.0, -2000.0, -2000.0), high: (2000.0, 0.3, 2000.0))",
        "Cylinder(foot: (1000.0, -2000.0, 1.0), radius: 997.0, height: 4000.0)",
    ] {
        let above = "(low: (0.0, 0.7, 0.0), high: (1.0, 1.7, 1.0))";
        place.write("floor.ron", tank(bounds, above, &format!("boundaries: [{solid}],")));
        let started = Instant::now();
        let output = place.run(&["simulate", "floor.ron", "--seconds", "0.001", "--particles", "144"]);
        assert!(output.status.success(), "{solid}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(started.elapsed() < Duration::from_secs(20), "{solid} took {:?}", started.elapsed());
    }
    let huge = "bodies: [(shape: Sphere(radius: 20.0), position: (3.0, 1.0, 1.0), motion: Held)],";
    place.refuses_scene(&scene(huge), &["the solids would need", "at most", "smaller boundaries and bodies"]);
}

#[test]
#[cfg(target_os = "linux")]
fn files_without_an_end_are_refused() {
    let place = Place::new("endless");
    std::os::unix::fs::symlink("/dev/zero", place.0.join("zero.ron")).expect("a link");
    std::os::unix::fs::symlink("/dev/zero", place.0.join("zero.csv")).expect("a link");
    assert!(Command::new("mkfifo").arg(place.0.join("pipe.ron")).status().expect("mkfifo is there").success());
    for file in ["zero.ron", "pipe.ron"] {
        place.refuses(&["simulate", file, "--seconds", "0.01"], &[file, "not a regular file"]);
        place.refuses(&["simulate", "drop", "--seconds", "0.01", "--load", file], &[file, "not a regular file"]);
        let camera = ["--video", "a.gif", "--camera", file];
        place.refuses(
            &[&["simulate", "drop", "--seconds", "0.01"], &camera[..]].concat(),
            &[file, "not a regular file"],
        );
    }
    let huge = File::create(place.0.join("huge.ron")).expect("a file");
    huge.set_len(50 << 20).expect("sparse files are possible");
    place.refuses(&["simulate", "huge.ron", "--seconds", "0.01"], &["huge.ron", "52428800 bytes", "8388608"]);
    // A state whose beginning is right and whose length is that of a disk.
    let mut state = File::create(place.0.join("huge.state")).expect("a file");
    std::io::Write::write_all(&mut state, b"nearwater state\n").expect("it can be written");
    state.set_len(1 << 40).expect("sparse files are possible");
    place.refuses(&["simulate", "drop", "--seconds", "0.01", "--load", "huge.state"], &["huge.state"]);
}

#[test]
fn a_picture_beyond_the_memory_is_refused() {
    let place = Place::new("picture");
    // Where the adapter has so much memory, it is drawn.
    let output = place.run(&[
        "simulate",
        "drop",
        "--seconds",
        "0",
        "--particles",
        "64",
        "--size",
        "16384x16384",
        "--png",
        "/dev/null",
    ]);
    let told = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {}
        Some(2) => assert!(told.contains("16384x16384") && told.lines().count() == 1, "{told}"),
        other => panic!("{other:?}: {told}"),
    }
}

#[test]
fn points_on_the_faces_of_the_box_are_refused_with_their_number() {
    let place = Place::new("faces");
    let lattice = |inset: f32| {
        let at = |layer: u16| 0.125 * (f32::from(layer) + inset);
        let rows = (0..512_u16).map(|n| format!("{},{},{}", at(n % 8), at(n / 8 % 8), at(n / 64)));
        format!("x,y,z\n{}\n", rows.collect::<Vec<_>>().join("\n"))
    };
    let text = scene("points: [(file: \"points.csv\", spacing: 0.125)],")
        .replace("blocks: [(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))],", "");
    place.write("points.csv", lattice(0.0));
    place.refuses_scene(&text, &["of the 512 particles of points.csv", "half a spacing", "0.0625", "enlarge the box"]);
    place.write("points.csv", lattice(0.5));
    let output = place.run(&["simulate", "scene.ron", "--seconds", "0.02"]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !told.contains("warning"), "{told}");
}

#[test]
fn a_run_that_explodes_ends_with_a_warning() {
    let place = Place::new("explodes");
    // Two lattices that interpenetrate: each is well, and no cube holds more than eight.
    let rows = (0..1024_u16).map(|n| {
        let shift = if n < 512 { 0.5 } else { 0.7 };
        let at = |layer: u16| 0.125 * (f32::from(layer) + shift);
        format!("{},{},{}", at(n % 8) + 0.5, at(n / 8 % 8), at(n / 64 % 8))
    });
    place.write("points.csv", format!("x,y,z\n{}\n", rows.collect::<Vec<_>>().join("\n")));
    let text = scene("points: [(file: \"points.csv\", spacing: 0.125)],")
        .replace("blocks: [(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))],", "");
    place.write("scene.ron", text);
    let output = place.run(&["simulate", "scene.ron", "--seconds", "0.001"]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("warning: the highest speed is"), "{told}");
}

#[test]
fn options_without_effect_are_refused() {
    let place = Place::new("options");
    let run = ["simulate", "drop", "--seconds", "0.01", "--particles", "144"];
    let with = |more: &[&'static str]| [&run[..], more].concat();
    place.refuses(&with(&["--search", "green", "--option", "coarse-cells=6"]), &["green", "coarse-cells", "cell-edge"]);
    place.refuses(&with(&["--search", "claws", "--cell-edge", "2r"]), &["claws", "cell-edge"]);
    place.refuses(&with(&["--set", "viscosty=3"]), &["viscosty", "material.viscosity", "nearwater settings"]);
    assert!(place.run(&with(&["--search", "green", "--cell-edge", "2r"])).status.success());
}

#[test]
fn titles_and_paths_cannot_control_the_terminal() {
    let place = Place::new("terminal");
    place.write("tank.ron", scene("").replace("\"tank\"", "\"\\u{1b}[31mred\\u{7}\""));
    let mut child = place.command(&["simulate", "tank.ron", "--seconds", "0", "--particles", "64"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let mut told = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut told).expect("text");
    assert!(child.wait().expect("it ends").success());
    assert!(told.starts_with("\\u{1b}[31mred\\u{7}:"), "{told:?}");
    let sentence = place.refusal(&["simulate", "no\u{1b}[31m.ron", "--seconds", "0"]);
    assert!(sentence.contains("no\\u{1b}[31m.ron"), "{sentence}");
}

#[test]
fn small_messages_say_what_to_do() {
    let place = Place::new("messages");
    let run = ["simulate", "drop", "--seconds", "0.01", "--particles", "144"];
    place.write("taken", "");
    let export = ["--export", "taken", "--every", "0.01"];
    place.refuses(&[&run[..], &export].concat(), &["taken", "it is a file; give the name of a folder"]);
    place.refuses_scene(
        &scene("").replace("(low: (0.0, 0.0, 0.0), high: (1.0", "Sphere(low: (0.0, 0.0, 0.0), high: (1.0"),
        &["`Sphere` stands where the fields of a block are expected", "without a name"],
    );
    place.refuses(&["verify", "--search", "all", "--only", "no such fixture"], &["no fixture's name"]);
    place.refuses(&["simulate", "drop", "--secnds", "3"], &["'--secnds'", "'--seconds'"]);
    place.write("marked.ron", format!("\u{feff}{}", scene("")));
    assert!(place.run(&["simulate", "marked.ron", "--seconds", "0", "--particles", "64"]).status.success());
    let edge = "low: (0.0, 0.0, 0.0), high: (4e-5, 2e-5, 2e-5)";
    place.write("small.ron", tank(edge, "(low: (0.0, 0.0, 0.0), high: (1e-5, 1e-5, 1e-5))", ""));
    let small = place.run(&["simulate", "small.ron", "--seconds", "0", "--particles", "125"]);
    let told = String::from_utf8_lossy(&small.stdout);
    assert!(told.contains("spacing 2.000e-6 m"), "{told}");
}

#[test]
fn settings_are_listed_as_a_table_and_help_is_short() {
    let place = Place::new("settings");
    let output = place.run(&["settings", "vorticity"]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("--set NAME=VALUE") && told.contains("pbf.vorticity"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 118), "{told}");
    place.refuses(&["settings", "no such setting"], &["no such setting", "nearwater settings"]);
    let help = place.run(&["simulate", "--help"]);
    let longest = String::from_utf8_lossy(&help.stdout).lines().map(|line| line.chars().count()).max();
    assert!(longest.is_some_and(|longest| longest < 400), "{longest:?}");
}
