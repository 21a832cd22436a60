//! `nearwater adapters`: lists the adapters of this machine.

use std::process::ExitCode;

use nearwater::gpu::{Capabilities, GpuError, adapter_capabilities};

use super::CommandError;
use super::arguments::Common;

/// Prints every adapter, best first; the first one is used unless `--adapter` selects another.
pub fn run(common: &Common) -> Result<ExitCode, CommandError> {
    common.refuse(&Common::ALL, "every adapter is listed as it is")?;
    let adapters = adapter_capabilities();
    if adapters.is_empty() {
        return Err(GpuError::NoAdapter.into());
    }
    for (index, capabilities) in adapters.iter().enumerate() {
        print_capabilities(index, capabilities);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_capabilities(index: usize, capabilities: &Capabilities) {
    let limits = &capabilities.limits;
    let chosen = if index == 0 { "  (used unless --adapter says otherwise)" } else { "" };
    outln!("{}. {}{chosen}", index + 1, capabilities.name);
    outln!("  {} adapter, {:?}, driver {}", capabilities.class, capabilities.backend, capabilities.driver);
    outln!("  starts with             {} particles", capabilities.class.default_particle_count());
    outln!("  largest binding         {} MiB", capabilities.largest_binding_bytes() >> 20);
    outln!("  workgroup memory        {} KiB", limits.max_compute_workgroup_storage_size >> 10);
    outln!("  invocations a workgroup {}", limits.max_compute_invocations_per_workgroup);
    outln!("  workgroups a dimension  {}", limits.max_compute_workgroups_per_dimension);
    outln!("  storage buffers a stage {}", limits.max_storage_buffers_per_shader_stage);
    match capabilities.subgroup_sizes {
        Some((least, most)) if least == most => outln!("  subgroup size           {least}"),
        Some((least, most)) => outln!("  subgroup size           {least} to {most}"),
        None => outln!("  subgroup size           not supported"),
    }
    match capabilities.missing().as_slice() {
        [] => outln!("  lacks                   nothing"),
        missing => missing.iter().for_each(|words| outln!("  lacks                   {words}")),
    }
}
