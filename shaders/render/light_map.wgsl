// Water in the path of the light, as seen from the floor: it casts the soft shadow and darkens the depths. Draw 3
// vertices per particle into the light map, keeping the maximum of red and adding up alpha.
#import nearwater::render::frame::{frame, light_map_place, is_drawable, is_left_out, triangle_corner}
#import nearwater::render::light_blot::{blot_height, blot_radius, blot_share, blot_water, leaves_blot}

// Position, m; velocity, m/s, with the bits of the particle's original index in w. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec2<f32>,
    // Height above the floor, m; length of the path in water at the center of the blot, m.
    @location(1) @interpolate(flat) water: vec2<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex: u32) -> Corner {
    let index = vertex / 3u;
    let vertex_index = vertex % 3u;
    let position = positions[index].xyz;
    // Without boundaries no particle is omitted, and the velocity need not be read.
    let left_out = frame.drawn_below < frame.particle_count && is_left_out(bitcast<u32>(velocities[index].w));
    // The same holds where every particle leaves a blot.
    let thinned_out = blot_share() > 1.0 && !leaves_blot(bitcast<u32>(velocities[index].w));
    if left_out || thinned_out || !is_drawable(position) {
        return Corner(vec4<f32>(0.0, 0.0, 2.0, 1.0), vec2<f32>(0.0), vec2<f32>(0.0));
    }
    let corner = triangle_corner(vertex_index);
    let radius = blot_radius(position);
    let place = light_map_place(position) + corner * radius * frame.light_map_inverse_size;
    let clip = place * vec2<f32>(2.0, -2.0) + vec2<f32>(-1.0, 1.0);
    let water = vec2<f32>(blot_height(position), blot_water(radius));
    return Corner(vec4<f32>(clip, 0.5, 1.0), corner, water);
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    let weight = 1.0 - dot(corner.place, corner.place);
    if weight <= 0.0 {
        discard;
    }
    return vec4<f32>(corner.water.x, 0.0, 0.0, corner.water.y * weight);
}
