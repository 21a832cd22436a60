// The size of a particle in the style "water": spheres of a closed body of water overlap widely, so that its surface
// has no gaps, and single drops are smaller than the spacing of particles.
#define_import_path nearwater::render::drops
#import nearwater::render::frame::frame
#import nearwater::render::sphere::{Outline, outline_of_radius}

// Radii divided by the radius of a drawn particle, which is 0.58 spacings: 0.87 and 0.26 spacings. A ball of water with
// the volume of a particle would have 0.62; single drops are drawn smaller, because in a splash they stand for many
// finer ones.
const BODY: f32 = 1.5;
const DROP: f32 = 0.45;

// How much of a body of water is around a particle of that density: 0 for a single drop, 1 inside the water; at a flat
// surface about a half.
fn company(density: f32) -> f32 {
    return select(1.0, (density - frame.lone_density) * frame.inverse_density_range, frame.inverse_density_range > 0.0);
}

// Whether a particle of that density is a single drop, 0 to 1. In a group of two or three it is one for a part: so few
// are round, and have no common surface.
fn is_single(density: f32) -> f32 {
    return 1.0 - smoothstep(0.12, 0.32, company(density));
}

// Whether a particle of that density belongs to a body of water with a smooth surface, 0 to 1.
fn is_in_body(density: f32) -> f32 {
    return smoothstep(0.26, 0.34, company(density));
}

// Radius of the sphere of a particle of that density, m.
fn water_radius(density: f32) -> f32 {
    return frame.particle_radius * mix(DROP, BODY, smoothstep(0.14, 0.40, company(density)));
}

// Time over which a single drop is seen, s, as by a film camera that exposes a third of the time, and its greatest
// length in widths. Fast drops that are round look like snow, and longer ones like rain.
const EXPOSURE: f32 = 0.014;
const LONGEST: f32 = 7.0;
// The same of fine drops, of which falling water consists, by a camera that exposes for a thirtieth of a second: short
// ones look like grains of rice, and these like threads.
const FINE_EXPOSURE: f32 = 0.035;
const LONGEST_FINE: f32 = 16.0;
// Radii of a drop, pixels, up to which it is fine, and from which on it is a ball of water that is looked at.
const FINE: vec2<f32> = vec2<f32>(2.0, 5.0);
// A fine drop passes each place on its way only for a part of that time, and covers it accordingly: its opacity is its
// stretch to this power. By the power of -1 falling water would hardly be seen, because the drops and threads for which
// a particle stands are on that way all the time.
const PASSING: f32 = -0.3;
// The same of drops with a few neighbors. They are what is left of a jet or a sheet that gravity has pulled apart along
// its way, and the water of a particle, as thin as a drop, would be nine times as long as wide; a longer one is
// thinner. So they are drawn as strands that meet the next drop of the stream, and not as rows of beads.
const STRAND_EXPOSURE: f32 = 0.06;
const LONGEST_STRAND: f32 = 20.0;

// How much larger spheres next to a wall are through which no ray enters. Between round ones the water would end before
// it reaches the wall; `tank_walls.wgsl` cuts off what is too much.
const AT_WALL: f32 = 1.35;
// Distances from the wall up to which all of that counts, and from which on nothing, in radii of a drawn particle.
const NEXT_TO: vec2<f32> = vec2<f32>(1.4, 2.8);

// Whether a point is next to such a wall, 0 to 1.
fn is_at_wall_behind(center: vec3<f32>) -> f32 {
    let low = select(vec2<f32>(1e9), center.xz - frame.box_low.xz, frame.eye.xz > frame.box_low.xz);
    let high = select(vec2<f32>(1e9), frame.box_high.xz - center.xz, frame.eye.xz < frame.box_high.xz);
    let nearest = min(min(low.x, low.y), min(high.x, high.y)) / frame.particle_radius;
    return 1.0 - smoothstep(NEXT_TO.x, NEXT_TO.y, nearest);
}

// The outline of the particle at `center`. That of a drop is as long as the drop's way across the picture.
fn water_outline(center: vec3<f32>, density: f32, velocity: vec3<f32>) -> Outline {
    return outline_of_water(center, water_radius(density), density, velocity);
}

// The outline within which the particle's water is seen.
fn covering_outline(center: vec3<f32>, density: f32, velocity: vec3<f32>) -> Outline {
    return outline_of_water(center, water_radius(density) * covering(center, density), density, velocity);
}

// How much wider that is than `water_outline`.
fn covering(center: vec3<f32>, density: f32) -> f32 {
    return mix(1.0, AT_WALL, is_at_wall_behind(center) * is_in_body(density));
}

// How much a particle of that density is part of a strand, 0 to 1.
fn in_strand(density: f32) -> f32 {
    return smoothstep(0.03, 0.10, company(density));
}

// How much a drop of that radius in the picture, pixels, is a fine one, 0 to 1.
fn is_fine(pixels: f32) -> f32 {
    return 1.0 - smoothstep(FINE.x, FINE.y, pixels);
}

fn outline_of_water(center: vec3<f32>, radius: f32, density: f32, velocity: vec3<f32>) -> Outline {
    var outline = outline_of_radius(center, radius, 0.75);
    let across = velocity - dot(velocity, outline.towards_eye) * outline.towards_eye;
    let strand = in_strand(density);
    let fine = is_fine(outline.tangent * frame.pixels_at_one);
    let exposure = mix(mix(EXPOSURE, FINE_EXPOSURE, fine), STRAND_EXPOSURE, strand);
    let longest = mix(mix(LONGEST, LONGEST_FINE, fine), LONGEST_STRAND, strand);
    let way = length(across) * exposure / (2.0 * outline.radius);
    // Strands end where the body of water begins.
    let apart = 1.0 - smoothstep(0.26, 0.42, company(density));
    let stretch = min(1.0 + apart * way, longest);
    // The direction of a short way is not known, and not seen.
    if way > 0.01 && stretch > 1.01 {
        outline.right = normalize(across);
        outline.up = cross(outline.towards_eye, outline.right);
        outline.stretch = stretch;
        // A longer drop is thinner.
        let thinner = pow(stretch, -0.4);
        outline.radius *= thinner;
        outline.tangent *= thinner;
    }
    return outline;
}

// How much a drop with that radius in the picture, pixels, and that stretch covers of what is behind it, 0 to 1.
fn opacity(pixels: f32, stretch: f32) -> f32 {
    return mix(1.0, pow(stretch, PASSING), is_fine(pixels));
}

// Volume of the water in an outline, m^3: that of a particle; a drop holds no more than its ball, which is smaller.
fn water_in(outline: Outline) -> f32 {
    let cubed = outline.radius * outline.radius * outline.radius;
    return min(frame.particle_volume, 4.1887902 * cubed * outline.stretch);
}
