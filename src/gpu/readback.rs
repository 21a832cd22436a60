use std::sync::mpsc;
use std::time::Duration;

use bytemuck::Pod;

use super::{Gpu, GpuError};

/// How long another thread may take over telling that a read-back is there.
const LONGEST_CALLBACK: Duration = Duration::from_secs(10);

/// A buffer's bytes on their way to the CPU: recorded now, taken when they have arrived, never waited for.
pub struct Readback<T> {
    staging: wgpu::Buffer,
    arrived: mpsc::Receiver<bool>,
    element: std::marker::PhantomData<T>,
}

impl<T: Pod> Readback<T> {
    /// Records a copy of the first `count` elements of `source`.
    pub fn record(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, source: &wgpu::Buffer, count: usize) -> Self {
        let bytes = (count.max(1) * size_of::<T>()).next_multiple_of(4) as u64;
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read-back"),
            size: bytes,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(source, 0, &staging, 0, bytes);
        Self::of_staging(encoder, staging)
    }

    /// Records the mapping of `staging`, which may be read from the CPU and into which something was recorded before.
    pub(crate) fn of_staging(encoder: &wgpu::CommandEncoder, staging: wgpu::Buffer) -> Self {
        let (sender, arrived) = mpsc::channel();
        encoder.map_buffer_on_submit(&staging, wgpu::MapMode::Read, .., move |result| {
            // Nobody listens any more when the read-back was dropped.
            let _ = sender.send(result.is_ok());
        });
        Self { staging, arrived, element: std::marker::PhantomData }
    }

    /// The elements, if they have arrived; `None` while the device is still at work.
    pub fn take(&self) -> Option<Vec<T>> {
        self.arrived.try_recv().ok()?.then(|| self.copy_out())
    }

    /// Waits for the elements. Their arrival is told by whichever thread polls the device, which may be still at it
    /// when this one has done waiting for the device.
    pub(crate) fn wait(&self, gpu: &Gpu) -> Result<Vec<T>, GpuError> {
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

/// Waits for the device and returns the first `count` elements of `source`: for tests, exports and the command line.
///
/// # Errors
/// When the device is lost.
pub fn read_buffer<T: Pod>(gpu: &Gpu, source: &wgpu::Buffer, count: usize) -> Result<Vec<T>, GpuError> {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let readback = Readback::record(gpu, &mut encoder, source, count);
    gpu.queue.submit([encoder.finish()]);
    let mut values = readback.wait(gpu)?;
    values.truncate(count);
    Ok(values)
}
