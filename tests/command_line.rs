//! Runs the program with command lines, and checks which ones it rejects, with one sentence and exit code 2, and which
//! files it writes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn nearwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nearwater")).args(arguments).output().expect("the program was built")
}

/// Creates an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

#[test]
fn invalid_arguments_are_rejected_in_one_sentence() {
    let simulate = |more: &[&'static str]| [&["simulate", "dam_break", "--seconds", "0.01"], more].concat();
    let cases: Vec<(Vec<&str>, &[&str])> = vec![
        (vec!["dam_brek"], &["dam_brek", "dam_break"]),
        (vec!["simulate", "drap", "--seconds", "1"], &["drap", "drop"]),
        (vec!["simulate", "drop", "--seconds", "-1"], &["--seconds", "-1"]),
        (vec!["simulate", "drop", "--seconds", "nan"], &["--seconds", "NaN"]),
        (simulate(&["--search", "hotzlein"]), &["hotzlein", "hoetzlein"]),
        (simulate(&["--adapter", "no such card"]), &["no such card"]),
        (simulate(&["--radius", "0"]), &["radius", "0", "meters"]),
        (simulate(&["--radius", "-2"]), &["radius", "-2"]),
        (simulate(&["--radius", "nan"]), &["radius", "NaN"]),
        (simulate(&["--radius", "1000"]), &["radius", "1000", "box"]),
        (simulate(&["--particles", "0"]), &["particles", "0"]),
        (simulate(&["--particles", "4000000000"]), &["particles", "adapter holds"]),
        (simulate(&["--png", "no/such/folder/water.png"]), &["no/such/folder/water.png"]),
        (simulate(&["--png", "src"]), &["src", "folder"]),
        (simulate(&["--shaders", "src"]), &["src", "shaders"]),
        (simulate(&["--timings", "no/such/folder/times.csv"]), &["no/such/folder/times.csv", "there is no folder"]),
        (simulate(&["--export", "no/such/folder/frames", "--every", "0.01"]), &["no/such/folder/frames"]),
        (simulate(&["--export", "src/main.rs", "--every", "0.01"]), &["src/main.rs"]),
        (simulate(&["--export", "never-made", "--every", "0.00001"]), &["--every", "0.00001", "step"]),
        (simulate(&["--export", "never-made", "--every", "nan"]), &["--every", "NaN"]),
        (simulate(&["--probes", "never-made.csv", "--probe-every", "-1"]), &["--probe-every", "-1"]),
        (simulate(&["--probes", "no/such/folder/p.csv", "--probe-every", "1"]), &["no/such/folder/p.csv"]),
        (
            vec!["simulate", "cloth_on_ball", "--seconds", "0.01", "--probes", "never-made.csv", "--probe-every", "1"],
            &["\"cloth_on_ball\" has no probes", "--probes"],
        ),
        (simulate(&["--save", "no/such/folder/water.state"]), &["no/such/folder/water.state"]),
        (simulate(&["--load", "no/such.state"]), &["no/such.state"]),
        (simulate(&["--load", "Cargo.toml"]), &["Cargo.toml", "not a saved state of Nearwater", "--save"]),
        (simulate(&["--load", "Cargo.toml", "--radius", "0.5"]), &["--load", "--radius"]),
        (vec!["bench", "--only", "T9"], &["T9", "T1a"]),
        (vec!["bench", "--runs", "0"], &["--runs"]),
        (vec!["verify", "--search", "fens"], &["fens"]),
        (vec!["verify", "--only", "no/such.ron"], &["no/such.ron"]),
        (vec!["verify", "--only", "Cargo.toml"], &["Cargo.toml", "not a fixture"]),
        (vec!["verify", "--mutants", "--only", "no such line"], &["no such line", "assets/verification"]),
        (vec!["verify", "--report", "no/such/folder/r.txt"], &["no/such/folder/r.txt"]),
        (vec!["verify", "--endless", "--seconds", "nan"], &["--seconds", "NaN"]),
        (vec!["verify", "--solver", "pbf"], &["all settings", "leave out --solver"]),
        (vec!["verify", "--particles", "9"], &["--endless", "leave out --particles"]),
        (vec!["soak", "--option", "sort=radix"], &["at random", "leave out --option"]),
        (vec!["adapters", "--seed", "3"], &["leave out --seed"]),
        (vec!["validate", "hidrostatic"], &["hidrostatic", "hydrostatic", "all"]),
        (vec!["validate", "spheric_2", "--particles", "9"], &["--particles", "--resolution"]),
        (vec!["validate", "hydrostatic", "--resolution", "20,1"], &["--resolution is 1", "10 to 200"]),
        (vec!["validate", "hydrostatic", "--seconds", "nan"], &["--seconds is NaN", "hydrostatic"]),
        (vec!["validate", "shear_box", "--solver", "repulsion"], &["water", "Repulsion", "--solver repulsion"]),
        (vec!["validate", "hydrostatic", "--out", "no/such/folder"], &["no/such/folder"]),
        (vec!["validate", "hydrostatic", "--out", "Cargo.toml"], &["Cargo.toml"]),
    ];
    for (arguments, parts) in cases {
        let output = nearwater(&arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        let sentence = told.lines().find(|line| line.starts_with("nearwater: ")).unwrap_or_default();
        assert_eq!(output.status.code(), Some(2), "{arguments:?} printed: {told}");
        for part in parts {
            assert!(sentence.contains(part), "{arguments:?} printed \"{sentence}\", which does not contain \"{part}\"");
        }
    }
}

#[test]
fn arguments_that_require_others_are_reported() {
    for (given, parts) in [
        (["--export", "never-made"].as_slice(), ["--every", "required"]),
        (&["--every", "0.1"], ["--export", "required"]),
        (&["--format", "csv"], ["--export", "required"]),
        (&["--probes", "never-made.csv"], ["--probe-every", "required"]),
        (&["--probe-every", "0.1"], ["--probes", "required"]),
        (&["--export", "never-made", "--every", "0.1", "--format", "obj"], ["vtk, ply or csv", "obj"]),
    ] {
        let output = nearwater(&[&["simulate", "drop", "--seconds", "0.01"], given].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{given:?} printed: {told}");
        for part in parts {
            assert!(told.contains(part), "{given:?} printed \"{told}\", which does not contain \"{part}\"");
        }
    }
    assert!(!Path::new("never-made").exists() && !Path::new("never-made.csv").exists());
}

/// Simulates a scene for 0.03 s with these additional arguments, and returns what was printed.
fn run(scene: &str, more: &[&str]) -> String {
    let output = nearwater(&[&["simulate", scene, "--seconds", "0.03"], more].concat());
    let (told, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{more:?}: {told}{errors}");
    told.into_owned()
}

#[test]
fn frames_and_probe_readings_are_written_at_their_times() {
    let folder = folder("frames");
    let (frames, probes) = (folder.join("frames"), folder.join("probes.csv"));
    let (frames_argument, probes_argument) = (frames.display().to_string(), probes.display().to_string());
    let export = ["--export", &frames_argument, "--every", "0.01", "--particles", "600"];
    let more = ["--format", "csv", "--probes", &probes_argument, "--probe-every", "0.015"];
    let told = run("dam_break", &[export.as_slice(), &more].concat());
    assert!(told.contains("4 frames are listed in") && told.contains("3 rows of probe readings are in"), "{told}");
    let rows = |file: &Path| -> Vec<csv::StringRecord> {
        csv::Reader::from_path(file).expect("a CSV").records().map(|row| row.expect("a valid row")).collect()
    };
    let time = |row: &csv::StringRecord, column: usize| row[column].parse::<f64>().expect("a time");
    let listed = rows(&frames.join("frames.csv"));
    for (row, due) in listed.iter().zip([0.0, 0.01, 0.02, 0.03]) {
        // A frame is written at the first step that is not earlier than its time; steps take at most 2 ms here.
        assert!((due..due + 0.002).contains(&time(row, 1)), "{row:?} for {due} s");
        assert_eq!(rows(&frames.join(&row[0])).len(), rows(&frames.join("water_00000.csv")).len());
    }
    assert_eq!(listed.len(), 4);
    let header = csv::Reader::from_path(&probes).and_then(|mut rows| rows.headers().cloned()).expect("a header");
    assert_eq!(header.iter().take(4).collect::<Vec<_>>(), ["time_s", "step", "front_m", "column_m"]);
    for (row, due) in rows(&probes).iter().zip([0.0, 0.015, 0.03]) {
        assert!((due..due + 0.002).contains(&time(row, 0)), "{row:?} for {due} s");
        // The block of water ends at x = -1 m and is 4 m high, up to the rounding to an integer number of layers.
        assert!((time(row, 2) + 1.0).abs() < 0.3 && (time(row, 3) - 4.0).abs() < 0.3, "{row:?}");
    }
    let again = nearwater(&[&["simulate", "dam_break", "--seconds", "0.03"], export.as_slice()].concat());
    let told = String::from_utf8_lossy(&again.stderr);
    assert!(again.status.code() == Some(2) && told.contains("frames of another run"), "{told}");
}

#[test]
fn probes_are_read_in_every_step_and_windows_of_time_take_means_between_rows() {
    let folder = folder("windows");
    let scene = folder.join("tank.ron");
    let text = include_str!("../assets/scenes/hydrostatic.ron");
    let probes = "probes: [Pressure(name: \"now\", at: (0.5, 0.1, 0.0)), Pressure(name: \"mean\", at: (0.5, 0.1, 0.0), \
                  mean_over: 0.01),";
    std::fs::write(&scene, text.replace("probes: [", probes)).expect("the scene is written");
    let table = |file: &str, every: &str| -> Vec<Vec<f64>> {
        let file = folder.join(file);
        let probes = ["--particles", "200", "--probes", &file.display().to_string(), "--probe-every", every];
        run(&scene.display().to_string(), &probes);
        let rows = csv::Reader::from_path(&file).expect("a CSV").into_records().map(|row| row.expect("a valid row"));
        rows.map(|row| row.iter().map(|field| field.parse().unwrap_or(f64::NAN)).collect()).collect()
    };
    let every_step = table("all.csv", "1e-9");
    for (number, row) in every_step.iter().enumerate() {
        assert!((row[1] - number as f64).abs() < 1e-9, "{row:?} in place of step {number}");
    }
    // Each mean is that of the readings of the last 0.01 s, whether they became rows or not.
    let mean_at = |time: f64| {
        let within = every_step.iter().filter(|row| row[0] <= time + 1e-9 && time - row[0] < 0.01 * (1.0 - 1e-6));
        let readings: Vec<f64> = within.map(|row| row[2]).collect();
        readings.iter().sum::<f64>() / readings.len() as f64
    };
    let scale = every_step.iter().map(|row| row[2].abs()).fold(0.0, f64::max);
    assert!(scale > 0.0 && every_step.len() > 10, "{} rows", every_step.len());
    for row in &every_step {
        assert!((row[3] - mean_at(row[0])).abs() < 1e-6 * scale, "{row:?}, not {}", mean_at(row[0]));
    }
    let rare = table("rare.csv", "0.015");
    assert_eq!(rare.len(), 3);
    for row in &rare[1..] {
        assert!((row[3] - mean_at(row[0])).abs() < 0.1 * scale, "{row:?}, not {}", mean_at(row[0]));
        assert!((row[3] - row[2]).abs() > 1e-6 * scale, "the mean is the reading of the moment: {row:?}");
    }
}

#[test]
fn a_state_resumes_bit_for_bit_or_reports_that_it_does_not() {
    let folder = folder("states");
    let file = |name: &str| folder.join(name).display().to_string();
    let (half, whole, other) = (file("half.state"), file("whole.state"), file("other.state"));
    let green = ["--particles", "600", "--search", "green"];
    let told = run("drop", &[&green[..], &["--save", &half]].concat());
    assert!(told.contains("bit for bit"), "{told}");
    let told = run("drop", &["--load", &half, "--save", &whole]);
    assert!(told.contains("Green 2008") && told.contains("resumes bit for bit"), "{told}");
    // Each half ends with the first step that is not earlier than its end; the whole run has as many steps as both
    // halves.
    let number = |from: &str, to: &str| -> f64 {
        let rest = told.split(from).nth(1).expect("the output contains it");
        rest.split(to).next().and_then(|number| number.trim().parse().ok()).expect("a number")
    };
    let seconds = ((2.0 * number("bit for bit\n", " steps") - 0.5) * 1e-3 * number("step ", " ms")).to_string();
    let output = nearwater(&[&["simulate", "drop", "--seconds", &seconds, "--save", &other], &green[..]].concat());
    assert!(output.status.success());
    let read = |file: &str| std::fs::read(file).expect("it was saved");
    assert!(read(&whole) == read(&other), "the states differ");

    // A state names its scene itself.
    let resumed = nearwater(&["simulate", "--seconds", "0.03", "--load", &half, "--save", &other]);
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert!(read(&whole) == read(&other), "the states differ");

    let told = run("drop", &["--particles", "600", "--search", "hoetzlein", "--save", &other]);
    assert!(told.contains("differs from an uninterrupted one"), "{told}");
    let refused = nearwater(&["simulate", "dam_break", "--seconds", "0.01", "--load", &half]);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && told.contains("saved from the scene \"drop\""), "{told}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported_in_one_sentence() {
    for more in [["--save", "/dev/full"], ["--timings", "/dev/full"], ["--png", "/dev/full"]] {
        let output = nearwater(&[&["simulate", "drop", "--seconds", "0.01", "--particles", "600"], &more[..]].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.ends_with("nearwater: cannot write /dev/full: No space left on device\n"), "{told}");
    }
}

#[test]
fn a_scene_starts_with_the_particles_of_a_points_file() {
    let folder = folder("points");
    let scene = folder.join("drops.ron");
    let good = include_str!("../assets/scenes/drop.ron");
    let points = "points: [(file: \"drops.csv\", spacing: 0.25)],\n    gravity: (";
    let from = good.find("    blocks: [").expect("the scene has blocks");
    let to = from + good[from..].find("    ],\n").expect("a list ends") + "    ],\n".len();
    let text = format!("{}{}", &good[..from], &good[to..]).replace("gravity: (", points);
    std::fs::write(&scene, text).expect("it can be written");
    let write = |last: &str| {
        let place = |number: usize| 0.125 + 0.25 * number as f64;
        let row = |row: usize| format!("{},{},{}\n", place(row % 10), place(row / 100), place(row / 10 % 10));
        let rows: String = (0..300).map(row).collect();
        std::fs::write(folder.join("drops.csv"), format!("x,y,z\n{rows}{last}")).expect("it can be written");
    };
    let argument = scene.display().to_string();
    write("");
    let told = run(&argument, &[]);
    assert!(told.contains("300 particles, spacing 0.2500 m") && told.contains("0 outside the box"), "{told}");
    let refusal = |more: &[&str]| {
        let output = nearwater(&[&["simulate", &argument, "--seconds", "0.01"], more].concat());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let told = refusal(&["--particles", "600"]);
    assert!(told.contains("come from a file") && told.contains("--particles"), "{told}");
    write("0,nan,0\n");
    let told = refusal(&[]);
    assert!(told.contains("drops.ron, field points[0]: 1 of the 301 particles of drops.csv (numbers 300"), "{told}");
}

#[test]
fn an_invalid_scene_file_is_reported_with_its_line_and_field() {
    let file = folder("wrong_scene").join("typo.ron");
    let good = include_str!("../assets/scenes/dam_break.ron");
    let line = 1 + good.lines().position(|line| line.contains("gravity: (")).expect("the scene has gravity");
    std::fs::write(&file, good.replace("    gravity: (", "    gravty: (")).expect("it can be written");
    let output = nearwater(&["simulate", &file.display().to_string(), "--seconds", "0.01"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    for part in ["typo.ron", &format!("line {line}"), "gravty"] {
        assert!(told.contains(part), "printed \"{told}\", which does not contain \"{part}\"");
    }
}

#[test]
fn a_run_writes_a_picture_and_a_row_for_every_step() {
    let folder = folder("run");
    let (png, csv) = (folder.join("water.png"), folder.join("times.csv"));
    let (png_argument, csv_argument) = (png.display().to_string(), csv.display().to_string());
    let output = nearwater(&[
        "simulate",
        "drop",
        "--seconds",
        "0.02",
        "--particles",
        "600",
        "--size",
        "320x200",
        "--png",
        &png_argument,
        "--timings",
        &csv_argument,
    ]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));

    let picture = image::open(&png).expect("a PNG").to_rgb8();
    assert_eq!(picture.dimensions(), (320, 200));
    let distinct: std::collections::HashSet<_> = picture.pixels().map(|pixel| pixel.0).collect();
    assert!(distinct.len() > 50, "the picture has only {} colors", distinct.len());

    let steps: usize = told
        .lines()
        .find_map(|line| line.split_once(" steps, ").and_then(|(count, _)| count.parse().ok()))
        .expect("the number of steps is printed");
    let mut rows = csv::Reader::from_path(&csv).expect("a CSV");
    let columns = rows.headers().expect("a header").len();
    let has_timestamps = !told.contains("not supported");
    assert_eq!(columns > 2, has_timestamps, "{columns} columns");
    assert_eq!(rows.records().flatten().count(), steps);
    assert!(steps > 3, "{steps} steps");
}

#[test]
fn adapters_are_listed_with_the_features_they_lack() {
    let output = nearwater(&["adapters"]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success());
    for part in ["largest binding", "workgroup memory", "subgroup size", "lacks", "(used unless --adapter"] {
        assert!(told.contains(part), "\"{part}\" is missing in:\n{told}");
    }
}

/// Two searches are checked at the same time, on a device each; the report has a line for each configuration.
#[test]
fn verify_reports_every_configuration_into_a_file() {
    let file = folder("verify_report").join("report.txt");
    let report = file.to_str().expect("a path");
    let output =
        nearwater(&["verify", "--only", "uniform 129", "--search", "brute_force", "--jobs", "2", "--report", report]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&file).expect("the report was written");
    assert_eq!(text, String::from_utf8_lossy(&output.stdout));
    let lines: Vec<_> = text.lines().filter(|line| line.contains("1 exact, 0 wrong")).collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(text.contains("fingerprints of the neighbor sets are equal"), "{text}");
}
