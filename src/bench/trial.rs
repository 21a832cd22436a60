//! Times several searches on one set of positions: build and traversal with the benchmark's pair kernel, interleaved in
//! one process, as medians after a timed warm-up. The job is advanced in small parts, so that a window can run it
//! between frames; the benchmark runs the same job and waits.

use std::time::Instant;

use glam::Vec3;

use super::runs::WARM_UP;
use super::scenario::reference_sums;
use super::{BenchError, Progress, Spread};
use crate::gpu::{AdapterClass, Gpu, GpuError, Pass, PassTimer, Phase, Readback, record, record_as_one};
use crate::search::random::uniform;
use crate::search::verify::SearchConfiguration;
use crate::search::{
    BoundPairKernel, Domain, Instrument, KERNEL_SUM, KernelSum, PairCounters, PairTotals, SearchError, Specimen,
};

/// Floats of the pair kernel's sum.
const FLOATS_OF_A_SUM: usize = 1;

/// Particles whose sum is computed on the CPU as well.
const SAMPLE_COUNT: u64 = 48;

/// Largest relative difference from the CPU's sums in a result that counts as right. Sums of a hundred positive terms
/// in single precision agree to about 1e-6; this leaves room for fused multiply-add.
const LARGEST_ERROR: f64 = 1e-4;

/// Build and traversal that together take less than this, ms, are repeated within a timed run, because the start of a
/// compute pass would be a noticeable part of their time.
const SHORT: f64 = 0.25;
/// Repetitions of short ones.
const REPETITIONS: usize = 8;

/// The results of one search on one set of positions.
#[derive(Clone, Debug)]
pub struct SearchFigures {
    /// The search and its settings.
    pub configuration: SearchConfiguration,
    /// Build passes, ms.
    pub build: Spread,
    /// Traversal with the benchmark's pair kernel, ms.
    pub traversal: Spread,
    /// Build and traversal recorded as one compute pass, as a time step records them, ms; the mean of several
    /// repetitions where one takes less than 0.25 ms. It contains no gap between the two, which timing each separately
    /// adds.
    pub total: Spread,
    /// Further passes that the caller had timed, ms; `None` if there are none.
    pub physics: Option<Spread>,
    /// Number of candidates and of neighbors.
    pub totals: PairTotals,
    /// Bytes beyond the particles' own arrays: the search's buffers, and the deposits of the benchmark's sum.
    pub bytes: u64,
    /// Bytes according to the paper's own formula.
    pub paper_bytes: u64,
    /// Number of grid cells; 0 for a search without any.
    pub cell_count: u64,
    /// Largest relative difference from the CPU's sums.
    pub largest_error: f64,
}

impl SearchFigures {
    /// Whether the sums of the sampled particles agree with the CPU's. `false` for sums that are not finite.
    pub fn is_right(&self) -> bool {
        self.largest_error <= LARGEST_ERROR
    }
}

/// One row of a table: the results, or the error with which the search refused.
pub type SearchRow = Result<SearchFigures, (SearchConfiguration, SearchError)>;

/// Creates further passes to be timed after a traversal of the given search.
pub type MakePasses = Box<dyn Fn(&Gpu, &Specimen) -> Result<Vec<Pass>, SearchError> + Send + Sync>;

/// The particles on which the searches are timed.
#[derive(Clone, Debug)]
pub struct TrialInput {
    /// Positions in m, `array<vec4<f32>>`, which must not change; len = `particle_count`.
    pub positions: wgpu::Buffer,
    /// Number of particles.
    pub particle_count: u32,
    /// The box and the support radius.
    pub domain: Domain,
}

/// The running job.
pub struct SearchTrial {
    positions: wgpu::Buffer,
    particle_count: u32,
    domain: Domain,
    configurations: Vec<SearchConfiguration>,
    runs: u32,
    physics: Option<MakePasses>,
    refuses_wrong: bool,
    sample: Vec<usize>,
    expected: Vec<f64>,
    /// The index of each configuration in `cases`, or why it was refused.
    rows: Vec<Result<usize, (SearchConfiguration, SearchError)>>,
    cases: Vec<Case>,
    timer: PassTimer,
    stage: Stage,
    progress: Progress,
}

/// The next part of the job, or the result that it is waiting for.
enum Stage {
    /// Waits for the positions, from which the expected sums are computed.
    Positions(Readback<[f32; 4]>),
    /// Computes the sum of one sampled particle per call.
    Expect(Vec<Vec3>),
    /// Creates one search per call.
    Make,
    /// Waits for the counted pairs of a case.
    Count(usize, Readback<u32>, PairCounters),
    /// Waits for the sums of a case and for the order of its particles.
    Check(usize, Arrival<f32>, Arrival<[f32; 4]>),
    /// A warm-up run of a case, which began at that time; `true` while it is on the device.
    WarmUp(usize, Instant, bool),
    /// A timed run of a case; `true` while it is on the device.
    Time {
        run: u32,
        case: usize,
        on_device: bool,
    },
    Done,
}

/// A read-back that may arrive before another one that is needed together with it.
enum Arrival<T> {
    Awaited(Readback<T>),
    Here(Vec<T>),
}

impl<T: bytemuck::Pod> Arrival<T> {
    fn poll(self) -> Self {
        match self {
            Self::Awaited(readback) => readback.take().map_or_else(|| Self::Awaited(readback), Self::Here),
            Self::Here(values) => Self::Here(values),
        }
    }
}

/// One search with its passes and its measurements.
struct Case {
    specimen: Specimen,
    traversal: Vec<Pass>,
    physics: Vec<Pass>,
    sums: wgpu::Buffer,
    deposits: wgpu::Buffer,
    kernel_sum: wgpu::Buffer,
    builds: Vec<f64>,
    traversals: Vec<f64>,
    totals: Vec<f64>,
    physics_times: Vec<f64>,
    /// How often build and traversal are repeated in the timed pass of both.
    repetitions: usize,
    figures: SearchFigures,
}

impl SearchTrial {
    /// A job that times each of `configurations` that many times on `input`.
    ///
    /// # Errors
    /// When the device has no timestamps.
    pub fn new(
        gpu: &Gpu,
        input: TrialInput,
        configurations: Vec<SearchConfiguration>,
        runs: u32,
    ) -> Result<Self, BenchError> {
        if !gpu.capabilities.has_timestamps() {
            return Err(GpuError::NoTimestamps { adapter: gpu.capabilities.name.clone() }.into());
        }
        let count = input.particle_count as usize;
        let samples = if count == 0 { 0 } else { SAMPLE_COUNT };
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let positions = Readback::record(gpu, &mut encoder, &input.positions, count);
        gpu.queue.submit([encoder.finish()]);
        Ok(Self {
            progress: Progress { done: 0, total: 1 + samples + configurations.len() as u64 * (3 + u64::from(runs)) },
            positions: input.positions,
            particle_count: input.particle_count,
            domain: input.domain,
            configurations,
            runs,
            physics: None,
            refuses_wrong: false,
            sample: (0..samples).map(|i| (uniform(777, i) * count as f32) as usize).map(|i| i.min(count - 1)).collect(),
            expected: Vec::new(),
            rows: Vec::new(),
            cases: Vec::new(),
            timer: PassTimer::new(gpu, 4),
            stage: Stage::Positions(positions),
        })
    }

    /// Makes the job fail at the first wrong result, which otherwise is timed and reported by
    /// [`SearchFigures::is_right`].
    #[must_use]
    pub fn refuse_wrong_results(mut self) -> Self {
        self.refuses_wrong = true;
        self
    }

    /// Times further passes after each traversal.
    #[must_use]
    pub fn with_physics(mut self, physics: MakePasses) -> Self {
        self.physics = Some(physics);
        self
    }

    /// Does the next small part: compiles one search, or submits or collects one run. Never waits for the device.
    ///
    /// # Errors
    /// When the device or a shader fails, or a result is wrong and wrong results are refused.
    pub fn advance(&mut self, gpu: &Gpu) -> Result<Progress, BenchError> {
        if let Some(reason) = gpu.lost() {
            return Err(GpuError::Lost(reason).into());
        }
        // A lost device is reported above; there is nothing to collect in that case.
        gpu.poll();
        self.stage = match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Positions(readback) => match readback.take() {
                Some(positions) => {
                    self.progress.done += 1;
                    let xyz = |[x, y, z, _]: [f32; 4]| Vec3::new(x, y, z);
                    Stage::Expect(positions.into_iter().take(self.particle_count as usize).map(xyz).collect())
                }
                None => Stage::Positions(readback),
            },
            Stage::Expect(positions) => match self.sample.get(self.expected.len()) {
                Some(&index) => {
                    self.expected.extend(reference_sums(&positions, self.domain.support_radius, &[index]));
                    self.progress.done += 1;
                    Stage::Expect(positions)
                }
                None => Stage::Make,
            },
            Stage::Make => self.make_next(gpu)?,
            Stage::Count(case, words, counters) => match words.take() {
                Some(words) => {
                    let totals = PairTotals::from_words([words[0], words[1], words[2], words[3]]);
                    self.cases[case].figures.totals = totals;
                    self.progress.done += 1;
                    self.cases[case].submit_check(gpu, case)
                }
                None => Stage::Count(case, words, counters),
            },
            Stage::Check(case, sums, sorted) => self.check(case, sums, sorted)?,
            Stage::WarmUp(case, started, on_device) => self.warm_up(gpu, (case, started, on_device)),
            Stage::Time { run, case, on_device } => self.time(gpu, (run, case, on_device)),
            Stage::Done => Stage::Done,
        };
        if matches!(self.stage, Stage::Done) {
            self.progress.done = self.progress.total;
        }
        Ok(self.progress)
    }

    /// The progress of the job.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The rows in the order of the configurations, with the measurements so far; complete once the job is done.
    pub fn rows(&self) -> Vec<SearchRow> {
        let row = |row: &Result<usize, (SearchConfiguration, SearchError)>| match row {
            Ok(case) => Ok(self.cases[*case].figures()),
            Err(refusal) => Err(refusal.clone()),
        };
        self.rows.iter().map(row).collect()
    }

    fn make_next(&mut self, gpu: &Gpu) -> Result<Stage, BenchError> {
        let Some(configuration) = self.configurations.get(self.rows.len()) else {
            let timed = !self.cases.is_empty();
            return Ok(if timed { Stage::WarmUp(0, Instant::now(), false) } else { Stage::Done });
        };
        match Case::new(gpu, self, configuration) {
            Ok(case) => {
                let index = self.cases.len();
                self.rows.push(Ok(index));
                let stage = case.submit_count(gpu, index)?;
                self.cases.push(case);
                self.progress.done += 1;
                Ok(stage)
            }
            Err(refusal) if refusal.is_refusal() => {
                self.rows.push(Err((configuration.clone(), refusal)));
                self.progress.done += 3 + u64::from(self.runs);
                Ok(Stage::Make)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn check(&mut self, index: usize, sums: Arrival<f32>, sorted: Arrival<[f32; 4]>) -> Result<Stage, BenchError> {
        let case = &mut self.cases[index];
        let (sums, order) = match (sums, sorted) {
            (Arrival::Here(sums), Arrival::Here(order)) => (sums, order),
            (sums, sorted) => return Ok(Stage::Check(index, sums.poll(), sorted.poll())),
        };
        let mut by_original = vec![f32::NAN; self.particle_count as usize];
        for (sum, [.., original]) in sums.iter().zip(&order).take(self.particle_count as usize) {
            if let Some(place) = by_original.get_mut(original.to_bits() as usize) {
                *place = *sum;
            }
        }
        let error = |(&index, sum): (&usize, &f64)| (f64::from(by_original[index]) - sum).abs() / sum.max(1e-3);
        // A comparison with NaN is false, so a NaN error remains the largest.
        let errors = self.sample.iter().zip(&self.expected).map(error);
        case.figures.largest_error = errors.fold(0.0, |most, error| if error <= most { most } else { error });
        if self.refuses_wrong && !case.figures.is_right() {
            let (what, error) = (case.figures.configuration.to_string(), case.figures.largest_error);
            return Err(BenchError::Wrong { what, error });
        }
        self.progress.done += 1;
        Ok(Stage::Make)
    }

    fn warm_up(&mut self, gpu: &Gpu, (case, started, on_device): (usize, Instant, bool)) -> Stage {
        if !on_device {
            self.cases[case].submit_timed(gpu, &mut self.timer);
            return Stage::WarmUp(case, started, true);
        }
        let Some(passes) = self.timer.collect(gpu).pop() else { return Stage::WarmUp(case, started, true) };
        self.cases[case].choose_repetitions(gpu, passes[0].milliseconds);
        let next = case + 1;
        if next < self.cases.len() {
            return Stage::WarmUp(next, started, false);
        }
        if started.elapsed() < WARM_UP { Stage::WarmUp(0, started, false) } else { self.next_run(0, 0) }
    }

    fn time(&mut self, gpu: &Gpu, (run, case, on_device): (u32, usize, bool)) -> Stage {
        if !on_device {
            self.cases[case].submit_timed(gpu, &mut self.timer);
            return Stage::Time { run, case, on_device: true };
        }
        let Some(passes) = self.timer.collect(gpu).pop() else { return Stage::Time { run, case, on_device } };
        let timed = &mut self.cases[case];
        timed.totals.push(passes[0].milliseconds / timed.repetitions as f64);
        timed.builds.push(passes[1].milliseconds);
        timed.traversals.push(passes[2].milliseconds);
        timed.physics_times.extend(passes.get(3).map(|pass| pass.milliseconds));
        self.progress.done += 1;
        if case + 1 < self.cases.len() { self.next_run(run, case + 1) } else { self.next_run(run + 1, 0) }
    }

    fn next_run(&self, run: u32, case: usize) -> Stage {
        if run < self.runs { Stage::Time { run, case, on_device: false } } else { Stage::Done }
    }
}

impl Case {
    fn new(gpu: &Gpu, trial: &SearchTrial, configuration: &SearchConfiguration) -> Result<Self, SearchError> {
        let count = trial.particle_count;
        let specimen = Specimen::new(gpu, configuration, (&trial.positions, count), trial.domain)?;
        let parameters = KernelSum::whole(trial.domain.support_radius);
        let deposited = if specimen.search.deposits() { u64::from(count) * FLOATS_OF_A_SUM as u64 } else { 0 };
        let figures = SearchFigures {
            configuration: configuration.clone(),
            build: Spread::default(),
            traversal: Spread::default(),
            total: Spread::default(),
            physics: None,
            totals: PairTotals::default(),
            bytes: specimen.search.bytes() + specimen.search.deposit_bytes(count, FLOATS_OF_A_SUM),
            paper_bytes: (configuration.search.paper_bytes)(count.into(), specimen.cell_count()),
            cell_count: specimen.cell_count(),
            largest_error: 0.0,
        };
        let mut case = Self {
            traversal: Vec::new(),
            physics: match &trial.physics {
                Some(make) => make(gpu, &specimen)?,
                None => Vec::new(),
            },
            sums: gpu.storage::<f32>("kernel sums", count.into())?,
            deposits: gpu.storage::<u32>("deposited sums", deposited)?,
            kernel_sum: gpu.uniform("kernel sum", &parameters),
            builds: Vec::new(),
            traversals: Vec::new(),
            totals: Vec::new(),
            physics_times: Vec::new(),
            repetitions: 1,
            figures,
            specimen,
        };
        case.traversal = case.traversal_passes(gpu, None)?;
        Ok(case)
    }

    fn traversal_passes(&self, gpu: &Gpu, instrument: Option<Instrument<'_>>) -> Result<Vec<Pass>, SearchError> {
        let pair = BoundPairKernel {
            label: "kernel sum",
            kernel: KERNEL_SUM,
            definitions: &[],
            buffers: &[("kernel_sum", &self.kernel_sum), ("sums", &self.sums), ("deposits", &self.deposits)],
        };
        self.specimen.traversal_passes(gpu, pair, instrument)
    }

    fn submit_count(&self, gpu: &Gpu, index: usize) -> Result<Stage, SearchError> {
        let counters = PairCounters::new(gpu, self.specimen.particle_count)?;
        let counting = self.traversal_passes(gpu, Some(Instrument::Count(&counters)))?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        counters.clear(&mut encoder);
        record(self.specimen.build.iter().chain(&counting), &mut encoder, None);
        let words = Readback::record(gpu, &mut encoder, &counters.totals, 4);
        gpu.queue.submit([encoder.finish()]);
        Ok(Stage::Count(index, words, counters))
    }

    /// Runs the plain variant, whose sums are then compared with the CPU's.
    fn submit_check(&self, gpu: &Gpu, index: usize) -> Stage {
        let count = self.specimen.particle_count as usize;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.clear_buffer(&self.sums, 0, None);
        record(self.specimen.build.iter().chain(&self.traversal), &mut encoder, None);
        let sums = Readback::record(gpu, &mut encoder, &self.sums, count);
        let sorted = Readback::record(gpu, &mut encoder, self.specimen.search.sorted_positions(), count);
        gpu.queue.submit([encoder.finish()]);
        Stage::Check(index, Arrival::Awaited(sums), Arrival::Awaited(sorted))
    }

    fn submit_timed(&self, gpu: &Gpu, timer: &mut PassTimer) {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let both = || self.specimen.build.iter().chain(&self.traversal);
        let repeated = (0..self.repetitions).flat_map(|_| both());
        record_as_one(repeated, &mut encoder, timer, (Phase::Search, "build and traversal"));
        record_as_one(&self.specimen.build, &mut encoder, timer, (Phase::Build, "build"));
        record_as_one(&self.traversal, &mut encoder, timer, (Phase::Search, "traversal"));
        if !self.physics.is_empty() {
            record_as_one(&self.physics, &mut encoder, timer, (Phase::Physics, "physics"));
        }
        timer.resolve(gpu, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
    }

    /// Chooses the repetitions from the time of a run of the warm-up. Software adapters have no gaps to spread.
    fn choose_repetitions(&mut self, gpu: &Gpu, milliseconds: f64) {
        let is_short = milliseconds < SHORT * self.repetitions as f64;
        let is_software = gpu.capabilities.class == AdapterClass::Software;
        self.repetitions = if is_short && !is_software { REPETITIONS } else { 1 };
    }

    /// The results with the medians of the runs so far.
    fn figures(&self) -> SearchFigures {
        SearchFigures {
            build: Spread::of(self.builds.clone()),
            traversal: Spread::of(self.traversals.clone()),
            total: Spread::of(self.totals.clone()),
            physics: (!self.physics_times.is_empty()).then(|| Spread::of(self.physics_times.clone())),
            ..self.figures.clone()
        }
    }
}
