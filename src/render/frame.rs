//! The uniform buffer of a frame: the camera, the light, the box and the range of the colors.

use glam::{Vec2, Vec3};

use super::color_field_shader::CompiledFields;
use super::solids::Standing;
use super::{ColorField, ColorMap, DrawStyle, Drawn, FieldNeeds, Look, Mark, SolidStyle, Surroundings, Theme, View};
use crate::gpu::gpu_struct;

gpu_struct! {
    /// Parameters of the frame for every drawing shader. Lengths in m, world space, y up.
    pub struct Frame {
        /// From world to clip space.
        pub clip_from_world: [[f32; 4]; 4],
        /// Its inverse.
        pub world_from_clip: [[f32; 4]; 4],
        /// The camera's position.
        pub eye: [f32; 3],
        /// Pixels that one meter covers at a distance of one meter.
        pub pixels_at_one: f32,
        /// The camera's upward direction.
        pub up: [f32; 3],
        /// Radius of a drawn particle.
        pub particle_radius: f32,
        /// Unit vector towards the light.
        pub light: [f32; 3],
        /// Volume of water that a particle represents, m³.
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
        /// Distance from another cell below which a particle is a border particle; 0 where classes are not
        /// distinguished.
        pub cell_border: f32,
        /// Number of cells along each axis.
        pub cell_counts: [u32; 3],
        /// Number of particles.
        pub particle_count: u32,
        /// Lowest corner of the light map on the floor, x and z.
        pub light_map_low: [f32; 2],
        /// Reciprocal of the light map's edges, 1/m.
        pub light_map_inverse_size: [f32; 2],
        /// Size of the picture, pixels.
        pub size: [f32; 2],
        /// Value of the field at the lower end of its color map.
        pub field_low: f32,
        /// Reciprocal of the span of the field's color map.
        pub field_inverse_range: f32,
        /// The number that identifies the field in the shader.
        pub field: u32,
        /// Pixels along each edge of a texel of the relief.
        pub relief_scale: u32,
        /// How far the lighting is evened out so that colors can be read, 0 to 1.
        pub evenness: f32,
        /// How much of a bead's own curvature shows on the large shape of the water, 0 to 1.
        pub beads: f32,
        /// Texels along each edge of the light map.
        pub light_map_texels: u32,
        /// One of this many particles leaves a blot in the light map.
        pub particles_per_blot: u32,
        /// Particles with an original index from this one on belong to boundaries.
        pub fluid_count: u32,
        /// Particles with a larger x are in the reservoir, m.
        pub parked_beyond: f32,
        /// Particles with an original index from this one on are not drawn.
        pub drawn_below: u32,
        /// Number of solids and cloths that are drawn as meshes.
        pub solid_count: u32,
        /// Width of the lamp: radius of its soft shadows divided by the height of what casts them.
        pub lamp: f32,
        /// Greatest height of a solid that casts a shadow, m.
        pub shadow_top: f32,
        /// Particles with centers outside this box are not drawn: its lowest corner.
        pub cut_low: [f32; 3],
        /// Phase of blinking items, 0 to 1.
        pub blink: f32,
        /// Highest corner of the box of drawn particles.
        pub cut_high: [f32; 3],
        /// Opacity of the veil of faded particles, 0 to 1.
        pub veil: f32,
        /// The range of the search's cells whose edges are drawn: its lowest cell.
        pub drawn_cells_first: [u32; 3],
        /// 1 where the colors of the field stand for separate things and are never mixed.
        pub has_separate_colors: u32,
        /// The number of cells of that range along each axis.
        pub drawn_cells: [u32; 3],
        /// 1 where the water is drawn as clear water, and the floor and solids are lit through it; 0 elsewhere.
        pub is_clear: u32,
        /// Absorption of clear water for red, green and blue, 1/m.
        pub absorption: [f32; 3],
        /// 0 in the dark theme and 1 in the light one.
        pub daylight: f32,
        /// Light that clear water scatters back divided by the share that it absorbs, where it receives light of
        /// strength 1.
        pub scattered: [f32; 3],
        /// Texels along each edge of the map of caustics.
        pub caustic_texels: u32,
        /// Density of a particle without neighbors, kg/m³.
        pub lone_density: f32,
        /// Reciprocal of how much denser a particle inside the water is, m³/kg; 0 where particles have no density.
        pub inverse_density_range: f32,
        /// Padding.
        pub spare: [u32; 2],
        /// The key light divided by that of the lamp.
        pub key_light: [f32; 3],
        /// 1 where the water stands in a picture that was drawn before, in place of its own floor and backdrop.
        pub in_picture: u32,
        /// The light from all sides divided by that of the room.
        pub room_light: [f32; 3],
        /// 1 where the picture stores light that is compressed later, and 0 where it stores what is shown.
        pub stores_light: u32,
    }
}

/// Absorption of pure water at 650, 550 and 450 nm, which stand for red, green and blue, 1/m (R. M. Pope and E. S. Fry,
/// "Absorption spectrum (380–700 nm) of pure water. II. Integrating cavity measurements", Applied Optics 36, 1997,
/// table 3).
const ABSORPTION: Vec3 = Vec3::new(0.340, 0.0565, 0.009_22);
/// Light absorbs water over lengths of meters, so that a tank of half a meter would be colorless. Clear water therefore
/// looks as if half of the longer horizontal edge of the box were this long, m.
const APPARENT_EXTENT: f32 = 7.0;
/// Share of light that clear water scatters back at these wavelengths, 1/m. It grows as that of pure water, with the
/// wavelength to the power of -4.32 (A. Morel, "Optical properties of pure water and pure sea water", 1974), and is
/// about three times as strong, so that deep tanks look blue and not black.
const SCATTERING: Vec3 = Vec3::new(0.0029, 0.0060, 0.0143);

/// Radius of a soft shadow divided by the height of what casts it.
const LAMP: f32 = 0.06;
/// Distance of the floor below the box, in half extents of the box: enough that the lower edges do not flicker.
const FLOOR_GAP: f32 = 0.004;

/// Number of blots in the light map: with more particles, only some leave one each, because a soft shadow looks the
/// same.
const BLOT_COUNT: u32 = 131_072;

impl Frame {
    /// The parameters of one picture.
    pub(super) fn new(
        view: &View,
        look: &Look,
        drawn: &Drawn<'_>,
        (standing, fields): (Standing, &CompiledFields),
    ) -> Self {
        let particles = &drawn.particles;
        let clip_from_world = view.clip_from_view * view.world_from_view.inverse();
        let size = view.size.as_vec2().max(Vec2::ONE);
        let extent = look.extent();
        let floor_height = look.box_low.y - FLOOR_GAP * extent;
        let light = look.lighting.direction();
        let (light_map_low, light_map_high) = light_map_area(look, light, floor_height);
        let spacing = look.particle_radius / Look::RADIUS_OVER_SPACING;
        let (cut_low, cut_high) = look.cut.map_or((Vec3::MIN, Vec3::MAX), |cut| (cut.low, cut.high));
        let drawn_cells = look.drawn_cells().unwrap_or_default();
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
            field: field_number(fields, look.field, drawn),
            grid_step: grid_step(extent),
            near: view.clip_from_view.w_axis.z,
            relief_scale: relief_scale(view, look),
            // A measurement is evenly lit, so that its colors can be compared with the legend.
            evenness: if look.field.looks_like_water() { 0.0 } else { 0.45 },
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
            cut_low: cut_low.to_array(),
            blink: look.blink,
            cut_high: cut_high.to_array(),
            veil: Mark::VEIL,
            drawn_cells_first: drawn_cells.first.to_array(),
            has_separate_colors: u32::from(look.field.color_map() == ColorMap::Cells),
            drawn_cells: drawn_cells.counts.to_array(),
            is_clear: u32::from(look.style == DrawStyle::Water),
            absorption: absorption(extent).to_array(),
            daylight: match look.theme {
                Theme::Dark => 0.0,
                Theme::Light => 1.0,
            },
            scattered: scattered(look).to_array(),
            caustic_texels: caustic_texels(look),
            lone_density: look.densities.map_or(0.0, |scale| scale.alone),
            inverse_density_range: look.densities.map_or(0.0, |scale| inverse_range(scale.alone, scale.inside)),
            spare: [0; 2],
            key_light: look.lighting.key.to_array(),
            in_picture: u32::from(look.surroundings != Surroundings::Tank),
            room_light: look.lighting.room.to_array(),
            stores_light: u32::from(look.surroundings == Surroundings::Light),
        }
    }
}

/// The area of the floor that the box's shadow can reach, with a margin in which the shadow fades.
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

/// Absorption of clear water in a box with that half of its longer horizontal edge, 1/m.
fn absorption(extent: f32) -> Vec3 {
    ABSORPTION * (APPARENT_EXTENT / extent)
}

/// Light that clear water scatters back divided by the share of light that it absorbs on the way: the ratio of the
/// coefficients, times the share of the light that reaches the inside of the water. Key light and light from all sides
/// contribute half each.
fn scattered(look: &Look) -> Vec3 {
    let received = match look.theme {
        Theme::Dark => 0.7,
        Theme::Light => 1.0,
    };
    0.5 * received * SCATTERING / ABSORPTION
}

/// Texels along each edge of the light map: about as wide as a particle, within bounds; half as wide for clear water,
/// whose drops throw shadows of their own size.
pub(super) fn light_map_size(look: &Look) -> u32 {
    let edges = look.box_high - look.box_low;
    let beads = edges.x.max(edges.z) / look.particle_radius;
    match look.style {
        DrawStyle::Beads | DrawStyle::Smooth => (beads as u32).clamp(64, 256).next_power_of_two(),
        DrawStyle::Water => ((2.0 * beads) as u32).clamp(128, 512).next_power_of_two(),
    }
}

/// Texels along each edge of the map of caustics.
pub(super) fn caustic_texels(look: &Look) -> u32 {
    light_map_size(look)
}

/// Squares along each edge of the mesh that draws a map of caustics with that many texels, each as wide as the radius
/// of a particle or more; as in `caustic_mesh.wgsl`.
pub(super) fn caustic_mesh(texels: u32) -> u32 {
    (texels / 2).clamp(1, 256)
}

/// Pixels along each edge of a texel of the relief: a fraction of the radius of a particle in the center of the box, so
/// that the same few taps blur the beads away at any size.
pub(super) fn relief_scale(view: &View, look: &Look) -> u32 {
    let eye = view.world_from_view.w_axis.truncate();
    let distance = eye.distance(0.5 * (look.box_low + look.box_high));
    let radius = pixels_at_one(view) * look.particle_radius / distance;
    let share = match look.style {
        DrawStyle::Beads => 0.5,
        DrawStyle::Smooth => 0.8,
        DrawStyle::Water => 0.45,
    };
    // Texels smaller than two pixels would cost time without a visible difference.
    (share * radius).round().clamp(2.0, 16.0) as u32
}

pub(super) fn pixels_at_one(view: &View) -> f32 {
    0.5 * view.size.y.max(1) as f32 * view.clip_from_view.y_axis.y.abs()
}

/// The reciprocal of the span; a span of zero gives a step at `low`.
fn inverse_range(low: f32, high: f32) -> f32 {
    let span = high - low;
    if span.abs() > f32::MIN_POSITIVE { span.recip() } else { f32::MAX.sqrt() }
}

/// A round distance, 1, 2 or 5 times a power of ten, of which about ten fit along the box.
fn grid_step(extent: f32) -> f32 {
    let wanted = extent / 5.0;
    let decade = 10_f32.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|factor| factor * decade).filter(|&step| step <= wanted).fold(decade, f32::max)
}

/// The number that identifies the field in the shaders. A custom field without its buffer gives a number that they do
/// not implement.
fn field_number(fields: &CompiledFields, field: ColorField, drawn: &Drawn<'_>) -> u32 {
    let is_missing = field.info().needs == FieldNeeds::CustomValues && drawn.custom_field.is_none();
    fields.number(field).filter(|_| !is_missing).unwrap_or(u32::MAX)
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
