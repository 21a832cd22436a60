//! `nearwater adapters`: lists the adapters of this machine.

use std::process::ExitCode;

use nearwater::gpu::{Capabilities, GpuError, adapter_capabilities};

use super::CommandError;

/// Prints every adapter, best first; the first one is used unless `--adapter` selects another.
pub fn run() -> Result<ExitCode, CommandError> {
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
    println!("{}{chosen}", capabilities.name);
    println!("  {} adapter, {:?}, driver {}", capabilities.class, capabilities.backend, capabilities.driver);
    println!("  starts with             {} particles", capabilities.class.default_particle_count());
    println!("  largest binding         {} MiB", capabilities.largest_binding_bytes() >> 20);
    println!("  workgroup memory        {} KiB", limits.max_compute_workgroup_storage_size >> 10);
    println!("  invocations a workgroup {}", limits.max_compute_invocations_per_workgroup);
    println!("  workgroups a dimension  {}", limits.max_compute_workgroups_per_dimension);
    println!("  storage buffers a stage {}", limits.max_storage_buffers_per_shader_stage);
    match capabilities.subgroup_sizes {
        Some((least, most)) if least == most => println!("  subgroup size           {least}"),
        Some((least, most)) => println!("  subgroup size           {least} to {most}"),
        None => println!("  subgroup size           not supported"),
    }
    match capabilities.missing().as_slice() {
        [] => println!("  lacks                   nothing"),
        missing => missing.iter().for_each(|words| println!("  lacks                   {words}")),
    }
}
