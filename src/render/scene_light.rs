//! The light of a caller's scene that water stands in, besides its key light: lamps, the shadows that the scene's own
//! meshes throw, and a picture of the scene's surroundings.

use glam::{Mat3, Mat4, Vec3};

/// A light of the scene. Its strength is that of a light that falls on a surface which faces it, divided by the
/// strength of the renderer's own lamp.
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

/// The map of shadows of one part of the scene: depths as a camera at the light sees them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowMap {
    /// From world to the map's clip space, orthographic or perspective. Depth is 1 next to the light and falls to 0.
    pub clip_from_world: Mat4,
    /// Its layer in the texture.
    pub layer: u32,
}

/// The maps of one lamp.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LampMaps {
    /// Whether their layers are those of [`SceneShadows::faces`] instead of [`SceneShadows::depths`].
    pub are_faces: bool,
    /// From the finest to the coarsest, or the faces of a cube; a point is looked up in the first that contains it. At
    /// most [`SceneLight::MAPS`] are used. Without any, the lamp throws no shadows.
    pub maps: Vec<ShadowMap>,
}

/// The shadows that the scene's meshes throw.
#[derive(Clone, Debug)]
pub struct SceneShadows<'a> {
    /// `Depth32Float` in layers, which can be bound; 0 where nothing is in the path of the light.
    pub depths: &'a wgpu::Texture,
    /// The same for the faces of cubes around lamps.
    pub faces: Option<&'a wgpu::Texture>,
    /// Maps of the key light from the finest to the coarsest; a point is looked up in the first that contains it. At
    /// most [`SceneLight::MAPS`] are used.
    pub maps: Vec<ShadowMap>,
    /// The maps of the lamps, in the order of [`SceneLight::lamps`]. Lamps beyond its end throw no shadows.
    pub of_lamps: Vec<LampMaps>,
}

/// A picture of the scene's surroundings, which light the water and are mirrored by it in place of its own sky.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'a> {
    /// The surroundings as they are seen: a cube of six layers in a format that can be filtered, which can be bound.
    /// Further levels are blurred more and more.
    pub seen: &'a wgpu::Texture,
    /// The same kind of cube with the mean light that a matte surface receives which faces the direction.
    pub received: &'a wgpu::Texture,
    /// From world directions to those of the cubes.
    pub cube_from_world: Mat3,
    /// Factor of the colors. With it, a white and matte surface sends to the eye as much light of uniform surroundings
    /// as of a key light of that strength which it faces.
    pub strength: f32,
}

impl<'a> Environment<'a> {
    /// The surroundings, if textures of that kind can be sampled as such.
    pub fn new(
        [seen, received]: [&'a wgpu::Texture; 2],
        features: wgpu::Features,
        (cube_from_world, strength): (Mat3, f32),
    ) -> Option<Self> {
        let can_be_bound = |texture: &wgpu::Texture| {
            let kind = texture.format().sample_type(None, Some(features));
            texture.depth_or_array_layers() == 6
                && texture.usage().contains(wgpu::TextureUsages::TEXTURE_BINDING)
                && kind == Some(wgpu::TextureSampleType::Float { filterable: true })
        };
        [seen, received].into_iter().all(can_be_bound).then_some(Self { seen, received, cube_from_world, strength })
    }
}

/// Light of the scene that water stands in, besides [`Lighting`](super::Lighting).
///
/// ```
/// use glam::Vec3;
/// use nearwater::render::{Beam, Lamp, SceneLight};
///
/// let beam = Beam { direction: Vec3::NEG_Y, inner_angle: 0.3, outer_angle: 0.5 };
/// let (position, light) = (Vec3::new(0.0, 3.0, 0.0), Vec3::splat(9.0));
/// let lamp = Lamp::Near { position, light, range: 20.0, beam: Some(beam) };
/// assert!((lamp.light_at(Vec3::ZERO).x - 1.0).abs() < 1e-2, "the square of the distance is 9");
/// let light = SceneLight { lamps: vec![lamp], ambient: Vec3::splat(0.1), ..SceneLight::default() };
/// assert!(light.lamps.len() <= SceneLight::LAMPS);
/// // It is passed to `Renderer::prepare` as `Drawn::scene_light`.
/// ```
#[derive(Clone, Debug, Default)]
pub struct SceneLight<'a> {
    /// Further lights. At most [`SceneLight::LAMPS`] are used.
    pub lamps: Vec<Lamp>,
    /// What meshes of the scene leave of the lights.
    pub shadows: Option<SceneShadows<'a>>,
    /// What the water mirrors in place of its own sky, and what lights it in place of
    /// [`Lighting::room`](super::Lighting::room).
    pub environment: Option<Environment<'a>>,
    /// The light that meshes of the scene receive from all sides, besides that of the environment. A white, matte
    /// surface sends as much of it to the eye as of the key light's `key` where it faces that.
    pub ambient: Vec3,
    /// Whether meshes of the scene are lit by the key light, and the water is to throw its shadow and its caustics on
    /// them. Colors beyond the light of the scene, of surfaces that shine themselves or mirror something, are taken for
    /// matte.
    pub lights_meshes: bool,
}

impl SceneLight<'_> {
    /// Greatest number of lamps.
    pub const LAMPS: usize = 8;
    /// Greatest number of maps of shadows of a light: the faces of a cube.
    pub const MAPS: usize = 6;
}

/// The square of the distance to a lamp at which its light grows no more, m²; as in `scene_light.wgsl`.
const LEAST_SQUARED: f32 = 1e-4;

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::Lamp;

    #[test]
    fn a_lamp_falls_off_with_the_square_of_the_distance_and_ends_at_its_range() {
        let lamp = Lamp::Near { position: Vec3::Y, light: Vec3::ONE, range: 100.0, beam: None };
        let at = |distance: f32| lamp.light_at(Vec3::new(distance, 1.0, 0.0)).x;
        assert!((at(1.0) / at(2.0) - 4.0).abs() < 1e-3, "{} and {}", at(1.0), at(2.0));
        assert!(at(99.0) < 1e-3 * at(50.0) && at(100.0) == 0.0 && at(200.0) == 0.0);
    }
}
