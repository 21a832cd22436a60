//! Copying the pixels of a texture to the CPU. The device pads rows to a multiple of 256 bytes.

use glam::UVec2;

use super::{Gpu, Readback};

/// Bytes of a pixel of all textures that are read back.
const PIXEL_BYTES: u32 = 4;

/// How the pixels of a texture, of four bytes each, lie in a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureRows {
    size: UVec2,
    row_bytes: u32,
}

impl TextureRows {
    /// The rows of a texture of `size` pixels.
    pub fn new(size: UVec2) -> Self {
        Self { size, row_bytes: (size.x * PIXEL_BYTES).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT) }
    }

    /// Bytes of a buffer for all rows.
    pub fn bytes(self) -> u64 {
        u64::from(self.row_bytes) * u64::from(self.size.y)
    }

    /// A buffer for all rows.
    pub fn staging(self, gpu: &Gpu) -> wgpu::Buffer {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture read-back"),
            size: self.bytes(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        })
    }

    /// Records a copy of the whole texture into a buffer that [`TextureRows::staging`] has made.
    pub fn record(
        self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        texture: &wgpu::Texture,
        staging: &wgpu::Buffer,
    ) -> Readback<u8> {
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(self.row_bytes), rows_per_image: None };
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: staging, layout },
            self.extent(),
        );
        Readback::of_staging(gpu, encoder, staging.clone())
    }

    /// The pixels without the padding of the rows.
    pub fn pixels(self, padded: &[u8]) -> Vec<u8> {
        let rows = padded.chunks_exact(self.row_bytes as usize);
        rows.flat_map(|row| &row[..(self.size.x * PIXEL_BYTES) as usize]).copied().collect()
    }

    /// Size of the texture.
    pub fn extent(self) -> wgpu::Extent3d {
        wgpu::Extent3d { width: self.size.x, height: self.size.y, depth_or_array_layers: 1 }
    }
}
