// The surface of the water as the sun sees it: for each point of the floor, how far below the top of the map the light
// towards that point meets water first, m, as the bits of a float; zero where it meets none. Drops are left out, as
// they are of the surface that the camera sees: refracted by them, the light would sparkle on the floor. Draw 3
// vertices per particle in one instance, with a depth of the height.
#import nearwater::render::drops::{is_in_body, water_radius}
#import nearwater::render::frame::{frame, light_map_place, is_drawable, is_left_out, triangle_corner}
#import nearwater::render::solid_light::shadow_clip

// Position, m; velocity, m/s, with the bits of the particle's original index in w; density, kg/m^3, and
// pressure over density squared. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // Position on the square, on which the outline is the unit circle.
    @location(0) place: vec2<f32>,
    // Height of the center and the radius, m.
    @location(1) @interpolate(flat) ball: vec2<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex: u32) -> Corner {
    let index = vertex / 3u;
    let vertex_index = vertex % 3u;
    let position = positions[index].xyz;
    let left_out = frame.drawn_below < frame.particle_count && is_left_out(bitcast<u32>(velocities[index].w));
    let is_drop = is_in_body(densities[index].x) < 0.5;
    if left_out || is_drop || !is_drawable(position) {
        return Corner(vec4<f32>(0.0, 0.0, 2.0, 1.0), vec2<f32>(0.0), vec2<f32>(0.0));
    }
    let place = triangle_corner(vertex_index);
    let radius = water_radius(densities[index].x);
    let right = normalize(cross(frame.light, vec3<f32>(0.0, 0.0, 1.0)));
    let aside = radius * (place.x * right + place.y * cross(right, frame.light));
    let clip = shadow_clip(position + aside);
    return Corner(vec4<f32>(clip.xy, 0.5, 1.0), place, vec2<f32>(position.y, radius));
}

struct Seen {
    @location(0) below: u32,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn fragment(corner: Corner) -> Seen {
    let squared = dot(corner.place, corner.place);
    if squared > 1.0 {
        discard;
    }
    let right = normalize(cross(frame.light, vec3<f32>(0.0, 0.0, 1.0)));
    let aside = corner.place.x * right + corner.place.y * cross(right, frame.light);
    let height = corner.ball.x + corner.ball.y * (aside.y + sqrt(1.0 - squared) * frame.light.y);
    let share = (height - frame.floor_height) / (frame.shadow_top - frame.floor_height);
    return Seen(bitcast<u32>(max(frame.shadow_top - height, 1e-6)), clamp(share, 0.0, 1.0));
}
