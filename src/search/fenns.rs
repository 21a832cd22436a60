//! FENNS 2019: a coarse grid of as many cells as counters fit workgroup memory, whatever the number of particles; each
//! cell's block holds first its border particles, within reach of another cell, then its inner ones. The fine grid
//! that a search needs is made on the fly, chunk by chunk in workgroup memory, and looked up by the particles of the
//! same coarse cell and the border particles of the 26 around it. 8 l³ bytes for l³ cells.
//!
//! Fastest where the box is large and the radius small, since no memory or time goes to empty cells. Bad at: radii of
//! a third of a coarse cell and more, where nearly every particle is a border particle and visits several chunks; and
//! particles crowded into few coarse cells, whose many chunks all visit each other.
//!
//! Two things differ from the paper. There the chunk's particles own the sums; here the visitors do, who add up in
//! registers and deposit once a chunk, since workgroup memory has no addition of floats. And a pass finds where blocks
//! begin: `find_starts` in the shader says why. Every ordered pair is evaluated, as there.

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
/// Particles that an invocation sorts: few, since it keeps them while the workgroup reserves places.
const SORT_SHARE: u32 = 4;
/// Cells of a local grid at most: about as many as a chunk has particles, since empty cells cost time too.
const LOCAL_CELLS: u32 = 512;
/// Chunks and local grids have multiples of this.
const SIZE_STEP: u32 = 64;
/// Particles in a cube whose edge is the support radius, in water as the scenes have it: 2.2 along each edge.
const WATER_IN_CUBE: f32 = 10.6;
/// Most particles of a coarse cell full of water for which a chunk is sized: with longer chunks too few workgroups run
/// at a time.
const MOST_WATER: f32 = 544.0;

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

struct Fenns {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    cell_counters: wgpu::Buffer,
    grid: wgpu::Buffer,
    local_grid: wgpu::Buffer,
    cells: Cells,
    chunks: Chunks,
    particle_count: u32,
    cell_count: u32,
}

impl Fenns {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let grid = Grid::coarse(&input, cell_capacity(&gpu.capabilities));
        let local_grid = grid.local(LOCAL_CELLS);
        let particle_count = input.particle_count;
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", particle_count.into())?,
            cell_counters: gpu.storage::<[u32; 2]>("coarse cells", grid.cell_count.into())?,
            local_grid: gpu.uniform("local grid", &local_grid),
            cells: grid.coarse_cells(),
            grid: gpu.uniform("coarse grid", &grid),
            chunks: Chunks::new(&gpu.capabilities, &grid, &local_grid),
            particle_count,
            cell_count: grid.cell_count,
        })
    }
}

/// Coarse cells whose counters fit the adapter's workgroup memory.
fn cell_capacity(capabilities: &Capabilities) -> u32 {
    (capabilities.limits.max_compute_workgroup_storage_size / size_of::<u32>() as u32).min(MOST_CELLS)
}

/// The shader of the build passes. The counters take the same memory however many invocations share them, so the
/// workgroups are the adapter's largest; but without subgroups the memory of the scan grows with them.
fn build_variant(capabilities: &Capabilities) -> ShaderVariant {
    let workgroup = match capabilities.subgroup_sizes {
        Some(_) => capabilities.limits.max_compute_invocations_per_workgroup.min(1_024),
        None => workgroup_size(capabilities),
    };
    shader_variant(capabilities, FILE, workgroup)
        .with_number("CELL_CAPACITY", cell_capacity(capabilities))
        .with_number("SORT_SHARE", SORT_SHARE)
}

/// What a workgroup of the traversal holds in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunks {
    /// Particles of a chunk at most.
    particle_capacity: u32,
    /// Cells of a local grid at most.
    local_capacity: u32,
}

impl Chunks {
    /// Chunks that hold a coarse cell full of water, or of what there is when it is spread evenly, and some to spare;
    /// as far as two of them fit the adapter's workgroup memory.
    fn new(capabilities: &Capabilities, grid: &Grid, local_grid: &Grid) -> Self {
        let radius = grid.radius_squared.sqrt();
        let cubes: f32 = grid.cell_size.iter().map(|edge| edge / radius).product();
        let evenly = grid.particle_count as f32 / grid.cell_count as f32;
        let full = evenly.max((WATER_IN_CUBE * cubes).min(MOST_WATER));
        let asked = ((1.1 * full) as u32).saturating_add(32).div_ceil(SIZE_STEP);
        // Few sizes, since each pair of them is a shader to compile.
        let local_capacity = local_grid.cell_count.next_power_of_two().max(SIZE_STEP);
        let smallest = Self { particle_capacity: SIZE_STEP, local_capacity };
        let bytes = capabilities.limits.max_compute_workgroup_storage_size / 2;
        let more = bytes.saturating_sub(smallest.workgroup_bytes(capabilities)) / (16 * SIZE_STEP);
        Self { particle_capacity: SIZE_STEP * asked.clamp(1, 1 + more), local_capacity }
    }

    /// The shader of the traversal.
    fn variant(self, capabilities: &Capabilities) -> ShaderVariant {
        shader_variant(capabilities, FILE, workgroup_size(capabilities))
            .with_number("CHUNK_CAPACITY", self.particle_capacity)
            .with_number("LOCAL_CAPACITY", self.local_capacity)
    }

    /// Workgroup memory of the traversal: the chunk and the partial sums of the scan, vectors of four; the local grid
    /// with its end, the queue with its length, and three numbers of each of the 28 runs of visitors.
    fn workgroup_bytes(self, capabilities: &Capabilities) -> u32 {
        let subgroups = self.variant(capabilities).definitions["SUBGROUP_CAPACITY"].unwrap_or_default();
        let queue = 2 * workgroup_size(capabilities);
        16 * (self.particle_capacity + subgroups) + 4 * (self.local_capacity + 1 + queue + 1 + 3 * 28)
    }
}

impl NeighborSearch for Fenns {
    fn info(&self) -> &'static SearchInfo {
        &INFO
    }

    fn build_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, SearchError> {
        let shader = build_variant(&gpu.capabilities);
        let workgroup = gpu.kernel(&shader, "sort_particles")?.interface.workgroup_size[0];
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
        let workgroups_for = |share: u32| Dispatch::Workgroups(self.particle_count.div_ceil(share).into());
        let sorted = SORT_SHARE * workgroup;
        let counted = (PARTICLES_PER_COUNTER * self.cell_count).max(sorted);
        Ok(vec![
            pass("clear coarse cells", "clear_cells", cells)?,
            pass("count particles", "count_particles", workgroups_for(counted))?,
            pass("scan coarse cells", "scan_cells", Dispatch::Workgroups(1))?,
            pass("sort by class", "sort_particles", workgroups_for(sorted))?,
            pass("find starts", "find_starts", cells)?,
        ])
    }

    fn traversal_passes(
        &self,
        gpu: &Gpu,
        pair: BoundPairKernel<'_>,
        counters: Option<&PairCounters>,
    ) -> Result<Vec<Pass>, SearchError> {
        let shader = self.chunks.variant(&gpu.capabilities);
        let shader = depositing_variant(gpu, shader, pair, counters.is_some());
        let own = [
            ("grid_parameters", &self.grid),
            ("sorted_positions", &self.sorted_positions),
            ("cell_starts", &self.cell_counters),
            ("local_parameters", &self.local_grid),
        ];
        let buffers = traversal_buffers(&own, pair, counters);
        let chunks =
            Dispatch::Workgroups(u64::from(self.particle_count / self.chunks.particle_capacity + self.cell_count));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{PairKernel, ShaderLibrary, assert_same_layout, imagined};

    fn adapter(subgroup_sizes: Option<(u32, u32)>, workgroup_memory: u32, workgroup: u32) -> Capabilities {
        let mut adapter = imagined::adapter(subgroup_sizes, workgroup_memory);
        adapter.limits.max_compute_invocations_per_workgroup = workgroup;
        adapter
    }

    /// Bytes of workgroup memory of each entry point of a variant.
    fn workgroup_bytes(variant: &ShaderVariant, entry_points: &[&str]) -> Vec<u32> {
        let (module, info) = ShaderLibrary::embedded().compose(variant).unwrap_or_else(|error| panic!("{error}"));
        assert_same_layout::<Grid>(&module);
        let bytes_of = |entry_point: &&str| imagined::workgroup_bytes(&module, &info, entry_point);
        entry_points.iter().map(bytes_of).collect()
    }

    #[test]
    fn every_variant_composes_and_fits_its_workgroup_memory() {
        let pair = PairKernel { file: "fluid/forces.wgsl", vanishes_at_radius: false };
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
        Chunks::new(adapter, grid, &grid.local(LOCAL_CELLS))
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
