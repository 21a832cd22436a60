// Water in the way of the light, as seen on the floor: what casts the soft shadow and darkens the depths. Draw 3
// vertices an instance, one instance a particle, into the light map, keeping the largest red and adding up alpha.
#import nearwater::render::frame::{frame, light_map_place, is_drawable, is_left_out, triangle_corner}

// Position, m; velocity, m/s, with the bits of the particle's first index in w. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec2<f32>,
    // Height above the floor, m; metres of water at the middle of the blot.
    @location(1) @interpolate(flat) water: vec2<f32>,
}

// Whether a particle stands for itself and the others that are left out where there are very many. By the index it
// began with: the same ones in every frame, however the search sorts them. Scrambled by
// the PCG hash (O'Neill 2014, in the form of Jarzynski and Olano, "Hash functions for GPU rendering", 2020).
fn stands_for_others(index: u32) -> bool {
    var bits = bitcast<u32>(velocities[index].w) * 747796405u + 2891336453u;
    bits = ((bits >> ((bits >> 28u) + 4u)) ^ bits) * 277803737u;
    return ((bits >> 22u) ^ bits) % frame.particles_per_blot == 0u;
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) index: u32) -> Corner {
    let position = positions[index].xyz;
    // Without boundaries nothing is left out, and no velocity need be read.
    let left_out = frame.drawn_below < frame.particle_count && is_left_out(bitcast<u32>(velocities[index].w));
    if left_out || !is_drawable(position) || (frame.particles_per_blot > 1u && !stands_for_others(index)) {
        return Corner(vec4<f32>(0.0, 0.0, 2.0, 1.0), vec2<f32>(0.0), vec2<f32>(0.0));
    }
    let corner = triangle_corner(vertex_index);
    // The lamp is broad: the higher a drop, the softer its shadow. A blot narrower than two texels would flicker.
    let softness = 1.6 * frame.particle_radius + frame.lamp * max(position.y - frame.floor_height, 0.0);
    let radius = max(vec2<f32>(softness), 2.0 / (frame.light_map_inverse_size * f32(frame.light_map_texels)));
    let place = light_map_place(position) + corner * radius * frame.light_map_inverse_size;
    let height = position.y + frame.particle_radius - frame.floor_height;
    // The weight 1 - q^2 over a disc has the integral pi/2 of its squared radius.
    let water = frame.particle_volume * f32(frame.particles_per_blot) / (1.5707963 * radius.x * radius.y);
    let clip = place * vec2<f32>(2.0, -2.0) + vec2<f32>(-1.0, 1.0);
    return Corner(vec4<f32>(clip, 0.5, 1.0), corner, vec2<f32>(height, water));
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    let weight = 1.0 - dot(corner.place, corner.place);
    if weight <= 0.0 {
        discard;
    }
    return vec4<f32>(corner.water.x, 0.0, 0.0, corner.water.y * weight);
}
