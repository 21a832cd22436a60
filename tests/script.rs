//! Runs the program off screen from the command line: scripts run without a display, their pictures show their effects,
//! invalid scripts are rejected before anything opens, and the settings of one run are read by the next.
#![cfg(feature = "app")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use image::RgbImage;
use nearwater::app::{GalleryEntry, Lesson, VIEWS, gallery_page};
#[cfg(target_os = "linux")]
use nearwater::soak::resident_bytes;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 400;
/// Width of the panel at the left and height of the overlay at the bottom, pixels.
const PANEL: u32 = 280;
const OVERLAY: u32 = 84;

/// The folder of a test, empty at its start, in which the program writes its files.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("script").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        Self { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The program with a script, off screen, with the user's configuration folder inside the test's folder.
    fn program(&self, script: &str, more: &[&str]) -> Command {
        let file = self.file("test.script");
        std::fs::write(&file, script).expect("the folder is writable");
        let size = format!("{WIDTH}x{HEIGHT}");
        let mut program = Command::new(env!("CARGO_BIN_EXE_nearwater"));
        program
            .args(["--off-screen", "--particles", "1000", "--script"])
            .arg(file)
            .args(if more.contains(&"--size") { vec![] } else { vec!["--size", &size] })
            .args(more)
            .env("XDG_CONFIG_HOME", self.file("config"))
            .env("HOME", &self.folder)
            .current_dir(&self.folder)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        program
    }

    /// Runs a script.
    fn play(&self, script: &str, more: &[&str]) -> Output {
        self.program(script, more).output().expect("the program was built")
    }

    /// Runs a script that must succeed.
    fn succeed(&self, script: &str, more: &[&str]) {
        let output = self.play(script, more);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Runs a script that must be rejected, and returns the message.
    fn refused(&self, script: &str, more: &[&str]) -> String {
        let output = self.play(script, more);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{script:?} printed: {printed}");
        printed.lines().find(|line| line.starts_with("nearwater: ")).unwrap_or_default().to_owned()
    }

    fn picture(&self, name: &str) -> RgbImage {
        let file = self.file(name);
        let picture = image::open(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).to_rgb8();
        let mut colors: Vec<_> = picture.pixels().map(|pixel| pixel.0).collect();
        colors.sort_unstable();
        colors.dedup();
        // A blank window has only the few colors of the panel and the background.
        assert!(colors.len() > 500, "{name} has only {} colors", colors.len());
        picture
    }
}

/// Number of pixels in a part of the window that differ by more than rounding, except in the overlay at the bottom,
/// whose numbers change with every frame.
fn changed(one: &RgbImage, other: &RgbImage, part: impl Fn(u32, u32) -> bool) -> usize {
    assert_eq!(one.dimensions(), other.dimensions());
    let above = |y| y + OVERLAY < HEIGHT;
    let pixels = one.enumerate_pixels().filter(|(x, y, _)| above(*y) && part(*x, *y));
    pixels.filter(|(x, y, pixel)| (0..3).any(|c| pixel[c].abs_diff(other.get_pixel(*x, *y)[c]) > 8)).count()
}

fn in_panel(x: u32, _y: u32) -> bool {
    x < PANEL
}

fn in_water(x: u32, _y: u32) -> bool {
    x > PANEL
}

#[test]
fn a_script_controls_the_app_and_its_pictures_show_the_effects() {
    let place = Place::new("plays");
    place.succeed(
        "water 0.02\npause on\nshot start.png\n\
         key h\nshot help.png\n\
         key escape\nshot closed.png\n\
         key 2\nshot density.png\n\
         key 1\ndrag right 450 150 520 170\nwait 60\nshot turned.png\n\
         hover 450 150\nscroll 3\nwait 60\nshot near.png\n\
         click \"smooth water\"\nshot smooth.png\n\
         click \"nearwater.state\"\nkey end\ntype x9\nshot typed.png\n\
         click \"Reset\"\nwater 0\nshot reset.png\n\
         scale 150\nshot large.png\n\
         size 800x500\nshot wide.png",
        &[],
    );
    let start = place.picture("start.png");
    assert_eq!(start.dimensions(), (WIDTH, HEIGHT));
    let help = place.picture("help.png");
    assert!(changed(&start, &help, in_water) > 5_000, "the list of keys does not cover the water");
    let closed = place.picture("closed.png");
    assert_eq!(changed(&start, &closed, |_, _| true), 0, "the paused window differs after its list of keys was closed");
    let steps = ["start.png", "density.png", "turned.png", "near.png", "smooth.png", "reset.png", "large.png"];
    for pair in steps.windows(2) {
        let differs = changed(&place.picture(pair[0]), &place.picture(pair[1]), in_water);
        assert!(differs > 500, "the water of {} and {} differs in {differs} pixels", pair[0], pair[1]);
    }
    let typed = changed(&place.picture("smooth.png"), &place.picture("typed.png"), in_panel);
    assert!(typed > 20, "typing changed {typed} pixels of the panel");
    assert_eq!(place.picture("wide.png").dimensions(), (800, 500));
}

#[test]
fn an_invalid_script_is_rejected_with_its_line_before_anything_opens() {
    let place = Place::new("wrong");
    // If anything were opened first, the missing adapter would be reported instead.
    let sentence = place.refused("shot a.png\nkye g", &["--adapter", "no such card"]);
    for part in ["test.script, line 2", "\"kye\"", "key"] {
        assert!(sentence.contains(part), "{sentence}");
    }
    assert!(!place.file("a.png").exists());
    let sentence = place.refused("wait 2\n# nothing\nclick \"No such button\"", &[]);
    for part in ["test.script, line 3", "No such button", "Pause"] {
        assert!(sentence.contains(part), "{sentence}");
    }
    let sentence = place.refused("pause on\nwater 3", &[]);
    assert!(sentence.contains("line 2") && sentence.contains("paused"), "{sentence}");
    let sentence = place.refused("", &[]);
    assert!(sentence.contains("--script"), "{sentence}");
}

#[test]
fn settings_are_kept_for_the_next_start_and_a_broken_file_is_set_aside() {
    let place = Place::new("settings");
    place.succeed("key 3\nkey p\nkey w\nscale 150\nwait 2", &[]);
    assert!(!place.file("config").exists(), "an off-screen run wrote the user's settings");
    let file = place.file("kept/settings.ron");
    let settings = ["--settings", file.to_str().expect("a path in UTF-8")];
    place.succeed("pause on\nshot before.png\nkey 3\nkey p\nkey w\nscale 150", &settings);
    let kept = std::fs::read_to_string(&file).expect("the settings were saved");
    for part in ["ui_scale: 150", "panel_open: false", "style: Smooth", "field: Pressure"] {
        assert!(kept.contains(part), "{kept}");
    }
    place.succeed("pause on\nshot after.png", &settings);
    let (before, after) = (place.picture("before.png"), place.picture("after.png"));
    assert!(changed(&before, &after, in_panel) > 10_000, "the panel is visible although it was hidden");

    std::fs::write(&file, "(ui_scale: 150,").expect("the file is there");
    place.succeed("pause on\nshot message.png", &settings);
    let aside = file.with_file_name("settings.ron.broken");
    assert_eq!(std::fs::read_to_string(&aside).expect("the broken file is kept"), "(ui_scale: 150,");
    let covered = changed(&before, &place.picture("message.png"), in_water);
    assert!(covered > 2_000, "the message about the broken file covers only {covered} pixels");
    place.succeed("key 4", &settings);
    let kept = std::fs::read_to_string(&file).expect("the file is there");
    assert!(kept.contains("field: NeighborCount"), "{kept}");
    assert_eq!(std::fs::read_to_string(&aside).expect("the broken file is kept"), "(ui_scale: 150,");
}

#[test]
fn controls_are_found_by_typing_and_sections_fold_and_are_kept() {
    let place = Place::new("find");
    let file = place.file("settings.ron");
    let settings = ["--settings", file.to_str().expect("a path in UTF-8"), "--size", "1280x800"];
    place.succeed(
        "pause on\nwait 3\nshot all.png\nkey f3\nwait 3\ntype vsync\nwait 3\nshot found.png\n\
         click \"Wait for the display (vsync)\"\nkey f3\nwait 3\nkey escape\nwait 3\nclick \"Color\"\nwait 2",
        &settings,
    );
    let (all, found) = (place.picture("all.png"), place.picture("found.png"));
    let panel = |picture: &RgbImage| {
        picture.enumerate_pixels().filter(|(x, y, p)| *x < PANEL && *y > 250 && *y < 590 && p.0[1] > 60).count()
    };
    assert!(panel(&found) * 20 < panel(&all), "{} bright pixels of {} are left", panel(&found), panel(&all));
    let kept = std::fs::read_to_string(&file).expect("the settings were saved");
    for part in ["vsync: false", "\"color\": false"] {
        assert!(kept.contains(part), "{kept}");
    }
    // A script finds a control of a folded section, which is open again only for as long.
    place.succeed("pause on\nwait 3\nclick \"neighbor count\"\nwait 2", &settings);
    let kept = std::fs::read_to_string(&file).expect("the settings were saved");
    assert!(kept.contains("\"color\": false") && kept.contains("field: NeighborCount"), "{kept}");
}

#[test]
fn the_command_line_takes_precedence_over_the_settings() {
    let place = Place::new("look");
    let file = place.file("settings.ron");
    let settings = ["--settings", file.to_str().expect("a path in UTF-8")];
    place.succeed("key 3\nkey w\nwait 2", &settings);
    let with_look = [&settings[..], &["--field", "density", "--theme", "light", "--style", "particles"]].concat();
    place.succeed("key v\nwait 2", &with_look);
    let kept = std::fs::read_to_string(&file).expect("the settings were saved");
    for part in ["field: Density", "theme: Light", "style: Beads"] {
        assert!(kept.contains(part), "{kept}");
    }
}

#[test]
fn the_views_of_the_laboratory_look_different() {
    let place = Place::new("laboratory");
    for search in ["brute_force", "hoetzlein", "claws"] {
        let mut script = "size 1280x800\nkey i\nwait 4\n".to_owned();
        for view in VIEWS {
            script += &["click \"", view.title, "\"\nwait 8\nshot ", search, "_", view.name, ".png\n"].concat();
        }
        place.succeed(&script, &["--search", search]);
        for pair in VIEWS.windows(2) {
            let [one, other] = [&pair[0], &pair[1]].map(|view| place.picture(&format!("{search}_{}.png", view.name)));
            let differing =
                one.enumerate_pixels().filter(|(x, y, pixel)| *x > 280 && other.get_pixel(*x, *y) != *pixel).count();
            assert!(differing > 20_000, "{search}: {} and {} look alike", pair[0].name, pair[1].name);
        }
    }
}

#[test]
fn the_gallery_shows_every_script_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = GalleryEntry::all();
    let scripts = std::fs::read_dir(root.join("assets/gallery")).expect("the scripts are there").count();
    assert_eq!(entries.len(), scripts);
    let mut files = Vec::new();
    for entry in &entries {
        assert!(!entry.title.is_empty() && !entry.sentence.is_empty(), "{} lacks a title or a sentence", entry.name);
        let script = entry.script(&root.join("docs/images/gallery")).unwrap_or_else(|error| panic!("{error}"));
        files.extend(script.pictures().into_iter().map(Path::to_owned));
    }
    assert!(!files.is_empty());
    for file in &files {
        assert!(file.is_file(), "{} is missing; run nearwater gallery docs/images/gallery", file.display());
        assert_eq!(files.iter().filter(|other| *other == file).count(), 1, "{} is made twice", file.display());
    }
    let page = gallery_page(&entries, "images/gallery/").expect("every script is right");
    let written = std::fs::read_to_string(root.join("docs/GALLERY.md")).expect("the page is there");
    assert_eq!(written, page, "docs/GALLERY.md is not what the scripts say; nearwater gallery writes it");
}

/// The script of a reader who walks a lesson to its end, and tries every wrong answer before the right one.
fn reader_of(lesson: &Lesson) -> String {
    let mut script = format!("lesson {}\n", lesson.name);
    let count = lesson.steps.len();
    for (place, step) in lesson.steps.iter().enumerate() {
        let number = (place + 1).to_string();
        script += &["expect lesson_step = ", &number, " and step_ready = yes\nwait 5\n"].concat();
        if step.asks() {
            script += "expect step_done = no\n";
        }
        if step.has_question() {
            script += "answer wrong\nwait 2\nexpect last_answer = wrong\nexpect step_done = no\n";
        }
        if step.can_show() {
            script += "show\n";
        }
        if step.has_question() {
            script += "wait 5\nexpect step_done = no\nanswer right\n";
        }
        script += "expect step_done = yes\n";
        script += if place + 1 < count { "click \"Next\"\n" } else { "click \"Finish\"\nwait 3\n" };
    }
    script
}

/// The script of a reader who jumps to every step, from the last to the first, and does what it asks for.
fn jumper_of(lesson: &Lesson) -> String {
    let mut script = format!("lesson {}\n", lesson.name);
    for (place, step) in lesson.steps.iter().enumerate().rev() {
        script += &["step ", &(place + 1).to_string(), "\nexpect step_ready = yes\nwait 5\n"].concat();
        if step.asks() {
            script += "expect step_done = no\n";
        }
        if step.can_show() {
            script += "show\n";
        }
        if step.has_question() {
            script += "answer right\n";
        }
        script += "expect step_done = yes\n";
    }
    script
}

/// The lessons whose names contain the variable `LESSON`, or all.
fn lessons() -> impl Iterator<Item = Lesson> {
    let wanted = std::env::var("LESSON").unwrap_or_default();
    let names = Lesson::names().into_iter().filter(move |name| name.contains(&wanted));
    names.map(|name| Lesson::load(name).unwrap_or_else(|errors| panic!("{errors:#?}")))
}

#[test]
fn every_lesson_is_walked_to_its_end_and_wrong_answers_do_not_pass() {
    for lesson in lessons() {
        let place = Place::new(&format!("lesson_{}", lesson.name));
        let settings = place.file("settings.ron");
        let kept = ["--settings", settings.to_str().expect("a path in UTF-8"), "--size", "1024x640"];
        place.succeed(&reader_of(&lesson), &kept);
        let kept = std::fs::read_to_string(&settings).expect("the progress was saved");
        for step in &lesson.steps {
            assert!(kept.contains(&format!("\"{}\"", step.id)), "{}: {} is not kept: {kept}", lesson.name, step.id);
        }
    }
}

#[test]
fn a_lesson_shows_how_in_a_window_too_narrow_for_all_panels() {
    let place = Place::new("narrow_lesson");
    // The task is done with a button of the laboratory, which the lesson's panel hides in this window.
    let script = "lesson 05_border_and_inner\nstep 7\nexpect step_ready = yes\nwait 5\nshot before.png\n\
                  expect step_done = no\nshow\nexpect step_done = yes\nwait 5\nshot after.png\n";
    place.succeed(script, &["--size", "1000x700"]);
    // Folded, the panel is a bar; its heading has a place of its own only while it is open.
    let heading = |name: &str| {
        let picture = place.picture(name);
        (680..1000)
            .flat_map(|x| (0..130).map(move |y| (x, y)))
            .map(|(x, y)| picture.get_pixel(x, y).0)
            .collect::<Vec<_>>()
    };
    let (before, after) = (heading("before.png"), heading("after.png"));
    let same = before.iter().zip(&after).filter(|(one, other)| one == other).count();
    assert!(same * 10 > before.len() * 9, "the panel is not open as before: {same} of {} pixels", before.len());
}

#[test]
fn the_tab_key_walks_through_particles_and_leaves_the_keyboard_to_the_program() {
    let place = Place::new("tab");
    let script = "view inspector\npick 3\nwait 5\nkey tab\nwait 3\nexpect index = 4\nkey tab\nwait 3\n\
                  expect index = 5\nkey right\nwait 2\nkey t\nwait 5\nclick \"Start lesson 1\"\nwait 5\n\
                  expect lesson_step = 1\n";
    place.succeed(script, &["--size", "1280x800"]);
}

/// Size of the pictures of an MP4 file, their number, and its duration in seconds.
fn film(file: &Path) -> (u16, u16, usize, f64) {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mp4 = re_mp4::Mp4::read_bytes(&bytes).expect("the file is complete");
    let track = mp4.tracks().values().next().expect("a track");
    (track.width, track.height, track.samples.len(), track.duration as f64 / track.timescale as f64)
}

#[test]
fn f9_records_the_window_until_it_is_pressed_again_or_the_app_ends_and_f12_takes_a_picture() {
    let place = Place::new("film");
    place.succeed(
        "key f9\nwait 30\nkey f9\nwait 5\nkey f12\nwait 5\npause on\nkey f9\nwait 10\npause off\nwait 20\n",
        &[],
    );
    let (width, height, count, seconds) = film(&place.file("nearwater-0001.mp4"));
    assert_eq!((u32::from(width), u32::from(height)), (WIDTH, HEIGHT));
    // Each frame is a sixtieth of a second of water; starting and ending take a frame or two.
    assert!((28..=34).contains(&count), "{count} pictures of 30 frames");
    assert!((seconds - count as f64 / 60.0).abs() < 0.01, "{count} pictures last {seconds} s");
    // Water that stands still needs one picture only.
    let (_, _, count, _) = film(&place.file("nearwater-0002.mp4"));
    assert!((15..=23).contains(&count), "{count} pictures of 20 frames, when the app ended");
    assert_eq!(place.picture("nearwater-0001.png").dimensions(), (WIDTH, HEIGHT));
}

#[test]
fn pictures_are_taken_while_a_video_is_recorded_and_when_the_device_is_lost() {
    let place = Place::new("both");
    place.succeed(
        "record film.mp4\nwait 5\nkey f12\nshot shot.png\nwait 5\nrecord stop\nrecord lost.mp4\nwait 5\nlose-device\n\
         wait 20\nrecord stop\n",
        &[],
    );
    // Every frame has a picture of the video, and two also one of a file.
    let (_, _, count, _) = film(&place.file("film.mp4"));
    assert!((15..=24).contains(&count), "{count} pictures of about 20 frames");
    let [of_key, of_script] = ["nearwater-0001.png", "shot.png"].map(|name| place.picture(name));
    assert_eq!(of_key.dimensions(), of_script.dimensions());
    let (_, _, count, _) = film(&place.file("lost.mp4"));
    assert!(count >= 6, "{count} pictures");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_app_ends_without_an_error() {
    let place = Place::new("interrupted");
    let mut program = place.program("wait 5\nshot first.png\nwait 100000\n", &[]);
    let running = program.stderr(std::process::Stdio::piped()).spawn().expect("the program was built");
    let patience = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !place.file("first.png").exists() && std::time::Instant::now() < patience {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let signal = Command::new("kill").args(["-INT", &running.id().to_string()]).status().expect("kill is there");
    assert!(signal.success());
    let output = running.wait_with_output().expect("it is a child of this process");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(!printed.contains("nearwater: "), "{printed}");
}

/// Most memory that a process has addressed so far, KiB; `None` once it has ended.
#[cfg(target_os = "linux")]
fn peak_kibibytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find(|line| line.starts_with("VmPeak:"))?.split_whitespace().nth(1)?.parse().ok()
}

/// On a software adapter the memory of the device is that of the process, which the system can limit.
#[cfg(target_os = "linux")]
#[test]
fn an_app_whose_device_has_no_memory_left_says_so_and_goes_on() {
    let place = Place::new("memory");
    let usual = "wait 10\nstyle water\nwait 20\nshot before.png\n";
    let mut program = place.program(usual, &[]).spawn().expect("the program was built");
    let mut peak = 0;
    while program.try_wait().expect("it is a child of this process").is_none() {
        peak = peak.max(peak_kibibytes(program.id()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // A tenth of what pictures of the larger size need.
    let limit = peak + 200_000;
    let script = format!("{usual}size 6000x4000\nwait 6\nsize 640x400\nwait 10\nshot after.png\n");
    let program = place.program(&script, &[]);
    let arguments: Vec<_> = program.get_args().collect();
    let mut limited = Command::new("bash");
    limited.arg("-c").arg(format!("ulimit -v {limit}; exec \"$0\" \"$@\"")).arg(program.get_program()).args(arguments);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let output = limited.current_dir(&place.folder).output().expect("bash is installed");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.contains("no memory left for a picture of 6000x4000 pixels"), "{printed}");
    let (before, after) = (place.picture("before.png"), place.picture("after.png"));
    assert!(changed(&before, &after, in_water) > 500, "the water does not move any more");
}

#[test]
fn scripts_record_the_water_alone_in_any_size_and_the_window_with_its_panel() {
    let place = Place::new("record");
    place.succeed(
        "pause on\nwait 3\nshot before.png\npause off\nrecord large.mp4 1000x400\nwait 20\nrecord stop\n\
         record frames\nwait 10\nrecord stop\n",
        &[],
    );
    let (width, height, count, _) = film(&place.file("large.mp4"));
    assert_eq!((width, height), (1000, 400));
    assert!((19..=24).contains(&count), "{count} pictures of 20 frames");
    let of_window = place.picture("frames/frame_00000.png");
    assert_eq!(of_window.dimensions(), (WIDTH, HEIGHT));
    // The panel is in a video of the window.
    let panel = changed(&place.picture("before.png"), &of_window, |x, y| in_panel(x, y) && y < 40);
    assert!(panel < 100, "{panel} pixels of the panel differ in the video of the window");
}

#[test]
fn pictures_of_the_water_alone_show_it_without_the_panel_in_the_chosen_size() {
    let place = Place::new("shots");
    std::fs::write(
        place.file("settings.ron"),
        "(version: 1, film: (content: water, size: Some((700, 500)), format: gif, rate: Some(20)))",
    )
    .expect("a file of settings");
    let settings = place.file("settings.ron").display().to_string();
    place.succeed(
        "water 0.02\npause on\nkey f12\nwait 6\npause off\nkey f9\nwait 6\nkey f9\nwait 4\n",
        &["--settings", &settings],
    );
    let picture = place.picture("nearwater-0001.png");
    assert_eq!(picture.dimensions(), (700, 500));
    // The backdrop is the same on the left and on the right, where the window has its panel.
    let mean = |from: u32| {
        let sum: u32 = (from..from + 20)
            .flat_map(|x| (5..25).map(move |y| (x, y)))
            .map(|(x, y)| picture.get_pixel(x, y).0[..3].iter().map(|part| u32::from(*part)).sum::<u32>())
            .sum();
        sum / 1200
    };
    assert!(mean(0).abs_diff(mean(680)) < 12, "{} and {}", mean(0), mean(680));
    // The size is in the header, after the signature of six bytes.
    let gif = std::fs::read(place.file("nearwater-0001.gif")).expect("a GIF");
    assert_eq!(gif[6..10], [188, 2, 244, 1], "700 by 500 pixels in little-endian words");
}

#[test]
fn a_block_is_drawn_on_the_floor_undone_and_placed_by_a_command() {
    let place = Place::new("block");
    place.succeed(
        "water 0.02\npause on\nwait 3\nshot empty.png\ntool block\nreach 12\n\
         drag left 482 212 520 222\nhover 460 399\nwait 5\nshot block.png\nundo\nwait 3\nshot undone.png\n\
         block 0.5 0 -0.5 2 1.5 0.8\nwait 3\nshot placed.png\n",
        &[],
    );
    let [empty, block, undone, placed] =
        ["empty", "block", "undone", "placed"].map(|name| place.picture(&format!("{name}.png")));
    let drawn = changed(&empty, &block, in_water);
    assert!((300..40_000).contains(&drawn), "the block changes {drawn} pixels");
    assert!(changed(&empty, &undone, in_water) < drawn / 20, "it is gone after undo");
    assert!(changed(&empty, &placed, in_water) > 300, "the command places one");
    let refusal = place.refused("block -4.5 0 -0.5 -4 0.5 0.5\n", &[]);
    assert!(refusal.contains("inside the water"), "{refusal}");
    let refusal = place.refused("block 0 0 0 1 0 1\n", &[]);
    assert!(refusal.contains("line 1") && refusal.contains("no volume"), "{refusal}");
}

#[test]
fn every_step_of_every_lesson_can_be_set_up_by_itself() {
    for lesson in lessons() {
        let place = Place::new(&format!("jump_{}", lesson.name));
        // A software adapter draws so small a picture in little time, and other panels make room for the lesson in it.
        place.succeed(&jumper_of(&lesson), &["--size", "640x400"]);
    }
}

/// A part of the scene around a position.
fn around(x: u32, y: u32, reach: u32) -> impl Fn(u32, u32) -> bool {
    move |at_x, at_y| at_x.abs_diff(x) <= reach && at_y.abs_diff(y) <= reach
}

#[test]
fn hands_show_a_ring_tilt_gravity_move_walls_and_pour_by_script() {
    let place = Place::new("hands");
    place.succeed(
        "water 0.02\npause on\nhover 460 399\nshot start.png\n\
         hover 460 190\nwait 3\nshot ring.png\n\
         tool pull\nwait 2\nshot pull.png\nreach 6\nwait 2\nshot narrow.png\n\
         hover 460 399\nwait 3\nshot left.png\n\
         key right\nkey right\nkey up\nwait 2\nshot tilted.png\n\
         key home\nwait 2\nshot level.png\n\
         gravity 0 -4 0\nundo\nwait 2\nshot undone.png\n\
         wall right 2.5\npause off\nwait 40\npause on\nshot walled.png\n\
         key backspace\npause off\nwait 60\npause on\nshot back.png\n\
         tool pour\npause off\ndrag left 380 120 400 125\nwait 10\npause on\nshot poured.png\n\
         preset storm\nundo\ntool push\nstrength 2",
        &[],
    );
    let [start, ring, pull, narrow, left, tilted, level, undone, walled, back] =
        ["start", "ring", "pull", "narrow", "left", "tilted", "level", "undone", "walled", "back"]
            .map(|name| place.picture(&format!("{name}.png")));
    let of_ring = changed(&start, &ring, in_water);
    assert!((60..4_000).contains(&of_ring), "the ring changes {of_ring} pixels");
    assert_eq!(
        changed(&start, &ring, |x, y| in_water(x, y) && !around(460, 190, 110)(x, y)),
        0,
        "only around the pointer"
    );
    assert!(changed(&ring, &pull, around(460, 190, 110)) > 40, "another tool has a ring of another color");
    let of_narrow = changed(&start, &narrow, in_water);
    assert!(
        of_narrow > 30 && of_narrow < of_ring * 3 / 4,
        "a shorter reach has a smaller ring: {of_narrow}, {of_ring}"
    );
    assert_eq!(changed(&start, &left, in_water), 0, "without the pointer there is no ring");
    let corner = around(PANEL + 48, 48, 46);
    assert!(changed(&left, &tilted, &corner) > 500, "an arrow shows the direction of gravity");
    assert_eq!(changed(&left, &level, in_water), 0, "it vanishes with the scene's gravity");
    assert_eq!(changed(&left, &undone, in_water), 0, "what is undone is not seen");
    assert!(changed(&level, &walled, in_water) > 2_000, "the wall and the water have moved");
    assert!(changed(&walled, &back, in_water) > 2_000, "the wall returns");
    assert!(changed(&back, &place.picture("poured.png"), in_water) > 300, "water was poured");
}

#[test]
fn orders_that_cannot_be_carried_out_end_a_script_with_a_sentence() {
    let place = Place::new("refused_hands");
    for (script, parts) in [
        ("tool spoon", ["line 1", "spoon", "pour"]),
        ("wall north 1", ["line 1", "north", "left"]),
        ("preset strom", ["line 1", "strom", "storm"]),
        ("reach 99", ["line 1", "99", "percent"]),
        ("gravity 1 2", ["line 1", "missing", "gravity X Y Z"]),
        ("wait 2\nwall left 99", ["line 2", "left wall", "99"]),
        ("gravity 0 -1e9 0", ["line 1", "too strong", "weaker"]),
        ("remove-body 4", ["line 1", "body 4", "no body"]),
    ] {
        let sentence = place.refused(script, &[]);
        for part in parts {
            assert!(sentence.contains(part), "{script:?}: {sentence}");
        }
    }
}

#[test]
fn attract_mode_changes_the_scene_and_any_input_restores_what_the_user_had() {
    let place = Place::new("attract");
    place.succeed(
        "water 0.05\npause on\nkey 2\nsearch green\nhover 460 399\nwait 5\nshot before.png\n\
         attract on\nwait 6\nshot first.png\nwait 30\nshot drifted.png\nkey d\nwait 5\nshot after.png",
        &["--set", "foam.capacity=0"],
    );
    let [before, first, drifted, after] =
        ["before", "first", "drifted", "after"].map(|name| place.picture(&format!("{name}.png")));
    assert!(changed(&before, &first, in_panel) > 10_000, "the panel is hidden");
    assert!(changed(&first, &drifted, in_water) > 5_000, "water and camera move");
    assert_eq!(changed(&before, &after, |_, _| true), 0, "everything is as before, and the key has done nothing else");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_frames() {
    const FRAMES: u64 = 40;
    // Mesa's software rasterizer kept 330 KB a frame where it compiled a shader again for each.
    const MOST_BYTES_A_FRAME: u64 = 100 << 10;
    let place = Place::new("memory");
    let styles = ["particles", "smooth", "water"];
    // Pipelines are compiled in the background after the start and with each style's first frames, which takes memory
    // once. So the memory is read three times in each style, and what grows must do so in both intervals.
    let warm_up = styles.map(|style| format!("style {style}\nwait 20\n")).concat();
    let in_style = |style| {
        let [one, two, three] = [1, 2, 3].map(|number| format!("shot {style}-{number}.png\n"));
        format!("style {style}\nwait 20\n{one}wait {FRAMES}\n{two}wait {FRAMES}\n{three}")
    };
    // At the end there is enough time to read the memory after the last picture.
    let script = format!("{warm_up}{}wait 20\n", styles.map(in_style).concat());
    let mut running = place.program(&script, &["--size", "320x200"]).spawn().expect("the program was built");
    let mut seen: Vec<(PathBuf, u64)> = Vec::new();
    let pictures = styles.map(|style| [1, 2, 3].map(|number| place.file(&format!("{style}-{number}.png")))).concat();
    let ended = loop {
        if let Some(next) = pictures.get(seen.len())
            && next.exists()
            && let Some(bytes) = resident_bytes(running.id())
        {
            seen.push((next.clone(), bytes));
        }
        if let Some(status) = running.try_wait().expect("the process is a child") {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    assert!(ended.success());
    assert_eq!(seen.len(), pictures.len(), "the memory was not read at every picture");
    for three in seen.chunks_exact(3) {
        let growth = three.windows(2).map(|pair| pair[1].1.saturating_sub(pair[0].1) / FRAMES).min();
        assert!(growth < Some(MOST_BYTES_A_FRAME), "{growth:?} bytes a frame until {}", three[2].0.display());
    }
}
