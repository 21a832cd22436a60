// Pair kernel of the surface tension: the curvature of the surface from the differences of its normals
// (normal.wgsl), and the force of the tension, which changes the velocities that the solver begins its step with.
#define_import_path nearwater::surface_curvature

#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, reflected}
#import nearwater::smoothing_kernel::shape
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

// The largest curvature, 1 / spacings.
const MOST_CURVED: f32 = 0.5;

struct Particle {
    // Height above the low faces of the box, m.
    height_x: f32,
    height_y: f32,
    height_z: f32,
    // The normal of the surface, into the fluid.
    normal_x: f32,
    normal_y: f32,
    normal_z: f32,
    // How much it belongs to the surface.
    share: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // Differences of normals along the offsets, weighted, m.
    bend: f32,
    // Squares of the offsets along the surface, weighted in the same way, m².
    squares: f32,
    // The weights.
    weight: f32,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(2) var<storage, read_write> sorted_velocities: array<vec4<f32>>;
// The smoothed gradients of the color times the support radius; len = particle_count.
@group(1) @binding(3) var<storage, read> normals: array<vec4<f32>>;
// Acceleration by the viscosity of the surface (normal.wgsl): xyz in m/s²; len = particle_count.
@group(1) @binding(5) var<storage, read> drags: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let heights = heights_of(sorted_positions[index].xyz);
    var particle: Particle;
    particle.height_x = heights.x;
    particle.height_y = heights.y;
    particle.height_z = heights.z;
    let slope = normals[index].xyz;
    let steepness = length(slope);
    let normal = slope / max(steepness, 1e-6);
    particle.normal_x = normal.x;
    particle.normal_y = normal.y;
    particle.normal_z = normal.z;
    particle.share = steepness * steepness;
#ifdef BOUNDARY
    particle.weight = weights[index];
#endif
    return particle;
}

fn heights(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.height_x, particle.height_y, particle.height_z);
}

// The particles that may have images in reach, by their position in the sorted order.
fn is_special(position: vec3<f32>) -> bool {
    return may_come_near_wall(position);
}

fn zero() -> Sum {
    return Sum(0.0, 0.0, 0.0);
}

fn normal_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.normal_x, particle.normal_y, particle.normal_z);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    var sum = between(normal_of(a), normal_of(b), offset);
    if may_have_images(q, heights(a)) {
        sum = add(sum, image_terms(a, b, offset));
    }
    var weight = a.share * b.share;
#ifdef BOUNDARY
    weight *= fluid_pair(a.weight, b.weight);
#endif
    return Sum(weight * sum.bend, weight * sum.squares, weight * sum.weight);
}

// The terms of two places of the surface, which are the same with the places exchanged. The weight is that of their
// distance along the surface: so the shares of all layers of a surface add up to the same, however thick it is.
fn between(normal: vec3<f32>, other: vec3<f32>, offset: vec3<f32>) -> Sum {
    let across = 0.5 * dot(normal + other, offset);
    let along = max(dot(offset, offset) - across * across, 0.0);
    // It does not vanish where the distance itself is the radius, beyond which images may be.
    let is_near = dot(offset, offset) * fluid.inverse_radius * fluid.inverse_radius < 1.0;
    let weight = select(0.0, shape(sqrt(along) * fluid.inverse_radius), is_near);
    return Sum(-weight * dot(normal - other, offset), weight * along, weight);
}

// The terms of the images that b has for a, which are those that a has for b.
fn image_terms(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    var sum = zero();
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
        sum = add(sum, between(normal_of(a), reflected(normal_of(b), images.mirrored), images.for_a));
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    return contribution;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.bend + b.bend, a.squares + b.squares, a.weight + b.weight);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        return;
    }
#endif
    // Its own images.
    let own = image_terms(particle, particle, vec3<f32>(0.0));
    // Each sum contains the particle's own share as a factor.
    let share = max(particle.share, 1e-12);
    let bend = sum.bend / share + share * own.bend;
    let squares = sum.squares / share + share * own.squares;
    let whole = sum.weight / share + share * (shape(0.0) + own.weight);
    let least = 0.01 * share / (fluid.inverse_spacing * fluid.inverse_spacing);
    let most = MOST_CURVED * fluid.inverse_spacing;
    let curvature = clamp(bend / max(squares, least), -most, most);
    let pull = fluid.surface_term * curvature * share / max(whole, fluid.least_surface) * normal_of(particle);
    let before = sorted_velocities[index];
    sorted_velocities[index] = vec4<f32>(before.xyz + fluid.time_step * (pull + drags[index].xyz), before.w);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(3u * index, vec3<f32>(sum.bend, sum.squares, sum.weight));
}

fn withdraw(index: u32) -> Sum {
    let withdrawn = deposits::withdraw_vector(3u * index);
    return Sum(withdrawn.x, withdrawn.y, withdrawn.z);
}
#endif
