//! Cost maps: the work of the search for each particle, as values for drawing, with their range, mean and histogram.
//!
//! The numbers of candidates and neighbors come from the last survey, which runs the search's own traversal and counts.
//! Everything else is derived on the device from these numbers and from the cells; only the summary is read back,
//! asynchronously.

use super::LaboratoryError;
use crate::fluid::Simulation;
use crate::gpu::{Dispatch, Gpu, GpuError, Pass, PassDescriptor, Phase, Readback, ShaderVariant, gpu_struct, record};
use crate::search::Grid;

const FILE: &str = "laboratory/cost_map.wgsl";

/// Number of bins of the histogram.
pub const COST_BINS: usize = 64;
/// Number of steps that quantize the range of the values for sums: the sum of a workgroup of 256 takes up to 31 bits.
const LEVELS: u32 = 1 << 23;
/// Subgroup size that is assumed if the device does not report one.
const USUAL_SUBGROUP: u32 = 32;

/// What a cost map shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CostField {
    /// Number of particles whose distance the search computed.
    #[default]
    Candidates,
    /// Candidates divided by neighbors.
    Overhead,
    /// Number of particles within the support radius.
    Neighbors,
    /// Number of particles in the particle's cell.
    Occupancy,
    /// Fraction of the rounds in which the particle's lane would wait for the busiest lane of its subgroup.
    LanesIdle,
}

impl CostField {
    /// All fields, in the order of the buttons.
    pub const ALL: [Self; 5] = [Self::Candidates, Self::Overhead, Self::Neighbors, Self::Occupancy, Self::LanesIdle];

    /// The name on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Candidates => "candidates",
            Self::Overhead => "overhead",
            Self::Neighbors => "neighbors",
            Self::Occupancy => "occupancy",
            Self::LanesIdle => "lanes idle",
        }
    }

    /// The unit, to be written after a number.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Candidates => "candidates",
            Self::Overhead => "candidates per neighbor",
            Self::Neighbors => "neighbors",
            Self::Occupancy => "particles in the cell",
            Self::LanesIdle => "of the rounds",
        }
    }

    /// Describes the value of a particle in one or two sentences.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Candidates => "The number of distances that the search computed for the particle.",
            Self::Overhead => "Candidates divided by neighbors: 1 would be a search that tests neighbors only.",
            Self::Neighbors => "The number of particles within the support radius.",
            Self::Occupancy => "The number of particles in the particle's cell.",
            Self::LanesIdle => {
                "If one lane serves one particle in sorted order, all lanes of a subgroup wait for the lane with the \
                 most candidates. The value is the fraction of the rounds in which the particle's lane waits."
            }
        }
    }

    /// The name of the definition that carries the field's number into the shader.
    fn definition(self) -> &'static str {
        match self {
            Self::Candidates => "COST_CANDIDATES",
            Self::Overhead => "COST_OVERHEAD",
            Self::Neighbors => "COST_NEIGHBORS",
            Self::Occupancy => "COST_OCCUPANCY",
            Self::LanesIdle => "COST_LANES_IDLE",
        }
    }
}

/// A requested cost map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostRequest {
    /// The quantity that it shows.
    pub field: CostField,
    /// Whether every particle shows the mean over its cell.
    pub per_cell: bool,
}

/// The summary of a cost map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostSummary {
    /// The request that it belongs to.
    pub request: CostRequest,
    /// Lowest value that is drawn.
    pub low: f32,
    /// Highest value that is drawn.
    pub high: f32,
    /// Mean of the values that are drawn, over particles.
    pub mean: f64,
    /// Number of particles in equal parts of the range; len = [`COST_BINS`].
    pub bins: Vec<u32>,
    /// Number of fluid particles that have a value.
    pub with_value: u32,
    /// Number of fluid particles without a value: a particle without neighbors has no overhead.
    pub without_value: u32,
    /// Number of particles in the fullest cell.
    pub fullest_cell: u32,
    /// Subgroup size for which the fraction of idle lanes was computed.
    pub subgroup_size: u32,
}

gpu_struct! {
    /// Parameters of the passes.
    pub struct CostParameters {
        /// Number of particles, including boundary particles.
        pub particle_count: u32,
        /// Number of fluid particles.
        pub fluid_count: u32,
        /// Index of the field in [`CostField::ALL`].
        pub field: u32,
        /// 1 if values are means over cells.
        pub per_cell: u32,
        /// Number of consecutive particles whose invocations form a subgroup.
        pub subgroup_size: u32,
        /// Bits that mark a missing value.
        pub no_value: u32,
        /// Particles with a larger x coordinate are in the reservoir, m.
        pub parked_beyond: f32,
        /// Pads the struct to a multiple of 16 bytes.
        pub padding: u32,
    }
}

gpu_struct! {
    /// Results of the passes.
    pub struct GpuCostSummary {
        /// Number of particles in the fullest cell.
        pub fullest: u32,
        /// Number of fluid particles with a value.
        pub with_value: u32,
        /// Number of fluid particles without a value.
        pub without_value: u32,
        /// Inverted bits of the lowest value of a particle.
        pub lowest_inverted: u32,
        /// Bits of the highest value of a particle.
        pub highest: u32,
        /// Inverted bits of the lowest mean of a cell.
        pub lowest_mean_inverted: u32,
        /// Bits of the highest mean of a cell.
        pub highest_mean: u32,
        /// Sum of the values, quantized within their range; lower 32 bits.
        pub sum_low: u32,
        /// Upper 32 bits of that sum.
        pub sum_high: u32,
    }
}

/// A cost map of a simulation, kept up to date on the device.
pub struct CostMap {
    parameters: wgpu::Buffer,
    values: wgpu::Buffer,
    occupancy: wgpu::Buffer,
    cell_sums: wgpu::Buffer,
    words: wgpu::Buffer,
    bins: wgpu::Buffer,
    before: Vec<Pass>,
    averaging: Vec<Pass>,
    after: Vec<Pass>,
    base: CostParameters,
    request: CostRequest,
    recorded: bool,
    /// Whether the summary of the present values has been requested or read.
    is_read: bool,
    under_way: Option<(CostRequest, Readback<GpuCostSummary>, Readback<u32>)>,
}

fn variant() -> ShaderVariant {
    let shader = ShaderVariant::new(FILE).with_number("BINS", COST_BINS as u32).with_number("LEVELS", LEVELS);
    (0..).zip(CostField::ALL).fold(shader, |shader, (number, field)| shader.with_number(field.definition(), number))
}

impl CostMap {
    /// Allocates the buffers for the particles of a simulation.
    ///
    /// # Errors
    /// When the buffers do not fit the device or a shader does not compile.
    pub fn new(gpu: &Gpu, simulation: &Simulation) -> Result<Self, LaboratoryError> {
        let particles = simulation.particles();
        let one_cell = Grid { cell_counts: [1; 3], cell_count: 1, ..Grid::default() };
        let grid = simulation.search_cells().map_or(one_cell, |cells| cells.grid());
        let base = CostParameters {
            particle_count: particles.count,
            fluid_count: particles.fluid_count,
            subgroup_size: gpu.capabilities.subgroup_sizes.map_or(USUAL_SUBGROUP, |(_, largest)| largest.max(1)),
            no_value: f32::NAN.to_bits(),
            parked_beyond: particles.parked_beyond.min(f32::MAX),
            ..CostParameters::default()
        };
        let parameters = gpu.uniform("cost parameters", &base);
        let grid_uniform = gpu.uniform("cells of the cost map", &grid);
        let values = gpu.storage::<f32>("cost values", particles.count.into())?;
        let occupancy = gpu.storage::<u32>("particles of each cell", grid.cell_count.into())?;
        let cell_sums = gpu.storage::<u32>("sums of each cell", grid.cell_count.into())?;
        let words = gpu.storage::<GpuCostSummary>("cost words", 1)?;
        let bins = gpu.storage::<u32>("cost histogram", COST_BINS as u64)?;
        let buffers = [
            ("cost", &parameters),
            ("cell_grid", &grid_uniform),
            ("positions", particles.positions),
            ("identities", particles.velocities),
            ("neighbor_counts", particles.neighbor_counts),
            ("candidate_counts", particles.candidate_counts),
            ("occupancy", &occupancy),
            ("cell_sums", &cell_sums),
            ("values", &values),
            ("words", &words),
            ("bins", &bins),
        ];
        let shader = variant();
        let pass = |label, entry_point| -> Result<Pass, GpuError> {
            let dispatch = Dispatch::Invocations(particles.count.into());
            Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Drawing,
                    label,
                    shader: &shader,
                    entry_point,
                    buffers: &buffers,
                    dispatch,
                },
            )
        };
        Ok(Self {
            before: vec![pass("count cells' particles", "occupy")?, pass("evaluate costs", "evaluate")?],
            averaging: vec![pass("add costs to cells", "add_to_cells")?, pass("average costs", "average")?],
            after: vec![pass("summarize costs", "summarize")?],
            parameters,
            values,
            occupancy,
            cell_sums,
            words,
            bins,
            base,
            request: CostRequest::default(),
            recorded: false,
            is_read: false,
            under_way: None,
        })
    }

    /// Sets what the next recording computes. `counted` says that the pair counters have changed since the last
    /// recording.
    pub fn follow(&mut self, gpu: &Gpu, request: CostRequest, counted: bool) {
        if counted || self.request != request {
            self.recorded = false;
        }
        self.request = request;
        if !self.recorded {
            let field = CostField::ALL.iter().position(|&field| field == request.field).unwrap_or_default() as u32;
            let parameters = CostParameters { field, per_cell: u32::from(request.per_cell), ..self.base };
            gpu.write_uniform(&self.parameters, &parameters);
        }
    }

    /// Records the passes and read-backs that are due, after the survey of the frame.
    pub fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) {
        if !self.recorded {
            for buffer in [&self.occupancy, &self.cell_sums, &self.words, &self.bins] {
                encoder.clear_buffer(buffer, 0, None);
            }
            let averaging = self.averaging.iter().filter(|_| self.request.per_cell);
            record(self.before.iter().chain(averaging).chain(&self.after), encoder, None);
            (self.recorded, self.is_read) = (true, false);
        }
        if !self.is_read && self.under_way.is_none() {
            let words = Readback::record(gpu, encoder, &self.words, 1);
            self.under_way = Some((self.request, words, Readback::record(gpu, encoder, &self.bins, COST_BINS)));
            self.is_read = true;
        }
    }

    /// The latest summary, once it has arrived. Never waits.
    pub fn take(&mut self) -> Option<CostSummary> {
        let (request, words, bins) = self.under_way.as_ref()?;
        // Both are recorded in one encoder: when the bins, which are mapped last, have arrived, so have the words.
        let bins = bins.take()?;
        let words = words.take().and_then(|words| words.first().copied()).unwrap_or_default();
        let summary = self.summary(*request, words, bins);
        self.under_way = None;
        Some(summary)
    }

    fn summary(&self, request: CostRequest, words: GpuCostSummary, mut bins: Vec<u32>) -> CostSummary {
        bins.truncate(COST_BINS);
        let (lowest, highest) = if request.per_cell {
            (words.lowest_mean_inverted, words.highest_mean)
        } else {
            (words.lowest_inverted, words.highest)
        };
        let (low, high) =
            if words.with_value == 0 { (0.0, 0.0) } else { (f32::from_bits(!lowest), f32::from_bits(highest)) };
        let sum = (u64::from(words.sum_high) << 32 | u64::from(words.sum_low)) as f64 / f64::from(LEVELS);
        let place = sum / f64::from(words.with_value.max(1));
        CostSummary {
            request,
            low,
            high,
            mean: f64::from(low) + place * f64::from(high - low),
            bins,
            with_value: words.with_value,
            without_value: words.without_value,
            fullest_cell: words.fullest,
            subgroup_size: self.base.subgroup_size,
        }
    }

    /// The values, `f32` in the drawn order, NaN for particles without a value; len = number of particles.
    pub fn values(&self) -> &wgpu::Buffer {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, assert_same_layout};

    #[test]
    fn the_shader_has_the_same_layout_of_parameters_and_words() {
        let (module, _) = ShaderLibrary::embedded().compose(&variant()).unwrap_or_else(|error| panic!("{error}"));
        assert_same_layout::<CostParameters>(&module);
        assert_same_layout::<GpuCostSummary>(&module);
        assert_same_layout::<Grid>(&module);
    }
}
