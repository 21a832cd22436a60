//! A search in one configuration over given positions, with its build passes: the subject of benchmarks, races and
//! lessons.

use super::verify::SearchConfiguration;
use super::{BoundPairKernel, Domain, Instrument, NeighborSearch, SearchError, SearchInput};
use crate::gpu::{Gpu, Pass};

/// A search created for one set of positions, ready to be combined with any pair kernel.
pub struct Specimen {
    /// The search and its settings.
    pub configuration: SearchConfiguration,
    /// The search.
    pub search: Box<dyn NeighborSearch>,
    /// The passes that sort the particles and build the tables.
    pub build: Vec<Pass>,
    /// Number of particles.
    pub particle_count: u32,
    /// The box and the support radius.
    pub domain: Domain,
}

impl Specimen {
    /// Creates the search over `positions` (`array<vec4<f32>>`, m; len = `particle_count`).
    ///
    /// # Errors
    /// When the search refuses the input or a shader does not compile.
    pub fn new(
        gpu: &Gpu,
        configuration: &SearchConfiguration,
        (positions, particle_count): (&wgpu::Buffer, u32),
        domain: Domain,
    ) -> Result<Self, SearchError> {
        let input = SearchInput { positions, particle_count, domain, options: &configuration.options };
        let search = configuration.search.create(gpu, input)?;
        Ok(Self {
            configuration: configuration.clone(),
            build: search.build_passes(gpu)?,
            search,
            particle_count,
            domain,
        })
    }

    /// The passes that pass every pair to `pair`; with an instrument, the variant that also counts or records.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        instrument: Option<Instrument<'_>>,
    ) -> Result<Vec<Pass>, SearchError> {
        self.search.traversal_passes(gpu, pair, instrument)
    }

    /// Number of grid cells; 0 for a search without cells.
    pub fn cell_count(&self) -> u64 {
        self.search.cells().map_or(0, |cells| cells.counts.to_array().map(u64::from).iter().product())
    }
}
