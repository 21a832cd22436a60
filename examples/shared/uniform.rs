//! Uniform buffers of the examples.

use super::device::Opened;

impl Opened {
    /// A uniform buffer with these floats, in a multiple of four.
    pub fn uniform(&self, floats: &[f32]) -> wgpu::Buffer {
        let mut padded = floats.to_vec();
        padded.resize(floats.len().next_multiple_of(4), 0.0);
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let size = 4 * padded.len() as u64;
        let buffer =
            self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&padded));
        buffer
    }
}
