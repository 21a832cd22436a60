//! Records a video of a headless run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nearwater::depiction::{Depiction, depict, prepare};
use nearwater::fluid::Simulation;
use nearwater::gpu::Gpu;
use nearwater::legend::Legend;
use nearwater::legend_picture::draw_legend;
use nearwater::render::{Canvas, View};
use nearwater::video::{CameraMove, VideoRecorder, VideoSettings};

use super::CommandError;

/// A requested video.
pub struct Filming {
    /// File, size, rate, pace and encoder.
    pub settings: VideoSettings,
    /// Simulated time that the video shows, s.
    pub seconds: f64,
    /// Whether the pictures get a color legend.
    pub legend: bool,
}

impl Filming {
    /// Checks everything that can be checked before the simulation is made.
    pub fn check(&self) -> Result<(), CommandError> {
        self.settings.check()?;
        Ok(())
    }
}

/// The video of a run while it is recorded.
pub struct Film<'a> {
    camera: &'a CameraMove,
    depiction: Depiction,
    gpu: &'a Arc<Gpu>,
    recorder: VideoRecorder,
    canvas: Canvas,
    legend: Option<Legend>,
    wanted: u64,
    /// Why the video could not be written further. The run goes on without it, because its other output is still
    /// wanted.
    failure: Option<CommandError>,
    spent: Duration,
}

impl<'a> Film<'a> {
    /// Prepares the video of a run that begins at the simulation's current time; its pictures show `depiction`.
    pub fn new(
        (filming, camera, depiction): (&'a Filming, &'a CameraMove, Depiction),
        gpu: &'a Arc<Gpu>,
        simulation: &Simulation,
    ) -> Result<Self, CommandError> {
        let settings = &filming.settings;
        let step = f64::from(simulation.resolution().time_step);
        if settings.interval() < step {
            return Err(CommandError::Pictures { interval: settings.interval(), rate: settings.rate, step });
        }
        let legend = filming.legend.then(|| {
            let has_border = simulation.search_cells().is_some_and(|cells| cells.border.is_some());
            Legend::of(depiction.field, simulation.scene(), simulation.resolution(), has_border)
        });
        Ok(Self {
            camera,
            depiction,
            gpu,
            recorder: VideoRecorder::start(settings.clone(), simulation.time())?,
            canvas: Canvas::new(gpu, settings.size)?,
            legend,
            wanted: settings.picture_count(filming.seconds),
            failure: None,
            spent: Duration::ZERO,
        })
    }

    /// Whether no further picture is added.
    fn is_complete(&self) -> bool {
        self.failure.is_some() || self.recorder.len() >= self.wanted
    }

    /// Records the picture that is due at the simulation's current time. If it cannot be written, [`Film::finish`]
    /// reports it.
    ///
    /// # Errors
    /// When the picture cannot be drawn.
    pub fn record(&mut self, simulation: &mut Simulation) -> Result<(), CommandError> {
        let time = simulation.time();
        if self.is_complete() || !self.recorder.needs(time) {
            return Ok(());
        }
        let started = Instant::now();
        let camera = self.camera.at(self.recorder.seconds(), &simulation.scene().camera);
        let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, self.canvas.size());
        prepare(self.gpu, simulation, self.depiction)?;
        let (look, drawn) = depict(simulation, self.depiction);
        let mut picture = self.canvas.draw(&view, &look, &drawn, None)?;
        let told = self.legend.as_ref().map(|legend| draw_legend(&mut picture, legend));
        if let Some(Err(sentence)) = told {
            self.legend = None;
            outln!("{sentence}");
        }
        self.failure = self.recorder.add(time, picture).err().map(CommandError::from);
        self.gpu.wait()?;
        self.spent += started.elapsed();
        Ok(())
    }

    /// Number of steps until the next picture is due; at least one.
    pub fn steps_until_due(&self, simulation: &Simulation) -> u64 {
        let step = f64::from(simulation.resolution().time_step);
        if self.is_complete() {
            return u64::MAX;
        }
        self.recorder.steps_until_due(simulation.time(), step)
    }

    /// Wall-clock time spent on drawing and waiting for the encoder.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// The number of pictures so far, as text for the progress bar.
    pub fn progress(&self) -> String {
        format!("{} of {} pictures, ", self.recorder.len(), self.wanted)
    }

    /// Completes the video and prints what was written.
    pub fn finish(self) -> Result<(), CommandError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let (spent, wanted) = (self.spent.as_secs_f64(), self.wanted);
        let written = self.recorder.finish()?;
        outln!("{written}; drawing and encoding took {spent:.2} s");
        if written.pictures < wanted {
            outln!("the run ended before the other {} pictures", wanted - written.pictures);
        }
        Ok(())
    }
}
