//! A device that compiles nothing and runs nothing, but composes and validates every shader that is asked for: for
//! tests that go through everything that the program can compile, on adapters that are not in the machine.

use std::sync::Arc;

use naga::valid::{Capabilities as ShaderCapabilities, ValidationFlags, Validator};

use super::reflection::Interface;
use super::{Capabilities, Gpu, GpuError, ShaderLibrary, ShaderVariant};

impl Gpu {
    /// Opens the best adapter as a device whose passes do nothing when they are recorded. Each shader is composed,
    /// validated for the adapter's features, and held against its limits. `pretend` may change what the adapter is
    /// taken for.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn validating(shaders: ShaderLibrary, pretend: impl FnOnce(&mut Capabilities)) -> Result<Arc<Self>, GpuError> {
        let mut gpu = Self::open_alone(None, shaders)?;
        gpu.runs = false;
        pretend(&mut gpu.capabilities);
        Ok(Arc::new(gpu))
    }
}

/// Refuses a compute shader that an adapter could not run.
pub(super) fn check_compute(
    capabilities: &Capabilities,
    variant: &ShaderVariant,
    module: &naga::Module,
    interface: &Interface,
) -> Result<(), GpuError> {
    let refuse = |message: String| Err(GpuError::Shader { file: variant.file.to_owned(), message, fault: None });
    let mut allowed = ShaderCapabilities::default();
    allowed.set(ShaderCapabilities::SUBGROUP, capabilities.features.contains(wgpu::Features::SUBGROUP));
    let float_atomics = capabilities.features.contains(wgpu::Features::SHADER_FLOAT32_ATOMIC);
    allowed.set(ShaderCapabilities::SHADER_FLOAT32_ATOMIC, float_atomics);
    if let Err(error) = Validator::new(ValidationFlags::all(), allowed).validate(module) {
        return refuse(format!("{} lacks what the shader needs: {}", capabilities.name, error.into_inner()));
    }
    let limits = &capabilities.limits;
    if interface.workgroup_bytes > limits.max_compute_workgroup_storage_size {
        let (bytes, most) = (interface.workgroup_bytes, limits.max_compute_workgroup_storage_size);
        return refuse(format!("a workgroup takes {bytes} bytes of memory, and {} has {most}", capabilities.name));
    }
    let [x, y, z] = interface.workgroup_size;
    let most =
        [limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y, limits.max_compute_workgroup_size_z];
    if x > most[0] || y > most[1] || z > most[2] || x * y * z > limits.max_compute_invocations_per_workgroup {
        return refuse(format!("a workgroup has {x} x {y} x {z} invocations, more than {} runs", capabilities.name));
    }
    let bindings = interface.storage.len() as u32;
    if bindings > limits.max_storage_buffers_per_shader_stage {
        let most = limits.max_storage_buffers_per_shader_stage;
        return refuse(format!("it binds {bindings} storage buffers, and {} binds {most}", capabilities.name));
    }
    Ok(())
}
