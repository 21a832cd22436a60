//! CLAWS: the two levels of FENNS, with the subgroups of a workgroup scheduled by load.
//!
//! Source: J. Groß, M. Köster, A. Krüger, "CLAWS: Computational load balancing for accelerated neighbor processing on
//! GPUs using warp scheduling", CGVC 2020.
//!
//! Idea: as in FENNS, the coarse grid has as many cells as counters fit workgroup memory, independently of the number
//! of particles, and local grids are built during the traversal. The paper adds four ideas, each of which is a setting
//! here: all inner particles precede all border particles (section 3.2), three cells along x are looked up as one row
//! (3.3), a pair within a coarse cell is evaluated once (3.1), and the subgroups of a workgroup are distributed over
//! the rows around a coarse cell in proportion to the particles in these rows (3.4). *Visitors* are, as in FENNS, the
//! particles that may have neighbors in a chunk.
//!
//! Passes: clear the counters; count the particles of each block; scan the counters; sort the particles by class and
//! cell; optionally sort each block by a finer grid; traverse with one workgroup per chunk, where visitors deposit
//! their sums; finish the deposited sums. With a halo (`halo.rs`), the two blocks of each cell are sorted together, the
//! particles of a chunk gather, and nothing is deposited.
//!
//! Memory: 8 bytes per coarse cell; with a halo, 152 more, and 44 for each chunk that particles fill. Without a halo,
//! the caller allocates the deposits as well, 4 bytes per particle for each float of a sum.
//!
//! Strengths: inputs for which a fine grid would be huge or mostly empty, and dense particles. Limitations: few
//! neighbors per particle, because entire coarse cells are read to find them; and sums are deposited atomically, so
//! that they differ in the last bits from run to run.
//!
//! Four parts are additions of this project. Each is a setting; with all of them off, the system of the paper runs:
//! - *Shared queue*: visitors within reach of a chunk wait in a queue that all subgroups process, so that the schedule
//!   determines which subgroup reads a visitor. Without it, a subgroup serves the visitors that it reads, so that the
//!   schedule determines which subgroup serves a visitor.
//! - *Local grid*: rows of cells of r/4 to r/8 over the chunk's own bounding box, clipped to the sphere around a
//!   visitor. Without it, the cells are no narrower than r, cover the coarse cell and r around it, and 27 of them are
//!   looked up one by one (FENNS, section 3.2).
//! - *Fine order*: the particles of a block are sorted by a finer grid, so that the invocations of a subgroup do
//!   similar work.
//! - *Halo*, off by default: the particles of a chunk gather their sums from a local grid that contains the particles
//!   around the coarse cell as well. Nothing visits a chunk, so that of the other settings only *Coarse cells* has an
//!   effect. By default there are as many coarse cells as counters fit, because workgroup memory holds the particles
//!   around a cell, too.
//!
//! Departures from the paper that no setting removes, sorting (section 3.2):
//! - A histogram in workgroup memory precedes the one in device memory, as in FENNS. The scan is exclusive over
//!   counters stored one entry later, which gives the same ends. A subgroup reserves the slots of one block at once.
//! - By default, there are no more coarse cells than are needed to fill chunks.
//!
//! Departures from the paper that no setting removes, searching (sections 3.1, 3.3 and 3.4, Algorithms 1 to 4):
//! - The sums belong to the visitors, which accumulate them in registers and deposit them in device memory once per
//!   chunk; in the paper they belong to the particles of the chunk. In a pair that is evaluated once, the visitor's
//!   contribution to the particle of the chunk is deposited pair by pair.
//! - A workgroup serves one chunk of a cell, not all of them in turn. A chunk is as large as workgroup memory allows,
//!   the chunks of a cell are about equally large, and nothing is padded with dummies. The schedule is computed once
//!   per chunk.
//! - Pairs between different chunks of a cell are evaluated once, as in the paper. There are fewer of them if chunks
//!   are larger.
//! - The "32 warps of 32" are the subgroups of the adapter. If rounding assigns too many subgroups, the excess is taken
//!   back row by row in a fixed order, not by lanes that race. If there are more rows than subgroups, a case that the
//!   paper does not treat, a subgroup serves several rows one after the other (`shaders/search/claws_schedule.wgsl`).
//! - A row has the index of its middle cell in the table of 9. Rows along edges precede rows along faces, because an
//!   excess is taken from the first rows.
//! - The row through the cell itself excludes the cell as a gap in one range, where line 25 of Algorithm 1 tests each
//!   particle.
//! - A visitor farther from the coarse cell than the reach is dropped by comparing its position; the paper's local
//!   grid, which ends there, assigns it no cell.

mod explanation;
mod options;
mod own_needs;
// Some of the shaders that the tests compose belong to the fluid.
#[cfg(all(test, feature = "fluid"))]
mod tests;
mod variants;

use glam::UVec3;

use super::coarse_grid::COARSE_CELLS;
use super::domain::Grid;
use super::halo::{self, HALO, Halo};
use super::local_grid::LocalGridSizes;
use super::traversal::Traversal;
use super::{
    BlockTable, Blocks, BoundPairKernel, Cells, CreateSearch, Domain, Instrument, NeighborSearch, SearchError,
    SearchInfo, SearchInput, SearchOptions, needs,
};
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, element_bytes};
use crate::primitives::ExclusiveScan;
use options::{FINE_ORDER, LOCAL_GRID, MERGED_ROWS, PAIRS_ONCE, REORDER, SCHEDULE, SHARED_QUEUE, reorders};
use variants::{cell_limit, sizes, variant};

const BUILD_FILE: &str = "search/claws_build.wgsl";
const ORDER_FILE: &str = "search/claws_order.wgsl";
const TRAVERSAL_FILE: &str = "search/claws.wgsl";
const SCHEDULE_FILE: &str = "search/claws_read_schedule.wgsl";

/// Largest number of workgroups that order blocks. If there are more blocks, each workgroup orders several.
const ORDERING_WORKGROUPS: u64 = 4096;

/// Number of ranges around a coarse cell: rows of three cells, or single cells.
const ROWS: u32 = 9;
const CELLS_AROUND: u32 = 27;

/// Smallest number of particles that a workgroup of the histogram counts, because it finally adds all its counters to
/// device memory.
const COUNTED_BY_WORKGROUP: u64 = 16_384;

/// The registry entry of CLAWS.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "claws",
    title: "CLAWS 2020",
    paper: "J. Groß, M. Köster, A. Krüger, CLAWS: Computational load balancing for accelerated neighbor processing on \
            GPUs using warp scheduling, CGVC 2020",
    idea: "Two grids as in FENNS, with inner before border particles, merged rows, each pair once, and subgroups \
           scheduled by load.",
    options: &[
        &REORDER,
        &MERGED_ROWS,
        &PAIRS_ONCE,
        &SCHEDULE,
        &SHARED_QUEUE,
        &LOCAL_GRID,
        &FINE_ORDER,
        &COARSE_CELLS,
        &HALO,
    ],
    published: &["claws-queue=off", "claws-local-grid=27 cells", "claws-fine-order=off"],
    needs: &[
        &needs::DEPOSITS,
        &needs::FLOAT_ATOMICS,
        &own_needs::COUNTERS,
        &own_needs::CHUNKS,
        &own_needs::SHARED_OUT,
        &needs::SCAN,
    ],
    repeatable: false,
    paper_bytes: |_, cells| 8 * cells,
    explanation: Some(&explanation::EXPLANATION),
    create: CreateSearch::new(|gpu, input| Ok(Box::new(Claws::new(gpu, input)?))),
};

/// CLAWS, created for one input.
pub(super) struct Claws {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    block_counters: wgpu::Buffer,
    scan: ExclusiveScan,
    grid: wgpu::Buffer,
    /// The paper's local grid; unused with clipped rows.
    local_grid: wgpu::Buffer,
    cells: Cells,
    domain: Domain,
    particle_count: u32,
    cell_count: u32,
    sizes: LocalGridSizes,
    options: SearchOptions,
    halo: Option<Halo>,
}

impl Claws {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let sizes = sizes(&gpu.capabilities);
        let particle_count = input.particle_count;
        let grid = Grid::coarse(&input, cell_limit(&sizes, &input));
        let block_counters = gpu.storage::<u32>("blocks of coarse cells", u64::from(2 * grid.cell_count + 2))?;
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", particle_count.into())?,
            scan: ExclusiveScan::new(gpu, &block_counters, 2 * grid.cell_count + 1)?,
            block_counters,
            local_grid: gpu.uniform("local grid", &grid.local(grid.reach, sizes.chunk_capacity)),
            cells: grid.coarse_cells(),
            grid: gpu.uniform("grid", &grid),
            domain: input.domain,
            particle_count,
            cell_count: grid.cell_count,
            sizes,
            options: input.options.clone(),
            halo: Halo::for_input(gpu, &input, &grid, BlockTable::InnerThenBorder)?,
        })
    }

    /// Number of coarse cells along each axis.
    pub(super) fn cell_counts(&self) -> UVec3 {
        self.cells.counts
    }

    /// Whether three cells along x are looked up as one range.
    pub(super) fn has_rows(&self) -> bool {
        self.options.is(&MERGED_ROWS, "on")
    }

    /// Number of ranges of particles around a coarse cell.
    pub(super) fn range_count(&self) -> u32 {
        if self.has_rows() { ROWS } else { CELLS_AROUND }
    }

    /// Largest number of subgroups of a workgroup.
    pub(super) fn subgroup_capacity(&self, gpu: &Gpu) -> u32 {
        self.sizes.workgroup_size.div_ceil(gpu.capabilities.subgroup_sizes.map_or(1, |(smallest, _)| smallest))
    }

    /// The pass that writes the schedule of the requested cell into `words`.
    ///
    /// # Errors
    /// When the shader does not compile.
    pub(super) fn schedule_pass(
        &self,
        gpu: &Gpu,
        request: &wgpu::Buffer,
        words: &wgpu::Buffer,
    ) -> Result<Pass, SearchError> {
        let shader = variant(&gpu.capabilities, &self.options, SCHEDULE_FILE);
        let buffers = [
            ("grid_parameters", &self.grid),
            ("block_counters", &self.block_counters),
            ("schedule_request", request),
            ("schedule_words", words),
        ];
        Ok(Pass::new(
            gpu,
            PassDescriptor {
                phase: Phase::Build,
                label: "write schedule",
                shader: &shader,
                entry_point: "write_schedule",
                buffers: &buffers,
                dispatch: Dispatch::Workgroups(1),
            },
        )?)
    }
}

impl NeighborSearch for Claws {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = |file| variant(&gpu.capabilities, &self.options, file);
        let mut buffers = vec![
            ("grid_parameters", &self.grid),
            ("positions", &self.positions),
            ("block_counters", &self.block_counters),
            ("block_table", &self.block_counters),
            ("sorted_positions", &self.sorted_positions),
        ];
        buffers.extend(self.halo.iter().flat_map(Halo::buffers));
        let build = shader(BUILD_FILE).with_flag_if(self.halo.is_some(), "WITH_HALO");
        let pass = |label, entry_point, dispatch| {
            Pass::new(
                gpu,
                PassDescriptor { phase: Phase::Build, label, shader: &build, entry_point, buffers: &buffers, dispatch },
            )
        };
        let particles = u64::from(self.particle_count);
        let counting = Dispatch::Workgroups(particles.div_ceil(COUNTED_BY_WORKGROUP));
        let mut passes = vec![
            pass("clear counters", "clear_counters", Dispatch::Invocations(u64::from(2 * self.cell_count + 2)))?,
            pass("count particles", "count_particles", counting)?,
        ];
        passes.extend(self.scan.passes(gpu, Phase::Build)?);
        passes.push(pass("sort by class", "reorder", Dispatch::Invocations(particles))?);
        if let Some(halo) = &self.halo {
            passes.push(halo.ordering_pass(gpu, &buffers)?);
        } else if self.options.is(&FINE_ORDER, "on") {
            let dispatch = Dispatch::Workgroups(u64::from(2 * self.cell_count).min(ORDERING_WORKGROUPS));
            passes.push(Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Build,
                    label: "order blocks",
                    shader: &shader(ORDER_FILE),
                    entry_point: "order_blocks",
                    buffers: &buffers,
                    dispatch,
                },
            )?);
        }
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
            ("block_counters", &self.block_counters),
            ("block_table", &self.block_counters),
            ("local_parameters", &self.local_grid),
        ];
        let traversal = Traversal { gpu, own: &own, particle_count: self.particle_count, pair, instrument };
        if let Some(halo) = &self.halo {
            return halo.traversal_passes(traversal);
        }
        // Each cell may need one more workgroup than its particles fill.
        let chunks = u64::from(self.particle_count / self.sizes.chunk_capacity) + u64::from(self.cell_count);
        let dispatch = Dispatch::Workgroups(chunks);
        let shader = traversal.depositing_variant(variant(&gpu.capabilities, &self.options, TRAVERSAL_FILE));
        traversal.depositing(&shader, "traverse", dispatch, &self.grid)
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

    fn deposits(&self) -> bool {
        self.halo.is_none()
    }

    fn cells(&self) -> Option<Cells> {
        Some(self.cells)
    }

    fn blocks(&self) -> Option<Blocks> {
        Some(Blocks {
            buffer: self.block_counters.clone(),
            table: if reorders(&self.options) { BlockTable::InnerThenBorder } else { BlockTable::BorderBesideInner },
            cell_counts: self.cells.counts,
            particle_count: self.particle_count,
        })
    }

    fn symbols(&self) -> Vec<(&'static str, f64)> {
        let fine_order = f64::from(u8::from(self.halo.is_some() || self.options.is(&FINE_ORDER, "on")));
        let scan = [("q", f64::from(self.scan.pass_count())), ("s", self.scan.bytes() as f64), ("f", fine_order)];
        let of_halo = halo::symbols(self.halo.as_ref().map(Halo::bytes));
        scan.into_iter().chain(self.cells.class_volumes()).chain(of_halo).collect()
    }

    fn bytes(&self) -> u64 {
        let of_halo = self.halo.as_ref().map_or(0, Halo::bytes);
        element_bytes::<u32>(u64::from(2 * self.cell_count + 2)) + self.scan.bytes() + of_halo
    }
}
