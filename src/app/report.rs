use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{ProbeHistory, Speed, Timings};
use crate::fluid::{Resolution, Scene, Settings, Survey};

/// What really runs.
#[derive(Clone, Debug)]
pub struct Running {
    /// The scene.
    pub scene: Arc<Scene>,
    /// Search, cell edge, smoothing kernel and size as asked for.
    pub settings: Settings,
    /// Particle count, radius, mass and time step that came of them.
    pub resolution: Resolution,
    /// What was done to the scene's water at its start, in sentences.
    pub notices: Vec<String>,
    /// Bytes the search's own buffers take.
    pub search_bytes: u64,
    /// Whether the search has cells, and so few that their edges can be drawn.
    pub has_drawable_cells: bool,
    /// Rigid bodies in it, walls that move among them.
    pub body_count: usize,
}

/// What the side that simulates tells the panel.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The adapter's name and class.
    pub adapter: String,
    /// Whether the adapter can time passes.
    pub has_timestamps: bool,
    /// What runs; `None` before the first simulation could be made.
    pub running: Option<Running>,
    /// The revision of the controls that was tried last.
    pub applied: u64,
    /// Why that revision was refused.
    pub refused: Option<String>,
    /// Why an edited shader, or the renderer, is not in use.
    pub shader_error: Option<String>,
    /// What befell the device, and what became of it.
    pub device_error: Option<String>,
    /// Why a state could not be saved, or a body not be thrown.
    pub failure: Option<String>,
    /// What was done as somebody asked, and when.
    pub told: Option<(String, Instant)>,
    /// What the scene's probes have read.
    pub probes: Arc<ProbeHistory>,
    /// Why they could not be read.
    pub probe_error: Option<String>,
    /// Simulated seconds since the first frame.
    pub time: f64,
    /// Steps since the first frame.
    pub step_count: u64,
    /// Steps in the last frame.
    pub steps_per_frame: u32,
    /// How fast things go.
    pub speed: Speed,
    /// What passes took.
    pub timings: Timings,
    /// The last count of pairs and look at the particles' health.
    pub survey: Option<Survey>,
}

/// How long something that went well is told.
const TOLD_FOR: Duration = Duration::from_secs(8);

impl Report {
    /// Tells that something was done.
    pub(super) fn tell(&mut self, words: String) {
        self.told = Some((words, Instant::now()));
    }

    /// What was done a moment ago.
    pub fn news(&self) -> Option<&str> {
        self.told.as_ref().filter(|(_, at)| at.elapsed() < TOLD_FOR).map(|(words, _)| words.as_str())
    }

    /// Why the last change was refused, if it was.
    pub fn refusal(&self) -> Option<&str> {
        self.refused.as_deref()
    }
}
