//! A device that the examples of searches open themselves, and its buffers.

use glam::Vec3;

/// A device that belongs to the example and not to Nearwater.
pub struct Opened {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// The adapter's name.
    pub name: String,
}

impl Opened {
    /// Opens the system's preferred adapter with everything that it offers.
    pub fn open() -> Result<Self, Box<dyn std::error::Error>> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
        let instance = wgpu::Instance::new(descriptor);
        pollster::block_on(async {
            let options = wgpu::RequestAdapterOptions {
                power_preference: wgpu::PowerPreference::HighPerformance,
                ..Default::default()
            };
            let adapter = instance.request_adapter(&options).await?;
            let wanted = wgpu::Features::SUBGROUP | wgpu::Features::SHADER_FLOAT32_ATOMIC;
            let descriptor = wgpu::DeviceDescriptor {
                required_features: adapter.features() & wanted,
                required_limits: adapter.limits(),
                ..Default::default()
            };
            let (device, queue) = adapter.request_device(&descriptor).await?;
            Ok(Self { device, queue, name: adapter.get_info().name })
        })
    }

    /// A storage buffer of vectors with four components, of which the last is zero.
    pub fn vectors(&self, vectors: &[Vec3]) -> wgpu::Buffer {
        let padded: Vec<[f32; 4]> = vectors.iter().map(|vector| vector.extend(0.0).to_array()).collect();
        let buffer = self.storage(4 * padded.len());
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&padded));
        buffer
    }

    /// A storage buffer of floats.
    pub fn storage(&self, floats: usize) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let size = 4 * floats.max(4) as u64;
        self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    }

    /// An empty encoder.
    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }
}
