//! What grids are built from: an exclusive scan and a radix sort of u32, of any length the adapter binds.
//!
//! Both are made once for their buffers and give passes to record. They need no feature: where the adapter has no
//! subgroup operations, their shaders are composed without.

mod exclusive_scan;
mod radix_sort;

pub use exclusive_scan::ExclusiveScan;
pub use radix_sort::RadixSort;

use crate::gpu::{Capabilities, GpuError, ShaderVariant, element_bytes};

/// The shader `file` for workgroups of `workgroup_size` invocations, with the subgroups that the adapter has.
fn shader_variant(capabilities: &Capabilities, file: &'static str, workgroup_size: u32) -> ShaderVariant {
    ShaderVariant::new(file)
        .with_number("WORKGROUP_SIZE", workgroup_size)
        .with_number("SUBGROUP_CAPACITY", subgroup_capacity(capabilities, workgroup_size))
        .with_flag_if(capabilities.subgroup_sizes.is_some(), "SUBGROUPS")
}

/// The most subgroups that a workgroup can have. Without subgroup operations an invocation counts as one.
fn subgroup_capacity(capabilities: &Capabilities, workgroup_size: u32) -> u32 {
    let (smallest, _) = capabilities.subgroup_sizes.unwrap_or((1, 1));
    workgroup_size.div_ceil(smallest.max(1))
}

/// Refuses a buffer too short for `count` u32, since shaders run unchecked.
fn check_length(what: &'static str, buffer: &wgpu::Buffer, count: u32) -> Result<(), GpuError> {
    let needed = element_bytes::<u32>(count.into());
    if buffer.size() < needed {
        return Err(GpuError::TooSmall { what, bytes: buffer.size(), needed });
    }
    Ok(())
}
