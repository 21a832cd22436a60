//! Runs the program on every file of `tests/corpus` and on damaged copies of each: it ends with 0 or 2 (a comparison
//! also with 1), never with a panic, within a limit of time and of memory, and a refusal is one sentence on the
//! standard error.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Longest time of one run on a busy machine; most take a second, which is that of opening the device.
const LONGEST: Duration = Duration::from_mins(1);
/// Address space of a run, KiB. A software adapter reserves most of it for the code of its shaders.
const MOST_MEMORY: u32 = 8 << 20;

/// A scene that reads a file: points, or a mesh.
fn scene(blocks: &str, fields: &str) -> String {
    format!(
        "(title: \"file\", description: \"\", low: (0.0, 0.0, 0.0), high: (4.0, 4.0, 4.0), blocks: [{blocks}], {fields}
        gravity: (0.0, -10.0, 0.0),
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.1, radius_ratio: 2.0))"
    )
}

/// The arguments that make the program read a file of the corpus, and the scene beside it that names the file.
fn use_of(name: &str) -> (Vec<&str>, Option<String>) {
    let of_scene = |file| vec!["simulate", file, "--seconds", "0.001", "--particles", "100"];
    let water = "(low: (0.0, 0.0, 0.0), high: (0.8, 0.8, 0.8))";
    match name {
        "tank.ron" => (of_scene("tank.ron"), None),
        "points.ply" | "points.csv" | "points.npy" => {
            let fluid = format!("points: [(file: \"{name}\", spacing: 0.2)],");
            (vec!["simulate", "scene.ron", "--seconds", "0.001"], Some(scene("", &fluid)))
        }
        "tetrahedron.obj" | "tetrahedron.gltf" | "tetrahedron.glb" => {
            let solid = format!("boundaries: [Mesh(file: \"{name}\", scale: 0.5)],");
            (of_scene("scene.ron"), Some(scene(water, &solid)))
        }
        "pairs.csv" => (vec!["compare", "points.npy", "pairs.csv", "--radius", "0.6"], None),
        "camera.ron" => {
            let arguments =
                ["simulate", "drop", "--seconds", "0", "--particles", "64", "--video", "a.gif", "--size", "32x32"];
            ([&arguments[..], &["--camera", "camera.ron"]].concat(), None)
        }
        "fixture.ron" => (vec!["verify", "--search", "green", "--only", "fixture.ron"], None),
        "frames.dump" => (vec!["play", "frames.dump", "--off-screen"], None),
        "drop.state" => (vec!["simulate", "--load", "drop.state", "--seconds", "0.001"], None),
        "lost.script" => (vec!["--script", "lost.script", "--off-screen"], None),
        other => panic!("no command reads {other}; add one here"),
    }
}

/// Damaged copies of a file, with a word for each.
fn damaged(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let middle = bytes.len() / 2;
    let replaced = |from: &str, to: &str| String::from_utf8_lossy(bytes).replace(from, to).into_bytes();
    let mut flipped = bytes.to_vec();
    flipped.iter_mut().step_by(7).for_each(|byte| *byte ^= 0x10);
    vec![
        ("empty", Vec::new()),
        ("cut", bytes[..middle].to_vec()),
        ("twice", [bytes, bytes].concat()),
        ("flipped", flipped),
        ("zeros", vec![0; bytes.len()]),
        ("long line", vec![b'('; 200_000]),
        ("not finite", replaced("0.", "NaN,")),
        ("huge", replaced("1", "99999999999999999999")),
    ]
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exit_codes").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Self(folder)
    }

    /// Runs the program under the limits, and returns its exit code and what it told on the standard error.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let script = format!("ulimit -v {MOST_MEMORY}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_nearwater")]).args(arguments);
        let errors = self.0.join("stderr");
        command.current_dir(&self.0).env("TMPDIR", &self.0).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(fs::File::create(&errors).expect("a file"));
        let mut child = command.spawn().expect("sh is there");
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("it is our child") {
                break status;
            }
            if started.elapsed() > LONGEST {
                child.kill().expect("it is our child");
                panic!("{arguments:?} in {} did not end", self.0.display());
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        (status.code(), String::from_utf8_lossy(&fs::read(&errors).expect("it was written")).into_owned())
    }
}

/// Runs the program on a file in a folder of its own, and says what is wrong with how it ends.
fn fault(name: &str, damage: &str, bytes: &[u8]) -> Option<String> {
    let folder = Folder::new(&format!("{name}-{damage}"));
    let (arguments, scene) = use_of(name);
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    fs::copy(corpus.join("points.npy"), folder.0.join("points.npy")).expect("it is in the corpus");
    if let Some(text) = scene {
        fs::write(folder.0.join("scene.ron"), text).expect("it can be written");
    }
    fs::write(folder.0.join(name), bytes).expect("it can be written");
    let (code, told) = folder.run(&arguments);
    let is_expected = match code {
        Some(0) => true,
        // A list that differs is a result of a comparison.
        Some(1) => name == "pairs.csv" && told.is_empty(),
        Some(2) => {
            let lines: Vec<_> = told.lines().collect();
            // Some points of these files are outside every box.
            let may_be_refused = !damage.is_empty() || ["points.csv", "points.ply"].contains(&name);
            may_be_refused && lines.len() == 1 && lines[0].starts_with("nearwater: ") && lines[0].len() < 2_000
        }
        _ => false,
    };
    (!is_expected).then(|| format!("{name} ({damage}): {code:?}, {told}"))
}

#[test]
fn every_file_of_the_corpus_ends_with_a_result_or_a_refusal() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(&corpus)
        .expect("a folder")
        .flatten()
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("a file")))
        .collect();
    let made = Folder::new("made");
    let (code, told) =
        made.run(&["simulate", "drop", "--particles", "100", "--seconds", "0.001", "--save", "drop.state"]);
    assert_eq!(code, Some(0), "{told}");
    files.push(("drop.state".to_owned(), fs::read(made.0.join("drop.state")).expect("it was saved")));
    if cfg!(feature = "app") {
        files.push(("lost.script".to_owned(), b"wait 2\nshot \"a.png\n".to_vec()));
    } else {
        // Without the app there is nothing that plays a recording.
        files.retain(|(name, _)| name != "frames.dump");
    }
    let mut runs: Vec<(&str, &str, Vec<u8>)> = Vec::new();
    for (name, bytes) in &files {
        if name != "frames.dump" && name != "lost.script" {
            runs.push((name, "", bytes.clone()));
        }
        runs.extend(damaged(bytes).into_iter().map(|(damage, bytes)| (name.as_str(), damage, bytes)));
    }
    assert!(runs.len() > 80, "only {} runs", runs.len());
    let (next, faults) = (Mutex::new(runs.into_iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let run = next.lock().expect("no panic").next();
                    let Some((name, damage, bytes)) = run else { break };
                    if let Some(fault) = fault(name, damage, &bytes) {
                        faults.lock().expect("no panic").push(fault);
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().expect("no panic");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
