//! FENNS: a coarse grid in memory, and local grids built during the traversal.
//!
//! Source: J. Groß, M. Köster, A. Krüger, "Fast and efficient nearest neighbor search for particle simulations", CGVC
//! 2019.
//!
//! Idea: the coarse grid has as many cells as counters fit workgroup memory, independently of the number of particles.
//! The block of each coarse cell contains first its border particles, which have another coarse cell within reach, then
//! its inner particles. The fine grid that a search needs is built during the traversal, chunk by chunk in workgroup
//! memory. The particles that may have neighbors in a chunk are its *visitors*: those of the same coarse cell, and the
//! border particles of the 26 coarse cells around it. Each visitor is tested against the chunk with the help of the
//! local grid.
//!
//! Passes: clear the counters; count the particles of each coarse cell; scan the counters; sort the particles by cell
//! and class; find the starts of the blocks; traverse with one workgroup per chunk, where visitors deposit their sums;
//! finish the deposited sums. With a halo (`halo.rs`; `WITH_HALO` in the shader), counters of their own replace the
//! first and the fifth pass, a pass that orders blocks follows, and nothing is deposited.
//!
//! Memory: 8 l³ bytes for l³ coarse cells; with a halo, 160 l³ more, and 44 for each chunk that particles fill. Without
//! a halo, the caller allocates the deposits as well, 4 bytes per particle for each float of a sum.
//!
//! Strength: the fastest search if the box is large and the radius small, because empty space costs neither memory nor
//! time. Limitations: radii of a third of a coarse cell and more, with which nearly every particle is a border particle
//! and visits several chunks; and many particles in few coarse cells, whose chunks all visit each other. Every ordered
//! pair is evaluated, as in the paper.
//!
//! Departures from the paper, sorting (section 3.1, Algorithms 1 and 2):
//! - The grid has up to 20³ coarse cells instead of 18³ if the adapter's workgroup memory holds their counters.
//! - One workgroup scans the counters. A workgroup reserves the slots of all its particles in a cell at once.
//! - A separate pass finds the starts of the blocks. In the paper, each group subtracts its border particles from
//!   counters from which other groups still reserve slots (`find_starts` in the shader).
//! - A particle is a border particle if its position plus or minus the reach is in another cell. The reach is the
//!   radius plus a bound on rounding.
//!
//! Departures from the paper, searching (section 3.2, Algorithms 3 and 4):
//! - The sums belong to the visitors, which accumulate them in registers and deposit them in device memory once per
//!   chunk. In the paper they belong to the particles of the chunk. Floats cannot be added atomically in workgroup
//!   memory.
//! - A workgroup serves one chunk of a coarse cell, not all of them in turn. The length of a chunk follows the number
//!   of particles in a coarse cell full of water, not the size of the group; the chunks of a cell are equally long, and
//!   nothing is padded with dummies.
//! - The local grid covers the coarse cell without the overlap of the radius around it (its outermost cells contain the
//!   particles outside), and has at most 512 cells.
//! - A visitor looks up the local cells that overlap its reach, and the cells of a row along x as one range, instead of
//!   27 cells one by one.
//! - Subgroups are not assigned to neighbor cells. The workgroup reads the rest of the cell and the border particles of
//!   the 26 cells around it as 28 ranges, one after the other.
//! - Visitors that are farther from the coarse cell than the reach along an axis are dropped before the look-up. The
//!   others wait in a queue until they occupy all invocations.

mod explanation;

use super::coarse_grid::COARSE_CELLS;
use super::domain::Grid;
use super::halo::{self, HALO, Halo};
use super::local_grid::{SLOTS_PAST_END, WATER_IN_CUBE};
use super::traversal::Traversal;
use super::{
    BlockTable, Blocks, BoundPairKernel, Cells, CreateSearch, Domain, Instrument, Need, NeighborSearch, SearchError,
    SearchInfo, SearchInput, needs,
};
use crate::gpu::{Capabilities, Dispatch, Gpu, Pass, PassDescriptor, Phase, ShaderVariant};
use crate::primitives::{shader_variant, workgroup_size};

const FILE: &str = "search/fenns.wgsl";
/// Largest number of coarse cells, so that the two counters of each fit 64 KB: 20 along each edge of a cube.
const MOST_CELLS: u32 = 8_000;
/// Smallest number of particles per coarse cell that a workgroup of the histogram counts, because it finally adds one
/// counter per coarse cell to device memory.
const PARTICLES_PER_COUNTER: u32 = 2;
/// Number of particles that an invocation sorts. It is small, because the invocation keeps them in registers while the
/// workgroup reserves slots.
const SORT_SHARE: u32 = 4;
/// Largest number of cells of a local grid: about the number of particles of a chunk, because empty cells cost time,
/// too.
const LOCAL_CELLS: u32 = 512;
/// The capacities of chunks and local grids are multiples of this number.
const SIZE_STEP: u32 = 64;
/// Largest number of particles in a coarse cell full of water for which a chunk is sized. With longer chunks, too few
/// workgroups run at a time.
const MOST_WATER: f32 = 544.0;

/// The counters of the coarse cells.
static COUNTERS: Need = Need {
    what: "workgroup memory, for counters of coarse cells",
    of: |device| needs::coarse_counters(device, cell_capacity(device), MOST_CELLS),
};

/// The chunks of particles.
static CHUNKS: Need = Need {
    what: "workgroup memory, for chunks of a coarse cell",
    of: |device| {
        let smallest = Chunks { particle_capacity: SIZE_STEP, local_capacity: SIZE_STEP };
        let fits = smallest.workgroup_bytes(device) <= device.limits.max_compute_workgroup_storage_size;
        needs::chunks(device, if fits { smallest.with_most_particles(device, u32::MAX).particle_capacity } else { 0 })
    },
};

/// The registry entry of FENNS.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "fenns",
    title: "FENNS 2019",
    paper: "J. Groß, M. Köster, A. Krüger, Fast and efficient nearest neighbor search for particle simulations, \
            CGVC 2019",
    idea: "A coarse grid whose counters fit workgroup memory, and in each cell a fine grid built during the traversal.",
    options: &[&COARSE_CELLS, &HALO],
    published: &[],
    needs: &[&needs::DEPOSITS, &needs::FLOAT_ATOMICS, &COUNTERS, &CHUNKS, &needs::SCAN],
    repeatable: false,
    paper_bytes: |_, cells| 8 * cells,
    explanation: Some(&explanation::EXPLANATION),
    create: CreateSearch::new(|gpu, input| Ok(Box::new(Fenns::new(gpu, input)?))),
};

struct Fenns {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    cell_counters: wgpu::Buffer,
    grid: wgpu::Buffer,
    local_grid: wgpu::Buffer,
    cells: Cells,
    chunks: Chunks,
    halo: Option<Halo>,
    domain: Domain,
    particle_count: u32,
    cell_count: u32,
}

impl Fenns {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let grid = Grid::coarse(&input, cell_capacity(&gpu.capabilities));
        let halo = Halo::for_input(gpu, &input, &grid, BlockTable::StartsThenInnerStarts)?;
        let counters = counters_per_cell(halo.is_some()) * grid.cell_count;
        let local_grid = grid.local(0.0, LOCAL_CELLS);
        let particle_count = input.particle_count;
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", particle_count.into())?,
            cell_counters: gpu.storage::<u32>("coarse cells", counters.into())?,
            local_grid: gpu.uniform("local grid", &local_grid),
            cells: grid.coarse_cells(),
            grid: gpu.uniform("coarse grid", &grid),
            chunks: Chunks::new(&gpu.capabilities, &grid, &local_grid),
            halo,
            domain: input.domain,
            particle_count,
            cell_count: grid.cell_count,
        })
    }
}

/// Counters of each coarse cell in memory: those of the paper, and with a halo two more in place of two passes.
fn counters_per_cell(has_halo: bool) -> u32 {
    if has_halo { 4 } else { 2 }
}

/// The number of coarse cells whose counters fit the adapter's workgroup memory.
fn cell_capacity(capabilities: &Capabilities) -> u32 {
    (capabilities.limits.max_compute_workgroup_storage_size / size_of::<u32>() as u32).min(MOST_CELLS)
}

/// The shader of the build passes. The memory of the counters does not depend on the number of invocations, so the
/// workgroups are as large as the adapter allows; without subgroups, however, the memory of the scan grows with them.
fn build_variant(capabilities: &Capabilities) -> ShaderVariant {
    let workgroup = match capabilities.subgroup_sizes {
        Some(_) => capabilities.limits.max_compute_invocations_per_workgroup.min(1_024),
        None => workgroup_size(capabilities),
    };
    shader_variant(capabilities, FILE, workgroup)
        .with_number("CELL_CAPACITY", cell_capacity(capabilities))
        .with_number("SORT_SHARE", SORT_SHARE)
}

/// The capacities of the workgroup memory of the traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunks {
    /// Largest number of particles of a chunk.
    particle_capacity: u32,
    /// Largest number of cells of a local grid.
    local_capacity: u32,
}

impl Chunks {
    /// Chunks that hold the particles of a coarse cell full of water, or those of an even distribution if these are
    /// more, with a margin; smaller if otherwise two chunks would not fit the adapter's workgroup memory.
    fn new(capabilities: &Capabilities, grid: &Grid, local_grid: &Grid) -> Self {
        let radius = grid.radius_squared.sqrt();
        let cubes: f32 = grid.cell_size.iter().map(|edge| edge / radius).product();
        let evenly = grid.particle_count as f32 / grid.cell_count as f32;
        let full = evenly.max((WATER_IN_CUBE * cubes).min(MOST_WATER));
        let asked = ((1.1 * full) as u32).saturating_add(32).div_ceil(SIZE_STEP);
        // Few different capacities, because each pair of them is a shader variant.
        let local_capacity = local_grid.cell_count.next_power_of_two().max(SIZE_STEP);
        Self { particle_capacity: SIZE_STEP, local_capacity }.with_most_particles(capabilities, asked)
    }

    /// Enlarges the smallest chunks to `asked` steps of particles, as far as two chunks fit the adapter's workgroup
    /// memory.
    fn with_most_particles(self, capabilities: &Capabilities, asked: u32) -> Self {
        let bytes = capabilities.limits.max_compute_workgroup_storage_size / 2;
        let more = bytes.saturating_sub(self.workgroup_bytes(capabilities)) / (16 * SIZE_STEP);
        Self { particle_capacity: SIZE_STEP * asked.clamp(1, 1 + more), ..self }
    }

    /// The shader variant of the traversal.
    fn variant(self, capabilities: &Capabilities) -> ShaderVariant {
        shader_variant(capabilities, FILE, workgroup_size(capabilities))
            .with_number("CHUNK_CAPACITY", self.particle_capacity)
            .with_number("CHUNK_MEMBERS", self.particle_capacity)
            .with_number("LOCAL_CELL_CAPACITY", self.local_capacity)
    }

    /// Workgroup memory of the traversal in bytes: the chunk with three more slots and the partial sums of the scan,
    /// vectors of four; the local grid with its end, the queue with its length, and three numbers for each of the 28
    /// ranges of visitors.
    fn workgroup_bytes(self, capabilities: &Capabilities) -> u32 {
        let subgroups = self.variant(capabilities).definitions["SUBGROUP_CAPACITY"].unwrap_or_default();
        let queue = 2 * workgroup_size(capabilities);
        16 * (self.particle_capacity + SLOTS_PAST_END + subgroups) + 4 * (self.local_capacity + 1 + queue + 1 + 3 * 28)
    }
}

impl NeighborSearch for Fenns {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = build_variant(&gpu.capabilities).with_flag_if(self.halo.is_some(), "WITH_HALO");
        let workgroup = gpu.kernel(&shader, "sort_particles")?.interface.workgroup_size[0];
        let mut buffers = vec![
            ("grid_parameters", &self.grid),
            ("positions", &self.positions),
            ("cell_counters", &self.cell_counters),
            ("block_table", &self.cell_counters),
            ("sorted_positions", &self.sorted_positions),
        ];
        buffers.extend(self.halo.iter().flat_map(Halo::buffers));
        let pass = |label, entry_point, dispatch| {
            let (phase, shader) = (Phase::Build, &shader);
            Pass::new(gpu, PassDescriptor { phase, label, shader, entry_point, buffers: &buffers, dispatch })
        };
        let cells = Dispatch::Invocations(self.cell_count.into());
        let workgroups_for = |share: u32| Dispatch::Workgroups(self.particle_count.div_ceil(share).into());
        let sorted = SORT_SHARE * workgroup;
        let counted = (PARTICLES_PER_COUNTER * self.cell_count).max(sorted);
        let mut passes = vec![
            pass("count particles", "count_particles", workgroups_for(counted))?,
            pass("scan coarse cells", "scan_cells", Dispatch::Workgroups(1))?,
            pass("sort by class", "sort_particles", workgroups_for(sorted))?,
        ];
        if let Some(halo) = &self.halo {
            passes.push(halo.ordering_pass(gpu, &buffers)?);
        } else {
            passes.insert(0, pass("clear coarse cells", "clear_cells", cells)?);
            passes.push(pass("find starts", "find_starts", cells)?);
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
            ("block_table", &self.cell_counters),
            ("local_parameters", &self.local_grid),
        ];
        let traversal = Traversal { gpu, own: &own, particle_count: self.particle_count, pair, instrument };
        if let Some(halo) = &self.halo {
            return halo.traversal_passes(traversal);
        }
        let chunks =
            Dispatch::Workgroups(u64::from(self.particle_count / self.chunks.particle_capacity + self.cell_count));
        let shader = traversal.depositing_variant(self.chunks.variant(&gpu.capabilities));
        traversal.depositing(&shader, "traverse", chunks, &self.grid)
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
            buffer: self.cell_counters.clone(),
            table: BlockTable::StartsThenInnerStarts,
            cell_counts: self.cells.counts,
            particle_count: self.particle_count,
        })
    }

    fn symbols(&self) -> Vec<(&'static str, f64)> {
        let paper_bytes = (INFO.paper_bytes)(self.particle_count.into(), self.cell_count.into());
        let of_halo = halo::symbols(self.halo.is_some().then(|| self.bytes() - paper_bytes));
        self.cells.class_volumes().into_iter().chain(of_halo).collect()
    }

    fn bytes(&self) -> u64 {
        self.cell_counters.size() + self.halo.as_ref().map_or(0, Halo::bytes)
    }
}

// Some of the shaders that are composed here belong to the fluid.
#[cfg(all(test, feature = "fluid"))]
mod tests {
    use super::*;
    use crate::gpu::{PairKernel, ShaderLibrary, assert_same_layout, imagined, interface_of};

    fn adapter(subgroup_sizes: Option<(u32, u32)>, workgroup_memory: u32, workgroup: u32) -> Capabilities {
        let mut adapter = imagined::adapter(subgroup_sizes, workgroup_memory);
        adapter.limits.max_compute_invocations_per_workgroup = workgroup;
        adapter
    }

    /// The bytes of workgroup memory of each entry point of a variant.
    fn workgroup_bytes(variant: &ShaderVariant, entry_points: &[&str]) -> Vec<u32> {
        let (module, info) = ShaderLibrary::embedded().compose(variant).unwrap_or_else(|error| panic!("{error}"));
        assert_same_layout::<Grid>(&module);
        let interface = |entry_point: &&str| interface_of(&module, &info, entry_point).expect("the entry point exists");
        entry_points.iter().map(|entry_point| interface(entry_point).workgroup_bytes).collect()
    }

    #[test]
    fn every_variant_composes_and_fits_its_workgroup_memory() {
        let pair = PairKernel::new("fluid/wcsph/forces.wgsl", false);
        let subgroups = [Some((8, 8)), Some((32, 32)), Some((8, 32)), Some((32, 64)), Some((4, 128)), None];
        for subgroup_sizes in subgroups {
            for (memory, workgroup) in [(16_384, 256), (32_768, 1_024), (49_152, 1_024), (65_536, 1_024)] {
                let adapter = adapter(subgroup_sizes, memory, workgroup);
                let build = ["clear_cells", "count_particles", "scan_cells", "sort_particles", "find_starts"];
                let bytes = workgroup_bytes(&build_variant(&adapter), &build);
                assert!(bytes.iter().all(|&bytes| bytes <= memory), "{}: {bytes:?}", adapter.name);
                for chunks in [(64, 64), (640, 512)] {
                    let chunks = Chunks { particle_capacity: chunks.0, local_capacity: chunks.1 };
                    let variant = chunks
                        .variant(&adapter)
                        .with_pair(pair)
                        .with_flag("TRAVERSAL")
                        .with_flag("DEPOSITS")
                        .with_flag("CUBIC_SPLINE");
                    assert_eq!(workgroup_bytes(&variant, &["traverse"]), [chunks.workgroup_bytes(&adapter)]);
                }
            }
        }
    }

    /// 20 coarse cells along each edge of a cubic box.
    fn coarse_grid(box_edge: f32, radius: f32, particle_count: u32) -> Grid {
        Grid {
            radius_squared: radius * radius,
            reach: radius,
            cell_size: [(box_edge / 20.0_f32).max(radius); 3],
            particle_count,
            cell_count: MOST_CELLS,
            ..Default::default()
        }
    }

    fn chunks(adapter: &Capabilities, grid: &Grid) -> Chunks {
        Chunks::new(adapter, grid, &grid.local(0.0, LOCAL_CELLS))
    }

    #[test]
    fn chunks_hold_a_full_coarse_cell_where_two_of_them_fit() {
        let nvidia = adapter(Some((32, 32)), 49_152, 1_024);
        let capacities = |grid: Grid| {
            let chunks = chunks(&nvidia, &grid);
            (chunks.particle_capacity, chunks.local_capacity)
        };
        assert_eq!(capacities(coarse_grid(180.0, 0.2, 1 << 22)), (640, 512), "524 particles in a cell");
        assert_eq!(capacities(coarse_grid(90.0, 1.5, 0)), (384, 64), "286 particles of water in a cell");
        assert_eq!(capacities(coarse_grid(1.0, 1.0, 1)), (64, 64));
        for memory in [16_384, 32_768, 49_152] {
            for subgroup_sizes in [Some((8, 8)), Some((32, 32)), None] {
                let adapter = adapter(subgroup_sizes, memory, 256);
                for grid in [coarse_grid(90.0, 1.5, u32::MAX), coarse_grid(1.0, 1e-30, 1), coarse_grid(0.0, 1.0, 9)] {
                    let chunks = chunks(&adapter, &grid);
                    let bytes = chunks.workgroup_bytes(&adapter);
                    assert!(bytes <= memory / 2, "{}: {bytes} bytes of {chunks:?}", adapter.name);
                }
            }
        }
    }
}
