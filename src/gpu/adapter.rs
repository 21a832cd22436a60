//! Finding the adapters of this machine and choosing one.

use super::{AdapterClass, Capabilities, GpuError};

const BACKENDS: wgpu::Backends = wgpu::Backends::VULKAN.union(wgpu::Backends::METAL).union(wgpu::Backends::DX12);

pub(super) fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = BACKENDS;
    // wgpu would run a pass of its own before each dispatch whose size is read from a buffer, to compare it with the
    // device's limits. Such sizes are either zero or those of a direct dispatch (`Pass::counted_by`).
    descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    wgpu::Instance::new(descriptor)
}

/// Every adapter, ordered from the best class to the worst.
async fn adapters(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    let mut adapters = instance.enumerate_adapters(BACKENDS).await;
    adapters.sort_by_key(|adapter| AdapterClass::of(adapter.get_info().device_type));
    adapters
}

/// The best adapter, or the best one whose name contains `wanted` (ignoring case).
pub(super) async fn choose(instance: &wgpu::Instance, wanted: Option<&str>) -> Result<wgpu::Adapter, GpuError> {
    let adapters = adapters(instance).await;
    if adapters.is_empty() {
        return Err(GpuError::NoAdapter);
    }
    let names: Vec<String> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    let matches = |name: &str| wanted.is_none_or(|text| name.to_lowercase().contains(&text.to_lowercase()));
    adapters.into_iter().find(|adapter| matches(&adapter.get_info().name)).ok_or_else(|| GpuError::UnknownAdapter {
        wanted: wanted.unwrap_or_default().to_owned(),
        available: names.join(", "),
    })
}

/// The capabilities of every adapter of this machine, ordered from the best class to the worst. Opens none of them.
pub fn adapter_capabilities() -> Vec<Capabilities> {
    let of = |adapter: &wgpu::Adapter| {
        Capabilities::new(&adapter.get_info(), adapter.features() & Capabilities::WANTED, adapter.limits())
    };
    pollster::block_on(async { adapters(&instance()).await.iter().map(of).collect() })
}
