//! Videos are read back: `re_mp4` reads the boxes, `OpenH264` decodes the pictures, `gif` and `image` the other
//! formats.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use glam::UVec2;
use image::{Rgba, RgbaImage};
use nearwater::video::{VideoRecorder, VideoSettings};
use openh264::decoder::Decoder;
use openh264::formats::YUVSource as _;

/// Creates an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("video").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A picture with a disk that moves to the right from one picture to the next, above a gradient.
fn picture(size: UVec2, number: u32) -> RgbaImage {
    RgbaImage::from_fn(size.x, size.y, |x, y| {
        let (from_disk, row) = (x.abs_diff(15 + 3 * number % (size.x - 30)), y.abs_diff(size.y / 2));
        let is_disk = from_disk.pow(2) + row.pow(2) < 144;
        if is_disk { Rgba([230, 60, 40, 255]) } else { Rgba([30, (60 + 150 * y / size.y) as u8, 180, 255]) }
    })
}

fn recorded(settings: VideoSettings, count: u32) -> String {
    let (size, interval) = (settings.size, settings.interval());
    let mut recorder = VideoRecorder::start(settings, 0.0).unwrap();
    for number in 0..count {
        assert_eq!(recorder.add(f64::from(number) * interval, picture(size, number)).unwrap(), 1);
    }
    recorder.finish().unwrap().to_string()
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// An MP4 file, read back.
struct Film {
    size: UVec2,
    /// Length, s.
    seconds: f64,
    /// Time of each picture, s.
    times: Vec<f64>,
    /// Numbers of the pictures that need no other picture.
    keys: Vec<usize>,
    pictures: Vec<RgbaImage>,
}

fn read(file: &Path) -> Film {
    let bytes = fs::read(file).unwrap();
    let mp4 = re_mp4::Mp4::read_bytes(&bytes).unwrap();
    let [track] = mp4.tracks().values().collect::<Vec<_>>()[..] else { panic!("not one track") };
    let timescale = track.timescale as f64;
    let avc = &track.trak(&mp4).mdia.minf.stbl.stsd.contents;
    let re_mp4::StsdBoxContent::Avc1(avc) = avc else { panic!("not H.264") };
    let start = [0, 0, 0, 1];
    let mut decoder = Decoder::new().unwrap();
    let sets = avc.avcc.sequence_parameter_sets.iter().chain(&avc.avcc.picture_parameter_sets);
    let head: Vec<u8> = sets.flat_map(|set| start.iter().chain(&set.bytes)).copied().collect();
    decoder.decode(&head).unwrap();
    let mut pictures = Vec::new();
    for sample in &track.samples {
        let mut rest = &bytes[sample.offset as usize..][..sample.size as usize];
        let mut stream = Vec::new();
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let (unit, others) = after.split_at(u32::from_be_bytes(*length) as usize);
            stream.extend(start.iter().chain(unit));
            rest = others;
        }
        let decoded = decoder.decode(&stream).unwrap().expect("every sample is a picture");
        let (width, height) = decoded.dimensions();
        let mut rgba = vec![0; width * height * 4];
        decoded.write_rgba8(&mut rgba);
        pictures.push(RgbaImage::from_raw(width as u32, height as u32, rgba).unwrap());
    }
    Film {
        size: UVec2::new(track.width.into(), track.height.into()),
        seconds: track.duration as f64 / timescale,
        times: track.samples.iter().map(|sample| sample.composition_timestamp as f64 / timescale).collect(),
        keys: (0..track.samples.len()).filter(|&number| track.samples[number].is_sync).collect(),
        pictures,
    }
}

/// Mean difference of the color channels of two pictures, over the pixels that both have.
fn difference(one: &RgbaImage, other: &RgbaImage) -> f64 {
    let (width, height) = (one.width().min(other.width()), one.height().min(other.height()));
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let sum: u32 = pixels
        .flat_map(|(x, y)| {
            let (one, other) = (one.get_pixel(x, y).0, other.get_pixel(x, y).0);
            (0..3).map(move |channel| u32::from(one[channel].abs_diff(other[channel])))
        })
        .sum();
    f64::from(sum) / f64::from(3 * width * height)
}

#[test]
fn an_mp4_file_has_the_pictures_that_were_recorded() {
    let file = folder("mp4").join("water.mp4");
    let size = UVec2::new(160, 96);
    let told = recorded(VideoSettings { rate: 30, ..VideoSettings::new(file.clone(), size).unwrap() }, 70);
    assert!(told.starts_with("70 pictures of 160 x 96 pixels, 2.33 s at 30 a second, were recorded to "), "{told}");
    let film = read(&file);
    assert_eq!((film.size, film.pictures.len()), (size, 70));
    assert!((film.seconds - 70.0 / 30.0).abs() < 1e-9, "{} s", film.seconds);
    for (number, time) in film.times.iter().enumerate() {
        assert!((time - number as f64 / 30.0).abs() < 1e-9, "picture {number} at {time} s");
    }
    // Two seconds apart, so that players can jump.
    assert_eq!(film.keys, [0, 60]);
    for (number, decoded) in film.pictures.iter().enumerate() {
        let own = difference(decoded, &picture(size, number as u32));
        let next = difference(decoded, &picture(size, number as u32 + 1));
        // The decoder of the test converts colors by BT.601, which shifts all of them a little.
        assert!(own < 8.0 && own < next, "picture {number} differs by {own}, from the next one by {next}");
    }
    assert_eq!(names(file.parent().unwrap()), ["water.mp4"]);
}

#[test]
fn odd_sizes_are_padded_and_said() {
    let file = folder("odd").join("water.mp4");
    let told = recorded(VideoSettings::new(file.clone(), UVec2::new(97, 75)).unwrap(), 3);
    assert!(told.contains("98 x 76 pixels") && told.contains("even edges"), "{told}");
    let film = read(&file);
    assert_eq!((film.size, film.pictures[0].dimensions()), (UVec2::new(98, 76), (98, 76)));
}

#[test]
fn late_pictures_are_repeated_and_early_ones_left_out() {
    let file = folder("times").join("water.mp4");
    let size = UVec2::new(64, 64);
    let settings = VideoSettings { rate: 50, pace: 0.5, ..VideoSettings::new(file.clone(), size).unwrap() };
    let mut recorder = VideoRecorder::start(settings, 3.0).unwrap();
    // A picture every 10 ms of simulated time.
    for (time, expected) in [(3.0, 1), (3.004, 0), (3.0101, 1), (3.0405, 3), (3.05, 1)] {
        assert_eq!(recorder.needs(time), expected > 0, "{time} s");
        assert_eq!(recorder.add(time, picture(size, 0)).unwrap(), expected, "{time} s");
    }
    assert_eq!(recorder.steps_until_due(3.05, 0.0003), 34);
    // After a reset the video goes on.
    assert_eq!((recorder.needs(0.0), recorder.add(0.0, picture(size, 1)).unwrap()), (true, 1));
    assert_eq!(recorder.add(0.01, picture(size, 1)).unwrap(), 1);
    assert_eq!(recorder.finish().unwrap().pictures, 8);
    assert_eq!(read(&file).pictures.len(), 8);
}

#[test]
fn a_gif_shows_what_was_recorded() {
    let file = folder("gif").join("water.gif");
    let size = UVec2::new(120, 80);
    // Dark water behind a bright disk.
    let dark = |number| {
        let mut dark = picture(size, number);
        dark.pixels_mut().filter(|pixel| pixel.0[0] < 100).for_each(|pixel| pixel.0 = [14, pixel.0[1] / 6, 20, 255]);
        dark
    };
    let settings = VideoSettings { rate: 20, ..VideoSettings::new(file.clone(), size).unwrap() };
    let mut recorder = VideoRecorder::start(settings.clone(), 0.0).unwrap();
    for number in 0..12 {
        recorder.add(f64::from(number) * settings.interval(), dark(number)).unwrap();
    }
    let told = recorder.finish().unwrap().to_string();
    assert!(told.starts_with("12 pictures of 120 x 80 pixels, 0.60 s at 20 a second"), "{told}");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options.read_info(File::open(&file).unwrap()).unwrap();
    assert_eq!((reader.width(), reader.height()), (120, 80));
    let mut shown = RgbaImage::new(120, 80);
    let mut number = 0;
    while let Some(frame) = reader.read_next_frame().unwrap() {
        assert_eq!(frame.delay, 5);
        let pixels = RgbaImage::from_raw(frame.width.into(), frame.height.into(), frame.buffer.to_vec()).unwrap();
        for (x, y, pixel) in pixels.enumerate_pixels().filter(|(_, _, pixel)| pixel.0[3] > 0) {
            shown.put_pixel(x + u32::from(frame.left), y + u32::from(frame.top), *pixel);
        }
        let expected = dark(number);
        let own = difference(&shown, &expected);
        assert!(own < 3.0, "picture {number} differs by {own}");
        // No pixel keeps what was shown before, also where dark pixels replace bright ones.
        let far = shown
            .pixels()
            .zip(expected.pixels())
            .filter(|(one, other)| one.0.iter().zip(other.0).take(3).any(|(one, other)| one.abs_diff(other) > 60));
        assert_eq!(far.count(), 0, "picture {number}");
        // Only the disk changes.
        assert!(number == 0 || frame.width < 60, "picture {number} is {} pixels wide", frame.width);
        number += 1;
    }
    assert_eq!(number, 12);
}

#[test]
fn a_sequence_has_a_png_for_each_picture() {
    let folder = folder("pngs");
    let size = UVec2::new(50, 31);
    recorded(VideoSettings::new(folder.join("frames"), size).unwrap(), 4);
    let expected: Vec<_> = (0..4).map(|number| format!("frame_{number:05}.png")).collect();
    assert_eq!(names(&folder.join("frames")), expected);
    let third = image::open(folder.join("frames").join(&expected[2])).unwrap().to_rgba8();
    assert_eq!(third, picture(size, 2));
    recorded(VideoSettings::new(folder.join("water_%02d.png"), size).unwrap(), 2);
    assert_eq!(names(&folder), ["frames", "water_00.png", "water_01.png"]);
    for taken in ["frames", "water_%02d.png"] {
        let settings = VideoSettings::new(folder.join(taken), size).unwrap();
        let told = VideoRecorder::start(settings, 0.0).err().expect("there are pictures").to_string();
        assert!(told.contains("pictures of another sequence"), "{told}");
    }
}

#[test]
fn a_video_that_is_abandoned_or_empty_leaves_the_old_file() {
    for ending in ["mp4", "gif"] {
        let folder = folder(&format!("abandoned_{ending}"));
        let file = folder.join(format!("water.{ending}"));
        fs::write(&file, "old").unwrap();
        let settings = VideoSettings::new(file.clone(), UVec2::new(64, 64)).unwrap();
        let mut recorder = VideoRecorder::start(settings.clone(), 0.0).unwrap();
        recorder.add(0.0, picture(settings.size, 0)).unwrap();
        drop(recorder);
        let empty = VideoRecorder::start(settings.clone(), 0.0).unwrap().finish().unwrap_err().to_string();
        assert!(empty.contains("no picture was recorded"), "{empty}");
        let mut recorder = VideoRecorder::start(settings, 0.0).unwrap();
        let error = recorder.add(0.0, RgbaImage::new(63, 64)).unwrap_err().to_string();
        assert!(error.contains("64 x 64 pixels here, but one has 63 x 64"), "{error}");
        drop(recorder);
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), names(&folder).len()), ("old", 1));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported() {
    let folder = folder("full");
    for ending in ["mp4", "gif"] {
        let file = folder.join(format!("full.{ending}"));
        std::os::unix::fs::symlink("/dev/full", &file).unwrap();
        let size = UVec2::new(640, 480);
        let settings = VideoSettings::new(file, size).unwrap();
        let mut recorder = VideoRecorder::start(settings.clone(), 0.0).unwrap();
        let mut result = Ok(0);
        let mut number = 0;
        while result.is_ok() && number < 40 {
            // Noise, which cannot be compressed.
            let noise = RgbaImage::from_fn(size.x, size.y, |x, y| {
                let hash = (x ^ (y << 10) ^ (number << 20)).wrapping_mul(2_654_435_761);
                Rgba((hash ^ (hash >> 15)).wrapping_mul(2_246_822_519).to_le_bytes())
            });
            result = recorder.add(f64::from(number) * settings.interval(), noise);
            number += 1;
        }
        let told = match result {
            Err(error) => error.to_string(),
            Ok(_) => recorder.finish().unwrap_err().to_string(),
        };
        assert!(told.contains(&format!("full.{ending}: No space left on device")), "{told}");
    }
}

/// Simulates a drop at 600 particles with these arguments, and with this folder before the others in the path.
fn simulate(path: &Path, arguments: &[&str]) -> Output {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let folders = [path.to_owned()].into_iter().chain(std::env::split_paths(&usual));
    Command::new(env!("CARGO_BIN_EXE_nearwater"))
        .args(["simulate", "drop", "--particles", "600", "--size", "160x100"])
        .args(arguments)
        .env("PATH", std::env::join_paths(folders).unwrap())
        .output()
        .unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_run_is_recorded_at_a_fixed_rate_of_simulated_time() {
    let folder = folder("run");
    let (film, slow) = (folder.join("water.mp4"), folder.join("slow"));
    let run = |more: &[&str]| {
        let output = simulate(&folder, more);
        assert!(output.status.success(), "{more:?}: {}", told(&output));
        told(&output)
    };
    let words = run(&["--seconds", "0.2", "--video", film.to_str().unwrap(), "--fps", "50"]);
    assert!(words.contains("10 pictures of 160 x 100 pixels, 0.20 s at 50 a second"), "{words}");
    let film = read(&film);
    assert_eq!((film.pictures.len(), film.size), (10, UVec2::new(160, 100)));
    assert!((film.seconds - 0.2).abs() < 1e-9);
    for (number, pair) in film.pictures.windows(2).enumerate() {
        let moved = difference(&pair[0], &pair[1]);
        assert!(moved > 0.01, "pictures {number} and {} differ by {moved}", number + 1);
    }
    // A quarter of the pace gives four times the pictures of the same run.
    run(&["--seconds", "0.1", "--video", slow.to_str().unwrap(), "--fps", "50", "--pace", "0.25"]);
    let pictures: Vec<_> = names(&slow).iter().map(|name| image::open(slow.join(name)).unwrap().to_rgba8()).collect();
    assert_eq!(pictures.len(), 20);
    // Picture 14 shows 0.07 s, which is where a run of that length ends.
    let still = folder.join("still.png");
    run(&["--seconds", "0.07", "--png", still.to_str().unwrap(), "--no-legend"]);
    let still = image::open(still).unwrap().to_rgba8();
    let differences: Vec<_> = pictures.iter().map(|picture| difference(picture, &still)).collect();
    assert!(differences[14] < 1e-3, "{differences:?}");
    assert!(differences[13] > 0.01 && differences[15] > 0.01, "{differences:?}");
}

#[test]
fn the_camera_moves_as_told() {
    let folder = folder("camera");
    let path = folder.join("path.ron");
    let still = "(keys: [(time: 0.0, eye: (4.0, 3.0, 6.0), target: (0.0, 1.0, 0.0))])";
    fs::write(&path, still).unwrap();
    let pictures = |name: &str, camera: &str| {
        let frames = folder.join(name);
        let video = frames.to_str().unwrap();
        let output = simulate(&folder, &["--seconds", "0.04", "--video", video, "--fps", "50", "--camera", camera]);
        assert!(output.status.success(), "{}", told(&output));
        let open = |number: usize| image::open(frames.join(format!("frame_{number:05}.png"))).unwrap().to_rgba8();
        (open(0), open(1))
    };
    let fixed = pictures("fixed", "fixed");
    let orbit = pictures("orbit", "orbit:period=0.2");
    let keys = pictures("keys", path.to_str().unwrap());
    assert!(difference(&fixed.0, &orbit.0) < 1e-3 && difference(&fixed.1, &orbit.1) > 1.0);
    assert!(difference(&fixed.0, &keys.0) > 1.0 && difference(&keys.0, &keys.1) < 1.0);

    fs::write(&path, still.replace("time: 0.0", "time: -1.0")).unwrap();
    let output = simulate(&folder, &["--seconds", "1", "--video", "never.mp4", "--camera", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("path.ron, line 1, ") && told(&output).contains("begin at 0"), "{}", told(&output));
}

/// Writes a program named `ffmpeg` that runs these lines of a shell.
#[cfg(unix)]
fn pretended_ffmpeg(folder: &Path, lines: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let program = folder.join("ffmpeg");
    fs::write(&program, format!("#!/bin/sh\n[ \"$1\" = -version ] && exit 0\n{lines}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
#[cfg(unix)]
fn failures_of_ffmpeg_are_reported_and_nothing_else_is_lost() {
    let folder = folder("ffmpeg");
    let (film, png) = (folder.join("water.mp4"), folder.join("water.png"));
    let arguments = ["--seconds", "0.2", "--video", film.to_str().unwrap(), "--encoder", "ffmpeg"];
    for (lines, part) in [
        ("head -c 1000 >/dev/null; echo 'water.mp4: No space left on device' >&2; exit 1", "No space left on device"),
        ("cat >/dev/null; echo 'Unknown encoder libx264' >&2; exit 8", "ffmpeg failed: Unknown encoder libx264"),
        ("exit 3", "ffmpeg"),
    ] {
        pretended_ffmpeg(&folder, lines);
        fs::write(&film, "old").unwrap();
        let output = simulate(&folder, &arguments);
        let words = told(&output);
        assert_eq!(output.status.code(), Some(2), "{words}");
        let sentence = words.lines().find(|line| line.starts_with("nearwater: ")).unwrap_or_default();
        assert!(sentence.contains("cannot write") && sentence.contains(part), "{words}");
        assert_eq!(fs::read_to_string(&film).unwrap(), "old");
        assert_eq!(names(&folder), ["ffmpeg", "water.mp4"]);
    }
    // The pictures arrive whole: this program writes what it reads into its last argument, the file.
    pretended_ffmpeg(&folder, "for file; do :; done; cat >\"$file\"");
    let output = simulate(&folder, &[arguments.as_slice(), &["--png", png.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", told(&output));
    assert_eq!(fs::metadata(&film).unwrap().len(), 12 * 160 * 100 * 4);
}
