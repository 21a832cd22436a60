// Pair kernel of DFSPH: the rate at which the density of each particle changes with the current velocities, the error of
// the divergence-free solver, and the pressure that corrects it. The error is the increase of the density in a step
// (Bender and Koschier 2015, algorithm 2) beyond what a particle that lacks neighbors may close. FIRST is the first
// iteration of a step, when no change of the pressures is known.
#define_import_path nearwater::dfsph_rate

#import nearwater::dfsph::{Control, Solution, Terms, allowed_increase}
#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{image_velocity, may_have_images, next_image}
#import nearwater::smoothing_kernel::slope_over_q
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    // Height above the low faces of the box, m.
    height_x: f32,
    height_y: f32,
    height_z: f32,
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // Sum of the products of kernel gradients and relative velocities, divided by normalization / radius², m²/s.
    rate: f32,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities with the current pressures, in sorted order: xyz in m/s; len = particle_count.
@group(1) @binding(2) var<storage, read> velocities: array<vec4<f32>>;
// Pressure terms in sorted order; len = particle_count.
@group(1) @binding(3) var<storage, read_write> terms: array<Terms>;
// What the iterations keep for each particle, in sorted order; len = particle_count.
@group(1) @binding(4) var<storage, read_write> solutions: array<Solution>;
#ifndef FIRST
// State of the iterations; len = 1.
@group(1) @binding(5) var<storage, read> control: Control;
#endif

fn load(index: u32) -> Particle {
    let velocity = velocities[index];
    let heights = heights_of(sorted_positions[index].xyz);
    var particle: Particle;
    particle.height_x = heights.x;
    particle.height_y = heights.y;
    particle.height_z = heights.z;
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
#ifdef BOUNDARY
    particle.weight = weights[index];
#endif
    return particle;
}

fn heights(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.height_x, particle.height_y, particle.height_z);
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

// The particles that may have images in reach, by their position in the sorted order.
fn is_special(position: vec3<f32>) -> bool {
    return may_come_near_wall(position);
}

fn zero() -> Sum {
    return Sum(0.0);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    var rate = slope_over_q(q) * dot(offset, velocity_of(a) - velocity_of(b));
    if may_have_images(q, heights(a)) {
        rate += image_rate(a, b, offset);
    }
#ifdef BOUNDARY
    return Sum(pair_weight(a.weight, b.weight) * rate);
#else
    return Sum(rate);
#endif
}

// The rate by the images that each particle of a pair has for the other one, which is the same for both.
fn image_rate(a: Particle, b: Particle, offset: vec3<f32>) -> f32 {
    var rate = 0.0;
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
        let slope = slope_over_q(length(images.for_a) * fluid.inverse_radius);
        rate += slope * dot(images.for_a, velocity_of(a) - image_velocity(velocity_of(b), images));
    }
    return rate;
}

fn mirror(contribution: Sum) -> Sum {
    return contribution;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.rate + b.rate);
}

// This pressure is never negative: water with a free surface would otherwise clump, since particles at the surface lack
// neighbors. The pressure of all iterations is cut and not each correction, so that a correction may also take back
// what an earlier one gave too much (as in Ihmsen et al. 2014, algorithm 1).
fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        return;
    }
#endif
    let solution = solutions[index];
    let rate = fluid.gradient_scale * (sum.rate + image_rate(particle, particle, vec3<f32>(0.0)));
    let error = fluid.time_step * rate / fluid.rest_density - allowed_increase(solution.excess);
    let before = terms[index].divergence;
#ifdef FIRST
    let correction = solution.factor * error;
#else
    // Each correction carries on a part of the last one, so that long waves are corrected by about n² / 4 times as much
    // in n iterations as in one; dfsph/mod.rs gives the reason for these factors.
    let number = f32(control.iterations) + 1.0;
    let carried_on = (number - 1.5) / (number + 2.0) * (before - solution.previous);
    let correction = carried_on + (3.2 - 2.2 / number) * solution.factor * error;
#endif
    terms[index].divergence = max(before + correction, 0.0);
    solutions[index].previous = before;
    solutions[index].error = max(error, 0.0);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit(index, sum.rate);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw(index));
}
#endif
