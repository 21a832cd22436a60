//! Creating and writing storage and uniform buffers, with errors in place of panics where they do not fit.

use super::uniforms_in_storage::UNIFORM_USAGES;
use super::{Gpu, GpuError, GpuStruct};

/// Bytes of a `vec4` of u32 or f32; the size of every storage buffer is a multiple of it.
pub(crate) const VECTOR_BYTES: u64 = 16;

/// Bytes of `count` elements of `T`, never zero, because a binding holds at least one element.
pub const fn element_bytes<T>(count: u64) -> u64 {
    let count = if count == 0 { 1 } else { count };
    count * size_of::<T>() as u64
}

impl Gpu {
    /// A storage buffer of `count` elements of `T` (at least one), which the CPU can read back and write.
    ///
    /// # Errors
    /// When it would not fit into a binding or into the device's memory.
    pub fn storage<T>(&self, label: &'static str, count: u64) -> Result<wgpu::Buffer, GpuError> {
        self.storage_bytes(label, element_bytes::<T>(count))
    }

    fn storage_bytes(&self, label: &'static str, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
        let limit = self.capabilities.largest_binding_bytes();
        // The size is a multiple of a four-component vector, so that kernels may read any array of u32 or f32 as
        // vectors.
        let bytes = bytes.next_multiple_of(VECTOR_BYTES);
        if bytes > limit {
            return Err(GpuError::TooLarge {
                what: label.to_owned(),
                bytes,
                limit,
                remedy: "use fewer particles, a larger radius or a smaller box".to_owned(),
            });
        }
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_DST
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::VERTEX
                | wgpu::BufferUsages::INDIRECT,
            mapped_at_creation: false,
        };
        self.guarded(|| self.device.create_buffer(&descriptor)).map_err(|error| match error {
            wgpu::Error::OutOfMemory { .. } => GpuError::OutOfMemory { what: label.to_owned(), bytes },
            other => GpuError::Lost(other.to_string()),
        })
    }

    /// A storage buffer holding `values` (or one zeroed element when there are none).
    ///
    /// # Errors
    /// As [`Gpu::storage`].
    pub fn storage_with<T: bytemuck::Pod>(&self, label: &'static str, values: &[T]) -> Result<wgpu::Buffer, GpuError> {
        let buffer = self.storage::<T>(label, values.len() as u64)?;
        if !values.is_empty() {
            self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(values));
        }
        Ok(buffer)
    }

    /// A buffer holding `value`, from which an encoder can copy it into a uniform buffer between two passes.
    pub fn staged_uniform<T: GpuStruct>(&self, label: &'static str, value: &T) -> wgpu::Buffer {
        self.small_buffer(label, value, wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST)
    }

    /// A uniform buffer holding `value`; rewrite it with [`Gpu::write_uniform`].
    pub fn uniform<T: GpuStruct>(&self, label: &'static str, value: &T) -> wgpu::Buffer {
        self.small_buffer(label, value, UNIFORM_USAGES)
    }

    /// A buffer that holds a structure. It is written through the queue, because a buffer that is mapped when it is
    /// created panics on a device that was lost.
    fn small_buffer<T: GpuStruct>(&self, label: &'static str, value: &T, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let size = size_of::<T>() as u64;
        let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        self.write_uniform(&buffer, value);
        buffer
    }

    /// Replaces a uniform's value; takes effect with the next submission.
    pub fn write_uniform<T: GpuStruct>(&self, buffer: &wgpu::Buffer, value: &T) {
        self.queue.write_buffer(buffer, 0, bytemuck::bytes_of(value));
    }
}
