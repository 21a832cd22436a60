//! Sizes of the second level of the two-level searches (FENNS, CLAWS): the chunk of particles and the local grid that
//! fit an adapter's workgroup memory.

use crate::gpu::{Capabilities, ShaderVariant};
use crate::primitives::shader_variant;

/// Subgroups of a workgroup that searches, as in the CLAWS paper.
const SUBGROUPS: u32 = 32;
/// Subgroups of a workgroup that sorts: it waits for itself more often than it works.
const SORTING_SUBGROUPS: u32 = 8;
/// Invocations of a workgroup where shaders have no subgroup operations.
const PLAIN_WORKGROUP: u32 = 128;
/// More would leave a multiprocessor too few workgroups to hide its waits.
const MOST_BYTES: u32 = 48 * 1024;
const PARTICLE_BYTES: u32 = size_of::<[f32; 4]>() as u32;
const COUNTER_BYTES: u32 = size_of::<u32>() as u32;
/// Particles in a cube of edge r from which half as wide rows pay.
const DENSE_CHUNK: u32 = 16;

/// What a workgroup of a two-level search holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalGridSizes {
    /// Invocations of a workgroup that searches.
    pub(super) workgroup_size: u32,
    /// Invocations of a workgroup that sorts.
    pub(super) sorting_workgroup_size: u32,
    /// Particles of a chunk.
    pub(super) chunk_capacity: u32,
    /// Numbers that fit workgroup memory beside what a scan needs.
    pub(super) counter_capacity: u32,
}

impl LocalGridSizes {
    /// The sizes for an adapter, when a search keeps `own_bytes` of workgroup memory for itself, and
    /// `bytes_per_subgroup` for each subgroup.
    pub(super) fn new(capabilities: &Capabilities, own_bytes: u32, bytes_per_subgroup: u32) -> Self {
        let limits = &capabilities.limits;
        let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        let wanted = |subgroups: u32| {
            capabilities.subgroup_sizes.map_or(PLAIN_WORKGROUP, |(_, largest)| subgroups * largest).min(most)
        };
        let workgroup_size = wanted(SUBGROUPS);
        let subgroups = workgroup_size.div_ceil(capabilities.subgroup_sizes.map_or(1, |(smallest, _)| smallest));
        // A scan keeps a vector for each subgroup; a local grid its box.
        let scan_bytes = size_of::<[u32; 4]>() as u32 * subgroups;
        let bytes = workgroup_bytes(capabilities);
        let free = bytes.saturating_sub(own_bytes + bytes_per_subgroup * subgroups + scan_bytes + 64);
        Self {
            workgroup_size,
            sorting_workgroup_size: wanted(SORTING_SUBGROUPS),
            // As many cells as particles.
            chunk_capacity: free / (PARTICLE_BYTES + COUNTER_BYTES),
            counter_capacity: (bytes - scan_bytes) / COUNTER_BYTES - 16,
        }
    }

    /// The shader `file` for workgroups of so many invocations, with these sizes and the adapter's subgroups.
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

/// Bytes of workgroup memory that a workgroup takes at most.
pub(super) fn workgroup_bytes(capabilities: &Capabilities) -> u32 {
    capabilities.limits.max_compute_workgroup_storage_size.min(MOST_BYTES)
}
