// The smooth surface of clear water in a pixel, from the coarse pictures of its depth and normal. Of their texels,
// those count most that show the surface of the pixel's own particle, so that no outline is blurred. Behind a wall of
// the tank the surface is the wall.
#define_import_path nearwater::render::water_surface
#import nearwater::render::drops::{is_single, water_outline}
#import nearwater::render::frame::frame
#import nearwater::render::sphere::{normal_of, place_of, point_of, surface}

// Bits of the smoothed depth, m, and the normal multiplied by alpha; 0 where there is no water.
@group(0) @binding(13) var surface_depths: texture_2d<u32>;
@group(0) @binding(14) var surface_normals: texture_2d<f32>;
// Position, m; velocity, m/s; density, kg/m^3, and pressure over density squared. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;

struct Surface {
    // Along the viewing direction, m.
    depth: f32,
    normal: vec3<f32>,
    // 1 for a single drop, and 0 in a body of water.
    drop: f32,
}

// The surface where the particle number `name` is seen along `ray` in a pixel with center `pixel`.
fn surface_at(name: u32, ray: vec3<f32>, pixel: vec2<f32>) -> Surface {
    let index = min(name, arrayLength(&positions)) - 1u;
    let center = positions[index].xyz;
    let outline = water_outline(center, densities[index].x, velocities[index].xyz);
    let local = surface(place_of(outline, ray), outline.tangent, outline.distance / outline.radius);
    let ball = normal_of(outline, local);
    let own = (frame.clip_from_world * vec4<f32>(center + outline.radius * point_of(outline, local), 1.0)).w;

    let last = vec2<i32>(textureDimensions(surface_depths)) - 1;
    let place = pixel / f32(frame.relief_scale) - 0.5;
    let corner = vec2<i32>(floor(place));
    let inside = place - floor(place);
    var depth = vec2<f32>(0.0);
    var normal = vec3<f32>(0.0);
    for (var tap = 0; tap < 4; tap += 1) {
        let offset = vec2<i32>(tap & 1, tap >> 1u);
        let texel = clamp(corner + offset, vec2<i32>(0), last);
        let there = bitcast<f32>(textureLoad(surface_depths, texel, 0).x);
        let near = mix(1.0 - inside, inside, vec2<f32>(offset));
        let apart = (there - own) / frame.particle_radius;
        let weight = (near.x * near.y + 1e-2) / (1.0 + apart * apart * apart * apart) * f32(there > 0.0);
        depth += weight * vec2<f32>(there, 1.0);
        normal += weight * textureLoad(surface_normals, texel, 0).xyz;
    }
    if depth.y <= 1e-9 {
        return Surface(own, ball, 0.0);
    }
    // A single drop is a ball; the coarse picture shows no more of it than a few texels.
    let drop = is_single(densities[index].x);
    let share = smoothstep(0.0, 0.08, length(normal) / depth.y) * (1.0 - drop);
    let smoothed = normal / max(length(normal), 1e-6);
    return Surface(mix(depth.x / depth.y, own, drop), normalize(mix(ball, smoothed, share)), drop);
}

// The surface at the walls of the tank, where the eye looks at them from outside. The particles next to a wall lie
// about half a spacing from it, and their spheres round the edge between the wall and the surface above. So what is
// seen through a wall is moved onto the wall, which is flat; and a surface that is seen over its edge continues to the
// wall as it is farther inside.
fn against_walls(found: Surface, ray: vec3<f32>) -> Surface {
    let position = frame.eye + ray * (found.depth / frame.near);
    var depth = found.depth;
    var normal = found.normal;
    for (var side = 0; side < 4; side += 1) {
        let axis = (side & 1) * 2;
        let sign = select(-1.0, 1.0, side >= 2);
        let wall = select(frame.box_low[axis], frame.box_high[axis], side >= 2);
        let outside = sign * (frame.eye[axis] - wall);
        let within = sign * (wall - position[axis]);
        var outward = vec3<f32>(0.0);
        outward[axis] = sign;
        let radii = abs(within) / frame.particle_radius;
        let near = 1.0 - smoothstep(2.5, 4.5, radii);
        // The point of the wall on the ray must belong to it.
        let along = (wall - frame.eye[axis]) / ray[axis];
        let place = frame.eye + along * ray;
        let other = 2 - axis;
        let is_on_wall = place[other] >= frame.box_low[other] && place[other] <= frame.box_high[other];
        let is_through = outside > 0.0 && sign * ray[axis] < 0.0 && is_on_wall;
        // Whether the surface is seen over the edge: it is farther inside than what touches the wall, does not face out
        // altogether, which rounded edges do not, and the ray crosses the wall above it.
        let is_inside = smoothstep(0.8, 1.6, within / frame.particle_radius);
        let upward = smoothstep(0.2, 0.5, normal.y);
        let above = smoothstep(0.0, 0.3, (place.y - position.y) / frame.particle_radius);
        let over = select(1.0, is_inside * upward * above, is_through);
        // Smoothing bends the surface farther from the wall than the spheres do.
        let leaning = max(dot(normal, outward), 0.0) * over * (1.0 - smoothstep(5.0, 10.0, radii));
        // A normal that pointed straight out would have no direction left.
        normal = normalize(normal - leaning * outward + vec3<f32>(0.0, 1e-4, 0.0));
        // A ray along the wall never meets it, and `along` is not finite.
        if is_through {
            let share = near * (1.0 - over);
            normal = normalize(mix(normal, outward, share));
            depth = mix(depth, along * frame.near, share);
        }
    }
    return Surface(depth, normal, found.drop);
}
