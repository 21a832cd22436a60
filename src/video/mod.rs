//! Videos of the water: pictures at a fixed rate of simulated time become an MP4 file, an animated GIF or a sequence of
//! PNGs.
//!
//! [`VideoRecorder`] takes pictures tagged with their simulated time and encodes them on a thread of its own. Which
//! pictures a video needs follows from simulated time alone ([`FrameClock`]), so a video is the same on a slow and on a
//! fast machine. The layer takes plain RGBA pictures: it does not depend on the renderer and needs no window.
//!
//! H.264 is encoded by `OpenH264` (Cisco, BSD 2-clause), which the crate `openh264` compiles from its own sources with
//! a C++ compiler and nothing else, and the MP4 boxes are written by `shiguredo_mp4`, which has no dependencies. The
//! alternative is the user's own `ffmpeg`.

mod camera;
mod clock;
mod error;
mod ffmpeg;
mod frames;
mod gif;
mod h264;
mod mp4;
mod path;
mod png_sequence;
mod recorder;
mod settings;
mod yuv;

pub use camera::{CameraMove, Orbit};
pub use clock::FrameClock;
pub use error::VideoError;
pub use path::{CameraPath, KeyFrame};
pub use recorder::{VideoRecorder, Written};
pub use settings::{VideoEncoder, VideoFormat, VideoSettings};
