//! Drawing of spray, foam and bubbles: a pass that adds up their light and optical depth in a picture of their own, in
//! any order, and a triangle that puts this over the picture. Solids hide them by the depth of a pass before; how far
//! they are below the water follows from the particle that is visible in their pixel.

use glam::UVec2;

use super::drawing_pass::{attachment, begin, draw, draw_indirect, restrict};
use super::left_out::LeftOut;
use super::pipeline::{DrawPipeline, Drawing, Groups};
use super::pipelines::overlay;
use super::solid_pipelines::{BEHIND_FORMAT, DEPTH_FORMAT, SolidTarget};
use super::solids::Solids;
use super::{DrawStyle, DrawnFoam, Look, TargetFormat};
use crate::gpu::{Gpu, GpuError, PassTimer, ShaderVariant, gpu_struct};

/// The sums of light and optical depth. It is also the target of solids behind water, so that they can leave their
/// depth.
const LAYER_FORMAT: wgpu::TextureFormat = BEHIND_FORMAT;
/// Radius of a diffuse particle divided by that of a drawn particle of the water.
const RADIUS: f32 = 0.3;
/// The smallest radius divided by half of the longer horizontal edge of the box: foam is as large in water of many
/// particles as in water of few, because its number does not grow with theirs.
const LEAST_RADIUS: f32 = 0.0023;
/// Distance below the surface over which foam fades, in radii of drawn particles of the water.
const FOAM_FADE: f32 = 1.5;
/// The same of bubbles in water that is drawn as particles, which hide what is behind them.
const BUBBLE_FADE: f32 = 2.0;
/// The same in water that can be seen through.
const BUBBLE_FADE_CLEAR: f32 = 10.0;
/// Label of the pass that draws diffuse particles.
pub const FOAM_PASS: &str = "draw foam";
/// Corners of a triangle.
const TRIANGLE: u32 = 3;

gpu_struct! {
    /// How diffuse particles look.
    pub struct FoamLook {
        /// Index of the first diffuse particle.
        pub first: u32,
        /// Radius of a particle, m.
        pub radius: f32,
        /// Distance below the surface of the water over which foam fades, m.
        pub foam_fade: f32,
        /// The same of bubbles, m.
        pub bubble_fade: f32,
    }
}

/// The shader of the particles.
pub(super) fn foam_variant(multisampled: bool, left_out: LeftOut) -> ShaderVariant {
    left_out.define(ShaderVariant::new("render/foam.wgsl").with_flag_if(multisampled, "MULTISAMPLED"))
}

/// The shader that puts them over the picture.
pub(super) fn foam_over_variant() -> ShaderVariant {
    ShaderVariant::new("render/foam_over.wgsl")
}

/// The pipelines and textures of foam, and what of the last picture is bound to them.
pub(super) struct FoamLayer {
    /// Samples per pixel of the particle numbers that it reads.
    pub(super) samples: u32,
    particles: DrawPipeline,
    over: DrawPipeline,
    look: wgpu::Buffer,
    size: UVec2,
    layer: wgpu::TextureView,
    depth: wgpu::TextureView,
    bound: Option<Bound>,
}

struct Bound {
    particles: Groups,
    over: Groups,
    arguments: wgpu::Buffer,
}

impl FoamLayer {
    /// Compiles the pipelines for one kind of target, and for particle numbers with that many samples per pixel.
    ///
    /// # Errors
    /// When a shader does not compile.
    pub(super) fn new(gpu: &Gpu, target: TargetFormat, (samples, left_out): (u32, LeftOut)) -> Result<Self, GpuError> {
        let one = wgpu::BlendFactor::One;
        let sum = wgpu::BlendComponent { src_factor: one, dst_factor: one, operation: wgpu::BlendOperation::Add };
        let blend = Some(wgpu::BlendState { color: sum, alpha: sum });
        let particles = Drawing {
            label: "foam",
            variant: &foam_variant(samples > 1, left_out),
            fragment: Some("fragment"),
            color: Some(wgpu::ColorTargetState { format: LAYER_FORMAT, blend, write_mask: wgpu::ColorWrites::ALL }),
            depth: Some(wgpu::DepthStencilState {
                format: DEPTH_FORMAT,
                depth_write_enabled: Some(false),
                depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState::default(),
        };
        let over = (&foam_over_variant(), "fragment");
        let (layer, depth) = textures(gpu, UVec2::ONE);
        Ok(Self {
            samples,
            particles: DrawPipeline::new(gpu, &particles)?,
            over: overlay(gpu, target, "foam over the picture", over, wgpu::CompareFunction::Always)?,
            look: gpu.uniform("look of foam", &FoamLook::default()),
            size: UVec2::ONE,
            layer,
            depth,
            bound: None,
        })
    }

    /// Takes over what the next picture draws. `resources` are those that drawing shaders share, with `positions` and
    /// `names`.
    ///
    /// # Errors
    /// When an edited shader requires a binding that does not exist.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        (look, foam, size): (&Look, &DrawnFoam<'_>, UVec2),
        resources: &[(&str, wgpu::BindingResource<'_>)],
    ) -> Result<(), GpuError> {
        if self.size != size {
            self.size = size;
            (self.layer, self.depth) = textures(gpu, size);
        }
        let water = look.particle_radius;
        let clear = if look.style == DrawStyle::Beads { BUBBLE_FADE } else { BUBBLE_FADE_CLEAR };
        let foam_look = FoamLook {
            first: foam.first,
            radius: (RADIUS * water).max(LEAST_RADIUS * look.extent()),
            foam_fade: FOAM_FADE * water,
            bubble_fade: clear * water,
        };
        gpu.write_uniform(&self.look, &foam_look);
        let own = [
            ("foam_look", self.look.as_entire_binding()),
            ("foam_positions", foam.positions.as_entire_binding()),
            ("foam_velocities", foam.velocities.as_entire_binding()),
            ("foam_places", foam.places.as_entire_binding()),
            ("foam_layer", wgpu::BindingResource::TextureView(&self.layer)),
        ];
        let resources: Vec<_> = own.into_iter().chain(resources.iter().cloned()).collect();
        let bind = |pipeline: &DrawPipeline| pipeline.shader.bind(gpu, pipeline.label, &resources);
        self.bound = Some(Bound {
            particles: bind(&self.particles)?,
            over: bind(&self.over)?,
            arguments: foam.arguments.clone(),
        });
        Ok(())
    }

    /// Records the passes before the picture: the depth of solids, if there are any, and the sums over the particles.
    /// `behind` is the depth of everything that hides foam, if it is known already.
    pub(super) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (solids, seen): (&Solids, [UVec2; 2]),
        behind: Option<&wgpu::TextureView>,
        mut timer: Option<&mut PassTimer>,
    ) {
        let Some(bound) = &self.bound else { return };
        let mut load = if behind.is_some() { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(0.0) };
        if behind.is_none() && !solids.is_empty() {
            let cleared = attachment(&self.layer, None, wgpu::Color::TRANSPARENT);
            let depth = Some((&self.depth, load));
            let mut pass = begin(encoder, "solids before foam", Some(cleared), depth, timer.as_deref_mut());
            restrict(&mut pass, seen, 1);
            solids.record(&mut pass, SolidTarget::Behind);
            load = wgpu::LoadOp::Load;
        }
        let cleared = attachment(&self.layer, None, wgpu::Color::TRANSPARENT);
        let mut pass = begin(encoder, FOAM_PASS, Some(cleared), Some((behind.unwrap_or(&self.depth), load)), timer);
        restrict(&mut pass, seen, 1);
        draw_indirect(&mut pass, &self.particles, &bound.particles, (&bound.arguments, 0));
    }

    /// Draws the foam over the picture.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        if let Some(bound) = &self.bound {
            draw(pass, &self.over, &bound.over, (TRIANGLE, 1));
        }
    }
}

/// The picture of the sums, and the depth of solids.
fn textures(gpu: &Gpu, size: UVec2) -> (wgpu::TextureView, wgpu::TextureView) {
    let texture = |label, format| {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width: size.x, height: size.y, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        texture.create_view(&wgpu::TextureViewDescriptor::default())
    };
    (texture("foam", LAYER_FORMAT), texture("solids before foam", DEPTH_FORMAT))
}

#[cfg(test)]
mod tests {
    use super::{FoamLook, LeftOut, foam_variant};
    use crate::gpu::{ShaderLibrary, assert_same_layout};

    #[test]
    fn the_shader_reads_the_look_at_the_same_offsets() {
        let (module, _) =
            ShaderLibrary::embedded().compose(&foam_variant(false, LeftOut::default())).expect("it composes");
        assert_same_layout::<FoamLook>(&module);
    }
}
