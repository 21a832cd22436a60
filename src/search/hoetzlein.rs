//! Hoetzlein's search: a uniform grid built by a counting sort.
//!
//! Source: R. Hoetzlein, "Fast fixed-radius nearest neighbors: interactive million-particle fluids", GTC 2013.
//!
//! Idea: a uniform grid built by counting sort.
//!
//! Passes: clear the counters of the cells; count the particles, where one atomic addition gives each particle its
//! index in its cell; scan the counters, which gives the start of each cell; scatter the positions; traverse with one
//! invocation per particle.
//!
//! Memory: 8n + 4m bytes for n particles and m cells.
//!
//! Strength: the fastest of the plain grids, for dense and for sparse input. Limitations: boxes much larger than the
//! water, because memory and scan grow with the box; and the order of the particles within a cell depends on the order
//! of the atomic additions, so that sums differ in the last bit from run to run.
//!
//! Departures from the paper: by default, only the cells that overlap the reach around a particle are looked up, and
//! the cells of a row along x are read as one range. The paper looks up 27 cells one by one; [`LOOK_UP`] selects this.

mod explanation;

use super::domain::{Grid, clipped_rows_volume, looked_up_volume, looks_up_27};
use super::traversal::Traversal;
use super::{
    BlockTable, Blocks, BoundPairKernel, CELL_EDGE, CELL_RADII, CellEdge, Cells, CreateSearch, Domain, Instrument,
    LOOK_UP, NeighborSearch, SearchError, SearchInfo, SearchInput, needs,
};
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant, element_bytes};
use crate::primitives::ExclusiveScan;

const FILE: &str = "search/hoetzlein.wgsl";

/// The registry entry of Hoetzlein's search.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "hoetzlein",
    title: "Hoetzlein 2013",
    paper: "R. Hoetzlein, Fast fixed-radius nearest neighbors: interactive million-particle fluids, GTC 2013",
    idea: "Counting sort: one atomic addition per particle and one scan determine its index in the sorted order.",
    options: &[&CELL_EDGE, &CELL_RADII, &LOOK_UP],
    published: &["look-up=27 cells"],
    needs: &[&needs::POSITIONS, &needs::SCAN],
    repeatable: false,
    paper_bytes: |particles, cells| 8 * particles + 4 * cells,
    explanation: Some(&explanation::EXPLANATION),
    create: CreateSearch::new(|gpu, input| Ok(Box::new(Hoetzlein::new(gpu, input)?))),
};

struct Hoetzlein {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    cell_start: wgpu::Buffer,
    cell_and_place: wgpu::Buffer,
    scan: ExclusiveScan,
    grid: wgpu::Buffer,
    cells: Cells,
    domain: Domain,
    particle_count: u32,
    cell_count: u32,
    cell_edge: CellEdge,
    looks_up_27: bool,
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
            domain: input.domain,
            particle_count,
            cell_count: grid.cell_count,
            cell_edge: CellEdge::chosen(input.options),
            looks_up_27: looks_up_27(input.options),
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
            Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Build,
                    label,
                    shader: &shader,
                    entry_point,
                    buffers: &buffers,
                    dispatch,
                },
            )
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
        instrument: Option<Instrument<'_>>,
    ) -> Result<Vec<Pass>, SearchError> {
        let own = [
            ("grid_parameters", &self.grid),
            ("sorted_positions", &self.sorted_positions),
            ("cell_start", &self.cell_start),
        ];
        // The 27 cells are read completely, without clipping to the sphere.
        let clips_rows = self.cell_edge == CellEdge::FineRows && !self.looks_up_27;
        let shader =
            ShaderVariant::new(FILE).with_flag_if(clips_rows, "FINE_ROWS").with_flag_if(self.looks_up_27, "LOOK_UP_27");
        Traversal { gpu, own: &own, particle_count: self.particle_count, pair, instrument }.gathering(shader)
    }

    fn particle_count(&self) -> u32 {
        self.particle_count
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        &self.sorted_positions
    }

    fn cells(&self) -> Option<Cells> {
        Some(self.cells)
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(Blocks {
            buffer: self.cell_start.clone(),
            table: BlockTable::Starts,
            cell_counts: self.cells.counts,
            particle_count: self.particle_count,
        })
    }

    fn symbols(&self) -> Vec<(&'static str, f64)> {
        let (size, radius) = (self.cells.size, self.domain.support_radius);
        let clips_rows = self.cell_edge == CellEdge::FineRows && !self.looks_up_27;
        let volume = if clips_rows {
            clipped_rows_volume(size, radius)
        } else {
            looked_up_volume(self.looks_up_27, size, radius)
        };
        vec![("q", f64::from(self.scan.pass_count())), ("s", self.scan.bytes() as f64), ("v", volume)]
    }

    fn bytes(&self) -> u64 {
        element_bytes::<u32>(u64::from(self.cell_count) + 1)
            + element_bytes::<[u32; 2]>(self.particle_count.into())
            + self.scan.bytes()
    }
}
