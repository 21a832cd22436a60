//! What grids are built from: an exclusive scan, a radix sort and a bitonic sort of u32, of any length the adapter
//! binds.
//!
//! Each is made once for its buffers and gives passes to record. They need no feature: where the adapter has no
//! subgroup operations, their shaders are composed without.

mod bitonic_sort;
mod exclusive_scan;
mod radix_sort;
#[cfg(test)]
mod tests;

pub use bitonic_sort::BitonicSort;
pub use exclusive_scan::ExclusiveScan;
pub use radix_sort::RadixSort;

use crate::gpu::{Capabilities, GpuError, ShaderVariant, element_bytes};

/// Invocations of a workgroup: as many as eight of the adapter's smallest subgroups, since a subgroup's share of
/// workgroup memory and the work to join subgroups grow with their number; at least a whole one of its largest, and
/// otherwise at most the 256 that every WebGPU device runs.
pub(crate) fn workgroup_size(capabilities: &Capabilities) -> u32 {
    capabilities.subgroup_sizes.map_or(64, |(smallest, largest)| (8 * smallest).clamp(largest, largest.max(256)))
}

/// The shader `file` for workgroups of `workgroup_size` invocations, with the subgroups that the adapter has.
pub(crate) fn shader_variant(capabilities: &Capabilities, file: &'static str, workgroup_size: u32) -> ShaderVariant {
    ShaderVariant::new(file)
        .with_number("WORKGROUP_SIZE", workgroup_size)
        .with_number("SUBGROUP_CAPACITY", workgroup_size.div_ceil(subgroup_sizes(capabilities).0))
        .with_flag_if(capabilities.subgroup_sizes.is_some(), "SUBGROUPS")
}

/// Invocations of the smallest and the largest subgroup; without subgroup operations an invocation counts as one.
fn subgroup_sizes(capabilities: &Capabilities) -> (u32, u32) {
    capabilities.subgroup_sizes.unwrap_or((1, 1))
}

/// Refuses a buffer too short for `count` u32, since shaders run unchecked.
fn check_length(what: &'static str, buffer: &wgpu::Buffer, count: u32) -> Result<(), GpuError> {
    let needed = element_bytes::<u32>(count.into());
    if buffer.size() < needed {
        return Err(GpuError::TooSmall { what, bytes: buffer.size(), needed });
    }
    Ok(())
}
