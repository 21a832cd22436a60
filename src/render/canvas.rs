//! Drawing without a window: frames are drawn off screen and read back.

use std::sync::Arc;
use std::time::Instant;

use glam::UVec2;

use super::{Beside, Drawn, Look, Renderer, TargetFormat, View};
use crate::gpu::{AdapterClass, Gpu, GpuError, Pass, PassTimer, TextureRows, record};

const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Default number of samples per pixel: the smallest number above one that every device supports.
const SAMPLE_COUNT: u32 = 4;

/// A picture without a window: one frame is drawn off screen and its pixels are read back; for PNGs, tests and
/// recordings.
///
/// ```
/// # #[cfg(feature = "fluid")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let gpu = nearwater::gpu::Gpu::open(None, nearwater::gpu::ShaderLibrary::embedded())?;
/// # let scene = nearwater::fluid::Scene::load("dam_break")?;
/// # let settings = nearwater::fluid::Settings::with_particles(500);
/// use glam::UVec2;
/// use nearwater::depiction::{Depiction, depict};
/// use nearwater::fluid::Simulation;
/// use nearwater::render::{Canvas, View};
///
/// let mut simulation = Simulation::new(&gpu, &scene, &settings)?;
/// // The colors show speeds and densities, which the first picture needs before the first step.
/// gpu.submit(|encoder| simulation.record_densities(encoder, None));
///
/// let size = UVec2::new(160, 90);
/// let view = View::perspective(scene.camera.eye, scene.camera.target, scene.camera.vertical_fov_degrees, size);
/// let (look, drawn) = depict(&simulation, Depiction::default());
/// let picture = Canvas::new(&gpu, size)?.draw(&view, &look, &drawn, None)?;
/// assert_eq!(picture.dimensions(), (160, 90));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "fluid"))]
/// # fn main() {}
/// ```
pub struct Canvas {
    gpu: Arc<Gpu>,
    size: UVec2,
    renderer: Renderer,
    samples: Option<wgpu::TextureView>,
    picture: wgpu::Texture,
    depth: wgpu::TextureView,
    staging: wgpu::Buffer,
    rows: TextureRows,
}

impl Canvas {
    /// A canvas of `size` pixels with smooth outlines.
    ///
    /// # Errors
    /// When the size is zero or larger than the adapter's textures can be, the device has no memory for it, or a shader
    /// does not compile.
    pub fn new(gpu: &Arc<Gpu>, size: UVec2) -> Result<Self, GpuError> {
        Self::with_samples(gpu, size, SAMPLE_COUNT)
    }

    /// A canvas of `size` pixels with 1 or 4 samples each: a single sample is faster, but outlines are jagged.
    ///
    /// # Errors
    /// As [`Canvas::new`].
    pub fn with_samples(gpu: &Arc<Gpu>, size: UVec2, sample_count: u32) -> Result<Self, GpuError> {
        let limit = gpu.capabilities.limits.max_texture_dimension_2d;
        if size.min_element() == 0 || size.max_element() > limit {
            return Err(GpuError::PictureSize { width: size.x, height: size.y, limit });
        }
        let rows = TextureRows::new(size);
        if rows.bytes() > gpu.capabilities.limits.max_buffer_size {
            return Err(GpuError::PictureMemory { width: size.x, height: size.y });
        }
        let renderer = Renderer::new(gpu, TargetFormat { color: COLOR, depth: DEPTH, sample_count })?;
        let texture = |label, format, sample_count, usage| {
            gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: rows.extent(),
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | usage,
                view_formats: &[],
            })
        };
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let none = wgpu::TextureUsages::empty();
        let make = || Self {
            gpu: Arc::clone(gpu),
            size,
            renderer,
            samples: (sample_count > 1).then(|| view(&texture("samples", COLOR, sample_count, none))),
            picture: texture("picture", COLOR, 1, wgpu::TextureUsages::COPY_SRC),
            depth: view(&texture("depth", DEPTH, sample_count, none)),
            staging: rows.staging(gpu),
            rows,
        };
        gpu.guarded(make).map_err(|error| GpuError::of_picture(&error, size.to_array()))
    }

    /// Size of the canvas in pixels.
    pub fn size(&self) -> UVec2 {
        self.size
    }

    /// The renderer, for [`Renderer::rebuild`].
    pub fn renderer_mut(&mut self) -> &mut Renderer {
        &mut self.renderer
    }

    /// Draws one frame, waits for it and returns its pixels in sRGB, rows from the top. `view` is drawn at the canvas's
    /// size, regardless of its own size.
    ///
    /// # Errors
    /// When the device is lost, or a solid does not fit into its memory.
    pub fn draw(
        &mut self,
        view: &View,
        look: &Look,
        drawn: &Drawn<'_>,
        timer: Option<&mut PassTimer>,
    ) -> Result<image::RgbaImage, GpuError> {
        self.renderer.prepare(&View { size: self.size, ..*view }, look, drawn)?;
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.record(&mut encoder, timer);
        let padded = self.rows.record(&self.gpu, &mut encoder, &self.picture, &self.staging);
        self.gpu.queue.submit([encoder.finish()]);
        let pixels = self.rows.pixels(&padded.wait(&self.gpu)?);
        image::RgbaImage::from_raw(self.size.x, self.size.y, pixels)
            .ok_or_else(|| self.gpu.lost_error("the picture did not arrive completely"))
    }

    /// Draws the same picture `pictures` times without reading it back, each time after these passes, and returns the
    /// wall-clock time of one, ms.
    ///
    /// # Errors
    /// As [`Canvas::draw`].
    pub fn time(
        &mut self,
        view: &View,
        look: &Look,
        drawn: &Drawn<'_>,
        (pictures, before): (u32, &[Pass]),
    ) -> Result<f64, GpuError> {
        self.renderer.prepare(&View { size: self.size, ..*view }, look, drawn)?;
        self.gpu.wait()?;
        let start = Instant::now();
        self.gpu.submit(|encoder| {
            for _ in 0..pictures {
                record(before, encoder, None);
                self.record(encoder, None);
            }
        });
        self.gpu.wait()?;
        Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(pictures.max(1)))
    }

    fn record(&self, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) {
        let picture = self.picture.create_view(&wgpu::TextureViewDescriptor::default());
        let (color, resolve) = match &self.samples {
            Some(samples) => (samples, Some(&picture)),
            None => (&picture, None),
        };
        self.renderer.record(encoder, color, resolve, &self.depth, timer, Beside::Nothing);
    }
}

/// Number of samples per pixel of a window on an adapter of a class: one where drawing is slow.
pub fn usual_samples(class: AdapterClass) -> u32 {
    if class == AdapterClass::Discrete { SAMPLE_COUNT } else { 1 }
}

/// Parses the size of a picture in pixels, written as in `1280x800`.
///
/// # Errors
/// A sentence that states the accepted form, if the text is something else or a side is not from 16 to 16384.
pub fn parse_size(text: &str) -> Result<UVec2, String> {
    let pixels = |part: &str| part.parse::<u32>().ok().filter(|&pixels| (16..=16_384).contains(&pixels));
    text.split_once('x')
        .and_then(|(width, height)| Some(UVec2::new(pixels(width)?, pixels(height)?)))
        .ok_or_else(|| "give width and height as in 1280x800, each from 16 to 16384".to_owned())
}
