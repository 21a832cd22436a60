//! FENNS 2019: a coarse grid of as many cells as counters fit workgroup memory, whatever the number of particles; each
//! cell's block holds first its border particles, within reach of another cell, then its inner ones. The fine grid
//! that a search needs is made on the fly, chunk by chunk in workgroup memory, and looked up by the particles of the
//! same coarse cell and the border particles of the 26 around it. 8 l³ bytes for l³ cells.
//!
//! Fastest where the box is large and the radius small, since no memory or time goes to empty cells. Bad at: radii of
//! a third of a coarse cell and more, where nearly every particle is a border particle and visits up to 27 chunks; and
//! water in a small part of a large box, where one coarse cell holds many chunks that all visit each other.
//!
//! In the paper the chunk's particles own the sums; here the visitors do, who add up in registers and deposit once a
//! chunk, since workgroup memory has no addition of floats. Every ordered pair is evaluated, as there.

use super::coarse_grid::COARSE_CELLS;
use super::contract::{depositing_variant, finishing_pass, traversal_buffers};
use super::domain::Grid;
use super::{BoundPairKernel, Cells, NeighborSearch, PairCounters, SearchError, SearchInfo, SearchInput};
use crate::gpu::{Capabilities, Dispatch, Gpu, Pass, Phase, ShaderVariant, element_bytes};
use crate::primitives::{shader_variant, workgroup_size};

const FILE: &str = "search/fenns.wgsl";
/// Coarse cells at most, so that the two counters of each stay within 64 KB: 20 along each edge of a cube.
const MOST_CELLS: u32 = 8_000;
/// Particles that a workgroup counts at least for each coarse cell, whose counter it adds to the others' in the end.
const PARTICLES_PER_COUNTER: u32 = 2;

/// FENNS's place in the registry.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "fenns",
    title: "FENNS 2019",
    paper: "J. Groß, M. Köster, A. Krüger, Fast and efficient nearest neighbor search for particle simulations, CGVC 2019",
    idea: "A coarse grid that fits workgroup memory, and in each of its cells a fine one made on the fly.",
    options: &[&COARSE_CELLS],
    repeatable: false,
    paper_bytes: |_, cells| 8 * cells,
    create: |gpu, input| Ok(Box::new(Fenns::new(gpu, input)?)),
};

/// How the work is cut for an adapter's workgroup memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tables {
    /// Invocations of a build pass's workgroup.
    build_workgroup: u32,
    /// Counters of coarse cells.
    cells: u32,
    /// Invocations of a traversal's workgroup.
    workgroup: u32,
    /// Particles of a chunk.
    chunk: u32,
    /// Cells of a local grid.
    local_cells: u32,
}

impl Tables {
    fn new(capabilities: &Capabilities) -> Self {
        let limits = &capabilities.limits;
        let bytes = limits.max_compute_workgroup_storage_size;
        let workgroup = workgroup_size(capabilities);
        let roomy = bytes >= 32_768;
        Self {
            build_workgroup: if roomy {
                limits.max_compute_invocations_per_workgroup.clamp(workgroup, 1_024)
            } else {
                workgroup
            },
            cells: (bytes / size_of::<u32>() as u32).min(MOST_CELLS),
            workgroup,
            chunk: if roomy { 1_024 } else { 256 },
            local_cells: if roomy { 1_728 } else { 512 },
        }
    }

    fn build_variant(self, capabilities: &Capabilities) -> ShaderVariant {
        shader_variant(capabilities, FILE, self.build_workgroup).with_number("CELL_CAPACITY", self.cells)
    }

    fn traversal_variant(self, capabilities: &Capabilities) -> ShaderVariant {
        shader_variant(capabilities, FILE, self.workgroup)
            .with_number("CHUNK_CAPACITY", self.chunk)
            .with_number("LOCAL_CAPACITY", self.local_cells)
    }
}

struct Fenns {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    cell_counters: wgpu::Buffer,
    grid: wgpu::Buffer,
    local_grid: wgpu::Buffer,
    cells: Cells,
    tables: Tables,
    particle_count: u32,
    cell_count: u32,
}

impl Fenns {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let tables = Tables::new(&gpu.capabilities);
        let grid = Grid::coarse(&input, tables.cells);
        let particle_count = input.particle_count;
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", particle_count.into())?,
            cell_counters: gpu.storage::<[u32; 2]>("coarse cells", grid.cell_count.into())?,
            local_grid: gpu.uniform("local grid", &grid.local(tables.local_cells)),
            cells: grid.coarse_cells(),
            grid: gpu.uniform("coarse grid", &grid),
            tables,
            particle_count,
            cell_count: grid.cell_count,
        })
    }
}

impl NeighborSearch for Fenns {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = self.tables.build_variant(&gpu.capabilities);
        let buffers = [
            ("grid_parameters", &self.grid),
            ("positions", &self.positions),
            ("cell_counters", &self.cell_counters),
            ("sorted_positions", &self.sorted_positions),
        ];
        let pass = |label, entry_point, dispatch| {
            Pass::new(gpu, (Phase::Build, label), (&shader, entry_point), &buffers, dispatch)
        };
        let cells = Dispatch::Invocations(self.cell_count.into());
        let share = (PARTICLES_PER_COUNTER * self.cell_count).max(4 * self.tables.build_workgroup);
        let shares = Dispatch::Workgroups(self.particle_count.div_ceil(share).into());
        Ok(vec![
            pass("clear coarse cells", "clear_cells", cells)?,
            pass("count particles", "count_particles", shares)?,
            pass("scan coarse cells", "scan_cells", Dispatch::Workgroups(1))?,
            pass("sort border and inner", "sort_particles", Dispatch::Invocations(self.particle_count.into()))?,
            pass("find starts", "find_starts", cells)?,
        ])
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        counters: Option<&PairCounters>,
    ) -> Result<Vec<Pass>, SearchError> {
        let shader = self.tables.traversal_variant(&gpu.capabilities);
        let shader = depositing_variant(gpu, shader, pair, counters.is_some());
        let own = [
            ("grid_parameters", &self.grid),
            ("sorted_positions", &self.sorted_positions),
            ("cell_starts", &self.cell_counters),
            ("local_parameters", &self.local_grid),
        ];
        let buffers = traversal_buffers(&own, pair, counters);
        let chunks = Dispatch::Workgroups(u64::from(self.particle_count / self.tables.chunk + self.cell_count));
        Ok(vec![
            Pass::new(gpu, (Phase::Search, pair.label), (&shader, "traverse"), &buffers, chunks)?,
            finishing_pass(gpu, (&self.grid, self.particle_count), pair)?,
        ])
    }

    fn sorted_positions(&self) -> &wgpu::Buffer {
        &self.sorted_positions
    }

    fn deposits(&self) -> bool {
        true
    }

    fn cells(&self) -> Option<Cells> {
        Some(self.cells)
    }

    fn bytes(&self) -> u64 {
        element_bytes::<[u32; 2]>(self.cell_count.into())
    }
}
