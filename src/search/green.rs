//! Green 2008/2012 ("Particle simulation using CUDA", NVIDIA): a uniform grid built by sorting. Particles are radix
//! sorted by cell index; where the key changes in the sorted list a cell begins. 8n bytes for keys and indices, 8m
//! for m cells, and what the sort takes besides.
//!
//! The sort is stable, so a run can be repeated bit for bit. Bad at: the sort moves every particle's key once a
//! digit, more than Hoetzlein's single scatter; 27 cells are looked up one by one.

use super::contract::gathering_pass;
use super::domain::Grid;
use super::{
    BoundPairKernel, CELL_EDGE, CELL_RADII, Cells, NeighborSearch, PairCounters, SearchError, SearchInfo, SearchInput,
};
use crate::gpu::{Dispatch, Gpu, Pass, Phase, ShaderVariant, element_bytes};
use crate::primitives::RadixSort;

const FILE: &str = "search/green.wgsl";

/// Green's place in the registry.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "green",
    title: "Green 2008",
    paper: "S. Green, Particle simulation using CUDA, NVIDIA 2008, revised 2012",
    idea: "Radix sorts the particles by cell; a cell begins where the key changes in the sorted list.",
    options: &[&CELL_EDGE, &CELL_RADII],
    repeatable: true,
    paper_bytes: |particles, cells| 8 * particles + 4 * cells,
    create: |gpu, input| Ok(Box::new(Green::new(gpu, input)?)),
};

struct Green {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    keys: wgpu::Buffer,
    values: wgpu::Buffer,
    sort: RadixSort,
    cell_ranges: wgpu::Buffer,
    grid: wgpu::Buffer,
    cells: Cells,
    particle_count: u32,
    cell_count: u32,
}

impl Green {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let grid = Grid::for_input(gpu, INFO.title, &input, size_of::<[u32; 2]>() as u64)?;
        let particle_count = input.particle_count;
        let keys = gpu.storage::<u32>("cell of each particle", particle_count.into())?;
        let values = gpu.storage::<u32>("index of each particle", particle_count.into())?;
        let key_bits = u32::BITS - (grid.cell_count - 1).leading_zeros();
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", particle_count.into())?,
            sort: RadixSort::new(gpu, &keys, &values, particle_count, key_bits.max(1))?,
            keys,
            values,
            cell_ranges: gpu.storage::<[u32; 2]>("cell ranges", grid.cell_count.into())?,
            cells: grid.cells(),
            grid: gpu.uniform("grid", &grid),
            particle_count,
            cell_count: grid.cell_count,
        })
    }
}

impl NeighborSearch for Green {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = ShaderVariant::new(FILE);
        let buffers = [
            ("grid_parameters", &self.grid),
            ("positions", &self.positions),
            ("keys", &self.keys),
            ("values", &self.values),
            ("sorted_keys", self.sort.sorted_keys()),
            ("original_from_sorted", self.sort.sorted_values()),
            ("cell_ranges", &self.cell_ranges),
            ("sorted_positions", &self.sorted_positions),
        ];
        let pass = |label, entry_point, invocations: u32| {
            let dispatch = Dispatch::Invocations(invocations.into());
            Pass::new(gpu, (Phase::Build, label), (&shader, entry_point), &buffers, dispatch)
        };
        let mut passes = vec![pass("hash particles", "hash_particles", self.particle_count)?];
        passes.extend(self.sort.passes(gpu, Phase::Build)?);
        passes.push(pass("clear cells", "clear_cells", self.cell_count)?);
        passes.push(pass("find cells", "find_cells", self.particle_count)?);
        Ok(passes)
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        counters: Option<&PairCounters>,
    ) -> Result<Vec<Pass>, SearchError> {
        let own = [
            ("grid_parameters", &self.grid),
            ("sorted_positions", &self.sorted_positions),
            ("cell_ranges", &self.cell_ranges),
        ];
        gathering_pass(gpu, ShaderVariant::new(FILE), (&own, self.particle_count), pair, counters)
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        &self.sorted_positions
    }

    fn cells(&self) -> Option<Cells> {
        Some(self.cells)
    }

    fn bytes(&self) -> u64 {
        2 * element_bytes::<u32>(self.particle_count.into())
            + element_bytes::<[u32; 2]>(self.cell_count.into())
            + self.sort.bytes()
    }
}
