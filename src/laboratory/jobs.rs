//! Runs the jobs that measure (races, sweeps and lessons) from a window: one job at a time, a small part in every
//! frame.

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec3;

use super::{
    BreakIt, Breakage, LaboratoryError, MarkEntry, Marker, Naming, Preset, Progress, Race, RaceInput, RaceTable,
    ScalingInput, ScalingLab, ScalingTable, Undamaged, Water,
};
use crate::bench::upload;
use crate::fluid::Simulation;
use crate::gpu::{AdapterClass, Gpu, Readback};
use crate::render::Mark;
use crate::search::Domain;
use crate::search::verify::SearchConfiguration;

/// Time that a frame spends on a job on the host; it never waits for the device.
const SHARE_OF_FRAME: Duration = Duration::from_millis(4);
/// Largest number of parts of a job that a frame runs.
pub const MOST_PARTS_A_FRAME: u64 = 64;
/// Seed of the random numbers of lessons.
const SEED: u64 = 20_261_122;

/// What is to be measured.
#[derive(Clone, Debug)]
pub enum JobWork {
    /// Times several searches on one input after the other.
    Race {
        /// The inputs.
        waters: Vec<Water>,
        /// The searches with their settings.
        configurations: Vec<SearchConfiguration>,
        /// Timed runs of each search.
        runs: u32,
        /// Time of the physics in a step of the running simulation, measured elsewhere and the same for every search,
        /// ms.
        physics_milliseconds: Option<f64>,
    },
    /// Times searches over a range of particle counts or radii.
    Scale(Box<ScalingInput>),
    /// Measures the effect of lessons on a search, with the particles of the running simulation.
    Break {
        /// The lessons, one after the other.
        presets: Vec<&'static Preset>,
        /// The search and its settings.
        configuration: SearchConfiguration,
    },
}

/// An order for a job, which is run once.
#[derive(Clone, Debug)]
pub struct JobOrder {
    /// Number of the order, so that each order is started once.
    pub number: u32,
    /// What is to be measured.
    pub work: JobWork,
}

/// The result of a race, which may be incomplete while the race is running.
#[derive(Clone, Debug)]
pub struct RaceResult {
    /// The input of the race.
    pub water: Water,
    /// The table.
    pub table: Arc<RaceTable>,
}

/// The result of a lesson.
#[derive(Clone, Debug)]
pub struct LessonResult {
    /// The search and its settings before the lesson.
    pub configuration: SearchConfiguration,
    /// Number of particles of the measurement: those of the running simulation, up to a limit.
    pub particle_count: u32,
    /// The numbers before and after.
    pub breakage: Arc<Breakage>,
}

/// The results of the jobs. A result is kept until the same measurement is repeated.
#[derive(Clone, Debug, Default)]
pub struct JobFindings {
    /// Number of the last order that was started.
    pub number: u32,
    /// Progress of the running job; `None` if no job is running.
    pub progress: Option<Progress>,
    /// Description of the present part of the job.
    pub at: String,
    /// Number of parts that were run since the start; shows how much work a frame does.
    pub parts: u64,
    /// Races, at most one per input.
    pub races: Vec<RaceResult>,
    /// The last sweep.
    pub scaling: Option<Arc<ScalingTable>>,
    /// Lessons, at most one per preset.
    pub lessons: Vec<LessonResult>,
    /// Why the last job ended early.
    pub error: Option<String>,
}

impl JobFindings {
    /// The race on that input.
    pub fn race(&self, water: Water) -> Option<&RaceResult> {
        self.races.iter().find(|race| race.water == water)
    }

    /// The result of that lesson.
    pub fn lesson(&self, preset: &Preset) -> Option<&LessonResult> {
        self.lessons.iter().find(|lesson| lesson.breakage.preset.name == preset.name)
    }
}

/// The part of a job that is running.
enum Running {
    Race(Water, Box<Race>),
    Scale(Box<ScalingLab>),
    /// The positions of the running simulation are being read back.
    Reading(&'static Preset, Readback<[f32; 4]>, u32, Domain),
    Break(Box<BreakIt>, u32),
}

/// The damaged particles of a lesson, for drawing.
pub struct DamagedWater {
    /// Positions, `vec4f`, m; len = `count`.
    pub positions: wgpu::Buffer,
    /// Number of particles.
    pub count: u32,
    marker: Marker,
}

impl DamagedWater {
    /// Roles of the particles, which mark those that the badge found wrong.
    pub fn marks(&self) -> &wgpu::Buffer {
        self.marker.marks()
    }
}

/// Runs one job at a time. While no job is running, it keeps nothing on the device except the damaged particles.
#[derive(Default)]
pub struct Jobs {
    order: Option<Arc<JobOrder>>,
    /// How many inputs or lessons of the order are done.
    done: usize,
    running: Option<Running>,
    /// Progress of the running race when its table was last updated.
    seen: u64,
    findings: JobFindings,
    shown: Option<(&'static str, DamagedWater)>,
    damaged: Option<(&'static str, Vec<Vec3>)>,
}

impl Jobs {
    /// Starts a new order, advances the running job, and cancels it if there is no order. Never waits for the device.
    pub fn follow(
        &mut self,
        gpu: &Gpu,
        simulation: Option<&Simulation>,
        order: Option<&Arc<JobOrder>>,
    ) -> &JobFindings {
        match order {
            None => self.stop(),
            Some(order) if order.number != self.findings.number => {
                self.stop();
                self.findings.number = order.number;
                self.findings.error = None;
                self.order = Some(Arc::clone(order));
            }
            Some(_) => {}
        }
        let begun = Instant::now();
        for _ in 0..MOST_PARTS_A_FRAME {
            if self.order.is_none() {
                break;
            }
            self.findings.parts += 1;
            if let Err(error) = self.advance(gpu, simulation) {
                self.findings.error = Some(error.to_string());
                self.stop();
            }
            if begun.elapsed() >= SHARE_OF_FRAME {
                break;
            }
        }
        &self.findings
    }

    fn stop(&mut self) {
        (self.order, self.running, self.done, self.findings.progress) = (None, None, 0, None);
    }

    /// Ends the running job, if there is one, for the reason `why`.
    pub fn interrupt(&mut self, why: &str) {
        if self.order.is_some() {
            self.stop();
            self.findings.error = Some(format!("The measurement was ended, because {why}."));
        }
    }

    /// The results so far.
    pub fn findings(&self) -> &JobFindings {
        &self.findings
    }

    fn advance(&mut self, gpu: &Gpu, simulation: Option<&Simulation>) -> Result<(), LaboratoryError> {
        let Some(order) = self.order.clone() else { return Ok(()) };
        let progress = match self.running.take() {
            None => {
                self.running = self.begin(gpu, simulation, &order.work)?;
                if self.running.is_none() {
                    self.stop();
                    return Ok(());
                }
                Progress { done: 0, total: 1 }
            }
            Some(Running::Race(water, mut race)) => {
                let progress = race.advance(gpu)?;
                if progress.is_done() || progress.done != self.seen {
                    self.seen = progress.done;
                    let result = RaceResult { water, table: Arc::new(race.table()) };
                    replace(&mut self.findings.races, result, |race| race.water == water);
                }
                self.running = Some(Running::Race(water, race));
                progress
            }
            Some(Running::Scale(mut lab)) => {
                let progress = lab.advance(gpu)?;
                let measured = self.findings.scaling.as_ref().map_or(0, |table| table.points.len());
                if progress.is_done() || lab.table().points.len() != measured {
                    self.findings.scaling = Some(Arc::new(lab.table().clone()));
                }
                self.running = Some(Running::Scale(lab));
                progress
            }
            Some(Running::Reading(preset, readback, count, domain)) => {
                // Read-backs complete only when the device is polled.
                gpu.poll();
                self.running = Some(match readback.take() {
                    None => Running::Reading(preset, readback, count, domain),
                    Some(positions) => self.begin_lesson(gpu, &order.work, (preset, count), &positions, domain)?,
                });
                Progress { done: 0, total: 1 }
            }
            Some(Running::Break(mut lesson, count)) => {
                let progress = lesson.advance(gpu)?;
                if progress.is_done() {
                    self.end_lesson(gpu, simulation, &order.work, &lesson.breakage(), count)?;
                }
                self.running = Some(Running::Break(lesson, count));
                progress
            }
        };
        let all = match &order.work {
            JobWork::Race { waters, .. } => waters.len(),
            JobWork::Scale(_) => 1,
            JobWork::Break { presets, .. } => presets.len(),
        };
        if progress.is_done() {
            self.running = None;
            self.done += 1;
        }
        self.findings.at = self.running.as_ref().map(Running::words).unwrap_or_default();
        let within = if progress.is_done() { 0.0 } else { f64::from(progress.fraction()) };
        self.findings.progress =
            Some(Progress { done: ((self.done as f64 + within) * 1_000.0) as u64, total: all as u64 * 1_000 });
        if self.done >= all {
            self.stop();
        }
        Ok(())
    }

    /// Starts the next part of the order; `None` if all parts are done.
    fn begin(
        &self,
        gpu: &Gpu,
        simulation: Option<&Simulation>,
        work: &JobWork,
    ) -> Result<Option<Running>, LaboratoryError> {
        match work {
            JobWork::Race { waters, configurations, runs, physics_milliseconds } => {
                let Some(&water) = waters.get(self.done) else { return Ok(None) };
                let input = |positions, particle_count, domain| RaceInput {
                    positions,
                    particle_count,
                    domain,
                    configurations: configurations.clone(),
                    runs: *runs,
                    physics: None,
                    physics_milliseconds: physics_milliseconds.filter(|_| water == Water::Running),
                };
                let race = if let Some(made) = water.make(gpu.capabilities.class)? {
                    let positions = upload(gpu, &made.positions)?;
                    Race::new(gpu, input(&positions, made.positions.len() as u32, made.domain))?
                } else {
                    let Some(simulation) = simulation else { return Ok(None) };
                    let particles = simulation.particles();
                    Race::new(gpu, input(particles.positions, particles.count, simulation.search_domain()))?
                };
                Ok(Some(Running::Race(water, Box::new(race))))
            }
            JobWork::Scale(input) => Ok(Some(Running::Scale(Box::new(ScalingLab::new(gpu, (**input).clone())?)))),
            JobWork::Break { presets, .. } => {
                let (Some(&preset), Some(simulation)) = (presets.get(self.done), simulation) else { return Ok(None) };
                let particles = simulation.particles();
                let count = particles.count.min(most_of_lesson(gpu.capabilities.class));
                let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                let readback = Readback::record(gpu, &mut encoder, particles.positions, count as usize);
                gpu.queue.submit([encoder.finish()]);
                Ok(Some(Running::Reading(preset, readback, count, simulation.search_domain())))
            }
        }
    }

    fn begin_lesson(
        &mut self,
        gpu: &Gpu,
        work: &JobWork,
        (preset, count): (&'static Preset, u32),
        positions: &[[f32; 4]],
        domain: Domain,
    ) -> Result<Running, LaboratoryError> {
        let JobWork::Break { configuration, .. } = work else { unreachable!("positions are read for lessons only") };
        let positions: Vec<Vec3> = positions.iter().map(|&[x, y, z, _]| Vec3::new(x, y, z)).collect();
        let undamaged = Undamaged { positions: &positions, domain, configuration, seed: SEED };
        self.damaged = Some((preset.name, preset.apply(undamaged)?.positions));
        Ok(Running::Break(Box::new(BreakIt::new(gpu, preset, undamaged)?), count))
    }

    /// Stores the numbers, and the damaged particles for drawing.
    fn end_lesson(
        &mut self,
        gpu: &Gpu,
        simulation: Option<&Simulation>,
        work: &JobWork,
        breakage: &Breakage,
        count: u32,
    ) -> Result<(), LaboratoryError> {
        let JobWork::Break { configuration, .. } = work else { return Ok(()) };
        if let (Some((name, positions)), Some(simulation)) = (self.damaged.take(), simulation)
            && simulation.particles().count as usize >= positions.len()
        {
            let mut marker = Marker::new(gpu, simulation.particles().velocities, count)?;
            let offenders = breakage.after.verdict.iter().flat_map(|verdict| &verdict.offenders);
            let entries: Vec<MarkEntry> =
                offenders.map(|offender| MarkEntry::new(offender.particle, Mark::Wrong)).collect();
            marker.set(gpu, Mark::Plain, Naming::Place, &entries);
            gpu.submit(|encoder| marker.record(encoder, None));
            self.shown = Some((name, DamagedWater { positions: upload(gpu, &positions)?, count, marker }));
        }
        let name = breakage.preset.name;
        let result = LessonResult {
            configuration: configuration.clone(),
            particle_count: count,
            breakage: Arc::new(breakage.clone()),
        };
        replace(&mut self.findings.lessons, result, |lesson| lesson.breakage.preset.name == name);
        Ok(())
    }

    /// The damaged particles of that lesson, if it was measured last.
    pub fn damaged_water(&self, lesson: &str) -> Option<&DamagedWater> {
        self.shown.as_ref().filter(|(name, _)| *name == lesson).map(|(_, water)| water)
    }

    /// Drops the damaged particles.
    pub fn forget_damaged_water(&mut self) {
        self.shown = None;
    }
}

impl Running {
    fn words(&self) -> String {
        match self {
            Self::Race(water, _) => format!("racing: {}", water.title().to_lowercase()),
            Self::Scale(_) => "sweeping".to_owned(),
            Self::Reading(preset, ..) => format!("reading the particles for \"{}\"", preset.title),
            Self::Break(lesson, _) => format!("measuring \"{}\"", lesson.breakage().preset.title),
        }
    }
}

/// Largest number of particles of a lesson; it is small because in some lessons all particles are neighbors of each
/// other.
fn most_of_lesson(class: AdapterClass) -> u32 {
    if class == AdapterClass::Software { 4_096 } else { 16_384 }
}

/// Replaces the old result of the same kind by `result`, or appends it.
fn replace<T>(results: &mut Vec<T>, result: T, is_old: impl Fn(&T) -> bool) {
    match results.iter().position(is_old) {
        Some(place) => results[place] = result,
        None => results.push(result),
    }
}
