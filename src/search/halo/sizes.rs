//! The sizes of a workgroup and of its arrays with a halo.

use crate::gpu::{AdapterClass, Capabilities, ShaderVariant};
use crate::primitives::shader_variant;
use crate::search::domain::Grid;
use crate::search::local_grid::{DENSE_CHUNK, MOST_BYTES, SLOTS_PAST_END, WATER_IN_CUBE};

/// The capacities are multiples of this number, so that there are few shader variants.
const SIZE_STEP: u32 = 128;
/// Most invocations of a workgroup. Many of them hide the latencies of its phases, which a software adapter does not
/// have; without subgroup operations, the memory of a scan grows with them.
const MOST_INVOCATIONS: u32 = 1024;
const FEW_INVOCATIONS: u32 = 128;
/// Fewest invocations of a workgroup: there is one for each range of memory.
const LEAST_INVOCATIONS: u32 = 64;
/// Most invocations of a workgroup that sorts the particles of a coarse cell.
const MOST_ORDERING_INVOCATIONS: u32 = 256;
/// Words of workgroup memory beside the arrays whose sizes are given below: two numbers for each of 64 ranges, the
/// slots past the end of a chunk, and the bounding box and counters.
const OTHER_WORDS: u32 = 2 * 64 + 4 * SLOTS_PAST_END + 64;
/// Margin of the expected numbers of particles: cells of moving water are not equally full.
const MARGIN: f32 = 1.15;
/// Largest number of particles in a coarse cell full of water for which workgroup memory is sized.
const MOST_WATER: f32 = 700.0;

/// The sizes of a workgroup and of its arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct HaloSizes {
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// Particles of a cell that a workgroup serves.
    pub owned_capacity: u32,
    /// Particles of the cell and of its halo that fit workgroup memory at a time.
    pub chunk_capacity: u32,
    /// Cells of the local grid.
    pub local_capacity: u32,
}

/// The smallest multiple of `step` that is not less than `count`; not zero, and not so large that its bytes overflow.
fn stepped(count: f32, step: u32) -> u32 {
    (count as u32).div_ceil(step).clamp(1, 1 << 16) * step
}

impl HaloSizes {
    /// The sizes for a coarse cell full of water, or with the particles of an even distribution if these are more;
    /// smaller if otherwise they would not fit the adapter's workgroup memory. What does not fit is served in parts.
    pub(super) fn new(capabilities: &Capabilities, grid: &Grid) -> Self {
        let radius = grid.radius_squared.sqrt();
        let edges = grid.cell_size.map(|edge| edge / radius);
        let volume: f32 = edges.iter().product();
        let evenly = grid.particle_count as f32 / grid.cell_count.max(1) as f32;
        let full = MARGIN * evenly.max((WATER_IN_CUBE * volume).min(MOST_WATER));
        let with_halo: f32 = edges.iter().map(|edge| (edge + 2.0) / edge).product();
        let limits = &capabilities.limits;
        let has_latencies = capabilities.subgroup_sizes.is_some() && capabilities.class != AdapterClass::Software;
        let wanted = if has_latencies { MOST_INVOCATIONS } else { FEW_INVOCATIONS };
        let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        let workgroup_size = stepped(full, LEAST_INVOCATIONS).clamp(LEAST_INVOCATIONS, wanted.min(most));
        let asked = stepped(full * with_halo, SIZE_STEP);
        let owned = stepped(full, SIZE_STEP).min(asked);
        let bytes = limits.max_compute_workgroup_storage_size.min(MOST_BYTES);
        let subgroups = workgroup_size.div_ceil(capabilities.subgroup_sizes.map_or(1, |(smallest, _)| smallest));
        let free = bytes.saturating_sub(4 * OTHER_WORDS + 20 * subgroups);
        // Bytes for each particle: its position and index, half a local cell, and its share of the owners' slots.
        let of_owners = 4.0 * owned as f32 / asked as f32;
        let fitting = (free as f32 / (18.0 + of_owners)) as u32 / SIZE_STEP * SIZE_STEP;
        let chunk_capacity = asked.min(fitting).max(SIZE_STEP);
        Self {
            workgroup_size,
            owned_capacity: (u64::from(owned) * u64::from(chunk_capacity) / u64::from(asked)) as u32,
            chunk_capacity,
            local_capacity: chunk_capacity / 2,
        }
    }

    /// The variant of the shader `file` with these sizes and the adapter's subgroups.
    pub(super) fn variant(&self, capabilities: &Capabilities, file: &'static str) -> ShaderVariant {
        shader_variant(capabilities, file, self.workgroup_size)
            .with_number("CHUNK_CAPACITY", self.chunk_capacity)
            .with_number("LOCAL_CELL_CAPACITY", self.local_capacity)
            .with_number("OWNED_CAPACITY", self.owned_capacity)
            .with_number("CHUNK_MEMBERS", self.owned_capacity)
            .with_number("DENSE_CHUNK", DENSE_CHUNK)
            .with_flag("CLIPPED_ROWS")
    }

    /// The variant of the shader `file`, which sorts the particles of a coarse cell by a finer grid, one owner's chunk
    /// at a time. It needs less workgroup memory than that of the traversal.
    pub(super) fn ordering_variant(&self, capabilities: &Capabilities, file: &'static str) -> ShaderVariant {
        shader_variant(capabilities, file, self.workgroup_size.min(MOST_ORDERING_INVOCATIONS))
            .with_number("CHUNK_CAPACITY", self.owned_capacity)
            .with_number("LOCAL_CELL_CAPACITY", self.local_capacity)
            .with_number("DENSE_CHUNK", DENSE_CHUNK)
            .with_flag("CLIPPED_ROWS")
            .with_flag("PARTS")
    }

    /// Largest number of chunks: each coarse cell may need one more than its particles fill.
    pub(super) fn most_chunks(&self, particle_count: u32, cell_count: u32) -> u64 {
        u64::from(particle_count / self.owned_capacity) + u64::from(cell_count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::imagined::{SUBGROUP_SIZES, adapter};
    use crate::gpu::{PairKernel, ShaderLibrary, assert_same_layout, interface_of};

    /// A coarse cell of the given edge in radii, in a grid with as many particles per cell.
    fn grid(edge: f32, evenly: u32) -> Grid {
        Grid {
            radius_squared: 1.0,
            reach: 1.0,
            cell_size: [edge; 3],
            particle_count: evenly.saturating_mul(100),
            cell_count: 100,
            ..Default::default()
        }
    }

    #[test]
    fn every_variant_composes_and_fits_its_workgroup_memory() {
        for subgroup_sizes in SUBGROUP_SIZES {
            for memory in [16_384, 32_768, 49_152, 65_536] {
                let adapter = adapter(subgroup_sizes, memory);
                for (edge, evenly) in [(1.0, 1), (3.6, 130), (3.6, u32::MAX), (45.0, 524)] {
                    let sizes = HaloSizes::new(&adapter, &grid(edge, evenly));
                    assert!(sizes.owned_capacity > 0 && sizes.workgroup_size >= 64, "{sizes:?}");
                    let variant = sizes
                        .variant(&adapter, "search/halo_gather.wgsl")
                        .with_pair(PairKernel::new("fluid/wcsph/forces.wgsl", false))
                        .with_flag("TRAVERSAL")
                        .with_flag("CUBIC_SPLINE");
                    let composed = ShaderLibrary::embedded().compose(&variant);
                    let (module, info) = composed.unwrap_or_else(|error| panic!("{error}"));
                    assert_same_layout::<Grid>(&module);
                    let bytes = interface_of(&module, &info, "traverse").expect("it exists").workgroup_bytes;
                    assert!(bytes <= memory.min(MOST_BYTES), "{}: {bytes} bytes of {sizes:?}", adapter.name);
                }
            }
        }
    }

    #[test]
    fn a_full_coarse_cell_of_the_dam_break_fits_at_once() {
        // A million particles in 8,000 cells, of which water fills about a quarter.
        let sizes = HaloSizes::new(&adapter(Some((32, 32)), 49_152), &grid(3.6, 130));
        let full = WATER_IN_CUBE * 3.6_f32.powi(3);
        let with_halo = WATER_IN_CUBE * 5.6_f32.powi(3);
        assert!(sizes.owned_capacity as f32 >= full && sizes.chunk_capacity as f32 >= with_halo, "{sizes:?}");
    }
}
