//! Plays recordings off screen from the command line: the slider and scripts show other frames, recorded numbers color
//! the particles, laboratory views show a frame, and what cannot be played is refused in one sentence.
#![cfg(feature = "app")]

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use image::RgbImage;

/// The folder of a test, empty at its start.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("playback").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn play(folder: &PathBuf, script: &str, more: &[&str]) -> Output {
    let file = folder.join("test.script");
    fs::write(&file, script).expect("the folder is writable");
    let output = Command::new(env!("CARGO_BIN_EXE_nearwater"))
        .args(["play", "--off-screen", "--size", "1000x700", "--script"])
        .arg(file)
        .args(more)
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .env("HOME", folder)
        .current_dir(folder)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output();
    output.expect("the program was built")
}

fn succeed(folder: &PathBuf, script: &str, more: &[&str]) {
    let output = play(folder, script, more);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A dump of a block of `edge`³ particles that moves along x by its own width in each frame; the third number of each
/// particle's line is its temperature.
fn dump(edge: usize, frames: usize) -> String {
    let mut text = String::new();
    for frame in 0..frames {
        let count = edge.pow(3);
        let time = 0.5 * frame as f64;
        write!(text, "ITEM: TIMESTEP\n{frame}\nITEM: TIME\n{time}\nITEM: NUMBER OF ATOMS\n{count}\n").expect("a text");
        text += "ITEM: BOX BOUNDS ff ff ff\n0 4\n0 2\n0 2\nITEM: ATOMS id x y z temperature\n";
        for index in 0..count {
            let place = |number: usize| 0.05 + 0.1 * (number % edge) as f64;
            let shift = 0.1 * (edge * frame) as f64;
            let (x, y, z) = (place(index) + shift, place(index / edge), place(index / edge / edge));
            writeln!(text, "{} {x} {y} {z} {}", index + 1, 300 + index % edge).expect("a text");
        }
    }
    text
}

/// Number of pixels right of the panel and above the overlay that differ by more than rounding.
fn changed(one: &RgbImage, other: &RgbImage) -> usize {
    let pixels = one.enumerate_pixels().filter(|(x, y, _)| *x > 290 && *y < 500);
    pixels.filter(|(x, y, pixel)| (0..3).any(|c| pixel[c].abs_diff(other.get_pixel(*x, *y)[c]) > 8)).count()
}

#[test]
fn the_slider_colors_and_views_show_the_frames() {
    let folder = folder("frames");
    let file = folder.join("a.lammpstrj");
    fs::write(&file, dump(9, 4)).expect("the folder is writable");
    succeed(
        &folder,
        "pause on\nframe 1\nwait 5\nshot first.png\nframe 3\nwait 5\nshot third.png\nframe 1\nwait 5\nshot again.png\n\
         click \"recorded temperature\"\nwait 5\nshot temperature.png\n\
         click \"recorded temperature\"\nframe 4\nwait 3\nkey i\nwait 10\nshot laboratory.png\nview none\nwait 5\n\
         click \"Reset\"\nwait 3\npause off\nwait 70\nshot played.png\n",
        &["a.lammpstrj"],
    );
    let picture =
        |name: &str| image::open(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}")).to_rgb8();
    let first = picture("first.png");
    assert!(changed(&first, &picture("third.png")) > 5_000, "the block did not move");
    // Particles of equal depth are drawn in the order of the last sort.
    assert!(changed(&first, &picture("again.png")) < 200, "the first frame looks otherwise than before");
    assert!(changed(&first, &picture("temperature.png")) > 2_000, "temperature has no colors of its own");
    assert!(changed(&first, &picture("laboratory.png")) > 20_000, "the laboratory shows nothing");
    // A second and a sixth after the reset the third frame is shown.
    // The block of another frame differs in more than 20,000 pixels.
    assert!(changed(&picture("third.png"), &picture("played.png")) < 3_000, "playing did not reach the third frame");
}

#[test]
fn frames_with_other_numbers_of_particles_are_shown() {
    let folder = folder("counts");
    fs::write(folder.join("a.dump"), dump(6, 1) + &dump(9, 2).replace("ITEM: TIME\n0\n", "ITEM: TIME\n0.25\n"))
        .expect("the folder is writable");
    succeed(
        &folder,
        "pause on\nwait 5\nshot few.png\nframe 2\nwait 20\nshot many.png\nframe 1\nwait 20\nshot again.png\n",
        &["a.dump", "--field", "density"],
    );
    let picture =
        |name: &str| image::open(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}")).to_rgb8();
    assert!(changed(&picture("few.png"), &picture("many.png")) > 3_000, "the larger block is not shown");
    assert!(changed(&picture("few.png"), &picture("again.png")) < 200, "the smaller block did not return");
}

#[test]
fn what_cannot_be_played_is_refused_in_one_sentence() {
    let folder = folder("refused");
    let whole = dump(3, 2);
    fs::write(folder.join("cut.dump"), &whole[..whole.len() - 30]).expect("the folder is writable");
    fs::write(folder.join("a.csv"), "a,b\n1,2\n").expect("the folder is writable");
    fs::write(folder.join("many.dump"), dump(9, 1)).expect("the folder is writable");
    for (more, part) in [
        (&["none.dump"][..], "none.dump"),
        (&["a.csv"], "no \"x\""),
        (&["cut.dump", "--spacing", "-1"], "spacing is -1"),
        (&["many.dump", "--spacing", "50"], "too large"),
        (&["cut.dump", "--particles", "5"], "leave out --particles"),
    ] {
        let output = play(&folder, "wait 1\n", more);
        let sentence = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        assert_eq!(output.status.code(), Some(2), "{more:?}: {sentence}");
        assert!(sentence.contains(part) && sentence.lines().count() == 1, "{more:?}: {sentence}");
    }
    let output = play(&folder, "wait 3\n", &["cut.dump"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("cut.dump ends in the middle of frame 2"), "{printed}");
}
