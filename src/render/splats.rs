//! Particles drawn by atomic operations in compute passes instead of triangles: all four pictures of clear water, and
//! the light map of the other styles, whose spheres need several samples for each pixel.
//!
//! Graphics processors for computing set up few triangles per second, so that four triangles for each particle take
//! most of a picture there. So do software rasterizers: llvmpipe needs over a microsecond for each triangle, and does
//! it on one core. The compute passes write buffers, and a small pass for each copies it into the texture that the
//! other passes read; they do not notice the difference.

use glam::{UVec2, Vec3};

use super::drawing_pass::{attachment, begin, draw};
use super::formats::{LIGHT_MAP_FORMAT, NAMES_FORMAT, RELIEF_DEPTH_FORMAT, THICKNESS_FORMAT};
use super::frame::pixels_at_one;
use super::pipeline::{DrawPipeline, Groups};
use super::pipelines::relief;
use super::renderer::TRIANGLE;
use super::textures::Sizes;
use super::{Look, View};
use crate::gpu::{Dispatch, Gpu, GpuError, Pass, PassDescriptor, PassTimer, Phase, ShaderVariant, record};

/// Invocations that share a particle, as in `splats.wgsl`.
const LANES: u64 = 8;
/// Largest radius of a particle on the picture that is drawn by compute passes, pixels. A few invocations take long for
/// larger ones, of which there are few, so that triangles are faster.
const LARGEST_RADIUS: f32 = 40.0;
/// Radius of a sphere of water in radii of a drawn particle, as `BODY` in `drops.wgsl`.
const BODY: f32 = 1.5;

/// Rows of a texture that is copied into a buffer begin at multiples of so many pixels of four bytes, as
/// `DEPTHS_ALIGNED` in `splats.wgsl`.
const DEPTHS_ALIGNED: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT / 4;

const SPLATS: &str = "render/splats.wgsl";
const SHOWN: &str = "render/splats_shown.wgsl";

/// Whether every particle of the picture is small enough to be drawn by compute passes. Seen from inside the box, the
/// nearest ones are not.
pub(super) fn are_small(view: &View, look: &Look) -> bool {
    let eye = view.world_from_view.w_axis.truncate();
    let away = (look.box_low - eye).max(eye - look.box_high).max(Vec3::ZERO).length();
    BODY * look.particle_radius * pixels_at_one(view) <= LARGEST_RADIUS * away
}

/// The pipelines that copy the results into textures.
pub(super) struct SplatPipelines {
    numbers: DrawPipeline,
    thickness: DrawPipeline,
    light: DrawPipeline,
    sun_surface: DrawPipeline,
}

impl SplatPipelines {
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let shown = |label, flag, format| relief(gpu, label, &shown_variant(flag), format);
        Ok(Self {
            numbers: shown("show spheres", Some("NUMBERS"), NAMES_FORMAT)?,
            thickness: shown("show thickness", None, THICKNESS_FORMAT)?,
            light: shown("show light map", Some("LIGHT"), LIGHT_MAP_FORMAT)?,
            sun_surface: shown("show sun surface", Some("SUN_SURFACE"), RELIEF_DEPTH_FORMAT)?,
        })
    }

    /// The shaders of these pipelines and of the compute passes.
    pub(super) fn variants() -> Vec<ShaderVariant> {
        let shown = [None, Some("NUMBERS"), Some("LIGHT"), Some("SUN_SURFACE")].map(shown_variant);
        [false, true].map(splats_variant).into_iter().chain(shown).collect()
    }
}

/// The shader of the compute passes, for clear water or the other styles.
fn splats_variant(is_clear: bool) -> ShaderVariant {
    ShaderVariant::new(SPLATS).with_flag_if(is_clear, "CLEAR")
}

fn shown_variant(flag: Option<&'static str>) -> ShaderVariant {
    let variant = ShaderVariant::new(SHOWN);
    flag.into_iter().fold(variant, |variant, flag| variant.with_flag_if(true, flag))
}

/// One of the pictures that the compute passes make.
struct Picture {
    /// Cleared before the passes.
    buffers: Vec<wgpu::Buffer>,
    passes: Vec<Pass>,
    shown: Groups,
}

/// The buffers and passes for one set of particles and one size of the picture.
pub(super) struct Splats {
    light: Picture,
    /// What only clear water needs.
    clear: Option<ClearSplats>,
}

struct ClearSplats {
    numbers: Picture,
    thickness: Picture,
    /// Depths of the scene without water, which hides the water behind it.
    scene_depths: wgpu::Buffer,
    sun_surface: Picture,
}

/// The input of [`Splats::new`].
pub(super) struct SplatInput<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) pipelines: &'a SplatPipelines,
    pub(super) frame: &'a wgpu::Buffer,
    /// Positions, velocities and densities of the particles.
    pub(super) particles: [&'a wgpu::Buffer; 3],
    pub(super) sizes: Sizes,
    /// Whether the water is drawn as clear water.
    pub(super) is_clear: bool,
}

impl Splats {
    /// Creates the buffers, for clear water of some bytes per pixel, and the passes.
    ///
    /// # Errors
    /// When the buffers do not fit into the device's memory, or a shader does not compile.
    pub(super) fn new(input: &SplatInput<'_>) -> Result<Self, GpuError> {
        let SplatInput { gpu, pipelines, sizes, is_clear, .. } = *input;
        let texels = pixels(UVec2::splat(sizes.light_map));
        let light = gpu.storage::<u32>("water in the light", 2 * texels)?;
        let light = input.picture(&[("light", &light)], &[], &[("light map", "splat_light")], &pipelines.light)?;
        Ok(Self { light, clear: is_clear.then(|| ClearSplats::new(input)).transpose()? })
    }
}

impl ClearSplats {
    fn new(input: &SplatInput<'_>) -> Result<Self, GpuError> {
        let SplatInput { gpu, pipelines, sizes, .. } = *input;
        let buffer = |label, length| gpu.storage::<u32>(label, length);
        let nearest = buffer("nearest depths", pixels(sizes.picture))?;
        let numbers = buffer("visible particles", pixels(sizes.picture))?;
        let water_behind = buffer("water behind", pixels(sizes.coarse()))?;
        let scene_depths = buffer("depths behind water", pixels(aligned(sizes.picture)))?;
        let sun_heights = buffer("heights in the sun", pixels(UVec2::splat(sizes.light_map)))?;
        Ok(Self {
            numbers: input.picture(
                &[("nearest", &nearest), ("numbers", &numbers)],
                &[],
                &[("spheres' depth", "splat_nearest"), ("spheres", "splat_numbers")],
                &pipelines.numbers,
            )?,
            thickness: input.picture(
                &[("water_behind", &water_behind)],
                &[("scene_depths", &scene_depths)],
                &[("thickness", "splat_thickness")],
                &pipelines.thickness,
            )?,
            sun_surface: input.picture(
                &[("sun_heights", &sun_heights)],
                &[],
                &[("sun surface", "splat_sun_surface")],
                &pipelines.sun_surface,
            )?,
            scene_depths,
        })
    }
}

impl SplatInput<'_> {
    /// The picture that the passes with these labels and entry points make in `buffers` from those that they `read`.
    fn picture(
        &self,
        buffers: &[(&'static str, &wgpu::Buffer)],
        read: &[(&'static str, &wgpu::Buffer)],
        passes: &[(&'static str, &'static str)],
        shown: &DrawPipeline,
    ) -> Result<Picture, GpuError> {
        let [positions, velocities, densities] = self.particles;
        let mut bound =
            vec![("frame", self.frame), ("positions", positions), ("velocities", velocities), ("densities", densities)];
        bound.extend(buffers.iter().chain(read));
        // Sized by the buffer and not by the frame, whose particle count may change while the buffers stay the same.
        let capacity = positions.size() / size_of::<[f32; 4]>() as u64;
        let pass = |&(label, entry_point)| {
            Pass::new(
                self.gpu,
                PassDescriptor {
                    phase: Phase::Drawing,
                    label,
                    shader: &splats_variant(self.is_clear),
                    entry_point,
                    buffers: &bound,
                    dispatch: Dispatch::Invocations(capacity * LANES),
                },
            )
        };
        let resources: Vec<_> = bound.iter().map(|(name, buffer)| (*name, buffer.as_entire_binding())).collect();
        Ok(Picture {
            buffers: buffers.iter().map(|&(_, buffer)| buffer.clone()).collect(),
            passes: passes.iter().map(pass).collect::<Result<_, _>>()?,
            shown: shown.shader.bind(self.gpu, shown.label, &resources)?,
        })
    }
}

/// A size with rows that can be copied from a texture.
fn aligned(size: UVec2) -> UVec2 {
    size.with_x(size.x.next_multiple_of(DEPTHS_ALIGNED))
}

fn pixels(size: UVec2) -> u64 {
    u64::from(size.x) * u64::from(size.y)
}

/// The compute passes of a picture with the pipelines that show their results.
#[derive(Clone, Copy)]
pub(super) struct BoundSplats<'a> {
    pub(super) pipelines: &'a SplatPipelines,
    pub(super) splats: &'a Splats,
}

/// A recording of splats.
pub(super) struct SplatRecorder<'a, 'b> {
    pub(super) encoder: &'a mut wgpu::CommandEncoder,
    pub(super) timer: Option<&'b mut PassTimer>,
}

impl BoundSplats<'_> {
    /// The light map.
    pub(super) fn record_light(&self, recorder: &mut SplatRecorder<'_, '_>, light_map: &wgpu::TextureView) {
        recorder.record(&self.splats.light, &self.pipelines.light, light_map);
    }

    /// The surface of clear water that the sun sees.
    pub(super) fn record_sun_surface(&self, recorder: &mut SplatRecorder<'_, '_>, sun_surface: &wgpu::TextureView) {
        if let Some(clear) = &self.splats.clear {
            recorder.record(&clear.sun_surface, &self.pipelines.sun_surface, sun_surface);
        }
    }

    /// The numbers of the visible particles of clear water.
    pub(super) fn record_numbers(&self, recorder: &mut SplatRecorder<'_, '_>, names: &wgpu::TextureView) {
        if let Some(clear) = &self.splats.clear {
            recorder.record(&clear.numbers, &self.pipelines.numbers, names);
        }
    }

    /// The thickness of clear water in front of the scene that has these depths.
    pub(super) fn record_thickness(
        &self,
        recorder: &mut SplatRecorder<'_, '_>,
        scene_depths: &wgpu::TextureView,
        thickness: &wgpu::TextureView,
    ) {
        if let Some(clear) = &self.splats.clear {
            let texture = scene_depths.texture();
            let row = aligned(UVec2::new(texture.width(), texture.height())).x;
            recorder.encoder.copy_texture_to_buffer(
                wgpu::TexelCopyTextureInfo { aspect: wgpu::TextureAspect::DepthOnly, ..texture.as_image_copy() },
                wgpu::TexelCopyBufferInfo {
                    buffer: &clear.scene_depths,
                    layout: wgpu::TexelCopyBufferLayout { bytes_per_row: Some(4 * row), ..Default::default() },
                },
                texture.size(),
            );
            recorder.record(&clear.thickness, &self.pipelines.thickness, thickness);
        }
    }
}

impl SplatRecorder<'_, '_> {
    fn record(&mut self, picture: &Picture, pipeline: &DrawPipeline, view: &wgpu::TextureView) {
        for buffer in &picture.buffers {
            self.encoder.clear_buffer(buffer, 0, None);
        }
        record(&picture.passes, self.encoder, self.timer.as_deref_mut());
        let target = Some(attachment(view, None, wgpu::Color::TRANSPARENT));
        let mut pass = begin(self.encoder, pipeline.label, target, None, self.timer.as_deref_mut());
        draw(&mut pass, pipeline, &picture.shown, (TRIANGLE, 1));
    }
}
