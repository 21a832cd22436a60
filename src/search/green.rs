//! Green's search: a uniform grid built by a radix sort.
//!
//! Source: S. Green, "Particle simulation using CUDA", NVIDIA 2008, revised 2012.
//!
//! Idea: a uniform grid built by sorting. The particles are radix sorted by cell index, and a cell begins where the key
//! changes in the sorted list.
//!
//! Passes: compute the cell index of each particle, sort, clear the cells, find the range of each cell and copy the
//! positions (`sorted_cells.rs`); traverse with one invocation per particle, cell by cell.
//!
//! Memory: 16n + 8m bytes for n particles and m cells, half of the 16n for the second buffers of the sort, plus a small
//! amount for the counts of the sort.
//!
//! Strength: the sort is stable, so that runs are repeatable bit for bit. Limitations: the sort moves the key of every
//! particle once per digit, where Hoetzlein's search scatters each particle once; cells are looked up one by one.
//!
//! Departure from the paper: by default, only the cells that overlap the reach around a particle are looked up. The
//! paper looks up all 27 cells, which contain 216 r³ of candidates at an edge of 2r instead of 64 r³; [`LOOK_UP`]
//! selects this.

mod explanation;

use super::domain::{Grid, looked_up_volume, looks_up_27};
use super::sorted_cells::{BYTES_PER_CELL, SortedCells};
use super::traversal::Traversal;
use super::{
    Blocks, BoundPairKernel, CELL_EDGE, CELL_RADII, Cells, CreateSearch, Domain, Instrument, LOOK_UP, NeighborSearch,
    SearchError, SearchInfo, SearchInput, needs,
};
use crate::gpu::{Gpu, Pass, ShaderVariant};

const FILE: &str = "search/green.wgsl";

/// The registry entry of Green's search.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "green",
    title: "Green 2008",
    paper: "S. Green, Particle simulation using CUDA, NVIDIA 2008, revised 2012",
    idea: "Sorts the particles by cell with a radix sort; a cell begins where the key changes in the sorted list.",
    options: &[&CELL_EDGE, &CELL_RADII, &LOOK_UP],
    published: &["look-up=27 cells"],
    needs: &[&needs::POSITIONS, &needs::RADIX_SORT],
    repeatable: true,
    paper_bytes: |particles, cells| 8 * particles + 4 * cells,
    explanation: Some(&explanation::EXPLANATION),
    create: CreateSearch::new(|gpu, input| Ok(Box::new(Green::new(gpu, input)?))),
};

struct Green {
    tables: SortedCells,
    looks_up_27: bool,
}

impl Green {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let grid = Grid::for_input(gpu, INFO.title, &input, BYTES_PER_CELL)?;
        Ok(Self { tables: SortedCells::new(gpu, &input, &grid)?, looks_up_27: looks_up_27(input.options) })
    }
}

impl NeighborSearch for Green {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        self.tables.passes(gpu)
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        instrument: Option<Instrument<'_>>,
    ) -> Result<Vec<Pass>, SearchError> {
        let (own, particle_count) = self.tables.read();
        let shader = ShaderVariant::new(FILE).with_flag_if(self.looks_up_27, "LOOK_UP_27");
        Traversal { gpu, own: &own, particle_count, pair, instrument }.gathering(shader)
    }

    fn particle_count(&self) -> u32 {
        self.tables.particle_count()
    }

    fn domain(&self) -> Domain {
        self.tables.domain()
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        self.tables.sorted_positions()
    }

    fn cells(&self) -> Option<Cells> {
        Some(self.tables.cells())
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(self.tables.blocks())
    }

    fn symbols(&self) -> Vec<(&'static str, f64)> {
        let cells = self.tables.cells().size;
        let volume = looked_up_volume(self.looks_up_27, cells, self.domain().support_radius);
        self.tables.symbols().into_iter().chain([("v", volume)]).collect()
    }

    fn bytes(&self) -> u64 {
        self.tables.bytes()
    }
}
