//! Adapters that tests without a device imagine, and what a composed shader would take of them.

use super::{AdapterClass, Capabilities};

/// Subgroup sizes of llvmpipe, Mali, NVIDIA, Intel, AMD, Adreno and the widest that Vulkan allows; and none.
pub(crate) const SUBGROUP_SIZES: [Option<(u32, u32)>; 8] = [
    Some((8, 8)),
    Some((16, 16)),
    Some((32, 32)),
    Some((8, 32)),
    Some((32, 64)),
    Some((64, 128)),
    Some((4, 128)),
    None,
];

/// An adapter with so many bytes of workgroup memory and otherwise the least that WebGPU promises.
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

/// Bytes of workgroup memory that an entry point takes.
///
/// # Panics
/// When there is no such entry point.
pub(crate) fn workgroup_bytes(module: &naga::Module, info: &naga::valid::ModuleInfo, entry_point: &str) -> u32 {
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).expect("a valid module has a layout");
    let index = module.entry_points.iter().position(|entry| entry.name == entry_point);
    let used = info.get_entry_point(index.unwrap_or_else(|| panic!("there is no entry point {entry_point}")));
    let variables = module
        .global_variables
        .iter()
        .filter(|(handle, variable)| variable.space == naga::AddressSpace::WorkGroup && !used[*handle].is_empty());
    variables.map(|(_, variable)| layouter[variable.ty].size).sum()
}
