//! The opened device, which compiles shaders on first use and reports when it is lost.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::adapter;
use super::kernel::{Kernel, RenderShader};
use super::{
    AdapterClass, Capabilities, Changed, GpuError, Readback, ShaderLibrary, ShaderTexts, ShaderVariant, subgroups,
};
use crate::attempt::attempt;

/// How long to wait for the device before it is asked for a sign of life.
const SIGN_OF_LIFE_AFTER: Duration = Duration::from_secs(2);

/// One opened device, its capabilities, the shader library and the kernels compiled so far.
///
/// ```
/// use nearwater::gpu::{Gpu, ShaderLibrary, read_buffer};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::open(None, ShaderLibrary::embedded())?;
/// println!("{}, {} adapter", gpu.capabilities.name, gpu.capabilities.class);
///
/// let buffer = gpu.storage_with("numbers", &[3_u32, 1, 4])?;
/// assert_eq!(read_buffer::<u32>(&gpu, &buffer, 3)?, [3, 1, 4]);
/// # Ok(())
/// # }
/// ```
pub struct Gpu {
    /// The wgpu device; passes are created on it.
    pub device: wgpu::Device,
    /// The wgpu queue; uniforms are written through it.
    pub queue: wgpu::Queue,
    /// Where the device comes from, which a window's surface needs; `None` where the caller gave the device alone.
    pub origin: Option<DeviceOrigin>,
    /// What the device can do.
    pub capabilities: Capabilities,
    shaders: ShaderLibrary,
    kernels: Mutex<HashMap<(ShaderVariant, &'static str), Arc<Kernel>>>,
    drawing: Mutex<BTreeSet<ShaderVariant>>,
    /// Whether passes are compiled and run; without that, shaders are validated only.
    pub(super) runs: bool,
    lost: Arc<Mutex<Option<String>>>,
    /// The first operation that the device refused since the last wait.
    refused: Arc<Mutex<Option<GpuError>>>,
    loops_cut: OnceLock<wgpu::Buffer>,
    /// What the driver has compiled, where that is kept.
    pub(super) pipelines: OnceLock<wgpu::PipelineCache>,
}

/// Where a device comes from.
pub struct DeviceOrigin {
    /// The instance that found the adapter.
    pub instance: wgpu::Instance,
    /// The adapter that the device was opened on.
    pub adapter: wgpu::Adapter,
}

impl Gpu {
    /// Opens the best adapter (discrete first, software last), or the best whose name contains `wanted`.
    ///
    /// # Errors
    /// When there is no adapter, none of that name, or the adapter cannot run compute shaders.
    pub fn open(wanted: Option<&str>, shaders: ShaderLibrary) -> Result<Arc<Self>, GpuError> {
        Self::open_alone(wanted, shaders).map(Arc::new)
    }

    /// As [`Gpu::open`], on a device that `restrict` takes features and limits from, which wgpu then enforces: for
    /// tests of adapters that are not in the machine.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    #[doc(hidden)]
    pub fn open_restricted(
        wanted: Option<&str>,
        shaders: ShaderLibrary,
        restrict: impl FnOnce(&mut wgpu::Features, &mut wgpu::Limits),
    ) -> Result<Arc<Self>, GpuError> {
        Self::open_as(wanted, shaders, restrict).map(Arc::new)
    }

    /// As [`Gpu::open`], not shared yet.
    pub(super) fn open_alone(wanted: Option<&str>, shaders: ShaderLibrary) -> Result<Self, GpuError> {
        Self::open_as(wanted, shaders, |_, _| ())
    }

    fn open_as(
        wanted: Option<&str>,
        shaders: ShaderLibrary,
        restrict: impl FnOnce(&mut wgpu::Features, &mut wgpu::Limits),
    ) -> Result<Self, GpuError> {
        pollster::block_on(async {
            let instance = adapter::instance();
            let adapter = adapter::choose(&instance, wanted).await?;
            Self::open_adapter(instance, adapter, shaders, restrict).await
        })
    }

    async fn open_adapter(
        instance: wgpu::Instance,
        adapter: wgpu::Adapter,
        shaders: ShaderLibrary,
        restrict: impl FnOnce(&mut wgpu::Features, &mut wgpu::Limits),
    ) -> Result<Self, GpuError> {
        let info = adapter.get_info();
        if !adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
            return Err(GpuError::Unsupported { adapter: info.name, reason: "it has no compute shaders".into() });
        }
        // The window's renderer shares this device, so every feature is enabled except the experimental ones.
        let unwanted = wgpu::Features::all_experimental_mask() | wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
        let (mut features, mut limits) = (adapter.features() - unwanted, adapter.limits());
        restrict(&mut features, &mut limits);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("nearwater"),
            required_features: features,
            required_limits: limits,
            ..Default::default()
        };
        let (device, queue) = adapter
            .request_device(&descriptor)
            .await
            .map_err(|error| GpuError::Device { adapter: info.name.clone(), reason: error.to_string() })?;
        let gpu = Self::from_parts(instance, adapter, (device, queue), shaders);
        gpu.watch_loss();
        // By default wgpu ends the program. The next wait reports the error instead.
        let slot = Arc::clone(&gpu.refused);
        gpu.device.on_uncaptured_error(Arc::new(move |error| {
            slot.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| GpuError::refused(&error));
        }));
        Ok(gpu)
    }

    /// Listens for the loss of the device, in place of whoever has listened before.
    pub(crate) fn watch_loss(&self) {
        let slot = Arc::clone(&self.lost);
        self.device.set_device_lost_callback(move |_, message| {
            slot.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
        });
    }

    /// Wraps a device that the caller opened and monitors: [`Gpu::lost`] stays `None`.
    pub fn from_parts(
        instance: wgpu::Instance,
        adapter: wgpu::Adapter,
        (device, queue): (wgpu::Device, wgpu::Queue),
        shaders: ShaderLibrary,
    ) -> Self {
        let mut gpu = Self::from_device(device, queue, shaders);
        gpu.origin = Some(DeviceOrigin { instance, adapter });
        gpu.verify_subgroups();
        gpu
    }

    /// Wraps a device of the caller, which is used as it is: nothing runs on it yet, and shaders are composed without
    /// subgroup operations until [`Gpu::verify_subgroups`] was called.
    pub(crate) fn from_device(device: wgpu::Device, queue: wgpu::Queue, shaders: ShaderLibrary) -> Self {
        let mut capabilities = Capabilities::new(&device.adapter_info(), device.features(), device.limits());
        capabilities.subgroup_sizes = None;
        Self {
            device,
            queue,
            origin: None,
            capabilities,
            shaders,
            kernels: Mutex::default(),
            drawing: Mutex::default(),
            runs: true,
            lost: Arc::default(),
            refused: Arc::default(),
            loops_cut: OnceLock::new(),
            pipelines: OnceLock::new(),
        }
    }

    /// Finds out whether the device's subgroups are as shaders need them, and uses subgroup operations if they are.
    /// Waits for the device.
    pub(crate) fn verify_subgroups(&mut self) {
        let promised = Capabilities::new(&self.device.adapter_info(), self.device.features(), self.device.limits());
        self.capabilities.subgroup_sizes = promised.subgroup_sizes;
        self.capabilities.subgroup_sizes = subgroups::verified_sizes(self);
    }

    /// The shader library that kernels are composed from.
    pub fn shaders(&self) -> &ShaderLibrary {
        &self.shaders
    }

    /// The driver's message if the device was lost, otherwise `None`.
    pub fn lost(&self) -> Option<String> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The slot that says whether the device was lost, for those that outlive a borrow of this.
    pub(super) fn loss(&self) -> Arc<Mutex<Option<String>>> {
        Arc::clone(&self.lost)
    }

    /// The error for a result that the device did not deliver: the driver's message if it was lost, otherwise
    /// `otherwise`.
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
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have changed a shader in the meantime.
        if kernel.number == self.shaders.edits().number() {
            kernels.insert(key, Arc::clone(&kernel));
        }
        Ok(kernel)
    }

    /// A shader module with vertex and fragment entry points, for the renderer.
    ///
    /// # Errors
    /// As [`Gpu::kernel`].
    pub fn render_shader(&self, variant: &ShaderVariant) -> Result<RenderShader, GpuError> {
        self.drawing.lock().unwrap_or_else(PoisonError::into_inner).insert(variant.clone());
        RenderShader::compile(self, variant)
    }

    /// The kernels compiled so far: their shaders and entry points.
    pub fn compiled_kernels(&self) -> BTreeSet<(ShaderVariant, &'static str)> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// The renderer's shaders compiled so far.
    pub fn compiled_drawing(&self) -> BTreeSet<ShaderVariant> {
        self.drawing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Forgets the compiled kernels, so that the next use reads the shader files again. Passes made before keep their
    /// kernels.
    pub fn forget_kernels(&self) {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Replaces the texts of edited shader files, and forgets the kernels that this makes out of date. `is_editing`
    /// keeps the checks in every shader before the first file is edited.
    pub fn edit_shaders(&self, texts: ShaderTexts, is_editing: bool) -> Changed {
        self.forget_changed(self.shaders.edits().replace(texts, is_editing))
    }

    /// Declares that no buffer of the device holds what an edited shader has written, so that shaders may run without
    /// checks again.
    #[cfg(feature = "app")]
    pub(crate) fn forget_what_edits_wrote(&self) -> Changed {
        self.forget_changed(self.shaders.edits().forget_what_was_written())
    }

    fn forget_changed(&self, changed: Changed) -> Changed {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.retain(|_, kernel| !changed.concerns(&kernel.files));
        changed
    }

    /// Runs `work` and returns the validation error or lack of memory that occurred in it.
    pub(crate) fn guarded<T>(&self, work: impl FnOnce() -> T) -> Result<T, wgpu::Error> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let value = work();
        let validation = pollster::block_on(validation.pop());
        let memory = pollster::block_on(memory.pop());
        // What has no memory is invalid, which every use of it reports too.
        match memory.or(validation) {
            Some(error) => Err(error),
            None => Ok(value),
        }
    }

    /// The buffer in which shaders say that the adapter has ended loops before their time; `None` where no adapter
    /// does. llvmpipe ends all loops of an invocation after 65,535 rounds together. Traversals on software adapters
    /// bind it as `loops_cut`, composed with `LIMITED_LOOPS`.
    pub(crate) fn loop_limit(&self) -> Option<&wgpu::Buffer> {
        let descriptor = wgpu::BufferDescriptor {
            label: Some("loops cut short"),
            size: 16,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let make = || self.device.create_buffer(&descriptor);
        (self.capabilities.class == AdapterClass::Software).then(|| self.loops_cut.get_or_init(make))
    }

    /// Forgets that loops were cut short, after this was reported.
    pub fn forget_cut_loops(&self) {
        if let Some(loops_cut) = self.loops_cut.get() {
            self.submit(|encoder| encoder.clear_buffer(loops_cut, 0, None));
        }
    }

    /// Waits for the device and fails if a loop was cut short since the last call.
    pub(super) fn check_loops(&self) -> Result<(), GpuError> {
        let Some(loops_cut) = self.loops_cut.get() else { return self.wait() };
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let flag = Readback::<u32>::record(self, &mut encoder, loops_cut, 1);
        encoder.clear_buffer(loops_cut, 0, None);
        self.queue.submit([encoder.finish()]);
        if flag.arrival(self)?[0] == 0 {
            return Ok(());
        }
        Err(GpuError::LoopsCut { adapter: self.capabilities.name.clone() })
    }

    /// Lets wgpu find out which work the device has finished, and run the callbacks that wait for it. Never waits itself.
    pub fn poll(&self) {
        // A loss of the device is told by `lost`.
        let _ = self.poll_as(wgpu::PollType::Poll);
    }

    /// As `wgpu::Device::poll`, which takes a loss of the device that it meets for fatal and panics; `None` in that
    /// case.
    pub(crate) fn poll_as(&self, poll: wgpu::PollType) -> Option<Result<wgpu::PollStatus, wgpu::PollError>> {
        let polled = attempt(|| self.device.poll(poll));
        if polled.is_none() {
            let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert_with(|| "the driver no longer answers".into());
        }
        polled
    }

    /// Waits until the device has finished everything submitted so far.
    ///
    /// # Errors
    /// When the device is lost, or has refused an operation since the last call.
    pub fn wait(&self) -> Result<(), GpuError> {
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(SIGN_OF_LIFE_AFTER) };
        let mut polled = self.poll_as(wait.clone());
        while matches!(polled, Some(Err(wgpu::PollError::Timeout))) && self.lost().is_none() {
            // A driver that has given up on the device's work may never end a wait for it (NVIDIA's on an H200 did not,
            // after Xid 109), but refuses new work, and wgpu then reports the loss. Software adapters have no such
            // driver, and their work may take minutes.
            if self.capabilities.class != AdapterClass::Software {
                self.queue.submit([]);
            }
            polled = self.poll_as(wait.clone());
        }
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner).take();
        refused.map_or(Ok(()), Err)?;
        match polled {
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(self.lost_error(&error.to_string())),
            None => Err(self.lost_error("the device is lost")),
        }
    }

    /// Records `work` into an encoder of its own and submits it.
    pub fn submit(&self, work: impl FnOnce(&mut wgpu::CommandEncoder)) {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        work(&mut encoder);
        self.queue.submit([encoder.finish()]);
    }
}
