// The smooth surface of clear water in a pixel, from the coarse pictures of its depth and normal. Of their texels,
// those count most that show the surface of the pixel's own particle, so that no outline is blurred.
#define_import_path nearwater::render::water_surface
#import nearwater::render::drops::{is_in_body, is_single, water_outline}
#import nearwater::render::frame::frame
#import nearwater::render::sphere::{normal_of, place_of, point_of, surface}

// Bits of the smoothed depth, m, negative where a wall of the tank is seen, and the normal multiplied by alpha; 0 where
// there is no water.
@group(0) @binding(13) var surface_depths: texture_2d<u32>;
@group(0) @binding(14) var surface_normals: texture_2d<f32>;
// Position, m; velocity, m/s; density, kg/m^3, and pressure over density squared. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;

// Sum of the weights of texels from which on they tell where the surface is.
const LEAST_KNOWN: f32 = 1e-5;

struct Surface {
    // Along the viewing direction, m.
    depth: f32,
    normal: vec3<f32>,
    // 1 for a single drop, and 0 in a body of water.
    drop: f32,
    // Distance from the outline of the particle's sphere, pixels, and the radius of that outline.
    inward: f32,
    outline: f32,
    // 1 where a wall is seen that the water touches, and 0 where the surface is.
    at_wall: f32,
}

// The surface where the particle number `name` is seen along `ray` in a pixel with center `pixel`.
fn surface_at(name: u32, ray: vec3<f32>, pixel: vec2<f32>) -> Surface {
    let index = min(name, arrayLength(&positions)) - 1u;
    let center = positions[index].xyz;
    let outline = water_outline(center, densities[index].x, velocities[index].xyz);
    let place_on_ball = place_of(outline, ray);
    let pixels = outline.tangent * frame.pixels_at_one;
    let inward = (1.0 - length(place_on_ball)) * pixels;
    let local = surface(place_on_ball, outline.tangent, outline.distance / outline.radius);
    let ball = normal_of(outline, local);
    let own = (frame.clip_from_world * vec4<f32>(center + outline.radius * point_of(outline, local), 1.0)).w;

    let last = vec2<i32>(textureDimensions(surface_depths)) - 1;
    let place = pixel / f32(frame.relief_scale) - 0.5;
    let corner = vec2<i32>(floor(place));
    let inside = place - floor(place);
    var depth = vec2<f32>(0.0);
    var normal = vec3<f32>(0.0);
    var wall = 0.0;
    for (var tap = 0; tap < 4; tap += 1) {
        let offset = vec2<i32>(tap & 1, tap >> 1u);
        let texel = clamp(corner + offset, vec2<i32>(0), last);
        let there = bitcast<f32>(textureLoad(surface_depths, texel, 0).x);
        let near = mix(1.0 - inside, inside, vec2<f32>(offset));
        let apart = (abs(there) - own) / frame.particle_radius;
        let weight = (near.x * near.y + 1e-2) / (1.0 + apart * apart * apart * apart);
        depth += weight * f32(there > 0.0) * vec2<f32>(there, 1.0);
        wall += weight * f32(there < 0.0);
        normal += weight * textureLoad(surface_normals, texel, 0).xyz;
    }
    let at_wall = wall / max(wall + depth.y, 1e-9);
    // A single drop is a ball, and so is the particle of a pixel of which the coarse picture shows other surfaces only.
    let drop = is_single(densities[index].x);
    let known = smoothstep(0.0, LEAST_KNOWN, depth.y + wall) * is_in_body(densities[index].x);
    let share = smoothstep(0.0, 0.08, length(normal) / max(depth.y, 1e-9)) * known;
    let smoothed = normal / max(length(normal), 1e-6);
    return Surface(
        mix(own, depth.x / max(depth.y, 1e-9), select(0.0, known, depth.y > 1e-9)),
        normalize(mix(ball, smoothed, share)),
        drop,
        inward,
        pixels,
        at_wall,
    );
}
