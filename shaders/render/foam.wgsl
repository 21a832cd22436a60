// Spray, foam and bubbles as soft white particles. Draw 3 vertices per instance, one instance per particle, with
// additive blending: adds up the optical depth of the particles in alpha, and their light, weighted with it, in the
// colors. The sums do not depend on the order, so nothing is sorted; `foam_over.wgsl` puts the result over the picture.
// (Weighted average of transparent layers: Bavoil and Myers, "Order independent transparency with dual depth peeling",
// 2008.)
#import nearwater::render::frame::{frame, is_drawable, triangle_corner}
#import nearwater::render::light::light_reaching
#import nearwater::render::names::sample_at
#import nearwater::render::scene_light::{lamps_at, scene_sun}
#import nearwater::render::shading::{LAMP_COLOR, SKY, ambient, key}
#import nearwater::render::sphere::outline_of_radius

// How diffuse particles look; mirrored by `render::foam::FoamLook`.
struct FoamLook {
    // Index of the first diffuse particle.
    first: u32,
    // Radius of a particle, m.
    radius: f32,
    // Distance below the surface of the water over which foam fades, m, and over which bubbles do.
    foam_fade: f32,
    bubble_fade: f32,
}

@group(0) @binding(20) var<uniform> foam_look: FoamLook;
// Positions of the water's particles, m. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
// Positions of diffuse particles, m, and their remaining life, s; from index `first` on.
@group(1) @binding(1) var<storage, read> foam_positions: array<vec4<f32>>;
// Velocities of diffuse particles, m/s, and their class; from index `first` on.
@group(1) @binding(2) var<storage, read> foam_velocities: array<vec4<f32>>;
// Places of the diffuse particles that there are, counted from `first`.
@group(1) @binding(3) var<storage, read> foam_places: array<u32>;

// Classes, as in shaders/fluid/foam/parameters.wgsl.
const SPRAY: f32 = 2.0;
const BUBBLE: f32 = 4.0;

// Optical depth through the center of foam and of a bubble of size 1, and of a drop of spray.
const FOAM_DEPTH: f32 = 0.55;
const SPRAY_DEPTH: f32 = 0.75;
const BUBBLE_DEPTH: f32 = 0.30;
// The radius of the smallest and of the largest foam and bubbles over that of the look. Most of them are small. Equal
// dots would look like sand, and froth consists of bubbles of all sizes, the largest of which are the most transparent.
const LEAST_SIZE: f32 = 0.7;
const LARGEST_SIZE: f32 = 3.2;
const SPRAY_SIZE: f32 = 0.7;
// Time over which foam fades at the end of its life, s.
const FADING: f32 = 0.4;
// Smaller particles are drawn with this radius and less depth, pixels.
const LEAST_PIXELS: f32 = 1.0;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // Position on the square, on which the outline is the unit circle.
    @location(0) place: vec2<f32>,
    // Light of the particle, and its optical depth.
    @location(1) @interpolate(flat) light: vec4<f32>,
}

// The size of the foam or of the bubble in a place, by the hash of Knuth, "The Art of Computer Programming", volume 3,
// section 6.4: the same in every picture, so that nothing flickers.
fn size_in(place: u32) -> f32 {
    let chance = f32((place * 2654435769u) >> 8u) / 16777216.0;
    return mix(LEAST_SIZE, LARGEST_SIZE, chance * chance * chance);
}

// How far a point is below the visible water, m; negative in front of it.
fn depth_in_water(clip: vec4<f32>) -> f32 {
    let place = clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5;
    let pixel = clamp(vec2<i32>(place * frame.size), vec2<i32>(0), vec2<i32>(frame.size) - 1);
    let name = sample_at(pixel, 0);
    if name == 0u {
        return -1e9;
    }
    let center = positions[min(name, arrayLength(&positions)) - 1u].xyz;
    // The distance ahead of the surface's center, less about its height over it.
    let ahead = (frame.clip_from_world * vec4<f32>(center, 1.0)).w;
    return clip.w - ahead + 0.6 * frame.particle_radius;
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) instance: u32) -> Corner {
    var corner: Corner;
    // In front of the near plane, so that it is clipped.
    corner.clip = vec4<f32>(0.0, 0.0, 2.0, 1.0);
    let index = foam_look.first + foam_places[instance];
    let particle = foam_positions[index];
    let position = particle.xyz;
    let kind = foam_velocities[index].w;
    let center = frame.clip_from_world * vec4<f32>(position, 1.0);
    if !is_drawable(position) || center.w <= frame.near {
        return corner;
    }
    let is_spray = kind == SPRAY;
    let is_bubble = kind == BUBBLE;
    let size = select(size_in(foam_places[instance]), SPRAY_SIZE, is_spray);
    let wanted = foam_look.radius * size;
    let outline = outline_of_radius(position, wanted, LEAST_PIXELS);
    if outline.tangent <= 0.0 {
        return corner;
    }
    // A particle that is drawn larger than it is covers the same share of the light.
    let share = wanted / outline.radius;
    let below = max(depth_in_water(center), 0.0);
    let fade = select(foam_look.foam_fade, foam_look.bubble_fade, is_bubble);
    var depth = select(select(FOAM_DEPTH, BUBBLE_DEPTH, is_bubble) / size, SPRAY_DEPTH, is_spray) * share * share;
    depth *= exp(-below / fade) * smoothstep(0.0, FADING, particle.w);
    if depth < 1e-3 {
        return corner;
    }
    let sun = light_reaching(position) * scene_sun(position, 1);
    var light = 0.55 * ambient(vec3<f32>(0.0, 1.0, 0.0)) + 0.5 * key() * (0.3 + 0.7 * sun);
    light += 0.5 * LAMP_COLOR * lamps_at(position);
    if is_bubble {
        // Light on its way through the water loses its red first.
        light *= exp(-below / frame.extent * vec3<f32>(8.0, 2.6, 1.2));
    }
    corner.place = triangle_corner(vertex_index);
    let radius = outline.distance * outline.tangent;
    let at = position + radius * (corner.place.x * outline.right + corner.place.y * outline.up);
    corner.clip = frame.clip_from_world * vec4<f32>(at, 1.0);
    corner.light = vec4<f32>(light, depth);
    return corner;
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    let squared = dot(corner.place, corner.place);
    if squared >= 1.0 {
        discard;
    }
    let inside = 1.0 - squared;
    let depth = corner.light.a * inside * inside;
    return vec4<f32>(depth * corner.light.rgb, depth);
}
