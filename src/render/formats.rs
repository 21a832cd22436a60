//! Formats of the textures that the renderer draws into.

/// The light map is blended, so it has 16-bit floats, the widest format that every device can blend.
pub(super) const LIGHT_MAP_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Particle numbers are stored in two halves of 16 bits, the widest integer format that every device can multisample.
pub(super) const NAMES_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rg16Uint;

/// Bits of the relief's depths. Every device can draw to 32-bit floats, but only as integers can they be bound without
/// declaring whether they are filterable.
pub(super) const RELIEF_DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;
/// The relief's normals.
pub(super) const RELIEF_NORMAL_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// Length of a ray in water, m: blended, so it has 16-bit floats.
pub(super) const THICKNESS_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R16Float;

/// Corners of the mesh of caustics: two floats, and three numbers of 16 bits.
pub(super) const CAUSTIC_CORNERS_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;
/// Light on the floor: added up, so it has 16-bit floats.
pub(super) const CAUSTICS_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// The formats and the sample count of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetFormat {
    /// Color, an sRGB format: the shaders write linear colors.
    pub color: wgpu::TextureFormat,
    /// Depth, 32-bit float.
    pub depth: wgpu::TextureFormat,
    /// Samples per pixel, 1 or 4.
    pub sample_count: u32,
}
