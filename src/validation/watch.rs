use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Check, Series, Tolerance, ValidationError};
use crate::files::Frame;
use crate::fluid::{Probe, Resolution, Scene, SceneEdits, Settings, Simulation, Size, Solver};
use crate::gpu::Gpu;

/// Steps in one submission: few enough for a software adapter's watchdog.
const STEPS_A_SUBMISSION: u64 = 50;
/// Share of a step by which times may be off: what adding up steps rounds.
const ROUNDING: f64 = 1e-6;

/// A case run once: by which solver, how finely and how long.
pub struct Trial<'a> {
    /// The device.
    pub gpu: &'a Arc<Gpu>,
    /// Search, its options, kernel and seed; size and edits are the case's own.
    pub settings: &'a Settings,
    /// Which equations.
    pub solver: Solver,
    /// How finely, in the case's unit.
    pub resolution: u32,
    /// Seconds of water.
    pub seconds: f64,
    /// Told the share of the way that is made, 0 to 1.
    pub progress: &'a mut dyn FnMut(f64),
}

/// What was seen of a run.
pub struct Watched {
    /// What it was run with.
    pub resolution: Resolution,
    /// Steps made.
    pub steps: u64,
    /// Seconds of water.
    pub seconds: f64,
    /// Time of the user's that the steps took, without looking.
    pub wall: Duration,
    /// Whether the water kept what it must.
    pub health: Health,
    heads: Vec<String>,
    rows: Vec<(f64, Vec<Option<f64>>)>,
}

impl Watched {
    /// What a column of the scene's probes read over time, s; without the times at which there was nothing to read.
    ///
    /// # Panics
    /// When the scene has no such probe, which is a fault of the case.
    pub fn column(&self, head: &str) -> Series {
        let column = self.heads.iter().position(|known| known == head);
        let column = column.unwrap_or_else(|| panic!("the case reads {head} of a scene that has {:?}", self.heads));
        Series::new(self.rows.iter().filter_map(|(time, row)| Some((*time, row[column]?))).collect())
    }
}

/// What water must keep whatever it does: solver health gates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Health {
    /// Most particles ever seen that were not finite, outside the box or missing.
    pub lost: u64,
    /// Highest energy over that at the start, less one; compression not counted.
    pub energy_gained: f64,
    /// Mean over the time of the mean compression of those that are compressed.
    pub compression: f64,
}

impl Health {
    /// The gates.
    pub fn checks(&self) -> Vec<Check> {
        vec![
            Check::at_most("particles lost, outside or not finite", "", self.lost as f64, Tolerance::pass(0.0)),
            Check::at_most("energy gained", "%", 100.0 * self.energy_gained, Tolerance::stretching(1.0, 0.1)),
            Check::at_most("mean compression", "%", 100.0 * self.compression, Tolerance::stretching(1.0, 0.5)),
        ]
    }
}

impl Trial<'_> {
    /// Runs the scene at that size and looks at it every so many seconds of water, at the start first. `look` sees what
    /// no probe reads.
    pub(super) fn watch(
        &mut self,
        mut scene: Scene,
        size: Size,
        every: f64,
        look: &mut dyn FnMut(&Frame, &Simulation),
    ) -> Result<Watched, ValidationError> {
        for probe in [Probe::Energy, Probe::DensityError] {
            if !scene.probes.contains(&probe) {
                scene.probes.push(probe);
            }
        }
        let edits = SceneEdits { solver: Some(self.solver), ..SceneEdits::default() };
        let settings = Settings { size, edits, ..self.settings.clone() };
        let mut simulation = Simulation::new(self.gpu, &scene, &settings)?;
        let resolution = *simulation.resolution();
        self.gpu.submit(|encoder| simulation.record_densities(encoder, None));
        let step = f64::from(resolution.time_step);
        let steps = (self.seconds / step).ceil() as u64;
        let mut watched = Watched {
            resolution,
            steps,
            seconds: 0.0,
            wall: Duration::ZERO,
            health: Health::default(),
            heads: scene.probe_columns().iter().map(crate::fluid::ProbeColumn::head).collect(),
            rows: Vec::new(),
        };
        let mut looks = 0_u32;
        loop {
            let due = f64::from(looks) * every - ROUNDING * step;
            if simulation.time() >= due || simulation.step_count() >= steps {
                let frame = simulation.observe()?;
                watched.take(&frame, &simulation);
                look(&frame, &simulation);
                looks = (simulation.time() / every + ROUNDING).floor() as u32 + 1;
                (self.progress)(simulation.step_count() as f64 / steps.max(1) as f64);
            }
            if simulation.step_count() >= steps {
                break;
            }
            let until = ((f64::from(looks) * every - simulation.time()) / step - ROUNDING).ceil().max(1.0) as u64;
            let batch = until.min(steps - simulation.step_count());
            let started = Instant::now();
            for part in (0..batch).step_by(STEPS_A_SUBMISSION as usize) {
                let count = STEPS_A_SUBMISSION.min(batch - part);
                self.gpu.submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
            }
            self.gpu.wait()?;
            watched.wall += started.elapsed();
        }
        watched.seconds = simulation.time();
        let compressions = watched.column("density_error_percent");
        watched.health.compression = 0.01 * compressions.mean_from(0.0);
        Ok(watched)
    }
}

impl Watched {
    fn take(&mut self, frame: &Frame, simulation: &Simulation) {
        let readings = simulation.readings(frame);
        let (low, high) = (simulation.scene().low.to_array(), simulation.scene().high.to_array());
        let inside = |place: &[f32; 3]| (0..3).all(|axis| (low[axis]..=high[axis]).contains(&place[axis]));
        let finite = |velocity: &[f32; 3]| velocity.iter().all(|component| component.is_finite());
        let sound = frame.positions.iter().zip(&frame.velocities);
        let sound = sound.filter(|(place, velocity)| inside(place) && finite(velocity)).count() as u64;
        self.health.lost = self.health.lost.max(u64::from(self.resolution.particle_count).saturating_sub(sound));
        self.rows.push((frame.time, readings));
        let unit = if simulation.scene().dimensions == crate::fluid::Dimensions::Two { "J_per_m" } else { "J" };
        let energies = self.column(&format!("energy_{unit}"));
        if let (Some(first), Some(last)) = (energies.points().first(), energies.points().last()) {
            let gained = last.1 / first.1 - 1.0;
            // What is no number stays one: `max` would hide it.
            if gained.is_nan() || gained > self.health.energy_gained {
                self.health.energy_gained = gained;
            }
        }
    }
}

/// The scene with steps of PBF in which the fastest water crosses at most that share of a spacing.
pub(super) fn with_short_steps(mut scene: Scene, spacing: f64, speed: f64, share: f64) -> Scene {
    const MOST_SUBSTEPS: f64 = 64.0;
    let step = share * spacing / speed;
    let substeps = (f64::from(scene.pbf.frame) / step).ceil().clamp(1.0, MOST_SUBSTEPS);
    scene.pbf.frame = scene.pbf.frame.min((substeps * step) as f32);
    scene.pbf.substeps = substeps as u32;
    scene
}
