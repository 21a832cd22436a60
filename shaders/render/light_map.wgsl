// Water in the path of the light, as seen from the floor: it casts the soft shadow and darkens the depths. Draw 3
// vertices per instance, one instance per particle, into the light map, keeping the maximum of red and adding up alpha.
// With CLEAR, all vertices are in one instance, and every particle leaves a blot of its own size, because the light
// behind clear water is drawn from the map.
#import nearwater::render::frame::{frame, light_map_place, is_drawable, is_left_out, triangle_corner}

// Position, m; velocity, m/s, with the bits of the particle's original index in w. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec2<f32>,
    // Height above the floor, m; length of the path in water at the center of the blot, m.
    @location(1) @interpolate(flat) water: vec2<f32>,
}

// Whether a particle represents itself and others, which are omitted where there are very many. The choice depends on
// the original index, so that it is the same in every frame however the search sorts the particles. The index is
// scrambled by the PCG hash (O'Neill 2014, in the form of Jarzynski and Olano, "Hash functions for GPU rendering",
// 2020).
fn stands_for_others(index: u32) -> bool {
    var bits = bitcast<u32>(velocities[index].w) * 747796405u + 2891336453u;
    bits = ((bits >> ((bits >> 28u) + 4u)) ^ bits) * 277803737u;
    return ((bits >> 22u) ^ bits) % frame.particles_per_blot == 0u;
}

@vertex
fn vertex(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
#ifdef CLEAR
    let index = vertex / 3u;
#else
    let index = instance;
#endif
    let vertex_index = vertex % 3u;
    let position = positions[index].xyz;
    // Without boundaries no particle is omitted, and the velocity need not be read.
    let left_out = frame.drawn_below < frame.particle_count && is_left_out(bitcast<u32>(velocities[index].w));
#ifdef CLEAR
    let thinned = 1.0;
#else
    let thinned = f32(frame.particles_per_blot);
#endif
    if left_out || !is_drawable(position) || (thinned > 1.0 && !stands_for_others(index)) {
        return Corner(vec4<f32>(0.0, 0.0, 2.0, 1.0), vec2<f32>(0.0), vec2<f32>(0.0));
    }
    let corner = triangle_corner(vertex_index);
#ifdef CLEAR
    let softness = frame.particle_radius;
    let least = 1.0;
#else
    // The lamp is wide: the higher a drop, the softer its shadow. A blot narrower than two texels would flicker.
    let softness = 1.6 * frame.particle_radius + frame.lamp * max(position.y - frame.floor_height, 0.0);
    let least = 2.0;
#endif
    let radius = max(vec2<f32>(softness), least / (frame.light_map_inverse_size * f32(frame.light_map_texels)));
    let place = light_map_place(position) + corner * radius * frame.light_map_inverse_size;
    let height = position.y + frame.particle_radius - frame.floor_height;
    // The integral of the weight 1 - q^2 over a disk is pi/2 times its squared radius.
    let water = frame.particle_volume * thinned / (1.5707963 * radius.x * radius.y);
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
