use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::adapter;
use super::kernel::{Kernel, RenderShader};
use super::{Capabilities, GpuError, ShaderLibrary, ShaderVariant};

/// One opened device, its capabilities, the shader library and the kernels compiled so far.
pub struct Gpu {
    /// The wgpu device; passes are created on it.
    pub device: wgpu::Device,
    /// The wgpu queue; uniforms are written through it.
    pub queue: wgpu::Queue,
    /// The adapter the device was opened on.
    pub adapter: wgpu::Adapter,
    /// The instance that found the adapter, kept for a window's surface.
    pub instance: wgpu::Instance,
    /// What the device can do.
    pub capabilities: Capabilities,
    shaders: ShaderLibrary,
    kernels: Mutex<HashMap<(ShaderVariant, &'static str), Arc<Kernel>>>,
    lost: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    /// Opens the best adapter (discrete first, software last), or the best whose name contains `wanted`.
    ///
    /// # Errors
    /// When there is no adapter, none of that name, or it cannot run compute shaders.
    pub fn open(wanted: Option<&str>, shaders: ShaderLibrary) -> Result<Arc<Self>, GpuError> {
        pollster::block_on(async {
            let instance = adapter::instance();
            let adapter = adapter::choose(&instance, wanted).await?;
            Self::open_adapter(instance, adapter, shaders).await.map(Arc::new)
        })
    }

    async fn open_adapter(
        instance: wgpu::Instance,
        adapter: wgpu::Adapter,
        shaders: ShaderLibrary,
    ) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        if !adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
            return Err(GpuError::Unsupported { adapter: info.name, reason: "it has no compute shaders".into() });
        }
        // The window's renderer shares this device, so it gets every feature that needs no opt-in to danger.
        let features = adapter.features() - wgpu::Features::all_experimental_mask();
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("nearwater"),
            required_features: features - wgpu::Features::MAPPABLE_PRIMARY_BUFFERS,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = adapter
            .request_device(&descriptor)
            .await
            .map_err(|error| GpuError::Device { adapter: info.name.clone(), reason: error.to_string() })?;
        let gpu = Self::from_parts(instance, adapter, (device, queue), shaders);
        let slot = Arc::clone(&gpu.lost);
        gpu.device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
            }
        });
        Ok(gpu)
    }

    /// Wraps a device that somebody else opened and watches: [`Gpu::lost`] stays `None`.
    pub fn from_parts(
        instance: wgpu::Instance,
        adapter: wgpu::Adapter,
        (device, queue): (wgpu::Device, wgpu::Queue),
        shaders: ShaderLibrary,
    ) -> Self {
        let capabilities = Capabilities::new(&adapter.get_info(), device.features(), device.limits());
        let lost = Arc::default();
        Self { device, queue, adapter, instance, capabilities, shaders, kernels: Mutex::default(), lost }
    }

    /// The shader library that kernels are composed from.
    pub fn shaders(&self) -> &ShaderLibrary {
        &self.shaders
    }

    /// The driver's words when the device was lost, else `None`.
    pub fn lost(&self) -> Option<String> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The error for something that the device owed: the driver's words when it was lost, else `otherwise`.
    pub fn lost_error(&self, otherwise: &str) -> GpuError {
        GpuError::Lost(self.lost().unwrap_or_else(|| otherwise.to_owned()))
    }

    /// The kernel of `entry_point` in `variant`, compiled on first use.
    ///
    /// # Errors
    /// When the shader is missing, does not compose or validate, or the driver refuses it.
    pub fn kernel(&self, variant: &ShaderVariant, entry_point: &'static str) -> Result<Arc<Kernel>, GpuError> {
        let key = (variant.clone(), entry_point);
        if let Some(kernel) = self.kernels.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(kernel));
        }
        let kernel = Arc::new(Kernel::compile(self, variant, entry_point)?);
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&kernel));
        Ok(kernel)
    }

    /// A shader module with vertex and fragment entry points, for the renderer.
    ///
    /// # Errors
    /// As [`Gpu::kernel`].
    pub fn render_shader(&self, variant: &ShaderVariant) -> Result<RenderShader, GpuError> {
        RenderShader::compile(self, variant)
    }

    /// Forgets the compiled kernels, so that the next use reads the shader files again. Passes made before keep
    /// the kernels they have.
    pub fn forget_kernels(&self) {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Runs `work`, and turns a validation error or lack of memory in it into an error.
    pub(crate) fn guarded<T>(&self, work: impl FnOnce() -> T) -> Result<T, wgpu::Error> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let value = work();
        let validation = pollster::block_on(validation.pop());
        let memory = pollster::block_on(memory.pop());
        match validation.or(memory) {
            Some(error) => Err(error),
            None => Ok(value),
        }
    }

    /// Waits until the device has finished everything submitted so far.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map(|_| ())
            .map_err(|error| GpuError::Lost(error.to_string()))
    }

    /// Records `work` into an encoder of its own and submits it.
    pub fn submit(&self, work: impl FnOnce(&mut wgpu::CommandEncoder)) {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        work(&mut encoder);
        self.queue.submit([encoder.finish()]);
    }
}
