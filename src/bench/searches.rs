//! Searches timed against each other: build and traversal with the benchmark's pair kernel, interleaved in one
//! process, medians after a warm-up by time.

use std::time::Instant;

use super::runs::WARM_UP;
use super::scenario::{InputOrder, KernelSum, Scenario, reference_sums, upload};
use super::{BenchError, Spread};
use crate::gpu::{
    Gpu, GpuError, PairKernel, Pass, PassTimer, Phase, read_buffer, record, record_as_one, span_milliseconds,
};
use crate::search::random::uniform;
use crate::search::verify::Manner;
use crate::search::{BoundPairKernel, NeighborSearch, PairCounters, PairTotals, SearchError, SearchInput};

const KERNEL_SUM: PairKernel = PairKernel { file: "search/kernel_sum.wgsl", vanishes_at_radius: true };

/// Particles whose sum is computed on the CPU as well.
const SAMPLE_COUNT: usize = 48;

/// What one search took on one scenario.
#[derive(Clone, Debug)]
pub struct SearchFigures {
    /// The search and its settings.
    pub manner: Manner,
    /// Build passes, ms.
    pub build: Spread,
    /// Traversal with the benchmark's pair kernel, ms.
    pub traversal: Spread,
    /// From the first pass's start to the last one's end, ms.
    pub total: Spread,
    /// Candidates and neighbors.
    pub totals: PairTotals,
    /// Bytes beyond the particles' own arrays.
    pub bytes: u64,
    /// Bytes by the paper's own formula.
    pub paper_bytes: u64,
    /// Largest relative difference from the CPU's sums.
    pub largest_error: f64,
}

/// One row of a table: figures, or the sentence with which the search refused.
pub type SearchRow = Result<SearchFigures, (Manner, SearchError)>;

/// Times every manner that takes the scenario; the others come back with their refusal.
///
/// # Errors
/// When the device fails or has no timestamps, or a timed result is wrong.
pub fn time_searches(
    gpu: &Gpu,
    scenario: &Scenario,
    order: InputOrder,
    manners: &[Manner],
    runs: u32,
) -> Result<Vec<SearchRow>, BenchError> {
    if !gpu.capabilities.has_timestamps() {
        return Err(GpuError::NoTimestamps { adapter: gpu.capabilities.name.clone() }.into());
    }
    let positions = scenario.positions(order);
    let buffer = upload(gpu, &positions)?;
    let sample: Vec<usize> =
        (0..SAMPLE_COUNT as u64).map(|i| (uniform(777, i) * positions.len() as f32) as usize).collect();
    let expected = reference_sums(&positions, scenario.radius, &sample);

    let mut rows = Vec::new();
    for manner in manners {
        rows.push(match Case::new(gpu, scenario, &buffer, manner) {
            Ok(case) => Ok(case),
            Err(refusal) if refusal.is_refusal() => Err((manner.clone(), refusal)),
            Err(error) => return Err(error.into()),
        });
    }
    let mut cases: Vec<&mut Case> = rows.iter_mut().filter_map(|row| row.as_mut().ok()).collect();
    for case in &mut cases {
        case.check(gpu, &sample, &expected)?;
    }
    time_interleaved(gpu, &mut cases, runs)?;
    Ok(rows.into_iter().map(|row| row.map(|case| case.figures)).collect())
}

fn time_interleaved(gpu: &Gpu, cases: &mut [&mut Case], runs: u32) -> Result<(), BenchError> {
    let started = Instant::now();
    while started.elapsed() < WARM_UP {
        for case in cases.iter() {
            gpu.submit(|encoder| record(case.build.iter().chain(&case.traversal), encoder, None));
        }
        gpu.wait()?;
    }
    let mut timer = PassTimer::new(gpu, 2);
    let mut times = vec![(Vec::new(), Vec::new(), Vec::new()); cases.len()];
    for _ in 0..runs {
        for (case, (builds, traversals, totals)) in cases.iter().zip(&mut times) {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            record_as_one(&case.build, &mut encoder, &mut timer, (Phase::Build, "build"));
            record_as_one(&case.traversal, &mut encoder, &mut timer, (Phase::Search, "traversal"));
            timer.resolve(gpu, &mut encoder);
            gpu.queue.submit([encoder.finish()]);
            gpu.wait()?;
            for passes in timer.collect(gpu) {
                builds.push(passes[0].milliseconds);
                traversals.push(passes[1].milliseconds);
                totals.push(span_milliseconds(&passes));
            }
        }
    }
    for (case, (builds, traversals, totals)) in cases.iter_mut().zip(times) {
        case.figures.build = Spread::of(builds);
        case.figures.traversal = Spread::of(traversals);
        case.figures.total = Spread::of(totals);
    }
    Ok(())
}

/// One search made for a scenario, with its passes.
struct Case {
    search: Box<dyn NeighborSearch>,
    build: Vec<Pass>,
    traversal: Vec<Pass>,
    sums: wgpu::Buffer,
    deposits: wgpu::Buffer,
    kernel_sum: wgpu::Buffer,
    particle_count: u32,
    figures: SearchFigures,
}

impl Case {
    fn new(gpu: &Gpu, scenario: &Scenario, positions: &wgpu::Buffer, manner: &Manner) -> Result<Self, SearchError> {
        let search = (manner.search.create)(
            gpu,
            SearchInput {
                positions,
                particle_count: scenario.particle_count,
                domain: scenario.domain()?,
                options: &manner.options,
            },
        )?;
        let cells = search.cells().map_or(0, |cells| cells.counts.to_array().map(u64::from).iter().product());
        let parameters = KernelSum { inverse_radius_squared: 1.0 / (scenario.radius * scenario.radius) };
        let mut case = Self {
            build: search.build_passes(gpu)?,
            traversal: Vec::new(),
            sums: gpu.storage::<f32>("kernel sums", scenario.particle_count.into())?,
            deposits: gpu
                .storage::<u32>("deposited sums", if search.deposits() { scenario.particle_count.into() } else { 0 })?,
            kernel_sum: gpu.uniform("kernel sum", &parameters),
            particle_count: scenario.particle_count,
            figures: SearchFigures {
                manner: manner.clone(),
                build: Spread::default(),
                traversal: Spread::default(),
                total: Spread::default(),
                totals: PairTotals::default(),
                bytes: search.bytes(),
                paper_bytes: (manner.search.paper_bytes)(scenario.particle_count.into(), cells),
                largest_error: 0.0,
            },
            search,
        };
        case.traversal = case.traversal_passes(gpu, None)?;
        Ok(case)
    }

    fn traversal_passes(&self, gpu: &Gpu, counters: Option<&PairCounters>) -> Result<Vec<Pass>, SearchError> {
        let pair = BoundPairKernel {
            label: "kernel sum",
            kernel: KERNEL_SUM,
            definitions: &[],
            buffers: &[("kernel_sum", &self.kernel_sum), ("sums", &self.sums), ("deposits", &self.deposits)],
        };
        self.search.traversal_passes(gpu, pair, counters)
    }

    /// Counts the pairs, and holds the plain variant's sums against the CPU's.
    fn check(&mut self, gpu: &Gpu, sample: &[usize], expected: &[f64]) -> Result<(), BenchError> {
        let counters = PairCounters::new(gpu, self.particle_count)?;
        let counting = self.traversal_passes(gpu, Some(&counters))?;
        gpu.submit(|encoder| {
            counters.clear(encoder);
            record(self.build.iter().chain(&counting), encoder, None);
        });
        let words: Vec<u32> = read_buffer(gpu, &counters.totals, 4)?;
        self.figures.totals = PairTotals::from_words([words[0], words[1], words[2], words[3]]);

        gpu.submit(|encoder| {
            encoder.clear_buffer(&self.sums, 0, None);
            record(self.build.iter().chain(&self.traversal), encoder, None);
        });
        let count = self.particle_count as usize;
        let sums: Vec<f32> = read_buffer(gpu, &self.sums, count)?;
        let sorted: Vec<[f32; 4]> = read_buffer(gpu, self.search.sorted_positions(), count)?;
        let mut by_original = vec![f32::NAN; count];
        for (sum, [.., index]) in sums.iter().zip(&sorted) {
            by_original[index.to_bits() as usize] = *sum;
        }
        // Sums of a hundred positive terms in single precision agree to some 1e-6; 1e-4 leaves room for fused steps.
        let errors = sample
            .iter()
            .zip(expected)
            .map(|(&index, sum)| (f64::from(by_original[index]) - sum).abs() / sum.max(1e-3));
        self.figures.largest_error = errors.fold(0.0, |most, error| if error <= most { most } else { error });
        if self.figures.largest_error <= 1e-4 {
            Ok(())
        } else {
            Err(BenchError::Wrong { what: self.figures.manner.to_string(), error: self.figures.largest_error })
        }
    }
}
