//! The real app in a real window, on a virtual display where there is no other: it starts, runs, switches through every
//! search while the water moves, shows something, and survives the loss of its device.
#![cfg(all(feature = "app", target_os = "linux"))]

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use image::RgbImage;
use nearwater::app::{Action, AppOptions, Script, run_app};
use nearwater::fluid::{Scene, SceneEdits, Settings, Size, SmoothingKernel};
use nearwater::gpu::{Gpu, ShaderLibrary};
use nearwater::search::{SEARCHES, SearchOptions};

const FRAMES: u32 = 60;
const EARLY: u32 = 6;
/// The device is lost between the last of the frames and this one.
const AFTERWARDS: u32 = 75;
const WIDTH: u32 = 640;
const HEIGHT: u32 = 400;

/// A virtual display, taken down with the test.
struct Display {
    server: Option<Child>,
}

impl Display {
    /// The session's own display, or one of Xvfb.
    fn open() -> Self {
        if std::env::var_os("DISPLAY").is_some() {
            return Self { server: None };
        }
        let number = 100 + std::process::id() % 400;
        let socket = PathBuf::from(format!("/tmp/.X11-unix/X{number}"));
        let server = Command::new("Xvfb")
            .args([&format!(":{number}"), "-screen", "0", "1280x800x24", "-nolisten", "tcp"])
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("Xvfb is not installed; \"./x test\" installs it (Debian and Ubuntu: apt-get install xvfb)");
        let display = Self { server: Some(server) };
        let patience = Instant::now() + Duration::from_secs(20);
        while !socket.exists() {
            assert!(Instant::now() < patience, "Xvfb opened no display :{number} within 20 s");
            std::thread::sleep(Duration::from_millis(20));
        }
        // SAFETY: this test binary has one test, and it has started no thread yet.
        #[expect(unsafe_code, reason = "the window finds its display in the environment")]
        unsafe {
            std::env::set_var("DISPLAY", format!(":{number}"));
        }
        display
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            // It is gone already when these fail.
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

fn picture(file: &Path) -> RgbImage {
    image::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).to_rgb8()
}

/// Pixels of the part that shows the water that differ by more than rounding.
fn changed(one: &RgbImage, other: &RgbImage) -> usize {
    one.enumerate_pixels()
        .filter(|(x, y, _)| *x > 240 && *y < 250)
        .filter(|(x, y, pixel)| (0..3).any(|c| pixel[c].abs_diff(other.get_pixel(*x, *y)[c]) > 8))
        .count()
}

#[test]
fn the_app_runs_through_the_searches_shows_moving_water_and_survives_a_lost_device() {
    let _display = Display::open();
    let folder = std::env::temp_dir().join(format!("nearwater-window-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    let gpu = Gpu::open(None, ShaderLibrary::embedded().checked()).expect("llvmpipe or a graphics card");
    // Few particles: brute force is among the searches, and llvmpipe among the devices.
    let settings = Settings {
        search: SEARCHES[SEARCHES.len() - 1],
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(1_000),
        seed: 7,
        edits: SceneEdits::default(),
    };
    let pause = FRAMES / (SEARCHES.len() as u32 + 2);
    let switches = (1..=SEARCHES.len() as u32).map(|turn| (EARLY + turn * pause, Action::NextSearch));
    let [early, late, recovered] = ["early.png", "late.png", "recovered.png"].map(|name| folder.join(name));
    let script = Script {
        actions: switches.collect(),
        pictures: vec![(EARLY, early.clone()), (FRAMES, late.clone()), (AFTERWARDS, recovered.clone())],
        device_lost: Some(FRAMES + 5),
        frames: Some(AFTERWARDS),
    };
    let scene = Scene::load("dam_break").expect("the default scene is embedded");
    let window_size = Some(glam::UVec2::new(WIDTH, HEIGHT));
    run_app(AppOptions { gpu, scene, settings, state: None, window_size, script })
        .expect("the app runs and ends by itself");

    let [early, late, recovered] = [early, late, recovered].map(|file| picture(&file));
    assert_eq!(early.dimensions(), (WIDTH, HEIGHT));
    for (name, picture) in [("running", &late), ("after the device was lost", &recovered)] {
        let mut colours: Vec<_> = picture.pixels().collect();
        colours.sort_unstable_by_key(|pixel| pixel.0);
        colours.dedup();
        // A blank window has a few colours: the panel's, the background's.
        assert!(colours.len() > 500, "the window shows {} colours {name}", colours.len());
    }
    let moved = changed(&early, &late);
    assert!(moved > 200, "only {moved} pixels of the water changed in {} frames", FRAMES - EARLY);
    std::fs::remove_dir_all(&folder).expect("the temporary folder is still there");
}
