//! The same adapter opened several times, as shaders see it differently: with and without wgpu's checks, and with and
//! without atomic addition of floats.

use std::sync::Arc;

use super::VerificationError;
use crate::gpu::{Gpu, GpuError, ShaderLibrary};

/// A device with a description of how shaders are compiled for it.
pub struct TestDevice {
    /// Description in reports.
    pub name: String,
    /// The device.
    pub gpu: Arc<Gpu>,
}

/// Opens the adapter of this name once for each combination of shader checks and atomic operations that it has.
///
/// # Errors
/// When the adapter cannot be opened.
pub fn test_devices(adapter: &str, shaders: &ShaderLibrary) -> Result<Vec<TestDevice>, VerificationError> {
    let mut devices = Vec::new();
    for (library, checks) in
        [(shaders.clone().checked(), "with checks"), (shaders.clone().unchecked(), "without checks")]
    {
        for has_float_atomics in [true, false] {
            let mut gpu = Gpu::open(Some(adapter), library.clone())?;
            let features = wgpu::Features::SHADER_FLOAT32_ATOMIC;
            if has_float_atomics && !gpu.capabilities.features.contains(features) {
                continue;
            }
            if !has_float_atomics {
                let alone =
                    Arc::get_mut(&mut gpu).ok_or_else(|| GpuError::Lost("the new device is shared".to_owned()))?;
                alone.capabilities.features.remove(features);
            }
            let atomics = if has_float_atomics { "float atomics" } else { "compare-exchange atomics" };
            devices.push(TestDevice { name: format!("{checks}, {atomics}"), gpu });
        }
    }
    Ok(devices)
}
