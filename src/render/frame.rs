use glam::{Vec2, Vec3};

use super::solids::Standing;
use super::{ColorField, DrawStyle, DrawnParticles, Look, SolidStyle, View};
use crate::gpu::gpu_struct;

gpu_struct! {
    /// What every drawing shader knows of the frame. Lengths in m, world space, y up.
    pub struct Frame {
        /// From world to clip space.
        pub clip_from_world: [[f32; 4]; 4],
        /// Its inverse.
        pub world_from_clip: [[f32; 4]; 4],
        /// The camera's place.
        pub eye: [f32; 3],
        /// Pixels that one metre covers at a distance of one metre.
        pub pixels_at_one: f32,
        /// The camera's upward direction.
        pub up: [f32; 3],
        /// Radius of a drawn particle.
        pub particle_radius: f32,
        /// Unit vector towards the light.
        pub light: [f32; 3],
        /// Volume of water a particle stands for, m³.
        pub particle_volume: f32,
        /// Lowest corner of the box.
        pub box_low: [f32; 3],
        /// Height of the floor.
        pub floor_height: f32,
        /// Highest corner of the box.
        pub box_high: [f32; 3],
        /// Half of the longer horizontal edge of the box.
        pub extent: f32,
        /// Lowest corner of the search's grid.
        pub cell_origin: [f32; 3],
        /// Distance between the floor's grid lines.
        pub grid_step: f32,
        /// Reciprocal of a cell's edges, 1/m.
        pub inverse_cell_size: [f32; 3],
        /// Distance of the near plane.
        pub near: f32,
        /// Edges of the search's cells.
        pub cell_size: [f32; 3],
        /// How near to another cell a particle is a border particle; 0 where none is.
        pub cell_border: f32,
        /// Cells along each axis.
        pub cell_counts: [u32; 3],
        /// Number of particles.
        pub particle_count: u32,
        /// Lowest corner of the light map on the floor, x and z.
        pub light_map_low: [f32; 2],
        /// Reciprocal of the light map's edges, 1/m.
        pub light_map_inverse_size: [f32; 2],
        /// Pixels of the picture.
        pub size: [f32; 2],
        /// Value of the field at the lower end of its colour map.
        pub field_low: f32,
        /// One over the span of the field's colour map.
        pub field_inverse_range: f32,
        /// The field, as the shader numbers it.
        pub field: u32,
        /// Pixels along each edge of a texel of the relief.
        pub relief_scale: u32,
        /// How far the light is evened out so that colours can be read off, 0 to 1.
        pub evenness: f32,
        /// How much of a bead's own roundness shows on the water's large shape, 0 to 1.
        pub beads: f32,
        /// Texels along each edge of the light map.
        pub light_map_texels: u32,
        /// Particles for which one leaves a blot in the light map.
        pub particles_per_blot: u32,
        /// Particles from that original index on are boundaries'.
        pub fluid_count: u32,
        /// Particles farther along x are in the reservoir, m.
        pub parked_beyond: f32,
        /// Particles from that original index on are not drawn.
        pub drawn_below: u32,
        /// Solids and cloths that are drawn as meshes.
        pub solid_count: u32,
        /// How broad the lamp is: radius of its soft shadows over the height that they fall from.
        pub lamp: f32,
        /// No solid casts its shadow from higher, m.
        pub shadow_top: f32,
    }
}

/// Towards the key light: high, from the left and the front of a camera that looks along -z.
const LIGHT: Vec3 = Vec3::new(-0.55, 0.85, 0.06);
/// Radius of a soft shadow over the height it falls from.
const LAMP: f32 = 0.06;
/// How far below the box the floor lies, in its half extents: enough that its lower edges do not flicker.
const FLOOR_GAP: f32 = 0.004;

/// Blots in the light map: with more, fewer particles leave one each, since a soft shadow shows no difference.
const BLOT_COUNT: u32 = 131_072;

impl Frame {
    /// The numbers of one picture.
    pub(super) fn new(view: &View, look: &Look, particles: &DrawnParticles<'_>, standing: Standing) -> Self {
        let clip_from_world = view.clip_from_view * view.world_from_view.inverse();
        let size = view.size.as_vec2().max(Vec2::ONE);
        let edges = look.box_high - look.box_low;
        let extent = 0.5 * edges.x.max(edges.z).max(f32::MIN_POSITIVE);
        let floor_height = look.box_low.y - FLOOR_GAP * extent;
        let light = LIGHT.normalize();
        let (light_map_low, light_map_high) = light_map_area(look, light, floor_height);
        let spacing = look.particle_radius / Look::RADIUS_OVER_SPACING;
        Self {
            clip_from_world: clip_from_world.to_cols_array_2d(),
            world_from_clip: clip_from_world.inverse().to_cols_array_2d(),
            eye: view.world_from_view.w_axis.truncate().to_array(),
            pixels_at_one: pixels_at_one(view),
            up: view.world_from_view.y_axis.truncate().normalize_or(Vec3::Y).to_array(),
            particle_radius: look.particle_radius,
            light: light.to_array(),
            particle_volume: spacing.powi(3),
            box_low: look.box_low.to_array(),
            floor_height,
            box_high: look.box_high.to_array(),
            extent,
            cell_origin: look.cells.origin.to_array(),
            inverse_cell_size: look.cells.size.recip().to_array(),
            cell_size: look.cells.size.to_array(),
            cell_border: look.cells.border,
            cell_counts: look.cells.counts.to_array(),
            particle_count: particles.count,
            light_map_low: light_map_low.to_array(),
            light_map_inverse_size: (light_map_high - light_map_low).recip().to_array(),
            size: size.to_array(),
            field_low: look.low,
            field_inverse_range: inverse_range(look.low, look.high),
            field: field_number(look.field),
            grid_step: grid_step(extent),
            near: view.clip_from_view.w_axis.z,
            relief_scale: relief_scale(view, look),
            // Speed is drawn as water; everything else as a measurement.
            evenness: if look.field == ColorField::Speed { 0.0 } else { 0.45 },
            beads: 0.4,
            light_map_texels: light_map_size(look),
            particles_per_blot: particles.count.div_ceil(BLOT_COUNT).max(1),
            fluid_count: particles.fluid_count,
            parked_beyond: particles.parked_beyond,
            drawn_below: match look.solids {
                SolidStyle::Particles => u32::MAX,
                SolidStyle::Mesh | SolidStyle::Hidden => particles.fluid_count,
            },
            solid_count: standing.count,
            lamp: LAMP,
            shadow_top: look.box_high.y.max(standing.top),
        }
    }
}

/// The rectangle of the floor that the box's shadow can reach, with a margin in which the shadow fades.
fn light_map_area(look: &Look, light: Vec3, floor_height: f32) -> (Vec2, Vec2) {
    let mut low = Vec2::INFINITY;
    let mut high = Vec2::NEG_INFINITY;
    for corner in 0..8_u8 {
        let pick = |axis: u8, low: f32, high: f32| if corner >> axis & 1 == 0 { low } else { high };
        let x = pick(0, look.box_low.x, look.box_high.x);
        let y = pick(1, look.box_low.y, look.box_high.y);
        let z = pick(2, look.box_low.z, look.box_high.z);
        let along = (y - floor_height) / light.y;
        let place = Vec2::new(x - light.x * along, z - light.z * along);
        low = low.min(place);
        high = high.max(place);
    }
    let margin = (high - low) * 0.06;
    (low - margin, high + margin)
}

/// Texels along each edge of the light map: about as wide as a particle, between coarse and needlessly fine.
pub(super) fn light_map_size(look: &Look) -> u32 {
    let edges = look.box_high - look.box_low;
    let beads = edges.x.max(edges.z) / look.particle_radius;
    (beads as u32).clamp(64, 256).next_power_of_two()
}

/// Pixels along each edge of a texel of the relief: a share of the radius of a particle in the middle of the box, so
/// that the same few taps blur the beads away however large they are.
pub(super) fn relief_scale(view: &View, look: &Look) -> u32 {
    let eye = view.world_from_view.w_axis.truncate();
    let distance = eye.distance(0.5 * (look.box_low + look.box_high));
    let radius = pixels_at_one(view) * look.particle_radius / distance;
    let share = match look.style {
        DrawStyle::Beads => 0.5,
        DrawStyle::Smooth => 0.8,
    };
    // Finer than two pixels costs more than it shows.
    (share * radius).round().clamp(2.0, 16.0) as u32
}

fn pixels_at_one(view: &View) -> f32 {
    0.5 * view.size.y.max(1) as f32 * view.clip_from_view.y_axis.y.abs()
}

/// One over the span; a span of nothing makes a step at `low`.
fn inverse_range(low: f32, high: f32) -> f32 {
    let span = high - low;
    if span.abs() > f32::MIN_POSITIVE { span.recip() } else { f32::MAX.sqrt() }
}

/// A round distance, 1, 2 or 5 times a power of ten, of which some ten fit along the box.
fn grid_step(extent: f32) -> f32 {
    let wanted = extent / 5.0;
    let decade = 10_f32.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|factor| factor * decade).filter(|&step| step <= wanted).fold(decade, f32::max)
}

/// The number that the shader's `switch` knows a field by, and the definition that carries it there.
pub(super) const FIELD_NUMBERS: [(&str, ColorField); 7] = [
    ("FIELD_SPEED", ColorField::Speed),
    ("FIELD_DENSITY", ColorField::Density),
    ("FIELD_PRESSURE", ColorField::Pressure),
    ("FIELD_NEIGHBOR_COUNT", ColorField::NeighborCount),
    ("FIELD_CANDIDATE_COUNT", ColorField::CandidateCount),
    ("FIELD_CELL", ColorField::Cell),
    ("FIELD_CLASS", ColorField::Class),
];

pub(super) fn field_number(field: ColorField) -> u32 {
    ColorField::ALL.iter().position(|&other| other == field).map_or(0, |index| index as u32)
}

#[cfg(test)]
mod tests {
    use super::{Frame, grid_step};
    use crate::gpu::{GpuStruct as _, ShaderLibrary, ShaderVariant, struct_layouts};

    #[test]
    fn the_shader_reads_the_frame_at_the_same_offsets() {
        let (module, _) = ShaderLibrary::embedded()
            .compose(&ShaderVariant::new("render/background.wgsl"))
            .expect("the background composes");
        let layout = struct_layouts(&module).into_iter().find(|layout| layout.name == Frame::NAME).expect("a Frame");
        assert_eq!(layout.bytes as usize, size_of::<Frame>());
        let offsets: Vec<(String, u32)> =
            Frame::FIELDS.iter().map(|&(name, offset)| (name.to_owned(), offset as u32)).collect();
        assert_eq!(layout.fields, offsets);
    }

    #[test]
    fn the_grid_is_round() {
        for (extent, step) in [(0.5, 0.1), (0.8, 0.1), (1.0, 0.2), (2.5, 0.5), (30.0, 5.0)] {
            assert!((grid_step(extent) - step).abs() < 1e-5 * step, "{extent}: {}", grid_step(extent));
        }
    }
}
