// Pair kernel of PBF for files and probes: the pressure of each particle as the mean of what its neighbors and their
// images say of its place. The multipliers that the pressures stem from alternate from layer to layer, which
// accelerates nothing; pbf/mod.rs has the reasons.
#define_import_path nearwater::pbf_even

#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image}
#import nearwater::smoothing_kernel::shape
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    // Height above the low faces of the box, m.
    height_x: f32,
    height_y: f32,
    height_z: f32,
    // Pressure as the solver has it, Pa; 0 at a free surface, in the air and for particles that are not fluid.
    pressure: f32,
}

struct Sum {
    // What the neighbors say beyond the particle's own pressure, Pa, weighted by the kernel; the other particle of a
    // pair has it with the opposite sign.
    difference: f32,
    // Sum of the weights.
    weights: f32,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order; in w the bits of the original index; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Pressures as the solver has them, Pa, by original index; len = particle_count.
@group(1) @binding(3) var<storage, read> pressures: array<f32>;
// The means, Pa, by original index; len = particle_count.
@group(1) @binding(4) var<storage, read_write> even_pressures: array<f32>;

fn load(index: u32) -> Particle {
    let heights = heights_of(sorted_positions[index].xyz);
    return Particle(heights.x, heights.y, heights.z, pressures[bitcast<u32>(sorted_velocities[index].w)]);
}

// The particles that may have images in reach, by their position in the sorted order.
fn is_special(position: vec3<f32>) -> bool {
    return may_come_near_wall(position);
}

fn zero() -> Sum {
    return Sum(0.0, 0.0);
}

fn heights(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.height_x, particle.height_y, particle.height_z);
}

// The weights of the images that b has for a, which are those that a has for b.
fn image_weights(a: Particle, b: Particle, offset: vec3<f32>) -> f32 {
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    var weights = 0.0;
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        weights += shape(length(image_of_pair(image, offset, offsets).for_a) * fluid.inverse_radius);
    }
    return weights;
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    if a.pressure == 0.0 || b.pressure == 0.0 {
        return zero();
    }
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    var weights = shape(q);
    if may_have_images(q, heights(a)) {
        weights += image_weights(a, b, offset);
    }
    // The pressure of an image contains the hydrostatic difference to its place, so that images say what their
    // particles do.
    let at_rest = fluid.rest_density * dot(fluid.gravity, offset);
    return Sum(weights * (b.pressure - a.pressure + at_rest), weights);
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(-contribution.difference, contribution.weights);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.difference + b.difference, a.weights + b.weights);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let own = shape(0.0) + image_weights(particle, particle, vec3<f32>(0.0));
    let original = bitcast<u32>(sorted_velocities[index].w);
    even_pressures[original] = particle.pressure + sum.difference / (own + sum.weights);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit(2u * index, sum.difference);
    deposits::deposit(2u * index + 1u, sum.weights);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw(2u * index), deposits::withdraw(2u * index + 1u));
}
#endif
