//! Measures the effect of a lesson on a search, before and after, on the device: times and pair counts with the job of
//! the benchmark, the fullest cell from the search's own sorted positions, and wrong neighbors with the oracle badge.

use std::time::Instant;

use glam::Vec3;

use super::{Badge, BadgeInput, Damaged, LaboratoryError, Preset, Reveals, Undamaged, Verdict};
use crate::bench::{Progress, SearchRow, SearchTrial, TrialInput, upload};
use crate::format;
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, Readback, ShaderVariant, record};
use crate::search::verify::SearchConfiguration;
use crate::search::{Domain, Grid, Specimen};

const FILE: &str = "laboratory/fullest_cell.wgsl";

/// Timed runs before and after.
const RUNS: u32 = 5;

/// The running measurement of a lesson. Dropping it cancels it.
pub struct BreakIt {
    preset: &'static Preset,
    before: Measurement,
    after: Measurement,
}

/// What was measured for one input.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Median of build and traversal with the benchmark's pair kernel, ms.
    pub milliseconds: f64,
    /// Mean number of candidates per particle.
    pub candidates: f64,
    /// Mean number of neighbors per particle.
    pub neighbors: f64,
    /// Candidates per neighbor; `None` if there are no neighbors.
    pub overhead: Option<f64>,
    /// Bytes of the search's tables.
    pub bytes: u64,
    /// Number of cells of the search's grid; 0 if it has none.
    pub cell_count: u64,
    /// Number of particles in the fullest cell; `None` if there are no cells.
    pub largest_cell: Option<u32>,
    /// What the badge found; `None` if no check was made because the search refused the input.
    pub verdict: Option<Verdict>,
    /// The message with which the search refused the input; in that case nothing else was measured.
    pub refusal: Option<String>,
}

/// The numbers of a lesson.
#[derive(Clone, Debug)]
pub struct Breakage {
    /// The lesson.
    pub preset: &'static Preset,
    /// The numbers of the unchanged input.
    pub before: Numbers,
    /// The numbers of the damaged input.
    pub after: Numbers,
}

/// The measurement of one input: timing, counting and checking.
struct Measurement {
    input: Input,
    numbers: Numbers,
    progress: Progress,
    stage: Stage,
}

struct Input {
    positions: wgpu::Buffer,
    particle_count: u32,
    domain: Domain,
    configuration: SearchConfiguration,
}

enum Stage {
    Trial(Box<SearchTrial>),
    Check,
    /// The fullest cell and the badge are being read back. The specimen is kept because its buffers are in use.
    Checking(Option<Readback<u32>>, Box<Badge>, Box<Specimen>),
    Done,
}

/// Number of parts of a measurement after its trial, for the progress.
const CHECKS: u64 = 3;

impl BreakIt {
    /// Starts to measure the effect of a lesson on a search with the given particles.
    ///
    /// # Errors
    /// When the lesson does not apply to the search, the particles do not fit the device, or the device has no
    /// timestamps.
    pub fn new(gpu: &Gpu, preset: &'static Preset, undamaged: Undamaged<'_>) -> Result<Self, LaboratoryError> {
        let Damaged { positions, domain, configuration } = preset.apply(undamaged)?;
        Ok(Self {
            preset,
            before: Measurement::new(gpu, undamaged.positions, undamaged.domain, undamaged.configuration.clone())?,
            after: Measurement::new(gpu, &positions, domain, configuration)?,
        })
    }

    /// Does the next small part, without waiting for the device.
    ///
    /// # Errors
    /// When the device or a shader fails.
    pub fn advance(&mut self, gpu: &Gpu) -> Result<Progress, LaboratoryError> {
        // One after the other, since the two would disturb each other's times.
        if self.before.progress.is_done() {
            self.after.advance(gpu)?;
        } else {
            self.before.advance(gpu)?;
        }
        let (before, after) = (self.before.progress, self.after.progress);
        Ok(Progress { done: before.done + after.done, total: before.total + after.total })
    }

    /// What has been measured so far; complete once the job is done.
    pub fn breakage(&self) -> Breakage {
        Breakage { preset: self.preset, before: self.before.numbers.clone(), after: self.after.numbers.clone() }
    }
}

impl Measurement {
    fn new(
        gpu: &Gpu,
        positions: &[Vec3],
        domain: Domain,
        configuration: SearchConfiguration,
    ) -> Result<Self, LaboratoryError> {
        let buffer = upload(gpu, positions)?;
        let particle_count = positions.len() as u32;
        let given = TrialInput { positions: buffer.clone(), particle_count, domain };
        let trial = SearchTrial::new(gpu, given, vec![configuration.clone()], RUNS)?;
        let total = trial.progress().total + CHECKS;
        Ok(Self {
            input: Input { positions: buffer, particle_count, domain, configuration },
            numbers: Numbers::default(),
            progress: Progress { done: 0, total },
            stage: Stage::Trial(Box::new(trial)),
        })
    }

    fn advance(&mut self, gpu: &Gpu) -> Result<(), LaboratoryError> {
        // The error is ignored: a lost device is reported when a result is taken from it.
        gpu.poll();
        self.stage = match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Trial(mut trial) => {
                let progress = trial.advance(gpu)?;
                self.progress.done = progress.done;
                if !progress.is_done() {
                    Stage::Trial(trial)
                } else if self.take_row(trial.rows().pop()) {
                    Stage::Check
                } else {
                    Stage::Done
                }
            }
            Stage::Check => {
                self.progress.done += 1;
                self.check(gpu)?
            }
            Stage::Checking(fullest, mut badge, specimen) => {
                let fullest = match fullest.as_ref().and_then(Readback::take) {
                    Some(words) => {
                        self.numbers.largest_cell = words.first().copied();
                        None
                    }
                    None => fullest,
                };
                if self.numbers.verdict.is_none() {
                    self.numbers.verdict = badge.take(gpu)?;
                }
                if fullest.is_none() && self.numbers.verdict.is_some() {
                    Stage::Done
                } else {
                    Stage::Checking(fullest, badge, specimen)
                }
            }
            Stage::Done => Stage::Done,
        };
        if matches!(self.stage, Stage::Done) {
            self.progress.done = self.progress.total;
        }
        Ok(())
    }

    /// Stores the row of the trial. Returns whether more has to be measured.
    fn take_row(&mut self, row: Option<SearchRow>) -> bool {
        let figures = match row {
            Some(Ok(figures)) => figures,
            Some(Err((_, refusal))) => {
                self.numbers.refusal = Some(refusal.to_string());
                return false;
            }
            None => return false,
        };
        let count = f64::from(self.input.particle_count.max(1));
        self.numbers = Numbers {
            milliseconds: figures.total.median,
            candidates: figures.totals.candidates as f64 / count,
            neighbors: figures.totals.neighbors as f64 / count,
            overhead: figures.totals.overhead(),
            bytes: figures.bytes,
            cell_count: figures.cell_count,
            ..Numbers::default()
        };
        true
    }

    fn check(&self, gpu: &Gpu) -> Result<Stage, LaboratoryError> {
        let Input { positions, particle_count, domain, configuration } = &self.input;
        let specimen = Specimen::new(gpu, configuration, (positions, *particle_count), *domain)?;
        let badge_input = BadgeInput {
            search: specimen.search.as_ref(),
            identities: None,
            particle_count: *particle_count,
            domain: *domain,
        };
        let mut badge = Badge::new(gpu, badge_input, 1)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&specimen.build, &mut encoder, None);
        badge.record(gpu, &mut encoder, Instant::now());
        let mut fullest = None;
        if let Some(cells) = specimen.search.cells() {
            let grid = Grid { particle_count: *particle_count, ..cells.grid() };
            let buffers = [
                ("cell_grid", &gpu.uniform("cells", &grid)),
                ("sorted_positions", specimen.search.sorted_positions()),
                ("particles_of_cell", &gpu.storage::<u32>("particles of each cell", grid.cell_count.into())?),
                ("fullest", &gpu.storage::<u32>("fullest cell", 1)?),
            ];
            let shader = ShaderVariant::new(FILE);
            let pass = |label, entry_point, items: u32| {
                let dispatch = Dispatch::Invocations(items.into());
                Pass::new(
                    gpu,
                    PassDescriptor {
                        phase: Phase::Search,
                        label,
                        shader: &shader,
                        entry_point,
                        buffers: &buffers,
                        dispatch,
                    },
                )
            };
            let passes = [
                pass("count cells", "count_cells", *particle_count)?,
                pass("fullest cell", "fullest_cell", grid.cell_count)?,
            ];
            record(&passes, &mut encoder, None);
            fullest = Some(Readback::record(gpu, &mut encoder, buffers[3].1, 1));
        }
        gpu.queue.submit([encoder.finish()]);
        Ok(Stage::Checking(fullest, Box::new(badge), Box::new(specimen)))
    }
}

impl Numbers {
    /// The number that reveals the effect of a lesson; `None` if it was not measured.
    pub fn value(&self, reveals: Reveals) -> Option<f64> {
        if self.refusal.is_some() {
            return None;
        }
        match reveals {
            Reveals::Bytes => Some(self.bytes as f64),
            Reveals::LargestCell => self.largest_cell.map(f64::from),
            Reveals::Candidates => Some(self.candidates),
            Reveals::Time => Some(self.milliseconds),
            Reveals::Overhead => self.overhead,
            Reveals::Wrong => self.verdict.as_ref().map(|verdict| f64::from(verdict.wrong)),
        }
    }
}

impl Breakage {
    /// The number that reveals the effect of the lesson, before and after, as a sentence.
    pub fn sentence(&self) -> String {
        let label = self.preset.reveals.label();
        if let Some(refusal) = &self.after.refusal {
            return format!("{}: the search refuses the input: {refusal}.", self.preset.title);
        }
        let [before, after] = [&self.before, &self.after].map(|numbers| numbers.value(self.preset.reveals));
        let (Some(before), Some(after)) = (before, after) else {
            return format!("{}: this search has no number for {label}.", self.preset.title);
        };
        let written = |value: f64| match self.preset.reveals {
            Reveals::LargestCell | Reveals::Wrong => format::count(value as u64),
            Reveals::Bytes => format::bytes(value as u64),
            Reveals::Candidates | Reveals::Time | Reveals::Overhead => format::number(value),
        };
        let [written_before, written_after] = [before, after].map(written);
        let times =
            if before > 0.0 { format!(", {} times as many", format::number(after / before)) } else { String::new() };
        let times = if self.preset.reveals == Reveals::Time { times.replace("many", "long") } else { times };
        format!("{}: {label}: {written_before} before, {written_after} after{times}.", self.preset.title)
    }
}
