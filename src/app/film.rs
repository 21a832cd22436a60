//! Records a video while the app runs: of the window as it is seen, or of the scene without the panel at any size.
//!
//! The driver owns the recording ([`Filming`]), because it knows the simulated time of each frame and decides how many
//! steps a frame makes. While a video is recorded no frame makes steps beyond the next picture, so a slow device makes the
//! same video as a fast one, only later.

use std::sync::{Arc, Mutex, PoisonError};

use image::RgbaImage;

use crate::gpu::Gpu;
use crate::render::{Canvas, Drawn, Look, View};
use crate::video::{Pairing, VideoRecorder, VideoSettings};

/// What a video shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilmSource {
    /// The window with everything in it, at its size.
    #[default]
    Window,
    /// The scene without panel and overlay, at the size of the settings, from the window's camera.
    Scene,
}

/// A request to record, which the controls hold until the recording is to end.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmOrder {
    /// Distinguishes the recordings of a session.
    pub number: u32,
    /// File, size, rate, pace and encoder.
    pub settings: VideoSettings,
    /// What is shown.
    pub source: FilmSource,
}

/// The number of a frame and its picture, if it could be read.
type Arrival = (u64, Option<RgbaImage>);

/// The pictures of the window that have arrived, with the numbers of their frames.
#[derive(Clone, Debug, Default)]
pub struct FilmInbox(Arc<Mutex<Vec<Arrival>>>);

impl FilmInbox {
    /// Hands over the picture of a frame; `None` if it could not be read.
    pub fn put(&self, frame: u64, picture: Option<RgbaImage>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((frame, picture));
    }

    fn take(&self) -> Vec<Arrival> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How far a recording is, for the overlay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilmStatus {
    /// Number of the order.
    pub number: u32,
    /// The file.
    pub file: String,
    /// Length of the video so far, s.
    pub seconds: f64,
}

/// A recording while it runs.
pub struct Filming {
    number: u32,
    recorder: VideoRecorder,
    source: Source,
}

enum Source {
    Window(Pairing),
    Scene(Box<Canvas>),
}

impl Filming {
    /// Starts a recording at the simulated time `time`, s.
    ///
    /// # Errors
    /// A sentence for the user, when the order cannot be carried out.
    pub fn start(gpu: &Arc<Gpu>, order: &FilmOrder, time: f64) -> Result<Self, String> {
        let recorder = VideoRecorder::start(order.settings.clone(), time).map_err(|error| error.to_string())?;
        let source = match order.source {
            FilmSource::Window => Source::Window(Pairing::default()),
            FilmSource::Scene => {
                let canvas = Canvas::new(gpu, order.settings.size).map_err(|error| error.to_string())?;
                Source::Scene(Box::new(canvas))
            }
        };
        Ok(Self { number: order.number, recorder, source })
    }

    /// How far it is.
    pub fn status(&self) -> FilmStatus {
        FilmStatus {
            number: self.number,
            file: self.recorder.settings().file.display().to_string(),
            seconds: self.recorder.seconds(),
        }
    }

    /// Largest number of steps of `step` seconds that a frame at `time`, s, may make, so that no picture is missed.
    pub fn most_steps(&self, time: f64, step: f64) -> u32 {
        u32::try_from(self.recorder.steps_until_due(time, step)).unwrap_or(u32::MAX)
    }

    /// Whether [`Filming::draw`] is to be called for the state at `time`, s.
    pub fn needs_drawing(&self, time: f64) -> bool {
        matches!(self.source, Source::Scene(_)) && self.recorder.needs(time)
    }

    /// Draws the scene at `time`, s, and adds the picture; for [`FilmSource::Scene`]. The device must have been given all
    /// earlier work.
    ///
    /// # Errors
    /// A sentence for the user, when the picture cannot be drawn or written. The recording is then over.
    pub fn draw(&mut self, time: f64, view: &View, look: &Look, drawn: &Drawn<'_>) -> Result<(), String> {
        let Source::Scene(canvas) = &mut self.source else { return Ok(()) };
        let size = canvas.size();
        // The window's camera, with the aspect of the video.
        let fov = 2.0 * (1.0 / view.clip_from_view.y_axis.y).atan();
        let eye = view.world_from_view.w_axis.truncate();
        let target = eye - view.world_from_view.z_axis.truncate();
        let view = View::perspective(eye, target, fov.to_degrees(), size);
        let picture = canvas.draw(&view, look, drawn, None).map_err(|error| error.to_string())?;
        self.recorder.add(time, picture).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Notes that frame `frame`, of which a picture was requested, shows the state at `time`, s; for
    /// [`FilmSource::Window`].
    pub fn shows(&mut self, frame: u64, time: f64) {
        if let Source::Window(pairing) = &mut self.source {
            pairing.shows(frame, time);
        }
    }

    /// Adds the pictures of the window that have arrived.
    ///
    /// # Errors
    /// A sentence for the user, when a picture cannot be written or the window's size has changed. The recording is then
    /// over.
    pub fn receive(&mut self, inbox: &FilmInbox) -> Result<(), String> {
        let Source::Window(pairing) = &mut self.source else { return Ok(()) };
        for (frame, picture) in inbox.take() {
            pairing.arrived(frame, picture);
        }
        while let Some((time, picture)) = pairing.take() {
            self.recorder.add(time, picture).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Number of pictures of the window that were requested and have not arrived.
    pub fn missing(&self) -> usize {
        match &self.source {
            Source::Window(pairing) => pairing.missing(),
            Source::Scene(_) => 0,
        }
    }

    /// Completes the file and returns what was written, in a sentence.
    ///
    /// # Errors
    /// A sentence for the user, when nothing was recorded or the file could not be written.
    pub fn finish(self) -> Result<String, String> {
        self.recorder.finish().map(|written| written.to_string()).map_err(|error| error.to_string())
    }
}
