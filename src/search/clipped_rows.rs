//! Clipped rows: the project's own search, a counting sort into fine rows of cells whose traversal serves several
//! particles at once.
//!
//! Source: unpublished; made for this program in 2026. The rows and their clipping continue the setting "fine" of
//! Hoetzlein's search (R. Hoetzlein, GTC 2013); that one load serves several queries is known from tiled many-body
//! sums (L. Nyland, M. Harris and J. Prins, "Fast N-body simulation with CUDA", GPU Gems 3, 2007, chapter 31).
//!
//! Idea: a particle shares nearly all of its candidates with the next few particles of the sorted order. An invocation
//! therefore owns several consecutive particles, keeps them in registers, and reads the candidates once for all of
//! them. Rows of cells are cut into short cells along x, and of each row only the part within the sphere around the
//! owned particles is read.
//!
//! Passes: count the particles, where one atomic addition gives each particle its index in its cell; place the rows,
//! where each workgroup scans complete rows and takes room for them by one atomic addition; scatter the positions;
//! traverse with one invocation per group of owned particles. Three dispatches build the table, because no row needs to
//! know how many particles lie in the rows before it.
//!
//! Memory: 4n + 8(m + l) bytes for n particles, m cells and l rows, with rows rounded up to a multiple of four entries.
//!
//! Strength: the fewest loads and dispatches. Limitations: boxes much larger than the water, as for every grid, where
//! the cells become coarser so that the table stays small; few particles, because a graphics card is then not filled by
//! invocations that own several; and the order of rows and of the particles in a cell depends on the order of atomic
//! additions, so that sums differ in the last bit from run to run.

mod explanation;
mod settings;

use glam::UVec3;

use super::blocks::words_of_row;
use super::domain::clipped_rows_volume;
use super::traversal::{ServedBy, Traversal};
use super::{
    BlockTable, Blocks, BoundPairKernel, Cells, CreateSearch, Domain, Instrument, NeighborSearch, SearchError,
    SearchInfo, SearchInput, needs,
};
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant, element_bytes, gpu_struct};
use crate::primitives::{shader_variant, workgroup_size};
use settings::{ACROSS, ALONG, Choice, OWNED};

const FILE: &str = "search/clipped_rows.wgsl";
const BUILD_FILE: &str = "search/clipped_rows_build.wgsl";

/// Positions past the last particle that the traversal reads, and ignores, because it reads four at a time.
const READ_PAST_END: u64 = 3;

/// Vectors that an invocation of `place_rows` scans at once.
const VECTORS_PER_INVOCATION: u32 = 4;

/// The registry entry of the search by clipped rows.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "clipped_rows",
    title: "Clipped rows",
    paper: "unpublished: the search of this program",
    idea: "An invocation owns several consecutive particles and reads the clipped rows around them once for all.",
    options: &[&ACROSS, &ALONG, &OWNED],
    published: &[],
    needs: &[&needs::POSITIONS, &needs::SCAN],
    repeatable: false,
    paper_bytes: |particles, cells| 4 * particles + 8 * cells,
    explanation: Some(&explanation::EXPLANATION),
    create: CreateSearch::new(|gpu, input| Ok(Box::new(ClippedRows::new(gpu, input)?))),
};

gpu_struct! {
    /// The table of cells and its division into batches, in the layout of the shaders.
    pub struct RowTable {
        /// Number of vectors of four entries.
        pub vector_count: u32,
        /// Vectors of the complete rows that one workgroup places.
        pub vectors_per_batch: u32,
        /// Number of such batches.
        pub batch_count: u32,
    }
}

impl RowTable {
    /// The table of a grid, for workgroups that scan `block` vectors at once.
    fn new(cell_counts: UVec3, block: u32) -> Self {
        let rows = cell_counts.y * cell_counts.z;
        let vectors_per_row = words_of_row(cell_counts.x) / 4;
        let rows_per_batch = (block / vectors_per_row).clamp(1, rows);
        Self {
            vector_count: rows * vectors_per_row,
            vectors_per_batch: rows_per_batch * vectors_per_row,
            batch_count: rows.div_ceil(rows_per_batch),
        }
    }
}

struct ClippedRows {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    cell_counters: wgpu::Buffer,
    cell_start: wgpu::Buffer,
    places: wgpu::Buffer,
    placed: wgpu::Buffer,
    grid: wgpu::Buffer,
    row_table: wgpu::Buffer,
    table: RowTable,
    cells: Cells,
    domain: Domain,
    particle_count: u32,
    choice: Choice,
}

impl ClippedRows {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let choice = Choice::new(gpu, &input);
        let entry_limit = gpu.capabilities.largest_binding_bytes() / size_of::<u32>() as u64;
        let (grid, choice) = settings::grid(INFO.title, &input, choice, entry_limit)?;
        let counts = UVec3::from_array(grid.cell_counts);
        let table = RowTable::new(counts, workgroup_size(&gpu.capabilities) * VECTORS_PER_INVOCATION);
        let particles = input.particle_count.into();
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", particles + READ_PAST_END)?,
            cell_counters: gpu.storage::<[u32; 4]>("particles of each cell", table.vector_count.into())?,
            cell_start: gpu.storage::<[u32; 4]>("cell starts", table.vector_count.into())?,
            places: gpu.storage::<u32>("place of each particle in its cell", particles)?,
            placed: gpu.storage::<u32>("particles in placed rows", 1)?,
            cells: grid.cells(),
            grid: gpu.uniform("grid", &grid),
            row_table: gpu.uniform("row table", &table),
            table,
            domain: input.domain,
            particle_count: input.particle_count,
            choice,
        })
    }
}

impl NeighborSearch for ClippedRows {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let particles = ShaderVariant::new(BUILD_FILE);
        let rows =
            shader_variant(&gpu.capabilities, BUILD_FILE, workgroup_size(&gpu.capabilities)).with_flag("PLACES_ROWS");
        let buffers = [
            ("grid_parameters", &self.grid),
            ("row_table", &self.row_table),
            ("positions", &self.positions),
            ("cell_counters", &self.cell_counters),
            ("counters", &self.cell_counters),
            ("cell_start", &self.cell_start),
            ("places", &self.places),
            ("placed", &self.placed),
            ("sorted_positions", &self.sorted_positions),
        ];
        let pass = |label, shader, entry_point, dispatch| {
            let phase = Phase::Build;
            Pass::new(gpu, PassDescriptor { phase, label, shader, entry_point, buffers: &buffers, dispatch })
        };
        let each = Dispatch::Invocations(self.particle_count.into());
        Ok(vec![
            pass("count particles", &particles, "count_particles", each)?,
            pass("place rows", &rows, "place_rows", Dispatch::Workgroups(self.table.batch_count.into()))?,
            pass("scatter", &particles, "scatter", each)?,
        ])
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
        let is_plain = pair.kernel.vanishes_at_radius && instrument.is_none();
        let weight = self.choice.for_kernel(pair.kernel);
        let common = ShaderVariant::new(FILE)
            .with_number("OWNED", weight.owned)
            .with_flag_if(is_plain && weight.owned >= 2, "OWNS_2")
            .with_flag_if(is_plain && weight.owned >= 3, "OWNS_3")
            .with_flag_if(is_plain && weight.owned >= 4, "OWNS_4")
            .with_flag_if(is_plain && self.choice.rows_across() > 1, "FIVE_ROWS")
            .with_flag_if(is_plain && pair.kernel.scales && !pair.kernel.divides, "PAIR_SCALES")
            .with_number("WORKGROUP", weight.workgroup)
            .with_flag_if(instrument.is_some(), "ONE_BY_ONE");
        let special =
            ShaderVariant::new(FILE).with_number("OWNED", 1).with_number("WORKGROUP", self.choice.heavy.workgroup);
        // One for each group of the sorted order, and one for each row, which serves what a row's end cuts off.
        let rows = if weight.owned > 1 { self.cells.counts.y * self.cells.counts.z } else { 0 };
        let invocations = u64::from(self.particle_count).div_ceil(weight.owned.into()) + u64::from(rows);
        Traversal { gpu, own: &own, particle_count: self.particle_count, pair, instrument }
            .gathering_with(&ServedBy { common, special }, Dispatch::Invocations(invocations))
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
            table: BlockTable::StartsOfRows,
            cell_counts: self.cells.counts,
            particle_count: self.particle_count,
        })
    }

    fn symbols(&self) -> Vec<(&'static str, f64)> {
        let UVec3 { y, z, .. } = self.cells.counts;
        vec![
            ("a", f64::from(self.table.vector_count) * 4.0),
            ("l", f64::from(y) * f64::from(z)),
            ("w", f64::from(self.choice.light.owned)),
            ("v", clipped_rows_volume(self.cells.size, self.domain.support_radius)),
        ]
    }

    fn bytes(&self) -> u64 {
        2 * element_bytes::<[u32; 4]>(self.table.vector_count.into())
            + element_bytes::<u32>(self.particle_count.into())
            + element_bytes::<u32>(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, assert_same_layout};
    use crate::search::domain::Grid;

    #[test]
    fn the_table_has_the_same_layout_in_shaders_and_in_rust() {
        let (module, _) = ShaderLibrary::embedded().compose(&ShaderVariant::new(BUILD_FILE)).expect("it composes");
        assert_same_layout::<RowTable>(&module);
        assert_same_layout::<Grid>(&module);
    }

    #[test]
    fn batches_contain_complete_rows_and_every_row_once() {
        for (counts, block) in [([240, 60, 60], 1024), ([1, 1, 1], 256), ([5_000, 3, 2], 1024), ([7, 1, 1], 1024)] {
            let counts = UVec3::from_array(counts);
            let table = RowTable::new(counts, block);
            let row = words_of_row(counts.x);
            assert!(row > counts.x && row.is_multiple_of(4), "{counts}");
            assert_eq!(4 * table.vectors_per_batch % row, 0, "{counts}");
            assert_eq!(4 * table.vector_count, row * counts.y * counts.z);
            assert_eq!(table.batch_count, table.vector_count.div_ceil(table.vectors_per_batch), "{counts}");
        }
    }
}
