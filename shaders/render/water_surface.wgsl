// The surface of clear water in a pixel: the sphere of the particle that the pixel shows, and the smooth surface from
// the coarse pictures of depth and normal. Of their texels, those count most that show the surface of the pixel's own
// particle, so that no outline is blurred. Drops and lumps of few particles are in front of that surface.
#define_import_path nearwater::render::water_surface
#import nearwater::render::drops::{covering, is_in_body, is_single, water_outline}
#import nearwater::render::frame::frame
#import nearwater::render::names::seen_at
#import nearwater::render::sphere::{normal_of, place_of, point_of, surface}

// Bits of the smoothed depth, m, negative where a wall of the tank is seen, and the normal multiplied by alpha; 0 where
// there is no water.
@group(0) @binding(13) var surface_depths: texture_2d<u32>;
@group(0) @binding(14) var surface_normals: texture_2d<f32>;
// Position, m; velocity, m/s; density, kg/m^3, and pressure over density squared. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;

// How far from the smooth surface, across it, a sphere is that is no part of it, in radii of a particle. Along a ray
// that meets the surface at a grazing angle, its own spheres are much farther from it.
const IN_FRONT: f32 = 4.5;
// Least sine of the angle at which a surface is seen for which that distance is known.
const GRAZING: f32 = 0.1;
// An angle is no grazing one where its sine, times this, is at least 1.
const STEEP: f32 = 3.0;
// Farther than every surface, in radii.
const FAR: f32 = 1e9;
// How much farther the particle of an adjacent pixel is where that pixel shows another surface, in radii of a particle.
const OTHER: f32 = 3.0;

// The sphere that a pixel shows.
struct Ball {
    center: vec3<f32>,
    // A point of its surface, and its normal there.
    point: vec3<f32>,
    normal: vec3<f32>,
    // Distances of center and point along the viewing direction, m.
    center_ahead: f32,
    ahead: f32,
    // Distance from the end of what the sphere covers, pixels, and the radius of its outline.
    inward: f32,
    outline: f32,
    // Whether the particle is a single drop, and whether it belongs to a body of water, 0 to 1.
    single: f32,
    in_body: f32,
    // The direction along which it is stretched, and how much longer than wide it is.
    along: vec3<f32>,
    stretch: f32,
}

struct Surface {
    // Along the viewing direction, m.
    depth: f32,
    normal: vec3<f32>,
    // 1 for what is in front of the smooth surface, and 0 for that.
    drop: f32,
    // 1 where a wall is seen that the water touches, and 0 where the surface is.
    at_wall: f32,
}

struct Smooth {
    found: Surface,
    // Whether there is one.
    is_known: bool,
    // Whether the pixel's own sphere is in front of it, or there is none.
    is_hidden: bool,
    // Sine of the angle at which it is seen.
    inclined: f32,
}

fn center_of(name: u32) -> vec3<f32> {
    return positions[max(min(name, arrayLength(&positions)), 1u) - 1u].xyz;
}

fn density_of(name: u32) -> f32 {
    return densities[max(min(name, arrayLength(&densities)), 1u) - 1u].x;
}

fn velocity_of(name: u32) -> vec3<f32> {
    return velocities[max(min(name, arrayLength(&velocities)), 1u) - 1u].xyz;
}

fn ahead_of(point: vec3<f32>) -> f32 {
    return (frame.clip_from_world * vec4<f32>(point, 1.0)).w;
}

// The sphere of the particle number `name` as it is seen along `ray`.
fn ball_at(name: u32, ray: vec3<f32>) -> Ball {
    // Fragments that a depth test has rejected may run beside others, and have no particle.
    let index = max(min(name, arrayLength(&positions)), 1u) - 1u;
    let center = positions[index].xyz;
    let density = densities[index].x;
    let outline = water_outline(center, density, velocities[index].xyz);
    let place = place_of(outline, ray);
    let pixels = outline.tangent * frame.pixels_at_one;
    let local = surface(place, outline.tangent, outline.distance / outline.radius);
    let point = center + outline.radius * point_of(outline, local);
    return Ball(
        center,
        point,
        normal_of(outline, local),
        ahead_of(center),
        ahead_of(point),
        (covering(center, density) - length(place)) * pixels,
        pixels,
        is_single(density),
        is_in_body(density),
        outline.right,
        outline.stretch,
    );
}

// The share of a pixel that the surface covers which it shows, 0 to 1. The picture of particles has one sample in a
// pixel, so that its edges are steps; but how far a pixel is from its sphere's outline is known. It counts where that
// is the end of the surface: where one of the four pixels beside it shows no water, or water far behind. What is seen
// at a grazing angle, the sine of which is `inclined`, is farther in the next pixel without an end. Drops end where no
// other drop is seen beside them: between two that overlap, gaps would be seen as a dotted line.
fn covered(ball: Ball, pixel: vec2<i32>, inclined: f32) -> f32 {
    let other = OTHER * frame.particle_radius / clamp(STEEP * inclined, GRAZING, 1.0);
    var is_edge = false;
    for (var tap = 0; tap < 4; tap += 1) {
        let side = 2 * (tap & 1) - 1;
        let name = seen_at(pixel + select(vec2<i32>(side, 0), vec2<i32>(0, side), tap > 1));
        let farther = ahead_of(center_of(name)) - ball.center_ahead;
        let is_end = select(farther > other, is_in_body(density_of(name)) > 0.5, ball.single > 0.5);
        is_edge = is_edge || name == 0u || is_end;
    }
    return select(1.0, clamp(ball.inward, 0.0, 1.0), is_edge);
}

// How much of the surroundings of a pixel that shows the drop number `name` shows no other drop, 0 to 1.
fn alone(name: u32, ball: Ball, pixel: vec2<i32>) -> f32 {
    var others = 0.0;
    for (var tap = 0; tap < 4; tap += 1) {
        let side = ball.outline * vec2<f32>(f32(2 * (tap & 1) - 1), f32((tap & 2) - 1));
        let other = seen_at(pixel + vec2<i32>(round(side)));
        others += f32(other != 0u && other != name) * (1.0 - is_in_body(density_of(other)));
    }
    return 1.0 - 0.25 * others;
}

// How thick a ball is in a pixel, relative to its middle.
fn roundness(ball: Ball) -> f32 {
    let from_middle = 1.0 - clamp(ball.inward / ball.outline, 0.0, 1.0);
    return 1.0 - from_middle * from_middle;
}

// The smooth surface in a pixel with center `pixel` that shows `ball`, or behind it.
fn smooth_at(ball: Ball, pixel: vec2<f32>) -> Smooth {
    let last = vec2<i32>(textureDimensions(surface_depths)) - 1;
    let place = pixel / f32(frame.relief_scale) - 0.5;
    let corner = vec2<i32>(floor(place));
    let inside = place - floor(place);
    var depth = vec2<f32>(0.0);
    var normal = vec3<f32>(0.0);
    var wall = 0.0;
    var nearest = FAR;
    for (var tap = 0; tap < 4; tap += 1) {
        let offset = vec2<i32>(tap & 1, tap >> 1u);
        let texel = clamp(corner + offset, vec2<i32>(0), last);
        let there = bitcast<f32>(textureLoad(surface_depths, texel, 0).x);
        let near = mix(1.0 - inside, inside, vec2<f32>(offset));
        let apart = abs(abs(there) - ball.ahead) / frame.particle_radius;
        let weight = (near.x * near.y + 1e-2) / (1.0 + apart * apart * apart * apart);
        depth += weight * f32(there > 0.0) * vec2<f32>(there, 1.0);
        wall += weight * f32(there < 0.0);
        normal += weight * textureLoad(surface_normals, texel, 0).xyz;
        nearest = select(nearest, min(nearest, apart), there != 0.0);
    }
    let sum = wall + depth.y;
    let at_wall = wall / max(sum, 1e-20);
    let certain = length(normal) / max(depth.y, 1e-20);
    let smoothed = normal / max(length(normal), 1e-20);
    let inclined = max(-dot(smoothed, normalize(ball.point - frame.eye)), GRAZING);
    let is_hidden = ball.in_body < 0.5 || nearest * inclined > IN_FRONT;
    let share = select(smoothstep(0.0, 0.08, certain), 1.0, is_hidden);
    // The depth of a wall is that of the sphere; the nearest surface beside it may be far behind.
    let found = Surface(
        select(ball.ahead, depth.x / max(depth.y, 1e-20), depth.y > wall),
        normalize(mix(ball.normal, smoothed, share)),
        0.0,
        at_wall,
    );
    return Smooth(found, sum > 1e-20 && (!is_hidden || certain > 0.01), is_hidden, inclined);
}

// The surface of a drop or a lump in a pixel that shows `ball`. Its normal is that of the sum of the soft balls (Blinn,
// "A generalization of algebraic surface drawing", 1982) that the pixels around it show, so that a lump is round in one
// piece.
fn drop_at(ball: Ball, pixel: vec2<i32>) -> Surface {
    let reach = 3.0 * frame.particle_radius;
    var sum = ball.normal;
    let taps = select(0, 8, ball.single < 0.5);
    for (var tap = 0; tap < taps; tap += 1) {
        let angle = 0.7853982 * f32(tap);
        let aside = 0.9 * ball.outline * vec2<f32>(cos(angle), sin(angle));
        let name = seen_at(pixel + vec2<i32>(round(aside)));
        let away = (ball.point - center_of(name)) / reach;
        let weight = f32(name != 0u) * max(1.0 - dot(away, away), 0.0);
        sum += 2.0 * weight * weight * away;
    }
    // A strand is round across its length only, however many drops it consists of.
    sum -= (1.0 - 1.0 / ball.stretch) * dot(sum, ball.along) * ball.along;
    return Surface(ball.ahead, normalize(sum), 1.0, 0.0);
}
