//! The building blocks of the grids: an exclusive scan, a radix sort and a bitonic sort of u32, for every length that
//! the adapter can bind.
//!
//! Each is created once for its buffers and returns passes to record. None requires an optional feature: where the
//! adapter has no subgroup operations, the shaders are composed without them.

mod bitonic_sort;
mod exclusive_scan;
mod radix_sort;
#[cfg(test)]
mod tests;

pub use bitonic_sort::BitonicSort;
pub use exclusive_scan::ExclusiveScan;
pub use radix_sort::RadixSort;
pub(crate) use radix_sort::radix_digit_bits;

use crate::gpu::{Capabilities, GpuError, ShaderVariant, element_bytes};

/// Invocations of a workgroup: eight times the adapter's smallest subgroup, because each subgroup's share of workgroup
/// memory and the work to combine subgroups grow with their number; at least 32 and one subgroup of the largest size,
/// and otherwise at most 256, which every WebGPU device supports. Always a multiple of every subgroup size, so that
/// subgroups are full: see `gpu::subgroups`.
pub(crate) fn workgroup_size(capabilities: &Capabilities) -> u32 {
    capabilities
        .subgroup_sizes
        .map_or(64, |(smallest, largest)| (8 * smallest).clamp(largest.max(32), largest.max(256)))
}

/// The shader `file` for workgroups of `workgroup_size` invocations, with the adapter's subgroup operations if it has
/// any.
pub(crate) fn shader_variant(capabilities: &Capabilities, file: &'static str, workgroup_size: u32) -> ShaderVariant {
    ShaderVariant::new(file)
        .with_number("WORKGROUP_SIZE", workgroup_size)
        .with_number("SUBGROUP_CAPACITY", workgroup_size.div_ceil(subgroup_sizes(capabilities).0))
        .with_flag_if(capabilities.subgroup_sizes.is_some(), "SUBGROUPS")
}

/// Sizes of the smallest and the largest subgroup; without subgroup operations, each invocation counts as a subgroup.
fn subgroup_sizes(capabilities: &Capabilities) -> (u32, u32) {
    capabilities.subgroup_sizes.unwrap_or((1, 1))
}

/// Rejects a buffer too short for `count` u32, because shaders run without bounds checks.
fn check_length(what: &'static str, buffer: &wgpu::Buffer, count: u32) -> Result<(), GpuError> {
    let needed = element_bytes::<u32>(count.into());
    if buffer.size() < needed {
        return Err(GpuError::TooSmall { what, bytes: buffer.size(), needed });
    }
    Ok(())
}
