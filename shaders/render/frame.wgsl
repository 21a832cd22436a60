// Parameters of the frame for every drawing shader: the camera, the light, the box and the range of the colors.
#define_import_path nearwater::render::frame

// Mirrored by `render::frame::Frame`. Lengths in m, world space, y up.
struct Frame {
    clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    eye: vec3<f32>,
    // Pixels that one meter covers at a distance of one meter.
    pixels_at_one: f32,
    up: vec3<f32>,
    particle_radius: f32,
    // Unit vector towards the light.
    light: vec3<f32>,
    // Volume of water that a particle represents, m^3.
    particle_volume: f32,
    box_low: vec3<f32>,
    floor_height: f32,
    box_high: vec3<f32>,
    // Half of the longer horizontal edge of the box.
    extent: f32,
    cell_origin: vec3<f32>,
    // Distance between the floor's grid lines.
    grid_step: f32,
    inverse_cell_size: vec3<f32>,
    // Distance of the near plane, m.
    near: f32,
    // Edges of the search's cells, m.
    cell_size: vec3<f32>,
    // Distance from another cell below which a particle is a border particle, m; 0 where classes are not distinguished.
    cell_border: f32,
    // Number of cells along each axis.
    cell_counts: vec3<u32>,
    particle_count: u32,
    // The area of the light map on the floor: its lowest corner in x and z, and the reciprocal of its edges.
    light_map_low: vec2<f32>,
    light_map_inverse_size: vec2<f32>,
    // Size of the picture, pixels.
    size: vec2<f32>,
    field_low: f32,
    field_inverse_range: f32,
    field: u32,
    // Pixels along each edge of a texel of the coarse relief.
    relief_scale: u32,
    // How far the lighting is evened out so that colors can be read, 0 to 1.
    evenness: f32,
    // How much of a bead's own curvature shows on the large shape of the water, 0 to 1.
    beads: f32,
    // Texels along each edge of the light map.
    light_map_texels: u32,
    // One of this many particles leaves a blot in the light map.
    particles_per_blot: u32,
    // Particles with an original index from this one on belong to boundaries.
    fluid_count: u32,
    // Particles with a larger x are in the reservoir, m.
    parked_beyond: f32,
    // Particles with an original index from this one on are not drawn.
    drawn_below: u32,
    // Number of solids and cloths that are drawn as meshes.
    solid_count: u32,
    // Width of the lamp: radius of its soft shadows divided by the height of what casts them.
    lamp: f32,
    // Greatest height of a solid that casts a shadow, m.
    shadow_top: f32,
    // Particles with centers outside this box are not drawn, m.
    cut_low: vec3<f32>,
    // Phase of blinking items, 0 to 1.
    blink: f32,
    cut_high: vec3<f32>,
    // Opacity of the veil of faded particles, 0 to 1.
    veil: f32,
    // The range of the search's cells whose edges are drawn: its lowest cell, and the number along each axis.
    drawn_cells_first: vec3<u32>,
    // 1 where the colors of the field stand for separate things and are never mixed, 0 elsewhere.
    has_separate_colors: u32,
    drawn_cells: vec3<u32>,
    // 1 where the water is drawn as clear water, and the floor and solids are lit through it; 0 elsewhere. Read it by
    // `is_clear`.
    is_clear: u32,
    // Absorption of clear water for red, green and blue, 1/m.
    absorption: vec3<f32>,
    // 0 in the dark theme and 1 in the light one.
    daylight: f32,
    // Light that clear water scatters back divided by the share that it absorbs, where it receives light of strength 1.
    scattered: vec3<f32>,
    // Texels along each edge of the map of caustics.
    caustic_texels: u32,
    // Density of a particle without neighbors, kg/m^3, and the reciprocal of how much denser a particle inside the
    // water is; 0 where particles have no density.
    lone_density: f32,
    inverse_density_range: f32,
    spare: vec2<u32>,
    // The key light divided by that of the lamp.
    key_light: vec3<f32>,
    // 1 where the water stands in a picture that was drawn before, in place of its own floor and backdrop.
    in_picture: u32,
    // The light from all sides divided by that of the room.
    room_light: vec3<f32>,
    // 1 where the picture stores light that is compressed later, and 0 where it stores what is shown.
    stores_light: u32,
}

@group(0) @binding(0) var<uniform> frame: Frame;

// Whether the water is drawn as clear water; never in shaders that are compiled WITHOUT_CLEAR_WATER.
fn is_clear() -> bool {
#ifdef WITHOUT_CLEAR_WATER
    return false;
#else
    return frame.is_clear != 0u;
#endif
}

// The point where the light through `position` would reach the floor, in coordinates of the light map.
fn light_map_place(position: vec3<f32>) -> vec2<f32> {
    let along = (position.y - frame.floor_height) / frame.light.y;
    let place = position.xz - frame.light.xz * along;
    return (place - frame.light_map_low) * frame.light_map_inverse_size;
}

// Whether a position is finite and of plausible size, in the cut and not in the reservoir beside the box. Tested by
// bits, because compilers may assume that no float is NaN.
fn is_drawable(position: vec3<f32>) -> bool {
    let magnitude = bitcast<vec3<u32>>(position) & vec3<u32>(0x7fffffffu);
    let in_cut = all(position >= frame.cut_low) && all(position <= frame.cut_high);
    return all(magnitude < vec3<u32>(bitcast<u32>(1e9))) && position.x < frame.parked_beyond && in_cut;
}

// Whether the particle with that original index is omitted: it belongs to a boundary that is drawn as a mesh.
fn is_left_out(original: u32) -> bool {
    return original >= frame.drawn_below;
}

// Corner `index` of 3 of the smallest triangle around the unit circle: fewer corners than a square, although it covers
// a third more area.
fn triangle_corner(index: u32) -> vec2<f32> {
    let side = f32(i32(index) - 1) * 1.7320508;
    return vec2<f32>(side, select(-1.0, 2.0, index == 1u));
}
