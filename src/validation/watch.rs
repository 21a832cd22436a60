//! Running a scene for a case and observing it: probes over time, and what any solver must conserve.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Check, Series, Tolerance, ValidationError};
use crate::files::Frame;
use crate::fluid::{FluidError, Probe, Resolution, Scene, SceneEdits, Settings, Simulation, Size, Solver};
use crate::gpu::Gpu;

/// Steps per submission: few enough for the watchdog of a software adapter.
const STEPS_A_SUBMISSION: u64 = 50;
/// Fraction of a step by which times may be off because of rounding in the sum of steps.
const ROUNDING: f64 = 1e-6;

/// The parameters of one run of a case.
pub struct Trial<'a> {
    /// The device.
    pub gpu: &'a Arc<Gpu>,
    /// Search, its options, kernel and seed; size and edits are set by the case.
    pub settings: &'a Settings,
    /// The solver.
    pub solver: Solver,
    /// The resolution, in the case's unit.
    pub resolution: u32,
    /// Simulated time, s.
    pub seconds: f64,
    /// Called with the completed fraction of the run, 0 to 1.
    pub progress: &'a mut dyn FnMut(f64),
}

/// The observations of a run.
pub struct Watched {
    /// The particle resolution of the run.
    pub resolution: Resolution,
    /// Number of steps.
    pub steps: u64,
    /// Simulated time, s.
    pub seconds: f64,
    /// Wall-clock time of the steps, without the observations.
    pub wall: Duration,
    /// Whether particles, energy and volume were conserved.
    pub health: Health,
    heads: Vec<String>,
    rows: Vec<(f64, Vec<Option<f64>>)>,
}

impl Watched {
    /// A column of the scene's probes over time, s, without the times at which there was nothing to read.
    ///
    /// # Panics
    /// When the scene has no such probe, which is an error in the case.
    pub fn column(&self, head: &str) -> Series {
        let column = self.heads.iter().position(|known| known == head);
        let column = column.unwrap_or_else(|| panic!("the case reads {head} of a scene that has {:?}", self.heads));
        Series::new(self.rows.iter().filter_map(|(time, row)| Some((*time, row[column]?))).collect())
    }
}

/// Quantities that every solver must conserve within limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Health {
    /// Largest number of particles that were not finite, outside the box or missing at any time.
    pub lost: u64,
    /// Highest energy divided by that at the start, minus one; the energy of compression is not included.
    pub energy_gained: f64,
    /// Whether the surface has a tension: then it stores energy, which is not included, and a gain is no error.
    pub is_elastic: bool,
    /// Mean over time of the mean compression of the compressed particles.
    pub compression: f64,
}

impl Health {
    /// The checks of these quantities.
    pub fn checks(&self) -> Vec<Check> {
        let mut checks =
            vec![Check::at_most("particles lost, outside or not finite", "", self.lost as f64, Tolerance::pass(0.0))];
        if !self.is_elastic {
            let gained = 100.0 * self.energy_gained;
            checks.push(Check::at_most("energy gained", "%", gained, Tolerance::stretching(1.0, 0.1)));
        }
        let compression = 100.0 * self.compression;
        checks.push(Check::at_most("mean compression", "%", compression, Tolerance::stretching(1.0, 0.5)));
        checks
    }
}

impl Trial<'_> {
    /// Runs the scene at that size and observes it at the given interval of simulated time, beginning at the start.
    /// `look` receives what no probe reads.
    pub(super) fn watch(
        &mut self,
        scene: Scene,
        size: Size,
        every: f64,
        look: &mut dyn FnMut(&Frame, &Simulation),
    ) -> Result<Watched, ValidationError> {
        self.watch_from(scene, size, every, &|_| Ok(()), look)
    }

    /// As [`Trial::watch`], from a state that `start` makes of that of the scene.
    pub(super) fn watch_from(
        &mut self,
        mut scene: Scene,
        size: Size,
        every: f64,
        start: &dyn Fn(&mut Simulation) -> Result<(), FluidError>,
        look: &mut dyn FnMut(&Frame, &Simulation),
    ) -> Result<Watched, ValidationError> {
        for probe in [Probe::parse("Energy")?, Probe::parse("DensityError")?] {
            if !scene.probes.contains(&probe) {
                scene.probes.push(probe);
            }
        }
        let edits = SceneEdits { solver: Some(self.solver), ..self.settings.edits.clone() };
        let settings = Settings { size, edits, ..self.settings.clone() };
        let mut simulation = Simulation::new(self.gpu, &scene, &settings)?;
        start(&mut simulation)?;
        let resolution = *simulation.resolution();
        self.gpu.submit(|encoder| simulation.record_densities(encoder, None));
        let step = f64::from(resolution.time_step);
        let steps = (self.seconds / step).ceil() as u64;
        let mut watched = Watched {
            resolution,
            steps,
            seconds: 0.0,
            wall: Duration::ZERO,
            health: Health { is_elastic: scene.material.surface_tension > 0.0, ..Health::default() },
            heads: scene.probe_columns().iter().map(crate::fluid::ProbeColumn::head).collect(),
            rows: Vec::new(),
        };
        let mut looks = 0_u32;
        loop {
            let due = f64::from(looks) * every - ROUNDING * step;
            if simulation.time() >= due || simulation.step_count() >= steps {
                let frame = simulation.observe()?;
                watched.take(&frame, &simulation)?;
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
    /// These observations with the duration and the worse health of another run of the same case.
    pub(super) fn and(mut self, other: &Self) -> Self {
        // Comparing this way keeps NaN, which `max` would hide.
        let worse = |a: f64, b: f64| if b <= a { a } else { b };
        self.steps += other.steps;
        self.wall += other.wall;
        self.health = Health {
            lost: self.health.lost.max(other.health.lost),
            energy_gained: worse(self.health.energy_gained, other.health.energy_gained),
            is_elastic: self.health.is_elastic || other.health.is_elastic,
            compression: worse(self.health.compression, other.health.compression),
        };
        self
    }

    fn take(&mut self, frame: &Frame, simulation: &Simulation) -> Result<(), FluidError> {
        let readings = simulation.readings(frame)?;
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
            // Comparing this way keeps NaN, which `max` would hide.
            if gained.is_nan() || gained > self.health.energy_gained {
                self.health.energy_gained = gained;
            }
        }
        Ok(())
    }
}

/// The scene with steps in which the fastest water crosses at most the given fraction of a spacing, for solvers whose
/// steps can be chosen.
pub(super) fn with_short_steps(mut scene: Scene, spacing: f64, speed: f64, share: f64) -> Scene {
    for shorten in Solver::all().filter_map(|solver| solver.shorten_steps) {
        shorten(&mut scene.solver_settings, share * spacing / speed);
    }
    scene
}
