//! Statistics of many selected particles: their counters and states are gathered on the device and summarized once they
//! have been read back.

use std::sync::Arc;

use super::LaboratoryError;
use super::drawn_places::DrawnPlaces;
use crate::fluid::Simulation;
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, Readback, ShaderVariant, gpu_struct, record};
use crate::search::Grid;

const FILE: &str = "laboratory/gather_selection.wgsl";

/// Largest number of particles that are gathered at once.
pub const MOST_GATHERED: usize = 1 << 16;
/// Number of bins of a histogram.
pub const SPREAD_BINS: usize = 32;

gpu_struct! {
    /// Parameters of the passes.
    pub struct GatherParameters {
        /// Number of particles, including boundary particles.
        pub particle_count: u32,
        /// Number of selected particles.
        pub chosen_count: u32,
    }
}

gpu_struct! {
    /// The counters and state of a selected particle.
    pub struct GatheredParticle {
        /// Candidates of the last survey.
        pub candidates: u32,
        /// Neighbors of the last survey.
        pub neighbors: u32,
        /// Density, kg/m³.
        pub density: f32,
        /// Speed, m/s.
        pub speed: f32,
        /// 1 if the search classifies it as a border particle.
        pub is_border: u32,
        /// 1 if a particle with this identity exists.
        pub found: u32,
    }
}

/// The distribution of some values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
    /// Sum of the values.
    pub sum: f64,
    /// Number of values.
    pub count: usize,
    /// Number of values in each of [`SPREAD_BINS`] equal parts of the range.
    pub bins: Vec<u32>,
}

impl Spread {
    /// The distribution of the finite values in `values`.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let values = values.filter(|value| value.is_finite());
        let mut spread =
            Self { low: f64::INFINITY, high: f64::NEG_INFINITY, bins: vec![0; SPREAD_BINS], ..Self::default() };
        for value in values.clone() {
            (spread.low, spread.high) = (spread.low.min(value), spread.high.max(value));
            spread.sum += value;
            spread.count += 1;
        }
        if spread.count == 0 {
            return Self::default();
        }
        let width = (spread.high - spread.low).max(f64::MIN_POSITIVE);
        for value in values {
            let place = (value - spread.low) / width * SPREAD_BINS as f64;
            spread.bins[(place as usize).min(SPREAD_BINS - 1)] += 1;
        }
        spread
    }

    /// The mean; 0 if there are no values.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}

/// Statistics of the selected particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gathered {
    /// Identities of the selected particles.
    pub chosen: Arc<Vec<u32>>,
    /// Number of identities for which a particle exists.
    pub found: usize,
    /// Number of candidates per particle.
    pub candidates: Spread,
    /// Number of neighbors per particle.
    pub neighbors: Spread,
    /// Candidates divided by neighbors, for the particles that have neighbors.
    pub overhead: Spread,
    /// Density, kg/m³.
    pub density: Spread,
    /// Speed, m/s.
    pub speed: Spread,
    /// Number of border particles; `None` if the search does not distinguish border particles.
    pub border: Option<usize>,
}

/// Gathers the selected particles of a simulation.
pub struct Gatherer {
    parameters: wgpu::Buffer,
    chosen_buffer: wgpu::Buffer,
    gathered: wgpu::Buffer,
    passes: [Pass; 2],
    particle_count: u32,
    has_border: bool,
    chosen: Arc<Vec<u32>>,
    recorded: bool,
    under_way: Option<(Arc<Vec<u32>>, Readback<GatheredParticle>)>,
}

impl Gatherer {
    /// Allocates the buffers for [`MOST_GATHERED`] particles of a simulation.
    ///
    /// # Errors
    /// When the buffers do not fit the device or a shader does not compile.
    pub fn new(gpu: &Gpu, simulation: &Simulation) -> Result<Self, LaboratoryError> {
        let particles = simulation.particles();
        let one_cell = Grid { cell_counts: [1; 3], cell_count: 1, ..Grid::default() };
        let cells = simulation.search_cells();
        let grid = gpu.uniform("cells of the selection", &cells.map_or(one_cell, |cells| cells.grid()));
        let parameters = gpu.uniform("gather parameters", &GatherParameters::default());
        let chosen = gpu.storage::<u32>("chosen particles", MOST_GATHERED as u64)?;
        let drawn = DrawnPlaces::new(gpu, particles.velocities, particles.count)?;
        let gathered = gpu.storage::<GatheredParticle>("gathered particles", MOST_GATHERED as u64)?;
        let buffers = [
            ("gather_parameters", &parameters),
            ("cell_grid", &grid),
            ("positions", particles.positions),
            ("identities", particles.velocities),
            ("densities", particles.densities),
            ("neighbor_counts", particles.neighbor_counts),
            ("candidate_counts", particles.candidate_counts),
            ("chosen", &chosen),
            ("drawn_places", &drawn.places),
            ("gathered", &gathered),
        ];
        let shader = ShaderVariant::new(FILE);
        let dispatch = Dispatch::Invocations(MOST_GATHERED as u64);
        let gather = Pass::new(
            gpu,
            PassDescriptor {
                phase: Phase::Drawing,
                label: "gather chosen particles",
                shader: &shader,
                entry_point: "gather",
                buffers: &buffers,
                dispatch,
            },
        )?;
        let passes = [drawn.pass, gather];
        Ok(Self {
            parameters,
            chosen_buffer: chosen,
            gathered,
            passes,
            particle_count: particles.count,
            has_border: cells.is_some_and(|cells| cells.border.is_some()),
            chosen: Arc::default(),
            recorded: false,
            under_way: None,
        })
    }

    /// Selects particles by their identities, at most the first [`MOST_GATHERED`]. `counted` says that the counters or
    /// the state have changed since the last call.
    pub fn follow(&mut self, gpu: &Gpu, chosen: &Arc<Vec<u32>>, counted: bool) {
        self.recorded &= !counted;
        if !Arc::ptr_eq(&self.chosen, chosen) {
            self.chosen = Arc::clone(chosen);
            self.recorded = false;
            let kept = &chosen[..chosen.len().min(MOST_GATHERED)];
            let parameters = GatherParameters { particle_count: self.particle_count, chosen_count: kept.len() as u32 };
            gpu.write_uniform(&self.parameters, &parameters);
            if !kept.is_empty() {
                gpu.queue.write_buffer(&self.chosen_buffer, 0, bytemuck::cast_slice(kept));
            }
        }
    }

    /// Records the passes and the read-back that are due, after the survey of the frame.
    pub fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) {
        if self.recorded || self.under_way.is_some() {
            return;
        }
        record(&self.passes, encoder, None);
        let count = self.chosen.len().min(MOST_GATHERED);
        self.under_way = Some((Arc::clone(&self.chosen), Readback::record(gpu, encoder, &self.gathered, count)));
        self.recorded = true;
    }

    /// The statistics, once the data has arrived. Never waits.
    pub fn take(&mut self) -> Option<Gathered> {
        let (chosen, readback) = self.under_way.as_ref()?;
        let mut particles = readback.take()?;
        particles.truncate(chosen.len());
        let gathered = self.summary(Arc::clone(chosen), &particles);
        self.under_way = None;
        Some(gathered)
    }

    fn summary(&self, chosen: Arc<Vec<u32>>, particles: &[GatheredParticle]) -> Gathered {
        let found = || particles.iter().filter(|particle| particle.found > 0);
        let with_neighbors = found().filter(|particle| particle.neighbors > 0);
        Gathered {
            chosen,
            found: found().count(),
            candidates: Spread::of(found().map(|particle| particle.candidates.into())),
            neighbors: Spread::of(found().map(|particle| particle.neighbors.into())),
            overhead: Spread::of(
                with_neighbors.map(|particle| f64::from(particle.candidates) / f64::from(particle.neighbors)),
            ),
            density: Spread::of(found().map(|particle| particle.density.into())),
            speed: Spread::of(found().map(|particle| particle.speed.into())),
            border: self.has_border.then(|| found().filter(|particle| particle.is_border > 0).count()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, assert_same_layout};

    #[test]
    fn the_shader_has_the_same_layout_of_gathered_particles() {
        let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(FILE)).expect("it composes");
        assert_same_layout::<GatherParameters>(&module);
        assert_same_layout::<GatheredParticle>(&module);
    }

    #[test]
    fn a_spread_counts_every_finite_value_once() {
        let spread = Spread::of([3.0, 1.0, f64::NAN, 2.0, 3.0].into_iter());
        assert_eq!((spread.count, spread.low, spread.high), (4, 1.0, 3.0));
        assert!((spread.mean() - 2.25).abs() < 1e-12);
        assert_eq!(spread.bins.iter().sum::<u32>(), 4);
        assert_eq!((spread.bins[0], spread.bins[SPREAD_BINS / 2], spread.bins[SPREAD_BINS - 1]), (1, 1, 2));
        assert_eq!(Spread::of([f64::NAN].into_iter()), Spread::default());
    }
}
