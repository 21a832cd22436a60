//! Records pictures into a video on a thread of its own.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::{fs, mem};

use glam::UVec2;
use image::RgbaImage;

use super::frames::{Frames, Message};
use super::yuv::even;
use super::{FrameClock, VideoEncoder, VideoError, VideoFormat, VideoSettings, ffmpeg, gif, mp4, png_sequence};
use crate::format;
use crate::panic_report::panic_on_purpose;

/// Number of pictures that wait for the encoder before [`VideoRecorder::add`] waits for it.
const QUEUE: usize = 4;

/// Records pictures, tagged with their simulated time, into a video. The pictures are encoded on a thread of its own;
/// while its queue is full, adding a picture waits, so no picture is lost on a slow machine.
///
/// The file appears when [`VideoRecorder::finish`] returns. When the recorder is dropped before, nothing is written (of
/// a sequence of PNGs, those that are complete remain).
///
/// ```
/// use glam::UVec2;
/// use image::{Rgba, RgbaImage};
/// use nearwater::video::{VideoRecorder, VideoSettings};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let settings = VideoSettings::new(folder.path().join("fade.gif"), UVec2::new(32, 18))?;
/// let interval = settings.interval();
/// let mut recorder = VideoRecorder::start(settings, 0.0)?;
/// for number in 0..5_u8 {
///     let picture = RgbaImage::from_pixel(32, 18, Rgba([50 * number, 90, 200, 255]));
///     recorder.add(f64::from(number) * interval, picture)?;
/// }
/// println!("{}", recorder.finish()?);
/// assert!(folder.path().join("fade.gif").exists());
/// # Ok(())
/// # }
/// ```
pub struct VideoRecorder {
    settings: VideoSettings,
    format: VideoFormat,
    clock: FrameClock,
    last_time: f64,
    count: u64,
    /// `None` after the worker has stopped.
    sender: Option<SyncSender<Message>>,
    worker: Option<JoinHandle<Result<(), VideoError>>>,
}

impl VideoRecorder {
    /// Starts a video whose first picture shows the simulated time `start`, s.
    ///
    /// # Errors
    /// When a setting is invalid, the file cannot be written, or `ffmpeg` is wanted and not there.
    pub fn start(settings: VideoSettings, start: f64) -> Result<Self, VideoError> {
        let format = settings.check()?;
        let (sender, receiver) = sync_channel(QUEUE);
        let of_worker = settings.clone();
        let worker = thread::Builder::new()
            .name("video".to_owned())
            .spawn(move || {
                panic_on_purpose("video");
                write(&of_worker, format, &mut Frames::new(receiver))
            })
            .map_err(|_| VideoError::Stopped(settings.file.display().to_string()))?;
        Ok(Self {
            format,
            clock: FrameClock::starting_at(start, settings.interval()),
            settings,
            last_time: start,
            count: 0,
            sender: Some(sender),
            worker: Some(worker),
        })
    }

    /// The settings of the video.
    pub fn settings(&self) -> &VideoSettings {
        &self.settings
    }

    /// Number of the video's pictures so far.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there is no picture yet.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Length of the video so far, s.
    pub fn seconds(&self) -> f64 {
        self.count as f64 / f64::from(self.settings.rate)
    }

    /// Whether the video needs a picture of the simulated time `time`, s. A time before that of the last picture, as
    /// after a reset of the scene, continues the video there.
    pub fn needs(&self, time: f64) -> bool {
        time < self.last_time || self.clock.is_due(time)
    }

    /// Number of time steps of `step` seconds after which the video needs a picture, starting at `time`, s; at least
    /// one. A simulation that makes no more steps between two pictures is recorded without repeated pictures.
    pub fn steps_until_due(&self, time: f64, step: f64) -> u64 {
        if time < self.last_time { 1 } else { self.clock.steps_until_due(time, step) }
    }

    /// Adds the picture of the simulated time `time`, s, and returns how many pictures of the video it fills: none if
    /// the video does not need it, several if it is late.
    ///
    /// # Errors
    /// When the picture's size is not the video's, or the encoder has failed; the video is then lost.
    pub fn add(&mut self, time: f64, picture: RgbaImage) -> Result<u64, VideoError> {
        let found = UVec2::new(picture.width(), picture.height());
        if found != self.settings.size {
            return Err(VideoError::PictureSize { expected: self.settings.size, found });
        }
        if time < self.last_time {
            self.clock.continue_at(time);
        }
        self.last_time = time;
        let times = self.clock.done(time);
        if times > 0 {
            let sent = self.sender.as_ref().map(|sender| sender.send(Message::Picture(picture, times)));
            if !matches!(sent, Some(Ok(()))) {
                return Err(self.failure());
            }
            self.count += times;
        }
        Ok(times)
    }

    /// Completes the video and returns what was written.
    ///
    /// # Errors
    /// When there is no picture, or the video could not be encoded or written. A file of this name is then as before.
    pub fn finish(mut self) -> Result<Written, VideoError> {
        if self.is_empty() {
            return Err(VideoError::Empty(self.settings.file.display().to_string()));
        }
        let ended = self.sender.take().map(|sender| sender.send(Message::End));
        if !matches!(ended, Some(Ok(()))) {
            return Err(self.failure());
        }
        self.join()?;
        Ok(Written {
            size: match self.format {
                VideoFormat::Mp4(_) => even(self.settings.size),
                VideoFormat::Gif | VideoFormat::Pngs => self.settings.size,
            },
            drawn: self.settings.size,
            pictures: self.count,
            rate: self.settings.rate,
            format: self.format,
            file: mem::take(&mut self.settings.file),
        })
    }

    /// Why the worker has stopped.
    fn failure(&mut self) -> VideoError {
        self.sender = None;
        self.join().err().unwrap_or_else(|| VideoError::Stopped(self.settings.file.display().to_string()))
    }

    fn join(&mut self) -> Result<(), VideoError> {
        let stopped = || VideoError::Stopped(self.settings.file.display().to_string());
        self.worker.take().ok_or_else(stopped)?.join().map_err(|_| stopped())?
    }
}

impl Drop for VideoRecorder {
    /// Waits until the worker has removed an incomplete file.
    fn drop(&mut self) {
        self.sender = None;
        let _ = self.join();
    }
}

fn write(settings: &VideoSettings, format: VideoFormat, frames: &mut Frames) -> Result<(), VideoError> {
    match format {
        VideoFormat::Mp4(VideoEncoder::BuiltIn) => mp4::write(settings, frames),
        VideoFormat::Mp4(VideoEncoder::Ffmpeg) => ffmpeg::write(settings, frames),
        VideoFormat::Gif => gif::write(settings, frames),
        VideoFormat::Pngs => png_sequence::write(settings, frames),
    }
}

/// A complete video.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The file, or the folder or pattern of a sequence.
    pub file: PathBuf,
    /// Size of the pictures in the file, pixels.
    pub size: UVec2,
    /// Size of the pictures that were recorded, pixels: smaller by one where H.264 needed an even number.
    pub drawn: UVec2,
    /// Number of pictures.
    pub pictures: u64,
    /// Pictures per second.
    pub rate: u32,
    /// The format.
    pub format: VideoFormat,
}

impl Written {
    /// Length of the video, s.
    pub fn seconds(&self) -> f64 {
        self.pictures as f64 / f64::from(self.rate)
    }
}

impl Display for Written {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { file, size, drawn, pictures, rate, .. } = self;
        let seconds = self.seconds();
        write!(
            formatter,
            "{pictures} pictures of {} x {} pixels, {seconds:.2} s at {rate} a second, were recorded to {}",
            size.x,
            size.y,
            file.display()
        )?;
        if let Ok(file) = fs::metadata(file)
            && file.is_file()
        {
            write!(formatter, " ({})", format::bytes(file.len()))?;
        }
        if size != drawn {
            write!(
                formatter,
                "; H.264 needs even edges, so the last row or column of {} x {} was repeated",
                drawn.x, drawn.y
            )?;
        }
        Ok(())
    }
}
