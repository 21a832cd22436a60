//! Reads results of the examples.

use super::device::Opened;

impl Opened {
    /// Waits for the device and copies floats to the CPU.
    pub fn read(&self, source: &wgpu::Buffer, floats: usize) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
        let (size, usage) = (4 * floats as u64, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let staging =
            self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(source, 0, &staging, 0, size);
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |_| ());
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(bytemuck::pod_collect_to_vec(&staging.get_mapped_range(..)))
    }
}
