//! The light of a caller's scene as the drawing shaders bind it.

use glam::Vec3;

use super::scene_light::{Beam, Lamp, SceneLight, ShadowMap};
use super::textures::clear_texel;
use crate::gpu::{Gpu, gpu_struct};

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
        /// Number of its maps of shadows.
        pub map_count: u32,
        /// Whether these are faces of a cube: 0 or 1.
        pub are_faces: u32,
        /// Padding.
        pub spare: [u32; 2],
    }
}

gpu_struct! {
    /// A map of shadows for the shaders.
    pub struct GpuShadowMap {
        /// From world to its clip space.
        pub clip_from_world: [[f32; 4]; 4],
        /// Its layer.
        pub layer: u32,
        /// Padding.
        pub spare: u32,
        /// Padding.
        pub last: [u32; 2],
    }
}

gpu_struct! {
    /// The light of the scene for the shaders.
    pub struct GpuSceneLight {
        /// The lamps.
        pub lamps: [GpuLamp; SceneLight::LAMPS],
        /// The maps of shadows of the key light, followed by those of each lamp.
        pub maps: [[GpuShadowMap; SceneLight::MAPS]; 1 + SceneLight::LAMPS],
        /// The columns of the rotation from world directions to those of the environment, padded.
        pub cube_from_world: [[f32; 4]; 3],
        /// Light from all sides on the scene's meshes.
        pub ambient: [f32; 3],
        /// Factor of the colors of the environment; 0 without one.
        pub environment_strength: f32,
        /// Number of lamps.
        pub lamp_count: u32,
        /// Number of maps of the key light.
        pub map_count: u32,
        /// Padding.
        pub spare: [u32; 2],
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

impl From<&ShadowMap> for GpuShadowMap {
    fn from(map: &ShadowMap) -> Self {
        Self { clip_from_world: map.clip_from_world.to_cols_array_2d(), layer: map.layer, ..Self::default() }
    }
}

impl From<&SceneLight<'_>> for GpuSceneLight {
    fn from(light: &SceneLight<'_>) -> Self {
        let mut all = Self { ambient: light.ambient.to_array(), ..Self::default() };
        for (place, &lamp) in all.lamps.iter_mut().zip(&light.lamps) {
            *place = lamp.into();
            all.lamp_count += 1;
        }
        if let Some(environment) = &light.environment {
            all.environment_strength = environment.strength;
            all.cube_from_world = environment.cube_from_world.to_cols_array_2d().map(|[x, y, z]| [x, y, z, 0.0]);
        }
        let Some(shadows) = &light.shadows else { return all };
        let [of_key, of_lamps @ ..] = &mut all.maps;
        all.map_count = put_maps(of_key, &shadows.maps);
        for ((place, lamp), of_lamp) in of_lamps.iter_mut().zip(&mut all.lamps).zip(&shadows.of_lamps) {
            lamp.are_faces = u32::from(of_lamp.are_faces);
            lamp.map_count = put_maps(place, &of_lamp.maps);
        }
        all
    }
}

/// Returns how many of the maps there is room for.
fn put_maps(place: &mut [GpuShadowMap], maps: &[ShadowMap]) -> u32 {
    let mut count = 0;
    for (place, map) in place.iter_mut().zip(maps) {
        *place = map.into();
        count += 1;
    }
    count
}

/// A texture that the caller may replace in every picture.
struct Replaceable {
    /// Bound where the caller has none: black, or nothing in the path of the light.
    nothing: wgpu::Texture,
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    dimension: wgpu::TextureViewDimension,
}

impl Replaceable {
    fn new(gpu: &Gpu, label: &str, (format, dimension): (wgpu::TextureFormat, wgpu::TextureViewDimension)) -> Self {
        let layers = if dimension == wgpu::TextureViewDimension::Cube { 6 } else { 1 };
        let nothing = clear_texel(gpu, label, (format, layers));
        Self { view: view_of(&nothing, dimension), texture: nothing.clone(), nothing, dimension }
    }

    /// Takes over the texture of the next picture, and returns whether it is another one than before.
    fn replace(&mut self, texture: Option<&wgpu::Texture>) -> bool {
        let texture = texture.unwrap_or(&self.nothing);
        if *texture == self.texture {
            return false;
        }
        self.view = view_of(texture, self.dimension);
        self.texture = texture.clone();
        true
    }

    fn resource(&self) -> wgpu::BindingResource<'_> {
        wgpu::BindingResource::TextureView(&self.view)
    }
}

/// All layers and levels of a texture.
fn view_of(texture: &wgpu::Texture, dimension: wgpu::TextureViewDimension) -> wgpu::TextureView {
    let is_depth = texture.format().has_depth_aspect();
    texture.create_view(&wgpu::TextureViewDescriptor {
        label: Some("light of the scene"),
        dimension: Some(dimension),
        aspect: if is_depth { wgpu::TextureAspect::DepthOnly } else { wgpu::TextureAspect::All },
        ..Default::default()
    })
}

/// The light of the scene as the drawing shaders bind it.
pub(super) struct BoundSceneLight {
    uniform: wgpu::Buffer,
    sampler: wgpu::Sampler,
    depths: Replaceable,
    faces: Replaceable,
    seen: Replaceable,
    received: Replaceable,
}

impl BoundSceneLight {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let maps = (wgpu::TextureFormat::Depth32Float, wgpu::TextureViewDimension::D2Array);
        let cube = (wgpu::TextureFormat::Rgba8Unorm, wgpu::TextureViewDimension::Cube);
        let linear = wgpu::FilterMode::Linear;
        Self {
            uniform: gpu.uniform("light of the scene", &GpuSceneLight::default()),
            sampler: gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("environment"),
                mag_filter: linear,
                min_filter: linear,
                mipmap_filter: wgpu::MipmapFilterMode::Linear,
                ..Default::default()
            }),
            depths: Replaceable::new(gpu, "no shadows of the scene", maps),
            faces: Replaceable::new(gpu, "no shadows of lamps", maps),
            seen: Replaceable::new(gpu, "no environment", cube),
            received: Replaceable::new(gpu, "no light of an environment", cube),
        }
    }

    /// Takes over the light of the next picture, and returns whether it has to be bound anew.
    pub(super) fn prepare(&mut self, gpu: &Gpu, light: &SceneLight<'_>) -> bool {
        gpu.write_uniform(&self.uniform, &GpuSceneLight::from(light));
        let shadows = light.shadows.as_ref();
        let replaced = [
            self.depths.replace(shadows.map(|shadows| shadows.depths)),
            self.faces.replace(shadows.and_then(|shadows| shadows.faces)),
            self.seen.replace(light.environment.map(|environment| environment.seen)),
            self.received.replace(light.environment.map(|environment| environment.received)),
        ];
        replaced.contains(&true)
    }

    /// What shaders read, by the names of their variables.
    pub(super) fn resources(&self) -> [(&'static str, wgpu::BindingResource<'_>); 6] {
        [
            ("scene_light", self.uniform.as_entire_binding()),
            ("scene_depths", self.depths.resource()),
            ("scene_faces", self.faces.resource()),
            ("environment_seen", self.seen.resource()),
            ("environment_received", self.received.resource()),
            ("environment_sampler", wgpu::BindingResource::Sampler(&self.sampler)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::{GpuLamp, GpuSceneLight, GpuShadowMap};
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};

    #[test]
    fn the_shader_reads_lamps_and_maps_at_the_same_offsets() {
        let variant = ShaderVariant::new("render/clear_water.wgsl");
        let (module, _) = ShaderLibrary::embedded().compose(&variant).expect("clear water composes");
        assert_same_layout::<GpuLamp>(&module);
        assert_same_layout::<GpuShadowMap>(&module);
        assert_same_layout::<GpuSceneLight>(&module);
    }
}
