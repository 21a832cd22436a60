// What every drawing shader knows of the frame: the camera, the light, the box and the colours' range.
#define_import_path nearwater::render::frame

// Mirrored by `render::frame::Frame`. Lengths in m, world space, y up.
struct Frame {
    clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    eye: vec3<f32>,
    // Pixels that one metre covers at a distance of one metre.
    pixels_at_one: f32,
    up: vec3<f32>,
    particle_radius: f32,
    // Unit vector towards the light.
    light: vec3<f32>,
    // Volume of water a particle stands for, m^3.
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
    // How near to another cell a particle is a border particle, m; 0 where none is.
    cell_border: f32,
    // Cells along each axis.
    cell_counts: vec3<u32>,
    particle_count: u32,
    // Where the light map lies on the floor: its lowest corner in x and z, and the reciprocal of its edges.
    light_map_low: vec2<f32>,
    light_map_inverse_size: vec2<f32>,
    // Pixels of the picture.
    size: vec2<f32>,
    field_low: f32,
    field_inverse_range: f32,
    field: u32,
    // Pixels along each edge of a texel of the coarse relief.
    relief_scale: u32,
    // How far the light is evened out so that colours can be read off, 0 to 1.
    evenness: f32,
    // How much of a bead's own roundness shows on the water's large shape, 0 to 1.
    beads: f32,
    // Texels along each edge of the light map.
    light_map_texels: u32,
    // Particles for which one leaves a blot in the light map.
    particles_per_blot: u32,
    // Particles from that original index on are boundaries'.
    fluid_count: u32,
    // Particles farther along x are in the reservoir, m.
    parked_beyond: f32,
    // Particles from that original index on are not drawn.
    drawn_below: u32,
    // Solids and cloths that are drawn as meshes.
    solid_count: u32,
    // How broad the lamp is: radius of its soft shadows over the height that they fall from.
    lamp: f32,
    // No solid casts its shadow from higher, m.
    shadow_top: f32,
}

@group(0) @binding(0) var<uniform> frame: Frame;

// Where the light that meets `position` would reach the floor, in coordinates of the light map.
fn light_map_place(position: vec3<f32>) -> vec2<f32> {
    let along = (position.y - frame.floor_height) / frame.light.y;
    let place = position.xz - frame.light.xz * along;
    return (place - frame.light_map_low) * frame.light_map_inverse_size;
}

// Whether a coordinate is a finite number of sane size, and not in the reservoir beside the box. By bits: compilers may
// assume that no float is NaN.
fn is_drawable(position: vec3<f32>) -> bool {
    let magnitude = bitcast<vec3<u32>>(position) & vec3<u32>(0x7fffffffu);
    return all(magnitude < vec3<u32>(bitcast<u32>(1e9))) && position.x < frame.parked_beyond;
}

// Whether the particle of that original index is left out of the picture: a boundary's, where its mesh is drawn.
fn is_left_out(original: u32) -> bool {
    return original >= frame.drawn_below;
}

// Corner `index` of 3 of the smallest triangle around the unit circle: fewer corners than a square's, for which it
// covers a third more.
fn triangle_corner(index: u32) -> vec2<f32> {
    let side = f32(i32(index) - 1) * 1.7320508;
    return vec2<f32>(side, select(-1.0, 2.0, index == 1u));
}
