//! Made-up adapter capabilities for tests that run without a device.

use super::{AdapterClass, Capabilities};

/// Subgroup sizes of llvmpipe without and with AVX, Mali, NVIDIA, Intel, AMD, Adreno, the largest size only, and the
/// widest range that Vulkan allows; `None` stands for an adapter without subgroup operations.
pub(crate) const SUBGROUP_SIZES: [Option<(u32, u32)>; 10] = [
    Some((4, 4)),
    Some((8, 8)),
    Some((16, 16)),
    Some((32, 32)),
    Some((8, 32)),
    Some((32, 64)),
    Some((64, 128)),
    Some((128, 128)),
    Some((4, 128)),
    None,
];

/// An adapter with that many bytes of workgroup memory and otherwise the limits that WebGPU guarantees.
pub(crate) fn adapter(subgroup_sizes: Option<(u32, u32)>, workgroup_memory: u32) -> Capabilities {
    Capabilities {
        name: format!("an adapter with subgroups of {subgroup_sizes:?}"),
        driver: String::new(),
        backend: wgpu::Backend::Vulkan,
        class: AdapterClass::Discrete,
        limits: wgpu::Limits { max_compute_workgroup_storage_size: workgroup_memory, ..Default::default() },
        features: wgpu::Features::empty(),
        subgroup_sizes,
    }
}
