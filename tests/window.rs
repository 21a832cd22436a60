//! Runs the app in a real window, on a virtual display if there is no other: it switches through every search while the
//! simulation runs, draws moving water, and recovers from the loss of its device. Vulkan's validation layer, where
//! there is one, has nothing to say about any of that.
#![cfg(all(feature = "app", target_os = "linux"))]

#[path = "common/validation_layer.rs"]
mod validation_layer;

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use image::RgbImage;
use nearwater::app::{AppOptions, Script, run_app};
use nearwater::fluid::{Scene, SceneEdits, Settings, Size, SmoothingKernel};
use nearwater::gpu::{Gpu, ShaderLibrary};
use nearwater::search::{SEARCHES, SearchOptions};

/// Number of frames that are divided among the searches.
const FRAMES: u32 = 60;
/// Frame of the first picture.
const EARLY: u32 = 3;
/// Number of frames after the loss of the device.
const AFTERWARDS: u32 = 10;
/// Bevy presents the first image of a window before anything was drawn into it, and then acquires an image with the
/// semaphore that nothing has waited for. One empty frame is all that comes of it.
const FIRST_FRAME: [&str; 2] =
    ["VUID-VkPresentInfoKHR-pImageIndices-01296", "VUID-vkAcquireNextImageKHR-semaphore-01286"];
const WIDTH: u32 = 640;
const HEIGHT: u32 = 400;

/// A display; a virtual one is closed at the end of the test.
struct Display {
    server: Option<Child>,
}

impl Display {
    /// Uses the display of the session, or starts Xvfb.
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
            assert!(Instant::now() < patience, "Xvfb did not open the display :{number} within 20 s");
            std::thread::sleep(Duration::from_millis(20));
        }
        // SAFETY: this test binary has one test, and it has started no thread yet.
        #[expect(unsafe_code, reason = "winit reads the display from the environment")]
        unsafe {
            std::env::set_var("DISPLAY", format!(":{number}"));
        }
        display
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            // These fail only if the server has ended already.
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

fn picture(file: &Path) -> RgbImage {
    image::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).to_rgb8()
}

/// Number of pixels in the part that shows the scene that differ by more than rounding.
fn changed(one: &RgbImage, other: &RgbImage) -> usize {
    one.enumerate_pixels()
        .filter(|(x, y, _)| *x > 240 && *y < 250)
        .filter(|(x, y, pixel)| (0..3).any(|c| pixel[c].abs_diff(other.get_pixel(*x, *y)[c]) > 8))
        .count()
}

#[test]
fn the_app_switches_searches_draws_moving_water_and_recovers_from_a_lost_device() {
    let _display = Display::open();
    let folder = std::env::temp_dir().join(format!("nearwater-window-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is writable");
    validation_layer::collect();
    let gpu = Gpu::open(None, ShaderLibrary::embedded().checked()).expect("llvmpipe or a graphics card");
    let is_validated = validation_layer::is_active(&gpu);
    // Few particles, because brute force is one of the searches and llvmpipe may be the device.
    let settings = Settings {
        search: SEARCHES[SEARCHES.len() - 1],
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(1_000),
        seed: 7,
        edits: SceneEdits::default(),
    };
    let pause = FRAMES / (SEARCHES.len() as u32 + 2);
    let switches = format!("wait {pause}\nkey g\n").repeat(SEARCHES.len());
    let script = format!(
        "wait {EARLY}\nshot early.png\n{switches}wait {pause}\nshot late.png\nwait 5\nlose-device\nwait {AFTERWARDS}\n\
         shot recovered.png\nquit"
    );
    let script = Script::parse("window.script", &script, &folder).expect("the script is valid");
    let [early, late, recovered] = ["early.png", "late.png", "recovered.png"].map(|name| folder.join(name));
    let scene = Scene::load("dam_break").expect("the default scene is embedded");
    let window_size = Some(glam::UVec2::new(WIDTH, HEIGHT));
    run_app(AppOptions { window_size, script, ..AppOptions::new(gpu, scene, settings) })
        .expect("the app runs its script and ends");

    let [early, late, recovered] = [early, late, recovered].map(|file| picture(&file));
    assert_eq!(early.dimensions(), (WIDTH, HEIGHT));
    for (name, picture) in [("running", &late), ("after the device was lost", &recovered)] {
        let mut colors: Vec<_> = picture.pixels().collect();
        colors.sort_unstable_by_key(|pixel| pixel.0);
        colors.dedup();
        // A blank window has a few colors: the panel's, the background's.
        assert!(colors.len() > 500, "the window has only {} colors {name}", colors.len());
    }
    let moved = changed(&early, &late);
    assert!(moved > 200, "only {moved} pixels of the water changed in {FRAMES} frames");
    std::fs::remove_dir_all(&folder).expect("the temporary folder is still there");
    if is_validated {
        let (first_frame, others): (Vec<_>, Vec<_>) = validation_layer::new_complaints()
            .into_iter()
            .partition(|said| FIRST_FRAME.iter().any(|name| said.contains(name)));
        assert!(others.is_empty(), "{others:#?}");
        // Once for each of the two devices; in every frame would be a fault of the app.
        assert!(first_frame.len() <= 2 * FIRST_FRAME.len(), "{first_frame:#?}");
    }
}
