//! What the user chose for videos and pictures: what they show, their size, format, rate and pace.

use std::path::PathBuf;

use glam::UVec2;
use serde::{Deserialize, Serialize};

use crate::video::{VideoEncoder, VideoError, VideoSettings};

/// Sizes that the panel offers for the water alone, pixels.
pub(in crate::app) const SIZES: [[u32; 2]; 5] = [[1280, 720], [1920, 1080], [2560, 1440], [3840, 2160], [1080, 1080]];
/// Pictures per second that the panel offers.
pub(in crate::app) const RATES: [u32; 6] = [10, 20, 25, 30, 50, 60];
/// Paces that the panel offers: simulated time in percent of the video's.
pub(in crate::app) const PACES: [u32; 6] = [10, 25, 50, 100, 200, 400];
/// The pace of real time.
const REAL_TIME: u32 = 100;

/// What videos and pictures show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilmContent {
    /// The whole window as it is, with the panel unless it is hidden.
    #[default]
    Window,
    /// The water and its surroundings alone, in any size.
    Water,
}

/// The format of videos.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilmFormat {
    /// H.264 in an MP4 file.
    #[default]
    Mp4,
    /// An animated GIF.
    Gif,
    /// A folder of PNGs.
    Pngs,
}

impl FilmFormat {
    /// The ending of the file's name, with the dot; empty for a folder.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Mp4 => ".mp4",
            Self::Gif => ".gif",
            Self::Pngs => "",
        }
    }
}

/// What the user chose for videos and pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FilmChoice {
    /// What they show.
    pub content: FilmContent,
    /// Size of pictures of the water alone, pixels; the window's if `None`.
    pub size: Option<[u32; 2]>,
    /// Format of videos.
    pub format: FilmFormat,
    /// Encoder of MP4 files.
    pub encoder: VideoEncoder,
    /// Pictures per second of videos; the format's usual number if `None`.
    pub rate: Option<u32>,
    /// Simulated time in percent of the video's: 100 is real time, 25 slow motion.
    pub pace_percent: u32,
}

impl Default for FilmChoice {
    fn default() -> Self {
        Self {
            content: FilmContent::default(),
            size: None,
            format: FilmFormat::default(),
            encoder: VideoEncoder::default(),
            rate: None,
            pace_percent: REAL_TIME,
        }
    }
}

impl FilmChoice {
    /// The settings of a video in `file` with pictures of `size` pixels.
    ///
    /// # Errors
    /// When the file's name does not determine a format.
    pub(super) fn video(&self, file: PathBuf, size: UVec2) -> Result<VideoSettings, VideoError> {
        let usual = VideoSettings::new(file, size)?;
        let rate = self.rate.unwrap_or(usual.rate);
        Ok(VideoSettings { rate, pace: 0.01 * f64::from(self.pace_percent), encoder: self.encoder, ..usual })
    }

    /// Why the choice cannot be used, where a file of settings was edited: the sentence names the field.
    pub(in crate::app) fn fault(&self) -> Option<String> {
        if self.pace_percent == 0 {
            return Some("film.pace_percent is 0, but must be at least 1".to_owned());
        }
        let empty = self.size.is_some_and(|[width, height]| width == 0 || height == 0);
        empty.then(|| "film.size has an edge of 0 pixels, but each must be at least 1".to_owned())
    }
}
