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

/// The best adapter; or the one with the number `wanted`, counted from 1 in the order of [`adapter_capabilities`]; or
/// the best one whose name contains `wanted` (ignoring case). Only numbers tell apart cards of the same model.
pub(super) async fn choose(instance: &wgpu::Instance, wanted: Option<&str>) -> Result<wgpu::Adapter, GpuError> {
    let adapters = adapters(instance).await;
    if adapters.is_empty() {
        return Err(GpuError::NoAdapter);
    }
    let names: Vec<String> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    let chosen = place(&names, wanted).and_then(|place| adapters.into_iter().nth(place));
    chosen.ok_or_else(|| GpuError::UnknownAdapter {
        wanted: wanted.unwrap_or_default().to_owned(),
        available: names.join(", "),
    })
}

/// The place of the wanted adapter among these names, counted from 0.
fn place(names: &[String], wanted: Option<&str>) -> Option<usize> {
    let Some(wanted) = wanted else { return Some(0) };
    let number = wanted.trim().parse::<usize>().ok().filter(|number| (1..=names.len()).contains(number));
    let contains = |name: &String| name.to_lowercase().contains(&wanted.to_lowercase());
    number.map(|number| number - 1).or_else(|| names.iter().position(contains))
}

/// The capabilities of every adapter of this machine, ordered from the best class to the worst. Opens none of them.
pub fn adapter_capabilities() -> Vec<Capabilities> {
    let of = |adapter: &wgpu::Adapter| {
        Capabilities::new(&adapter.get_info(), adapter.features() & Capabilities::WANTED, adapter.limits())
    };
    pollster::block_on(async { adapters(&instance()).await.iter().map(of).collect() })
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn adapters_are_chosen_by_number_or_part_of_their_name() {
        let names = ["NVIDIA H100", "NVIDIA H100", "llvmpipe (LLVM 15)"].map(str::to_owned);
        for (wanted, chosen) in [
            (None, Some(0)),
            (Some("nvidia"), Some(0)),
            (Some("2"), Some(1)),
            (Some("LLVM"), Some(2)),
            // No number of an adapter, but part of a name.
            (Some("100"), Some(0)),
            (Some("0"), Some(0)),
            (Some("4"), None),
            (Some("radeon"), None),
        ] {
            assert_eq!(place(&names, wanted), chosen, "{wanted:?}");
        }
    }
}
