//! The setting of the two-level searches in which a coarse cell is loaded into workgroup memory together with the
//! particles around it (`shaders/common/halo.wgsl`), and what it adds to the passes and buffers of a search.
//!
//! In the papers, the particles around a cell visit it, so that a particle is looked up by several workgroups, and each
//! deposits a part of its sum in device memory. With a halo, the particles of the cell gather: each is looked up once,
//! by one workgroup, and its sum stays in registers. FENNS (2019, section 3.2) lets the local grid overlap the cells
//! around it by the radius, but has no particles in the overlap.
//!
//! The build then also sorts the particles of each block by the sides of the cell that are within their reach, 27 parts
//! in all, so that a workgroup reads only those particles around its cell that may be neighbors
//! (`shaders/common/cell_parts.wgsl`), and within a part by a finer grid, so that the invocations of a subgroup look up
//! the same cells and neighbors are near in memory. It lists the cells that contain particles. A time step of
//! water takes 0.6 of the time with FENNS, and 0.6 to 0.8 with CLAWS; where the search is the only work and the coarse
//! cells are small or very dense, it takes longer (docs/BENCHMARKS.md).

mod sizes;

use sizes::HaloSizes;

use super::domain::Grid;
use super::traversal::Traversal;
use super::{BlockTable, OptionChoice, OptionKind, SearchError, SearchInput, SearchOption};
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant};

/// The file of the pass that sorts the particles of each coarse cell.
pub(super) const ORDER_FILE: &str = "search/halo_order.wgsl";
/// The file of the traversal.
pub(super) const GATHER_FILE: &str = "search/halo_gather.wgsl";

/// Largest number of workgroups of the traversal. If there are more chunks, each workgroup serves several.
const MOST_WORKGROUPS: u64 = 4096;
/// Number of parts of a coarse cell (`shaders/common/cell_parts.wgsl`).
const PARTS: usize = 27;
/// Words of a chunk in the list of chunks (`shaders/common/owners.wgsl`).
const WORDS_OF_CHUNK: u64 = 11;

/// Whether the particles of a coarse cell gather from the cell and its halo.
pub(super) static HALO: SearchOption = SearchOption {
    name: "halo",
    title: "Halo",
    hover: "whether a coarse cell is loaded together with the particles around it; not part of the paper",
    kind: OptionKind::Choice(&[
        OptionChoice {
            label: "off",
            hover: "as in the paper: the particles around a cell visit it, and deposit parts of their sums",
        },
        OptionChoice {
            label: "on",
            hover: "each particle of a cell gathers its whole sum in workgroup memory; the particles of a cell are \
                    sorted by a finer grid",
        },
    ]),
};

/// What a halo adds to a two-level search: tables, a build pass that sorts the particles of each coarse cell, and the
/// traversal.
///
/// Its tables have 108 bytes for each coarse cell, and 44 for each chunk: one for each coarse cell, and one more for as
/// many particles as a workgroup serves.
pub(super) struct Halo {
    sizes: HaloSizes,
    /// The layout of the search's table of blocks.
    table: BlockTable,
    /// The starts of the parts of each coarse cell.
    part_starts: wgpu::Buffer,
    /// The chunks of the coarse cells that contain particles.
    chunk_list: wgpu::Buffer,
    particle_count: u32,
    cell_count: u32,
}

impl Halo {
    /// What the input needs whose particles are sorted into the cells of `grid`, if the setting is on: `table` is the
    /// layout of the search's table of blocks, of which `shaders/common/cell_blocks.wgsl` knows two.
    ///
    /// # Errors
    /// When the tables do not fit the device.
    pub(super) fn for_input(
        gpu: &Gpu,
        input: &SearchInput<'_>,
        grid: &Grid,
        table: BlockTable,
    ) -> Result<Option<Self>, SearchError> {
        if !input.options.is(&HALO, "on") {
            return Ok(None);
        }
        let sizes = HaloSizes::new(&gpu.capabilities, grid);
        let (particle_count, cell_count) = (grid.particle_count, grid.cell_count);
        let list_words = 1 + WORDS_OF_CHUNK * sizes.most_chunks(particle_count, cell_count);
        Ok(Some(Self {
            sizes,
            table,
            part_starts: gpu.storage::<[u32; PARTS]>("parts of coarse cells", cell_count.into())?,
            chunk_list: gpu.storage::<u32>("chunks of coarse cells", list_words)?,
            particle_count,
            cell_count,
        }))
    }

    /// Bytes of its tables.
    pub(super) fn bytes(&self) -> u64 {
        self.part_starts.size() + self.chunk_list.size()
    }

    /// Its tables by the names of the WGSL variables. A pass of the search's build before [`Halo::ordering_pass`] sets
    /// the first word of `chunk_list` to zero.
    pub(super) fn buffers(&self) -> [(&'static str, &wgpu::Buffer); 2] {
        [("part_starts", &self.part_starts), ("chunk_list", &self.chunk_list)]
    }

    /// The last pass of the build. `buffers` are the search's buffers by the names of the WGSL variables, its table of
    /// blocks as `block_table`, and those of [`Halo::buffers`].
    ///
    /// # Errors
    /// When the shader does not compile.
    pub(super) fn ordering_pass(&self, gpu: &Gpu, buffers: &[(&str, &wgpu::Buffer)]) -> Result<Pass, SearchError> {
        let shader = self.with_table(self.sizes.ordering_variant(&gpu.capabilities, ORDER_FILE));
        Ok(Pass::new(
            gpu,
            PassDescriptor {
                phase: Phase::Build,
                label: "order blocks",
                shader: &shader,
                entry_point: "order_cells",
                buffers,
                dispatch: Dispatch::Workgroups(self.cell_count.into()),
            },
        )?)
    }

    /// The passes of the traversal, in place of the search's own. Among the buffers of `traversal` is the table of
    /// blocks as `block_table`.
    ///
    /// # Errors
    /// As [`Traversal::gathering`].
    pub(super) fn traversal_passes(&self, traversal: Traversal<'_>) -> Result<Vec<Pass>, SearchError> {
        let own: Vec<_> = traversal.own.iter().copied().chain(self.buffers()).collect();
        let shader = self.with_table(self.sizes.variant(&traversal.gpu.capabilities, GATHER_FILE));
        let workgroups = self.sizes.most_chunks(self.particle_count, self.cell_count).min(MOST_WORKGROUPS);
        Traversal { own: &own, ..traversal }.gathering_regions(shader, workgroups)
    }

    /// The variant that reads the search's table of blocks.
    fn with_table(&self, shader: ShaderVariant) -> ShaderVariant {
        shader.with_flag_if(self.table == BlockTable::InnerThenBorder, "INNER_THEN_BORDER")
    }
}

/// The symbols of a search that has no deposits with a halo: `h`, the bytes of its tables, and `d`. With a halo, the
/// memory of the deposits, `D`, is measured as well: there are none.
pub(super) fn symbols(halo_bytes: Option<u64>) -> impl Iterator<Item = (&'static str, f64)> {
    let deposits = ("d", f64::from(u8::from(halo_bytes.is_none())));
    let tables = ("h", halo_bytes.unwrap_or(0) as f64);
    [deposits, tables].into_iter().chain(halo_bytes.map(|_| ("D", 0.0)))
}
