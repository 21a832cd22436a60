//! Errors of recording a video.

use glam::UVec2;
use thiserror::Error;

use crate::files::FileError;

/// Why a video could not be recorded. Each message names what is wrong and what to do about it.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum VideoError {
    /// The video or one of its pictures could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file's name does not determine a format.
    #[error(
        "the name {0} does not tell the format of a video; end it in .mp4 or .gif, or give a folder or a pattern such \
         as water_%05d.png for a sequence of PNGs"
    )]
    Ending(String),
    /// The file's name is that of a single PNG.
    #[error(
        "{0} is the name of a single PNG; for a sequence give a folder, or put the picture's number into the name as \
         in water_%05d.png"
    )]
    NoNumber(String),
    /// The rate is not one that a video can have.
    #[error("a video of {0} pictures a second cannot be made; choose a rate from 1 to 240")]
    Rate(u32),
    /// The rate is not one that a GIF can have.
    #[error(
        "a GIF shows each picture for whole hundredths of a second, so {0} pictures a second are not possible; choose \
         10, 20, 25 or 50, or an MP4 file"
    )]
    GifRate(u32),
    /// The ratio of simulated time to the video's time is not positive.
    #[error("the pace is {0}, but must be a positive number: simulated seconds per second of the video")]
    Pace(f64),
    /// The encoder's pictures cannot be that large or small.
    #[error(
        "{format} cannot hold pictures of {width} x {height} pixels, only from 16 x 16 to {largest}; choose another \
         size, or a sequence of PNGs"
    )]
    Size {
        /// The format, with its encoder.
        format: &'static str,
        /// Width, pixels.
        width: u32,
        /// Height, pixels.
        height: u32,
        /// The largest size, in words.
        largest: &'static str,
    },
    /// A picture differs in size from the others.
    #[error(
        "all pictures of a video have the same size, {} x {} pixels here, but one has {} x {}; start another recording \
         when the size changes", .expected.x, .expected.y, .found.x, .found.y
    )]
    PictureSize {
        /// The video's size, pixels.
        expected: UVec2,
        /// The picture's size, pixels.
        found: UVec2,
    },
    /// There is no picture, so there is no video.
    #[error("no picture was recorded, so {0} was not written; record for longer, or while the water moves")]
    Empty(String),
    /// The worker thread ended without a result.
    #[error("the video {0} was not written, because its encoder stopped unexpectedly; please report this")]
    Stopped(String),
    /// The camera's description cannot be understood.
    #[error("the camera \"{given}\" is unknown: {reason}")]
    Camera {
        /// What was given.
        given: String,
        /// What is wrong, and what is possible.
        reason: String,
    },
    /// A file of key frames cannot be read.
    #[error("cannot read the camera's path {file}: {reason}")]
    PathUnreadable {
        /// The file.
        file: String,
        /// The operating system's message.
        reason: String,
    },
    /// A file of key frames is invalid.
    #[error("{file}, line {line}, column {column}: {reason}")]
    Path {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// What is wrong, and how to correct it.
        reason: String,
    },
}
