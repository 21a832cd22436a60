//! The report of the simulating side: what runs, how fast, and what went wrong.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{
    CodeReport, ExplainedValues, FoamCost, HandsReport, PlaybackReport, ProbeHistory, SolidReport, Speed, StepTimes,
    Timings,
};
use crate::fluid::{BodyState, EventFindings, FoamCounts, Resolution, Scene, Settings, Survey};
use crate::gpu::Phase;
use crate::laboratory::{BadgeReport, JobFindings, LabFindings, LimitsCard};
use crate::search::Cells;

/// The running simulation.
#[derive(Clone, Debug)]
pub struct Running {
    /// The scene.
    pub scene: Arc<Scene>,
    /// The requested search, options, smoothing kernel and size.
    pub settings: Settings,
    /// The resulting particle count, radius, mass and time step.
    pub resolution: Resolution,
    /// Sentences on how the scene's water was changed at the start.
    pub notices: Vec<String>,
    /// Size of the search's own buffers, bytes.
    pub search_bytes: u64,
    /// The search's cells.
    pub cells: Option<Cells>,
    /// Whether the search has cells, and few enough of them for their edges to be drawn.
    pub has_drawable_cells: bool,
    /// Number of rigid bodies, including moving walls.
    pub body_count: usize,
}

/// The report of the driver to the panel.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The adapter's name and class.
    pub adapter: String,
    /// The device's limits, the needs of the searches, and the resulting ends of sliders.
    pub limits: Arc<LimitsCard>,
    /// Whether the adapter can time passes.
    pub has_timestamps: bool,
    /// The running simulation; `None` before the first one was created.
    pub running: Option<Running>,
    /// The revision of the controls that was tried last.
    pub applied: u64,
    /// Why that revision was refused.
    pub refused: Option<String>,
    /// Why an edited shader, or the renderer, is not in use.
    pub shader_error: Option<String>,
    /// The last error of the device, and how it was handled.
    pub device_error: Option<String>,
    /// Why a state could not be saved or a body not be added.
    pub failure: Option<String>,
    /// Why the simulation makes no further steps: so many particles crowd together that passes would block the
    /// display, or that a software adapter leaves out neighbors. A change of the settings or a reset ends it.
    pub crowded: Option<String>,
    /// The last announcement of a finished action, and its time.
    pub announced: Option<(String, Instant)>,
    /// Readings of the scene's probes.
    pub probes: Arc<ProbeHistory>,
    /// Why the probes could not be read.
    pub probe_error: Option<String>,
    /// Simulated time since the first frame, s.
    pub time: f64,
    /// Number of steps since the first frame.
    pub step_count: u64,
    /// Number of steps in the last frame with steps.
    pub steps_per_frame: u32,
    /// Speed of the simulation and of drawing.
    pub speed: Speed,
    /// Times of the passes.
    pub timings: Timings,
    /// How many times as long passes take one by one, as `timings` has them, as together, as far as frames in time have
    /// shown; 0 before any have.
    pub overstatement: f64,
    /// Times of single steps, recorded while the laboratory is open.
    pub step_times: Arc<StepTimes>,
    /// Results of the laboratory.
    pub lab: LabFindings,
    /// Results of the laboratory's measurements.
    pub jobs: JobFindings,
    /// Edited shaders: what is in use, what is wrong, and what it costs.
    pub code: CodeReport,
    /// State of the oracle badge.
    pub badge: BadgeReport,
    /// The last survey: counts of pairs and of invalid particles.
    pub survey: Option<Survey>,
    /// The last numbers of spray, foam and bubbles; `None` where foam is off.
    pub foam: Option<FoamCounts>,
    /// What steps of foam cost.
    pub foam_cost: FoamCost,
    /// The recording that is played.
    pub playback: PlaybackReport,
    /// What was done to gravity, walls and bodies.
    pub hands: HandsReport,
    /// State of every rigid body, including moving walls.
    pub bodies: Vec<BodyState>,
    /// Meshes of the app that are solids of this water.
    pub solids: Vec<SolidReport>,
    /// What was found in the water since the app last took it; the oldest findings are dropped.
    pub events: Vec<EventFindings>,
    /// Values of the symbols of the explanations, while these are open.
    pub explained: ExplainedValues,
}

/// How long an announcement is shown.
const ANNOUNCED_FOR: Duration = Duration::from_secs(8);

impl Report {
    /// Announces that an action was finished.
    pub(super) fn announce(&mut self, sentence: String) {
        self.announced = Some((sentence, Instant::now()));
    }

    /// The last announcement, while it is shown.
    pub fn news(&self) -> Option<&str> {
        let recent = self.announced.as_ref().filter(|(_, at)| at.elapsed() < ANNOUNCED_FOR);
        recent.map(|(sentence, _)| sentence.as_str())
    }

    /// Times of a step, `None` before one was timed, and of the drawing of a frame, ms, as far as is known of what their
    /// passes take together.
    pub fn times_together(&self) -> (Option<f64>, f64) {
        let together = |milliseconds: f32| f64::from(milliseconds) / self.overstatement.max(1.0);
        (self.timings.step_milliseconds().map(together), together(self.timings.phase_milliseconds(Phase::Drawing)))
    }

    /// Why the last change was refused, if it was.
    pub fn refusal(&self) -> Option<&str> {
        self.refused.as_deref()
    }
}
