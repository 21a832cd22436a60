//! Shared parts of the drawing tests: particles, views, and functions that examine pixels.

#[path = "../common/device.rs"]
mod device;

pub use device::device as gpu;
use glam::{UVec2, UVec3, Vec2, Vec3};
use image::RgbaImage;
use nearwater::render::color_fields::COLOR_FIELDS;
use nearwater::render::{
    CellEdges, ColorField, ColorFieldInfo, DensityScale, DrawStyle, Drawn, DrawnParticles, Lighting, Look, LookCells,
    SolidStyle, Splatting, Surroundings, Theme, View,
};

pub const SIZE: UVec2 = UVec2::new(320, 240);
pub const RADIUS: f32 = 0.25;

/// A color field by its name on the command line.
pub fn field_named(name: &str) -> ColorField {
    ColorFieldInfo::by_argument(COLOR_FIELDS, name).expect("a field of that name")
}

pub struct Particles {
    pub count: u32,
    pub buffers: [wgpu::Buffer; 5],
}

impl Particles {
    pub fn at(positions: &[Vec3]) -> Self {
        Self::new(positions, |index| index as f32)
    }

    /// Particles whose speed, density, pressure and neighbor count follow from `value(index)`.
    pub fn new(positions: &[Vec3], value: impl Fn(usize) -> f32) -> Self {
        let gpu = gpu();
        let values: Vec<f32> = (0..positions.len()).map(value).collect();
        let positions: Vec<[f32; 4]> = positions.iter().map(|position| position.extend(1.0).to_array()).collect();
        // As in the simulation, w contains the bits of the original index.
        let velocities: Vec<[f32; 4]> =
            (0..).zip(&values).map(|(index, &value)| [0.0, value, 0.0, f32::from_bits(index)]).collect();
        let densities: Vec<[f32; 2]> = values.iter().map(|&value| [10.0 - value, value * value]).collect();
        let neighbor_counts: Vec<u32> = values.iter().map(|&value| 3 * value as u32).collect();
        let candidate_counts: Vec<u32> = values.iter().map(|&value| 5 * value as u32).collect();
        Self {
            count: positions.len() as u32,
            buffers: [
                gpu.storage_with("positions", &positions).expect("memory"),
                gpu.storage_with("velocities", &velocities).expect("memory"),
                gpu.storage_with("densities", &densities).expect("memory"),
                gpu.storage_with("neighbor counts", &neighbor_counts).expect("memory"),
                gpu.storage_with("candidate counts", &candidate_counts).expect("memory"),
            ],
        }
    }

    pub fn drawn(&self) -> Drawn<'_> {
        let [positions, velocities, densities, neighbor_counts, candidate_counts] = &self.buffers;
        DrawnParticles {
            count: self.count,
            fluid_count: self.count,
            parked_beyond: f32::INFINITY,
            positions,
            smoothed: None,
            velocities,
            densities,
            neighbor_counts,
            candidate_counts,
        }
        .into()
    }
}

/// The look of a box behind [`away`]'s camera.
pub fn look() -> Look {
    Look {
        style: DrawStyle::Beads,
        splatting: Splatting::Triangles,
        solids: SolidStyle::Mesh,
        surroundings: Surroundings::default(),
        lighting: Lighting::default(),
        theme: Theme::Dark,
        field: field_named("place-in-the-buffers"),
        low: 0.0,
        high: 2.0,
        particle_radius: RADIUS,
        densities: Some(DensityScale { alone: 0.0, inside: 10.0 }),
        box_low: Vec3::new(-1.0, 0.0, 2.0),
        box_high: Vec3::new(1.0, 1.0, 4.0),
        cells: cells(1.0, 0.0),
        cell_edges: CellEdges::Off,
        cut: None,
        blink: 0.0,
    }
}

/// Cubic cells with the given edge around everything that is drawn.
pub fn cells(edge: f32, border: f32) -> LookCells {
    LookCells { origin: Vec3::splat(-4.0), size: Vec3::splat(edge), counts: UVec3::splat((8.0 / edge) as u32), border }
}

/// Position of [`away`]'s camera. It looks upwards, so that neither floor nor box is in the picture.
pub const EYE: Vec3 = Vec3::new(0.0, 1.0, 0.0);

pub fn forward() -> Vec3 {
    Vec3::new(0.0, 0.8, -1.0).normalize()
}

pub fn away() -> View {
    View::perspective(EYE, EYE + forward(), 40.0, SIZE)
}

/// The difference of two pixels: the largest difference of a channel, in sRGB bytes.
pub fn difference(a: image::Rgba<u8>, b: image::Rgba<u8>) -> u8 {
    a.0.iter().zip(b.0).map(|(&a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

/// The pixels in which two pictures differ.
pub fn changed(a: &RgbaImage, b: &RgbaImage) -> Vec<UVec2> {
    assert_eq!(a.dimensions(), b.dimensions());
    let pairs = a.enumerate_pixels().zip(b.pixels());
    pairs.filter(|((_, _, a), b)| difference(**a, **b) > 0).map(|((x, y, _), _)| UVec2::new(x, y)).collect()
}

/// The position of a world point in the picture, pixels from the upper left corner.
pub fn pixel_of(view: &View, point: Vec3) -> Vec2 {
    let place = (view.clip_from_view * view.world_from_view.inverse()).project_point3(point).truncate();
    (place * Vec2::new(0.5, -0.5) + 0.5) * view.size.as_vec2()
}

pub fn color_at(picture: &RgbaImage, view: &View, point: Vec3) -> image::Rgba<u8> {
    let pixel = pixel_of(view, point);
    *picture.get_pixel(pixel.x as u32, pixel.y as u32)
}
