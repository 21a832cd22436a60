//! The program as a user types it: what it refuses, in one sentence and with exit code 2, and what it writes.

use std::path::PathBuf;
use std::process::{Command, Output};

fn nearwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nearwater")).args(arguments).output().expect("the program was built")
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

#[test]
fn what_cannot_be_done_is_refused_in_one_sentence() {
    let simulate = |more: &[&'static str]| [&["simulate", "dam_break", "--seconds", "0.01"], more].concat();
    let cases: Vec<(Vec<&str>, &[&str])> = vec![
        (vec!["dam_brek"], &["dam_brek", "dam_break"]),
        (vec!["simulate", "drap", "--seconds", "1"], &["drap", "drop"]),
        (vec!["simulate", "drop", "--seconds", "-1"], &["--seconds", "-1"]),
        (vec!["simulate", "drop", "--seconds", "nan"], &["--seconds", "NaN"]),
        (simulate(&["--search", "hotzlein"]), &["hotzlein", "hoetzlein"]),
        (simulate(&["--adapter", "no such card"]), &["no such card"]),
        (simulate(&["--radius", "0"]), &["radius", "0", "metres"]),
        (simulate(&["--radius", "-2"]), &["radius", "-2"]),
        (simulate(&["--radius", "nan"]), &["radius", "NaN"]),
        (simulate(&["--radius", "1000"]), &["radius", "1000", "box"]),
        (simulate(&["--particles", "0"]), &["particles", "0"]),
        (simulate(&["--particles", "4000000000"]), &["particles", "adapter holds"]),
        (simulate(&["--png", "no/such/folder/water.png"]), &["no/such/folder/water.png"]),
        (simulate(&["--shaders", "src"]), &["src", "shaders"]),
        (vec!["bench", "--only", "T9"], &["T9", "T1a"]),
        (vec!["bench", "--runs", "0"], &["--runs"]),
        (vec!["verify", "--search", "fens"], &["fens"]),
    ];
    for (arguments, parts) in cases {
        let output = nearwater(&arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        let sentence = told.lines().find(|line| line.starts_with("nearwater: ")).unwrap_or_default();
        assert_eq!(output.status.code(), Some(2), "{arguments:?} told: {told}");
        for part in parts {
            assert!(sentence.contains(part), "{arguments:?} told \"{sentence}\", without \"{part}\"");
        }
    }
}

#[test]
fn a_wrong_scene_file_is_told_with_its_line_and_field() {
    let file = folder("wrong_scene").join("typo.ron");
    let good = include_str!("../assets/scenes/dam_break.ron");
    let line = 1 + good.lines().position(|line| line.contains("gravity: (")).expect("the scene has gravity");
    std::fs::write(&file, good.replace("    gravity: (", "    gravty: (")).expect("it can be written");
    let output = nearwater(&["simulate", &file.display().to_string(), "--seconds", "0.01"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    for part in ["typo.ron", &format!("line {line}"), "gravty"] {
        assert!(told.contains(part), "told \"{told}\", without \"{part}\"");
    }
}

#[test]
fn a_run_leaves_a_picture_and_a_row_for_every_step() {
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
    assert!(distinct.len() > 50, "a picture of {} colours", distinct.len());

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
fn adapters_are_listed_with_what_they_lack() {
    let output = nearwater(&["adapters"]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success());
    for part in ["largest binding", "workgroup memory", "subgroup size", "lacks", "(used unless --adapter"] {
        assert!(told.contains(part), "no \"{part}\" in:\n{told}");
    }
}
