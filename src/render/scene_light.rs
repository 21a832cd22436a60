//! The light of a caller's scene that water stands in, besides its key light: lamps, and the shadows that the scene's own
//! meshes throw in the key light.

use glam::{Mat4, Vec3};

use crate::gpu::{Gpu, gpu_struct};

/// Format of the maps of shadows.
const MAP_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// A light of the scene. Its strength is that of a light that falls on a surface which faces it, divided by the strength of
/// the renderer's own lamp; it throws no shadows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lamp {
    /// Light from one direction.
    Distant {
        /// Towards the light.
        towards: Vec3,
        /// Color and strength.
        light: Vec3,
    },
    /// Light from a point, which falls off with the square of the distance.
    Near {
        /// Where the lamp is, m.
        position: Vec3,
        /// Color and strength at a distance of 1 m.
        light: Vec3,
        /// Distance at which nothing is left of it, m.
        range: f32,
        /// The cone that it shines into; `None` shines into all directions.
        beam: Option<Beam>,
    },
}

impl Lamp {
    /// Color and strength at a position, if nothing narrows its beam.
    pub fn light_at(&self, place: Vec3) -> Vec3 {
        match *self {
            Self::Distant { light, .. } => light,
            Self::Near { position, light, range, .. } => {
                let squared = position.distance_squared(place);
                let left = (1.0 - (squared / (range * range)).powi(2)).max(0.0);
                light * (left * left / squared.max(LEAST_SQUARED))
            }
        }
    }
}

/// The cone of light of a lamp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// From the lamp along the axis of the cone.
    pub direction: Vec3,
    /// Angle to the axis at which the light begins to fade, rad.
    pub inner_angle: f32,
    /// Angle to the axis at which no light is left, rad.
    pub outer_angle: f32,
}

/// The map of shadows of one part of the scene: depths as an orthographic camera at the key light sees them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowMap {
    /// From world to the map's clip space. Depth is 1 next to the light and falls to 0.
    pub clip_from_world: Mat4,
    /// Its layer in the texture.
    pub layer: u32,
}

/// The shadows that the scene's meshes throw in the key light.
#[derive(Clone, Debug)]
pub struct SceneShadows<'a> {
    /// `Depth32Float` in layers, which can be bound; 0 where nothing is in the path of the light.
    pub depths: &'a wgpu::Texture,
    /// Maps from the finest to the coarsest; a point is looked up in the first that contains it. At most
    /// [`SceneLight::MAPS`] are used.
    pub maps: Vec<ShadowMap>,
}

/// Light of the scene that water stands in, besides [`Lighting`](super::Lighting).
#[derive(Clone, Debug, Default)]
pub struct SceneLight<'a> {
    /// Further lights. At most [`SceneLight::LAMPS`] are used.
    pub lamps: Vec<Lamp>,
    /// What meshes of the scene leave of the key light.
    pub shadows: Option<SceneShadows<'a>>,
    /// If meshes of the scene are lit by the key light, and the water is to throw its shadow and its caustics on them:
    /// the light that they receive from all sides. A white, matte surface sends as much of it to the eye as of the key
    /// light's `key` where it faces that. Colors beyond it, of surfaces that shine themselves or mirror something,
    /// are taken for matte.
    pub mesh_ambient: Option<Vec3>,
}

impl SceneLight<'_> {
    /// Greatest number of lamps.
    pub const LAMPS: usize = 8;
    /// Greatest number of maps of shadows.
    pub const MAPS: usize = 4;
}

/// The square of the distance to a lamp at which its light grows no more, m²; as in `scene_light.wgsl`.
const LEAST_SQUARED: f32 = 1e-4;

gpu_struct! {
    /// A lamp for the shaders.
    pub struct GpuLamp {
        /// Where it is, m; of a distant one, the unit vector towards it.
        pub position: [f32; 3],
        /// Added to the cosine of the angle to the beam's axis times `beam_scale`.
        pub beam_offset: f32,
        /// Color and strength: of a distant lamp, or at a distance of 1 m.
        pub light: [f32; 3],
        /// Reciprocal of the square of its range, 1/m²; negative for a distant lamp.
        pub inverse_square_range: f32,
        /// Unit vector along the beam.
        pub beam: [f32; 3],
        /// Reciprocal of the difference between the cosines of the beam's inner and outer angle; 0 without a beam.
        pub beam_scale: f32,
    }
}

gpu_struct! {
    /// The light of the scene for the shaders.
    pub struct GpuSceneLight {
        /// The lamps.
        pub lamps: [GpuLamp; SceneLight::LAMPS],
        /// From world to the clip space of each map of shadows.
        pub maps: [[[f32; 4]; 4]; SceneLight::MAPS],
        /// The layers of the maps.
        pub layers: [u32; SceneLight::MAPS],
        /// Number of lamps.
        pub lamp_count: u32,
        /// Number of maps.
        pub map_count: u32,
        /// Padding.
        pub spare: [u32; 2],
        /// Light from all sides on the scene's meshes.
        pub mesh_ambient: [f32; 3],
        /// Padding.
        pub last: u32,
    }
}

impl From<Lamp> for GpuLamp {
    fn from(lamp: Lamp) -> Self {
        match lamp {
            Lamp::Distant { towards, light } => Self {
                position: towards.normalize_or(Vec3::Y).to_array(),
                beam_offset: 1.0,
                light: light.to_array(),
                inverse_square_range: -1.0,
                ..Self::default()
            },
            Lamp::Near { position, light, range, beam } => {
                let all = Self {
                    position: position.to_array(),
                    beam_offset: 1.0,
                    light: light.to_array(),
                    inverse_square_range: (range * range).recip(),
                    ..Self::default()
                };
                let Some(Beam { direction, inner_angle, outer_angle }) = beam else { return all };
                let scale = (inner_angle.cos() - outer_angle.cos()).max(1e-4).recip();
                Self {
                    beam: direction.normalize_or(Vec3::NEG_Y).to_array(),
                    beam_scale: scale,
                    beam_offset: -outer_angle.cos() * scale,
                    ..all
                }
            }
        }
    }
}

impl From<&SceneLight<'_>> for GpuSceneLight {
    fn from(light: &SceneLight<'_>) -> Self {
        let mesh_ambient = light.mesh_ambient.unwrap_or_default().to_array();
        let mut all = Self { mesh_ambient, ..Self::default() };
        for (place, &lamp) in all.lamps.iter_mut().zip(&light.lamps) {
            *place = lamp.into();
            all.lamp_count += 1;
        }
        let maps = light.shadows.iter().flat_map(|shadows| &shadows.maps).take(SceneLight::MAPS);
        for (index, map) in maps.enumerate() {
            all.maps[index] = map.clip_from_world.to_cols_array_2d();
            all.layers[index] = map.layer;
            all.map_count += 1;
        }
        all
    }
}

/// The light of the scene as the drawing shaders bind it.
pub(super) struct BoundSceneLight {
    uniform: wgpu::Buffer,
    /// A single texel, which is bound where the scene has no maps.
    nothing: wgpu::Texture,
    depths: wgpu::Texture,
    view: wgpu::TextureView,
}

impl BoundSceneLight {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let nothing = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("no shadows of the scene"),
            size: wgpu::Extent3d::default(),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: MAP_FORMAT,
            usage: wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let uniform = gpu.uniform("light of the scene", &GpuSceneLight::default());
        Self { uniform, view: view_of(&nothing), depths: nothing.clone(), nothing }
    }

    /// Takes over the light of the next picture, and returns whether it has to be bound anew.
    pub(super) fn prepare(&mut self, gpu: &Gpu, light: &SceneLight<'_>) -> bool {
        gpu.write_uniform(&self.uniform, &GpuSceneLight::from(light));
        let depths = light.shadows.as_ref().map_or(&self.nothing, |shadows| shadows.depths);
        if *depths == self.depths {
            return false;
        }
        self.view = view_of(depths);
        self.depths = depths.clone();
        true
    }

    /// What shaders read, by the names of their variables.
    pub(super) fn resources(&self) -> [(&'static str, wgpu::BindingResource<'_>); 2] {
        [
            ("scene_light", self.uniform.as_entire_binding()),
            ("scene_depths", wgpu::BindingResource::TextureView(&self.view)),
        ]
    }
}

/// All layers of a texture of maps.
fn view_of(depths: &wgpu::Texture) -> wgpu::TextureView {
    depths.create_view(&wgpu::TextureViewDescriptor {
        label: Some("shadows of the scene"),
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        aspect: wgpu::TextureAspect::DepthOnly,
        ..Default::default()
    })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{GpuLamp, GpuSceneLight, Lamp};
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};

    #[test]
    fn the_shader_reads_lamps_and_maps_at_the_same_offsets() {
        let variant = ShaderVariant::new("render/clear_water.wgsl");
        let (module, _) = ShaderLibrary::embedded().compose(&variant).expect("clear water composes");
        assert_same_layout::<GpuLamp>(&module);
        assert_same_layout::<GpuSceneLight>(&module);
    }

    #[test]
    fn a_lamp_falls_off_with_the_square_of_the_distance_and_ends_at_its_range() {
        let lamp = Lamp::Near { position: Vec3::Y, light: Vec3::ONE, range: 100.0, beam: None };
        let at = |distance: f32| lamp.light_at(Vec3::new(distance, 1.0, 0.0)).x;
        assert!((at(1.0) / at(2.0) - 4.0).abs() < 1e-3, "{} and {}", at(1.0), at(2.0));
        assert!(at(99.0) < 1e-3 * at(50.0) && at(100.0) == 0.0 && at(200.0) == 0.0);
    }
}
