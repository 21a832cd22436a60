//! Encodes an MP4 file with the user's program `ffmpeg`, to which the pictures are piped.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use glam::UVec2;
use image::RgbaImage;

use super::frames::Frames;
use super::yuv::even;
use super::{VideoError, VideoSettings};
use crate::files::{FileError, write_whole_at};
use crate::format::first_line;

/// The program, looked up in the user's path.
const PROGRAM: &str = "ffmpeg";
/// Constant rate factor of `libx264`: differences from the original are hardly visible.
const QUALITY: &str = "17";

/// Checks that the program is there.
pub(super) fn check(file: &Path) -> Result<(), VideoError> {
    let mut asked = Command::new(PROGRAM);
    match asked.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(fail(file, format!("\"ffmpeg -version\" ends with {status}; use the built-in encoder"))),
        Err(error) => Err(fail(
            file,
            format!("the program ffmpeg does not start ({error}); install it or use the built-in encoder"),
        )),
    }
}

/// Encodes the pictures into the file of `settings`.
pub(super) fn write(settings: &VideoSettings, frames: &mut Frames) -> Result<(), VideoError> {
    Ok(write_whole_at(&settings.file, |temporary| encode(settings, frames, temporary))?)
}

fn encode(settings: &VideoSettings, frames: &mut Frames, temporary: &Path) -> Result<(), String> {
    let mut words = tempfile::tempfile().map_err(|error| error.to_string())?;
    let told = words.try_clone().map_err(|error| error.to_string())?;
    let mut child = Command::new(PROGRAM)
        .args(arguments(settings, temporary))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(told)
        .spawn()
        .map_err(|error| format!("the program ffmpeg does not start: {error}"))?;
    let piped = pipe(&mut child, frames, even(settings.size));
    if matches!(piped, Err(Stop::Abandoned(_))) {
        // It would otherwise complete a file that nobody wants. A failure means that it has ended already.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    match piped {
        Err(Stop::Abandoned(reason)) => Err(reason),
        Err(Stop::Pipe(reason)) => Err(format!("ffmpeg stopped early: {}", last_words(&mut words, &reason))),
        Ok(()) if !status.success() => {
            Err(format!("ffmpeg failed: {}", last_words(&mut words, &format!("it ended with {status}"))))
        }
        Ok(()) => Ok(()),
    }
}

/// Why no further pictures are piped.
enum Stop {
    /// The recording was abandoned.
    Abandoned(String),
    /// The program does not read any more.
    Pipe(String),
}

fn pipe(child: &mut Child, frames: &mut Frames, size: UVec2) -> Result<(), Stop> {
    // Dropped at the end, which tells the program that there are no further pictures.
    let mut input = child.stdin.take().ok_or_else(|| Stop::Pipe("it has no input".to_owned()))?;
    while let Some(picture) = frames.next().map_err(Stop::Abandoned)? {
        let written = if (picture.width(), picture.height()) == size.into() {
            input.write_all(picture.as_raw())
        } else {
            let (right, bottom) = (picture.width() - 1, picture.height() - 1);
            let repeated = |x: u32, y: u32| *picture.get_pixel(x.min(right), y.min(bottom));
            input.write_all(RgbaImage::from_fn(size.x, size.y, repeated).as_raw())
        };
        written.map_err(|error| Stop::Pipe(error.to_string()))?;
    }
    Ok(())
}

fn arguments(settings: &VideoSettings, temporary: &Path) -> Vec<OsString> {
    let size = even(settings.size);
    let pixels = format!("{}x{}", size.x, size.y);
    let rate = settings.rate.to_string();
    // The same colors as the built-in encoder's.
    let filter = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,setparams=color_primaries=bt709:\
                  color_trc=bt709:colorspace=bt709:range=tv";
    let before = ["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"];
    let input = ["-video_size", &pixels, "-framerate", &rate, "-i", "pipe:0"];
    let output = ["-an", "-vf", filter, "-c:v", "libx264", "-crf", QUALITY, "-movflags", "+faststart", "-f", "mp4"];
    let all = before.into_iter().chain(input).chain(output).map(OsString::from);
    all.chain([temporary.as_os_str().to_owned()]).collect()
}

/// The program's own message, or `otherwise` where it gave none.
fn last_words(words: &mut File, otherwise: &str) -> String {
    let mut text = Vec::new();
    let read = words.seek(SeekFrom::Start(0)).and_then(|_| words.read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text);
    if read.is_err() || text.trim().is_empty() { otherwise.to_owned() } else { first_line(&text).to_owned() }
}

fn fail(file: &Path, reason: String) -> VideoError {
    FileError::Write { file: file.display().to_string(), reason }.into()
}
