//! The sizes of the second level of a two-level search: the workgroups, and the chunk of particles and the local grid
//! that fit an adapter's workgroup memory.

use crate::gpu::{Capabilities, ShaderVariant};
use crate::primitives::shader_variant;

/// Number of subgroups in a workgroup of the traversal, as in the CLAWS paper.
const SUBGROUPS: u32 = 32;
/// Number of subgroups in a workgroup of the build passes. It is smaller because these passes mostly wait at barriers.
const SORTING_SUBGROUPS: u32 = 8;
/// Number of invocations in a workgroup of a shader without subgroup operations.
const PLAIN_WORKGROUP: u32 = 128;
/// Largest workgroup memory in bytes. With more, a multiprocessor would run too few workgroups at a time to hide
/// latencies.
pub(super) const MOST_BYTES: u32 = 48 * 1024;
const PARTICLE_BYTES: u32 = size_of::<[f32; 4]>() as u32;
const COUNTER_BYTES: u32 = size_of::<u32>() as u32;
/// Slots past the last that a chunk's array has (`shaders/common/local_grid.wgsl`).
pub(super) const SLOTS_PAST_END: u32 = 3;
/// Number of particles in a cube of edge r above which rows of half the width are faster.
pub(super) const DENSE_CHUNK: u32 = 16;

/// Number of particles in a cube of edge r in the water of the scenes: 2.2 along each edge.
pub(super) const WATER_IN_CUBE: f32 = 10.6;

/// The sizes of a workgroup and of the arrays in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalGridSizes {
    /// Number of invocations in a workgroup of the traversal.
    pub(super) workgroup_size: u32,
    /// Number of invocations in a workgroup of the build passes.
    pub(super) sorting_workgroup_size: u32,
    /// Number of particles that a chunk can hold.
    pub(super) chunk_capacity: u32,
    /// Number of u32 counters that fit workgroup memory beside the memory of a scan.
    pub(super) counter_capacity: u32,
}

impl LocalGridSizes {
    /// The sizes for an adapter, if the search itself needs `own_bytes` of workgroup memory and `bytes_per_subgroup`
    /// for each subgroup.
    pub(super) fn new(capabilities: &Capabilities, own_bytes: u32, bytes_per_subgroup: u32) -> Self {
        let limits = &capabilities.limits;
        let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        let wanted = |subgroups: u32| {
            capabilities.subgroup_sizes.map_or(PLAIN_WORKGROUP, |(_, largest)| subgroups * largest).min(most)
        };
        let workgroup_size = wanted(SUBGROUPS);
        let subgroups = workgroup_size.div_ceil(capabilities.subgroup_sizes.map_or(1, |(smallest, _)| smallest));
        // A scan needs one vector per subgroup; a local grid needs its bounding box.
        let scan_bytes = size_of::<[u32; 4]>() as u32 * subgroups;
        let bytes = workgroup_bytes(capabilities);
        let fixed_bytes =
            own_bytes + bytes_per_subgroup * subgroups + scan_bytes + PARTICLE_BYTES * SLOTS_PAST_END + 64;
        let free = bytes.saturating_sub(fixed_bytes);
        Self {
            workgroup_size,
            sorting_workgroup_size: wanted(SORTING_SUBGROUPS),
            // A local grid has as many cells as the chunk has particles.
            chunk_capacity: free / (PARTICLE_BYTES + COUNTER_BYTES),
            counter_capacity: (bytes - scan_bytes) / COUNTER_BYTES - 16,
        }
    }

    /// The variant of the shader `file` for workgroups of `workgroup_size` invocations, with these sizes and the
    /// adapter's subgroups.
    pub(super) fn variant(
        &self,
        capabilities: &Capabilities,
        file: &'static str,
        workgroup_size: u32,
    ) -> ShaderVariant {
        shader_variant(capabilities, file, workgroup_size)
            .with_number("CHUNK_CAPACITY", self.chunk_capacity)
            .with_number("LOCAL_CELL_CAPACITY", self.chunk_capacity)
            .with_number("DENSE_CHUNK", DENSE_CHUNK)
    }
}

/// Largest number of bytes of workgroup memory that a workgroup uses.
pub(super) fn workgroup_bytes(capabilities: &Capabilities) -> u32 {
    capabilities.limits.max_compute_workgroup_storage_size.min(MOST_BYTES)
}
