//! What a video is to be: its file, size, rate and encoder, and which of these go together.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use glam::UVec2;
use serde::{Deserialize, Serialize};

use super::{VideoError, ffmpeg, png_sequence};
use crate::files::check_writable;

/// Highest number of pictures per second.
const MOST_RATE: u32 = 240;
/// Shortest edge of a picture in H.264, pixels.
const LEAST_EDGE: u32 = 16;
/// Longer and shorter edge of the largest picture that `OpenH264` encodes, pixels.
const MOST_EDGES: (u32, u32) = (3840, 2160);
/// Longest edge of the pictures of other encoders, pixels: MP4 and GIF store 16 bits.
const MOST_EDGE: u32 = 16_384;

/// Which encoder makes an MP4 file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VideoEncoder {
    /// `OpenH264`, which is a part of the program.
    #[default]
    BuiltIn,
    /// The program `ffmpeg` of the user, with its encoder `libx264`.
    Ffmpeg,
}

impl VideoEncoder {
    /// All encoders.
    pub const ALL: [Self; 2] = [Self::BuiltIn, Self::Ffmpeg];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::BuiltIn => "builtin",
            Self::Ffmpeg => "ffmpeg",
        }
    }
}

/// The format of a video, which follows from its file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoFormat {
    /// H.264 in an MP4 file.
    Mp4(VideoEncoder),
    /// An animated GIF that repeats.
    Gif,
    /// One PNG for each picture.
    Pngs,
}

impl VideoFormat {
    /// Number of pictures per second where the user names none.
    pub fn usual_rate(self) -> u32 {
        match self {
            Self::Mp4(_) | Self::Pngs => 60,
            Self::Gif => 25,
        }
    }
}

/// What a video is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct VideoSettings {
    /// The file: `.mp4`, `.gif`, a pattern such as `water_%05d.png`, or a folder for PNGs.
    pub file: PathBuf,
    /// Size of the pictures, pixels. H.264 needs even edges: the last row or column is repeated where one is odd.
    pub size: UVec2,
    /// Pictures per second of the video.
    pub rate: u32,
    /// Simulated seconds per second of the video: 1 is real time, 0.25 slow motion.
    pub pace: f64,
    /// The encoder of MP4 files.
    pub encoder: VideoEncoder,
}

impl VideoSettings {
    /// A video of this size in real time, at the usual rate of its format, by the built-in encoder.
    ///
    /// # Errors
    /// When the file's name does not determine a format.
    pub fn new(file: PathBuf, size: UVec2) -> Result<Self, VideoError> {
        let encoder = VideoEncoder::default();
        let rate = format_of(&file, encoder)?.usual_rate();
        Ok(Self { file, size, rate, pace: 1.0, encoder })
    }

    /// The format that follows from the file's name.
    ///
    /// # Errors
    /// When the name does not determine one.
    pub fn format(&self) -> Result<VideoFormat, VideoError> {
        format_of(&self.file, self.encoder)
    }

    /// Simulated time between two pictures, s.
    pub fn interval(&self) -> f64 {
        self.pace / f64::from(self.rate)
    }

    /// Number of pictures of a video that shows `seconds` of simulated time: the first shows the start, and the last is
    /// shown until the end. At least one.
    pub fn picture_count(&self, seconds: f64) -> u64 {
        ((seconds / self.interval()).round() as u64).max(1)
    }

    /// Checks that such a video can be made and its file be written, and returns its format.
    ///
    /// # Errors
    /// When a setting is invalid, the file or folder cannot be written, or `ffmpeg` is wanted and not there.
    pub fn check(&self) -> Result<VideoFormat, VideoError> {
        let format = self.format()?;
        if !(1..=MOST_RATE).contains(&self.rate) {
            return Err(VideoError::Rate(self.rate));
        }
        if !(self.pace.is_finite() && self.pace > 0.0) {
            return Err(VideoError::Pace(self.pace));
        }
        if format == VideoFormat::Gif && (self.rate > 50 || !100_u32.is_multiple_of(self.rate)) {
            return Err(VideoError::GifRate(self.rate));
        }
        self.check_size(format)?;
        match format {
            VideoFormat::Pngs => png_sequence::check(&self.file)?,
            VideoFormat::Gif | VideoFormat::Mp4(_) => check_writable(&self.file)?,
        }
        if format == VideoFormat::Mp4(VideoEncoder::Ffmpeg) {
            ffmpeg::check(&self.file)?;
        }
        Ok(format)
    }

    fn check_size(&self, format: VideoFormat) -> Result<(), VideoError> {
        let (least, most) = (self.size.min_element(), self.size.max_element());
        let fail = |format, largest| Err(VideoError::Size { format, width: self.size.x, height: self.size.y, largest });
        match format {
            VideoFormat::Mp4(VideoEncoder::BuiltIn)
                if least < LEAST_EDGE || most > MOST_EDGES.0 || least > MOST_EDGES.1 =>
            {
                fail("the built-in encoder of MP4 files", "3840 x 2160 (ffmpeg also makes larger ones)")
            }
            VideoFormat::Mp4(VideoEncoder::Ffmpeg) if least < LEAST_EDGE || most > MOST_EDGE => {
                fail("an MP4 file", "16384 x 16384")
            }
            VideoFormat::Gif if least < LEAST_EDGE || most > MOST_EDGE => fail("a GIF", "16384 x 16384"),
            _ => Ok(()),
        }
    }
}

fn format_of(file: &Path, encoder: VideoEncoder) -> Result<VideoFormat, VideoError> {
    let name = || file.display().to_string();
    let ending = file.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    match ending.as_deref() {
        Some("mp4") => Ok(VideoFormat::Mp4(encoder)),
        Some("gif") => Ok(VideoFormat::Gif),
        Some("png") if png_sequence::has_number(file) => Ok(VideoFormat::Pngs),
        Some("png") => Err(VideoError::NoNumber(name())),
        None if file.file_name().is_some() => Ok(VideoFormat::Pngs),
        Some(_) if file.is_dir() => Ok(VideoFormat::Pngs),
        _ => Err(VideoError::Ending(name())),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use glam::UVec2;

    use super::{VideoEncoder, VideoFormat, VideoSettings};

    fn settings(name: &str) -> VideoSettings {
        let folder = std::env::temp_dir();
        VideoSettings {
            file: folder.join(name),
            size: UVec2::new(320, 200),
            rate: 50,
            pace: 1.0,
            encoder: VideoEncoder::BuiltIn,
        }
    }

    #[test]
    fn the_name_determines_the_format() {
        let format = |name: &str| VideoSettings::new(PathBuf::from(name), UVec2::splat(64)).map(|it| it.format());
        for (name, expected) in [
            ("water.mp4", VideoFormat::Mp4(VideoEncoder::BuiltIn)),
            ("a/WATER.MP4", VideoFormat::Mp4(VideoEncoder::BuiltIn)),
            ("water.gif", VideoFormat::Gif),
            ("water_%05d.png", VideoFormat::Pngs),
            ("frames/%d.png", VideoFormat::Pngs),
            ("frames", VideoFormat::Pngs),
        ] {
            assert_eq!(format(name).expect(name).expect(name), expected, "{name}");
        }
        for (name, part) in [("water.avi", ".mp4 or .gif"), ("water.png", "water_%05d.png"), ("..", "does not tell")] {
            let told = format(name).expect_err(name).to_string();
            assert!(told.contains(part) && told.contains(name), "{told}");
        }
    }

    #[test]
    fn impossible_settings_are_refused_in_a_sentence_with_the_mend() {
        type Change = fn(&mut VideoSettings);
        let cases: [(&str, Change, &str); 8] = [
            ("a.mp4", |it| it.rate = 0, "from 1 to 240"),
            ("a.mp4", |it| it.rate = 241, "from 1 to 240"),
            ("a.gif", |it| it.rate = 60, "10, 20, 25 or 50"),
            ("a.mp4", |it| it.pace = 0.0, "the pace is 0"),
            ("a.mp4", |it| it.pace = f64::NAN, "the pace is NaN"),
            ("a.mp4", |it| it.size = UVec2::new(3842, 100), "3840 x 2160"),
            ("a.mp4", |it| it.size = UVec2::new(2200, 2200), "ffmpeg"),
            ("no/such/a.mp4", |_| (), "there is no folder"),
        ];
        for (name, change, part) in cases {
            let mut settings = settings(name);
            if !name.contains('/') {
                settings.check().expect(name);
            }
            change(&mut settings);
            let told = settings.check().expect_err(name).to_string();
            assert!(told.contains(part), "{told}");
        }
        for size in [UVec2::new(3840, 2160), UVec2::new(2160, 3840), UVec2::new(17, 33)] {
            VideoSettings { size, ..settings("a.mp4") }.check().expect("the encoder can do this");
        }
    }

    #[test]
    fn the_pictures_cover_the_simulated_time() {
        let count = |rate, pace, seconds| VideoSettings { rate, pace, ..settings("a.mp4") }.picture_count(seconds);
        assert_eq!(count(60, 1.0, 2.0), 120);
        assert_eq!(count(60, 0.25, 0.5), 120);
        assert_eq!(count(24, 1.0, 0.1), 2);
        assert_eq!(count(50, 2.0, 0.0), 1);
    }
}
