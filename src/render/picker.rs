//! Finds the particle at a pixel in the picture of particle numbers that drawing writes.

use glam::UVec2;

use super::pipeline::{DrawPipeline, Drawing};
use crate::gpu::{Gpu, GpuError, Readback, ShaderVariant, gpu_struct};

/// The format of the picked number.
const PICKED_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;
/// Largest distance from the pixel at which a particle is still found, pixels; rings are thin and pointing is
/// imprecise.
const SLACK: u32 = 3;

gpu_struct! {
    /// The pixel to read, in the layout of the shader.
    pub struct Pick {
        /// The pixel, counted from the upper left.
        pub pixel: [u32; 2],
        /// Largest distance from the pixel at which a particle is still found, pixels.
        pub slack: u32,
        /// Padding.
        pub padding: u32,
    }
}

/// A picked particle on its way to the CPU.
pub struct PickReadback(Readback<u32>);

impl PickReadback {
    /// `None` while the device is still working; then the particle's index in the drawn order, or `Some(None)` if there
    /// is none. Particles with a role of their own take precedence over faded ones.
    pub fn take(&self) -> Option<Option<u32>> {
        self.0.take().map(|numbers| particle(&numbers))
    }

    /// Waits for the particle; for tests and scripts.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wait(self, gpu: &Gpu) -> Result<Option<u32>, GpuError> {
        self.0.wait(gpu).map(|numbers| particle(&numbers))
    }
}

/// The first particle number that is not zero; numbers count from one.
fn particle(numbers: &[u32]) -> Option<u32> {
    numbers.iter().take(2).copied().find(|&number| number > 0).map(|number| number - 1)
}

/// Reads the pictures of particle numbers.
pub(super) struct Picker {
    pub(super) samples: u32,
    pipeline: DrawPipeline,
    pick: wgpu::Buffer,
    /// Two texels: the number among plain and marked particles, and that among faded ones.
    picked: wgpu::Texture,
}

pub(super) fn pick_variant(multisampled: bool) -> ShaderVariant {
    ShaderVariant::new("render/pick.wgsl").with_flag_if(multisampled, "MULTISAMPLED")
}

impl Picker {
    /// For pictures with that many samples per pixel.
    pub(super) fn new(gpu: &Gpu, samples: u32) -> Result<Self, GpuError> {
        let drawing = Drawing {
            label: "pick",
            variant: &pick_variant(samples > 1),
            fragment: Some("fragment"),
            color: Some(PICKED_FORMAT.into()),
            depth: None,
            multisample: wgpu::MultisampleState::default(),
        };
        let picked = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picked particle"),
            size: wgpu::Extent3d { width: 2, height: 1, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: PICKED_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        Ok(Self {
            samples,
            pipeline: DrawPipeline::new(gpu, &drawing)?,
            pick: gpu.uniform("pick", &Pick::default()),
            picked,
        })
    }

    pub(super) fn record(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &wgpu::Buffer,
        (pixel, pictures): (UVec2, [Option<&wgpu::TextureView>; 2]),
    ) -> Result<PickReadback, GpuError> {
        gpu.write_uniform(&self.pick, &Pick { pixel: pixel.to_array(), slack: SLACK, padding: 0 });
        let mut bound = Vec::new();
        for (texel, names) in (0..).zip(pictures) {
            let Some(names) = names else { continue };
            let resources = [
                ("frame", frame.as_entire_binding()),
                ("pick", self.pick.as_entire_binding()),
                ("names", wgpu::BindingResource::TextureView(names)),
            ];
            bound.push((texel, self.pipeline.shader.bind(gpu, "pick", &resources)?));
        }
        let view = self.picked.create_view(&wgpu::TextureViewDescriptor::default());
        let cleared = super::drawing_pass::attachment(&view, None, wgpu::Color::TRANSPARENT);
        let mut pass = super::drawing_pass::begin(encoder, "pick", Some(cleared), None, None);
        for (texel, groups) in &bound {
            pass.set_scissor_rect(*texel, 0, 1, 1);
            super::drawing_pass::draw(&mut pass, &self.pipeline, groups, (3, 1));
        }
        drop(pass);
        let bytes = u64::from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picked particle read-back"),
            size: bytes,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT),
            rows_per_image: None,
        };
        encoder.copy_texture_to_buffer(
            self.picked.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &staging, layout },
            self.picked.size(),
        );
        Ok(PickReadback(Readback::of_staging(gpu, encoder, staging)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Pick, pick_variant};
    use crate::gpu::{ShaderLibrary, assert_same_layout};

    #[test]
    fn the_shader_reads_where_to_look_at_the_same_offsets() {
        let (module, _) = ShaderLibrary::embedded().compose(&pick_variant(true)).expect("it composes");
        assert_same_layout::<Pick>(&module);
    }
}
