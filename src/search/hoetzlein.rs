//! Hoetzlein 2013 ("Fast fixed-radius nearest neighbors", GTC): a uniform grid built by counting sort. One atomic
//! addition gives a particle its place in its cell, one scan of the counters gives each cell its start, one scatter
//! sorts. 8n + 4m bytes for n particles and m cells.
//!
//! Fastest of the plain grids, dense or sparse. Bad at: boxes much larger than the water, since memory and the scan
//! grow with the box; and the order inside a cell is whichever atomic came first, so sums differ in the last bit
//! from run to run.

use super::contract::gathering_pass;
use super::domain::Grid;
use super::{
    BoundPairKernel, CELL_EDGE, CELL_RADII, CellEdge, Cells, NeighborSearch, PairCounters, SearchError, SearchInfo,
    SearchInput,
};
use crate::gpu::{Dispatch, Gpu, Pass, Phase, ShaderVariant, element_bytes};
use crate::primitives::ExclusiveScan;

const FILE: &str = "search/hoetzlein.wgsl";

/// Hoetzlein's place in the registry.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "hoetzlein",
    title: "Hoetzlein 2013",
    paper: "R. Hoetzlein, Fast fixed-radius nearest neighbors: interactive million-particle fluids, GTC 2013",
    idea: "Counting sort: an atomic addition per particle and one scan give every particle its sorted place.",
    options: &[&CELL_EDGE, &CELL_RADII],
    repeatable: false,
    paper_bytes: |particles, cells| 8 * particles + 4 * cells,
    create: |gpu, input| Ok(Box::new(Hoetzlein::new(gpu, input)?)),
};

struct Hoetzlein {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    cell_start: wgpu::Buffer,
    cell_and_place: wgpu::Buffer,
    scan: ExclusiveScan,
    grid: wgpu::Buffer,
    cells: Cells,
    particle_count: u32,
    cell_count: u32,
    cell_edge: CellEdge,
}

impl Hoetzlein {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let grid = Grid::for_input(gpu, INFO.title, &input, size_of::<u32>() as u64)?;
        let particle_count = input.particle_count;
        let cell_start = gpu.storage::<u32>("cell starts", u64::from(grid.cell_count) + 1)?;
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", particle_count.into())?,
            scan: ExclusiveScan::new(gpu, &cell_start, grid.cell_count + 1)?,
            cell_start,
            cell_and_place: gpu.storage::<[u32; 2]>("cell and place of each particle", particle_count.into())?,
            cells: grid.cells(),
            grid: gpu.uniform("grid", &grid),
            particle_count,
            cell_count: grid.cell_count,
            cell_edge: CellEdge::chosen(input.options),
        })
    }
}

impl NeighborSearch for Hoetzlein {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = ShaderVariant::new(FILE);
        let buffers = [
            ("grid_parameters", &self.grid),
            ("positions", &self.positions),
            ("cell_counters", &self.cell_start),
            ("cell_start", &self.cell_start),
            ("cell_and_place", &self.cell_and_place),
            ("sorted_positions", &self.sorted_positions),
        ];
        let pass = |label, entry_point, invocations: u64| {
            let dispatch = Dispatch::Invocations(invocations);
            Pass::new(gpu, (Phase::Build, label), (&shader, entry_point), &buffers, dispatch)
        };
        let particles = self.particle_count.into();
        let mut passes = vec![
            pass("clear cells", "clear_cells", u64::from(self.cell_count) + 1)?,
            pass("count particles", "count_particles", particles)?,
        ];
        passes.extend(self.scan.passes(gpu, Phase::Build)?);
        passes.push(pass("scatter", "scatter", particles)?);
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
            ("cell_start", &self.cell_start),
        ];
        let shader = ShaderVariant::new(FILE).with_flag_if(self.cell_edge == CellEdge::FineRows, "FINE_ROWS");
        gathering_pass(gpu, shader, (&own, self.particle_count), pair, counters)
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        &self.sorted_positions
    }

    fn cells(&self) -> Option<Cells> {
        Some(self.cells)
    }

    fn bytes(&self) -> u64 {
        element_bytes::<u32>(u64::from(self.cell_count) + 1)
            + element_bytes::<[u32; 2]>(self.particle_count.into())
            + self.scan.bytes()
    }
}
