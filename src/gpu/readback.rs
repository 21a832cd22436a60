//! Copying a buffer's contents from the device to the CPU, with or without waiting for it.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use bytemuck::Pod;

use super::{Gpu, GpuError};

/// Longest time to wait until the thread that polls the device has run the callback of a finished read-back.
const LONGEST_CALLBACK: Duration = Duration::from_secs(10);

/// A buffer's bytes on their way to the CPU: the copy is recorded now and taken once it has arrived, without waiting.
///
/// ```
/// use nearwater::gpu::{Gpu, Readback, ShaderLibrary};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::open(None, ShaderLibrary::embedded())?;
/// let numbers = gpu.storage_with("numbers", &[2_u32, 7, 1])?;
/// let mut encoder = gpu.device.create_command_encoder(&Default::default());
/// let readback = Readback::<u32>::record(&gpu, &mut encoder, &numbers, 3);
/// gpu.queue.submit([encoder.finish()]);
/// // An app asks once a frame.
/// let values = loop {
///     gpu.poll();
///     if let Some(values) = readback.take() {
///         break values;
///     }
/// };
/// assert_eq!(values, [2, 7, 1]);
/// # Ok(())
/// # }
/// ```
pub struct Readback<T> {
    staging: wgpu::Buffer,
    arrived: mpsc::Receiver<bool>,
    /// Set when the device is lost. Reading a mapped buffer panics then, even if it was mapped before.
    loss: Arc<Mutex<Option<String>>>,
    element: std::marker::PhantomData<T>,
}

impl<T: Pod> Readback<T> {
    /// Records a copy of the first `count` elements of `source`.
    pub fn record(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, source: &wgpu::Buffer, count: usize) -> Self {
        let bytes = (count.max(1) * size_of::<T>()).next_multiple_of(4) as u64;
        Self::record_bytes(gpu, encoder, source, 0..bytes)
    }

    /// Records a copy of the elements `[elements.start, elements.end)` of `source`, which must contain them. The size
    /// of an element must be a multiple of four bytes.
    pub fn record_range(
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        source: &wgpu::Buffer,
        elements: Range<u64>,
    ) -> Self {
        let size = size_of::<T>() as u64;
        Self::record_bytes(gpu, encoder, source, elements.start * size..elements.end * size)
    }

    fn record_bytes(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, source: &wgpu::Buffer, range: Range<u64>) -> Self {
        let bytes = range.end - range.start;
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read-back"),
            size: bytes,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(source, range.start, &staging, 0, bytes);
        Self::of_staging(gpu, encoder, staging)
    }

    /// Records the mapping of `staging`, a buffer mappable for reading into which a copy has already been recorded.
    pub(crate) fn of_staging(gpu: &Gpu, encoder: &wgpu::CommandEncoder, staging: wgpu::Buffer) -> Self {
        let (sender, arrived) = mpsc::channel();
        encoder.map_buffer_on_submit(&staging, wgpu::MapMode::Read, .., move |result| {
            // Sending fails if the read-back was dropped in the meantime; its data is then not needed.
            let _ = sender.send(result.is_ok());
        });
        Self { staging, arrived, loss: gpu.loss(), element: std::marker::PhantomData }
    }

    /// The elements, if they have arrived; `None` while the device is still working, and when it was lost.
    pub fn take(&self) -> Option<Vec<T>> {
        let is_lost = || self.loss.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        (self.arrived.try_recv().ok()? && !is_lost()).then(|| self.copy_out())
    }

    /// Waits for the elements. The thread that polls the device reports their arrival; if that is another thread, it
    /// may still be doing so when this one has finished waiting for the device.
    ///
    /// Fails if the adapter has cut loops short since the last wait: the results may then lack neighbors.
    pub(crate) fn wait(&self, gpu: &Gpu) -> Result<Vec<T>, GpuError> {
        let outcome = gpu.check_loops().and_then(|()| self.arrival(gpu));
        if outcome.is_err() {
            // The staging buffer may be used again, which it cannot while it waits to be mapped.
            self.staging.unmap();
        }
        outcome
    }

    /// As [`Readback::wait`], without the check for loops that were cut short.
    pub(super) fn arrival(&self, gpu: &Gpu) -> Result<Vec<T>, GpuError> {
        gpu.wait()?;
        let arrived = self.arrived.recv_timeout(LONGEST_CALLBACK).unwrap_or(false);
        arrived.then(|| self.copy_out()).ok_or_else(|| gpu.lost_error("a read-back did not arrive"))
    }

    fn copy_out(&self) -> Vec<T> {
        let values = bytemuck::pod_collect_to_vec(&self.staging.slice(..).get_mapped_range());
        self.staging.unmap();
        values
    }
}

/// Waits for the device and returns the first `count` elements of `source`; for tests, exports and the command line.
///
/// # Errors
/// When the device is lost, or a software adapter has cut a search's loops short.
pub fn read_buffer<T: Pod>(gpu: &Gpu, source: &wgpu::Buffer, count: usize) -> Result<Vec<T>, GpuError> {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let readback = Readback::record(gpu, &mut encoder, source, count);
    gpu.queue.submit([encoder.finish()]);
    let mut values = readback.wait(gpu)?;
    values.truncate(count);
    Ok(values)
}
