//! The search of Bayraktar, Güdükbay and Özgüç: a candidate list for each cell of a sorted grid.
//!
//! Source: S. Bayraktar, U. Güdükbay, B. Özgüç, "GPU-based neighbor-search algorithm for particle simulations", Journal
//! of Graphics, GPU, and Game Tools 14, 2009.
//!
//! Idea: list the particles of all 27 cells around each cell anew, so that the candidates of a particle are one range.
//! The method was designed for fragment shaders, which cannot write to a computed address, so every pass gathers.
//!
//! Passes:
//! 1. Compute the grid coordinate of each particle and sort the coordinates with the particle indices (section 4.1,
//!    Algorithm 1, steps 1 and 2), by a bitonic sort as in the paper or by the radix sort of the other searches. Then
//!    gather the positions in sorted order.
//! 2. Build the grid map (steps 3 to 6), four numbers per cell: R, its first particle, found by binary search in the
//!    sorted list; G, the number of its particles; B, the number of particles of the cell and its 26 neighbors; A, the
//!    exclusive scan of B.
//! 3. Build the fluid grid (section 4.2, Algorithm 2), which lists the particles of all 27 cells for each cell. The
//!    invocation of an entry finds the entry's cell by binary search in A, then walks through the 27 cells, one row of
//!    three at a time.
//! 4. Traverse: the candidates of a particle are the range `[A, A + B)` of its cell in the fluid grid.
//!
//! Memory: 8n + 16m bytes for n particles and m cells, 8n more with the radix sort, and 108n for the fluid grid. Only
//! the device knows the length of the lists, so the longest possible lists are allocated.
//!
//! Strengths: a simple look-up, and an order that is the same in every run. Limitations: memory, because each particle
//! is listed up to 27 times, and the time that writing these entries takes in every step.
//!
//! Departures from the paper:
//! - Compute passes replace the fragment shaders, and the four channels are four arrays, because the scan works on an
//!   array.
//! - An entry of the fluid grid is only the particle's index in the sorted order; table 2 has two channels.
//! - The scan is the one of `primitives`. It sums B, as in section 4.1 and figure 4; step 6 says G.
//! - Cells are wider than the radius by a bound on rounding, so that the 27 cells always contain all neighbors.
//!
//! Missing: the grids of static objects, which section 4.3 builds once. Particles of solids that stand still are sorted
//! with the water in every step here. A second set of particles that is traversed but not sorted would have to be part
//! of the contract of all searches: its own table, its own indices for pair kernels, and its own carried values.
//! Missing is also the form for the CPU (section 3.1).

mod explanation;

use glam::{UVec3, Vec3};

use super::domain::Grid;
use super::traversal::Traversal;
use super::{
    BlockTable, Blocks, BoundPairKernel, Cells, CreateSearch, Domain, Instrument, Need, NeighborSearch, OptionChoice,
    OptionKind, SearchError, SearchInfo, SearchInput, SearchOption, needs,
};
use crate::gpu::{Dispatch, Gpu, GpuError, Pass, PassDescriptor, Phase, ShaderVariant, VECTOR_BYTES, element_bytes};
use crate::primitives::{BitonicSort, ExclusiveScan, RadixSort};

const FILE: &str = "search/bayraktar.wgsl";

/// How the grid coordinates are sorted.
static SORT: SearchOption = SearchOption {
    name: "sort",
    title: "Sort",
    hover: "how the particles are sorted by cell; the resulting order is the same",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "bitonic", hover: "as in the paper: compares fixed pairs of entries in log² n steps" },
        OptionChoice { label: "radix", hover: "as in the other searches: counts digits and scatters in a few passes" },
    ]),
};

/// Number of entries per particle if the grid has three or more cells along each axis.
const LISTED: u64 = 27;

/// The longest list: one number for each of the 27 cells around each particle.
static LIST: Need = Need {
    what: "one binding for the candidates of all cells",
    of: |device| needs::one_binding(device, LISTED * size_of::<u32>() as u64, "The candidates listed for 27 cells"),
};

/// The registry entry of Bayraktar's search.
pub(super) static INFO: SearchInfo = SearchInfo {
    name: "bayraktar",
    title: "Bayraktar 2009",
    paper: "S. Bayraktar, U. Güdükbay, B. Özgüç, GPU-based neighbor-search algorithm for particle simulations, \
            Journal of Graphics, GPU, and Game Tools 14, 2009",
    idea: "Lists, for every cell, the particles of all 27 cells around it, so that a particle looks up one range.",
    options: &[&SORT],
    published: &[],
    needs: &[&LIST, &needs::SCAN],
    repeatable: true,
    // Table 2: 8 bytes per coordinate, 16 per cell, and 8 for each of the 27 entries per particle.
    paper_bytes: |particles, cells| 8 * particles + 16 * cells + 8 * 27 * particles,
    explanation: Some(&explanation::EXPLANATION),
    create: CreateSearch::new(|gpu, input| Ok(Box::new(Bayraktar::new(gpu, input)?))),
};

struct Bayraktar {
    positions: wgpu::Buffer,
    sorted_positions: wgpu::Buffer,
    keys: wgpu::Buffer,
    values: wgpu::Buffer,
    sort: Sort,
    first_particles: wgpu::Buffer,
    own_counts: wgpu::Buffer,
    around_counts: wgpu::Buffer,
    fluid_grid_starts: wgpu::Buffer,
    scan: ExclusiveScan,
    fluid_grid: wgpu::Buffer,
    list_capacity: u64,
    grid: wgpu::Buffer,
    cells: Cells,
    domain: Domain,
    particle_count: u32,
    cell_count: u32,
}

enum Sort {
    Bitonic(BitonicSort),
    Radix(RadixSort),
}

impl Bayraktar {
    fn new(gpu: &Gpu, input: SearchInput<'_>) -> Result<Self, SearchError> {
        let limit = gpu.capabilities.largest_binding_bytes();
        let particle_count = input.particle_count;
        let grid = grid(input.domain, particle_count, limit)?;
        let list_capacity = list_capacity(grid.cell_counts.into(), particle_count, limit)?;
        let keys = gpu.storage::<u32>("cell of each particle", particle_count.into())?;
        let values = gpu.storage::<u32>("index of each particle", particle_count.into())?;
        let fluid_grid_starts = gpu.storage::<u32>("fluid grid starts", u64::from(grid.cell_count) + 1)?;
        Ok(Self {
            positions: input.positions.clone(),
            sorted_positions: gpu.storage::<[f32; 4]>("positions in sorted order", particle_count.into())?,
            sort: if input.options.is(&SORT, "radix") {
                let key_bits = u32::BITS - (grid.cell_count - 1).leading_zeros();
                Sort::Radix(RadixSort::new(gpu, &keys, &values, particle_count, key_bits.max(1))?)
            } else {
                Sort::Bitonic(BitonicSort::new(gpu, &keys, &values, particle_count)?)
            },
            keys,
            values,
            first_particles: gpu.storage::<u32>("first particle of each cell", u64::from(grid.cell_count) + 1)?,
            own_counts: gpu.storage::<u32>("particles of each cell", grid.cell_count.into())?,
            around_counts: gpu.storage::<u32>("particles around each cell", grid.cell_count.into())?,
            scan: ExclusiveScan::new(gpu, &fluid_grid_starts, grid.cell_count + 1)?,
            fluid_grid_starts,
            fluid_grid: gpu.storage::<u32>("fluid grid", list_capacity)?,
            list_capacity,
            cells: grid.cells(),
            grid: gpu.uniform("grid", &grid),
            domain: input.domain,
            particle_count,
            cell_count: grid.cell_count,
        })
    }

    fn sorted_keys(&self) -> &wgpu::Buffer {
        match &self.sort {
            Sort::Bitonic(_) => &self.keys,
            Sort::Radix(sort) => sort.sorted_keys(),
        }
    }

    fn original_from_sorted(&self) -> &wgpu::Buffer {
        match &self.sort {
            Sort::Bitonic(_) => &self.values,
            Sort::Radix(sort) => sort.sorted_values(),
        }
    }

    fn sort_passes(&self, gpu: &Gpu) -> Result<Vec<Pass>, GpuError> {
        match &self.sort {
            Sort::Bitonic(sort) => sort.passes(gpu, Phase::Build),
            Sort::Radix(sort) => sort.passes(gpu, Phase::Build),
        }
    }
}

/// The grid whose cells are as wide as the reach, so that a neighbor is at most one cell away in spite of rounding.
fn grid(domain: Domain, particle_count: u32, largest_binding_bytes: u64) -> Result<Grid, SearchError> {
    // One entry past the last cell is reserved.
    let cell_limit = largest_binding_bytes / size_of::<u32>() as u64 - 1;
    Grid::new(INFO.title, domain, Vec3::splat(domain.reach()), particle_count, cell_limit)
}

/// The number of entries of the longest possible list: each particle is listed for its cell and for all cells around it
/// that the grid has.
fn list_capacity(cell_counts: UVec3, particle_count: u32, largest_binding_bytes: u64) -> Result<u64, SearchError> {
    let listed = u64::from(cell_counts.min(UVec3::splat(3)).element_product());
    let entry_count = listed * u64::from(particle_count);
    // The index of an entry is a u32, too.
    let entry_limit = (largest_binding_bytes / size_of::<u32>() as u64).min(u32::MAX.into());
    if entry_count > entry_limit {
        return Err(SearchError::TooManyCandidates {
            search: INFO.title,
            entries: entry_count,
            bytes: element_bytes::<u32>(entry_count),
            limit: element_bytes::<u32>(entry_limit),
            particles: entry_limit / listed,
        });
    }
    Ok(entry_count)
}

impl NeighborSearch for Bayraktar {
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
            ("sorted_keys", self.sorted_keys()),
            ("original_from_sorted", self.original_from_sorted()),
            ("sorted_positions", &self.sorted_positions),
            ("first_particles", &self.first_particles),
            ("own_counts", &self.own_counts),
            ("around_counts", &self.around_counts),
            ("fluid_grid_starts", &self.fluid_grid_starts),
            ("fluid_grid", &self.fluid_grid),
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
        let (particles, cells) = (self.particle_count.into(), self.cell_count.into());
        let mut passes = vec![pass("grid coordinates", "find_coordinates", particles)?];
        passes.extend(self.sort_passes(gpu)?);
        passes.push(pass("gather positions", "gather_positions", particles)?);
        passes.push(pass("first of cells (R)", "find_first", cells + 1)?);
        passes.push(pass("count cells (G)", "count_own", cells)?);
        passes.push(pass("count around cells (B)", "count_around", cells + 1)?);
        passes.extend(self.scan.passes(gpu, Phase::Build)?);
        passes.push(pass("fill fluid grid", "fill_fluid_grid", self.list_capacity)?);
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
            ("sorted_keys", self.sorted_keys()),
            ("around_counts", &self.around_counts),
            ("fluid_grid_starts", &self.fluid_grid_starts),
            ("fluid_grid", &self.fluid_grid),
        ];
        let traversal = Traversal { gpu, own: &own, particle_count: self.particle_count, pair, instrument };
        traversal.gathering(ShaderVariant::new(FILE))
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
            buffer: self.first_particles.clone(),
            table: BlockTable::Starts,
            cell_counts: self.cells.counts,
            particle_count: self.particle_count,
        })
    }

    fn symbols(&self) -> Vec<(&'static str, f64)> {
        let (sort_passes, sort_bytes) = match &self.sort {
            Sort::Bitonic(sort) => (sort.pass_count(), 0),
            Sort::Radix(sort) => (3 * sort.digit_count(), sort.bytes()),
        };
        // Every buffer of storage ends on a complete vector. Two arrays have an entry past the last cell.
        let (particles, cells) = (u64::from(self.particle_count), u64::from(self.cell_count));
        let padded = |entries: u64| element_bytes::<u32>(entries).next_multiple_of(VECTOR_BYTES);
        let rows = [(particles, 2), (cells, 2), (cells + 1, 2), (self.list_capacity, 1)];
        let all: u64 = rows.iter().map(|(entries, buffers)| buffers * padded(*entries)).sum();
        let counted = 4 * (2 * particles + 4 * cells + self.list_capacity);
        let volume = 27.0 * f64::from(self.cells.size.element_product());
        vec![
            ("E", self.list_capacity as f64),
            ("p", f64::from(sort_passes)),
            ("q", f64::from(self.scan.pass_count())),
            ("b", sort_bytes as f64 + all as f64 - counted as f64),
            ("s", self.scan.bytes() as f64),
            ("v", volume),
        ]
    }

    fn bytes(&self) -> u64 {
        let sort = match &self.sort {
            Sort::Bitonic(_) => 0,
            Sort::Radix(sort) => sort.bytes(),
        };
        let map = [&self.first_particles, &self.own_counts, &self.around_counts, &self.fluid_grid_starts];
        let own = [&self.keys, &self.values, &self.fluid_grid].into_iter().chain(map);
        own.map(wgpu::Buffer::size).sum::<u64>() + sort + self.scan.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capacity(cell_counts: [u32; 3], particle_count: u32, limit: u64) -> Result<u64, SearchError> {
        list_capacity(cell_counts.into(), particle_count, limit)
    }

    #[test]
    fn the_list_capacity_counts_the_cells_around_a_particle() {
        for (cell_counts, expected) in [([9, 9, 9], 2_700), ([1, 1, 1], 100), ([2, 1, 5], 600), ([3, 3, 3], 2_700)] {
            assert_eq!(capacity(cell_counts, 100, 1 << 30).expect("it fits"), expected);
        }
        assert_eq!(capacity([3, 3, 3], 0, 16).expect("it fits"), 0);
    }

    #[test]
    fn a_list_beyond_a_binding_or_an_index_is_refused_with_its_size_and_the_limit() {
        assert_eq!(capacity([9, 9, 9], 100, 10_800).expect("it just fits"), 2_700);
        let refusal = capacity([9, 9, 9], 101, 10_800).expect_err("one particle too many");
        assert!(refusal.is_refusal());
        for number in ["10908 bytes", "2727 candidates", "holds 10800", "at most 100 particles"] {
            assert!(refusal.to_string().contains(number), "{refusal}");
        }
        let indexed = capacity([9, 9, 9], 159_072_863, u64::MAX).expect_err("more than 2^32 entries");
        assert!(indexed.to_string().contains("at most 159072862 particles"), "{indexed}");
        assert!(capacity([9, 9, 9], 159_072_862, u64::MAX).is_ok());
    }
}
