//! A short run of random use of the whole app, off screen, and faults that it must reveal.
#![cfg(feature = "app")]

#[path = "common/replaced_line.rs"]
mod replaced_line;
#[path = "common/shader_folder.rs"]
mod shader_folder;

use std::path::PathBuf;
use std::process::{Command, Output};

use self::replaced_line::with_replaced_line;

/// Uses the app at random, with files in a folder of the test.
fn soak(name: &str, more: &[&str]) -> (PathBuf, Output) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("random_use").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let output = Command::new(env!("CARGO_BIN_EXE_nearwater"))
        .args(["soak", "--window", "--off-screen", "--seed", "20261126", "--particles", "500"])
        .args(more)
        .env("TMPDIR", &folder)
        .env("HOME", &folder)
        .current_dir(&folder)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .expect("the program was built");
    (folder, output)
}

#[test]
fn random_use_of_the_app_breaks_nothing() {
    let (folder, output) = soak("sound", &["--lines", "60"]);
    let (said, logged) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}\n{logged}");
    assert!(said.lines().any(|line| line.starts_with("60 lines")), "{said}");
    assert!(!folder.join("nearwater-soak-20261126.script").exists(), "the lines are of no use after a success");
}

#[test]
fn particles_that_leave_the_box_are_found_and_the_lines_before_are_kept() {
    let (shaders, _gpu) = with_replaced_line(
        "fluid/integration.wgsl",
        (
            "return select(not_below, high, not_below > high);",
            "return select(next, next, not_below > high) - vec3<f32>(0.0, 0.1 / fluid.inverse_spacing, 0.0);",
        ),
    );
    let shaders = shaders.path().to_str().expect("a plain name");
    let (folder, output) = soak("wrong", &["--lines", "200", "--shaders", shaders]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("WRONG: ") && said.contains("outside of the box"), "{said}");
    let lines = std::fs::read_to_string(folder.join("nearwater-soak-20261126.script")).expect("the lines are kept");
    assert!(lines.contains("key escape\n"), "{lines}");
}
