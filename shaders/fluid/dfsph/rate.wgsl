// Pair kernel of DFSPH: the rate at which the density of each particle changes with the current velocities, the error
// of the divergence-free solver, and the pressure that corrects it. The error is the increase of the density in a step
// (Bender and Koschier 2015, algorithm 2) beyond what a particle that lacks neighbors may close, less a share of the
// unevenness of the pressures, which no velocity would show (dfsph/mod.rs). FIRST is the first iteration of a step,
// when no change of the pressures is known.
#define_import_path nearwater::dfsph_rate

#import nearwater::dfsph::{Control, Solution, Terms, allowed_increase, borne, dfsph}
#ifdef BOUNDARY
#import nearwater::dfsph::mirrored_count
#endif
#ifdef TENSION
#import nearwater::dfsph::{DECREASE_ALLOWED, most_tension, within}
#endif
#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{image_velocity, may_have_images, next_image, reflected}
#import nearwater::smoothing_kernel::slope_over_q
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, is_mixed, pair_weight, weights}
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
    // The part of the velocity that the current pressures have added in this step, m/s.
    gained_x: f32,
    gained_y: f32,
    gained_z: f32,
    pressure_term: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // Sum of the products of kernel gradients and relative velocities, divided by normalization / radius², m²/s.
    rate: f32,
    // Sum of what the pressure terms exceed those of the neighbors by, less what their gradients explain, weighted by
    // the slope of the kernel, m⁵/(kg s²). The other particle of a pair has it with the opposite sign.
    uneven: f32,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities with the current pressures, in sorted order: xyz in m/s, and in w the divergence-free solver's pressure
// term of a fluid particle; len = particle_count.
@group(1) @binding(2) var<storage, read> velocities: array<vec4<f32>>;
// Pressure terms in sorted order; len = particle_count.
@group(1) @binding(3) var<storage, read_write> terms: array<Terms>;
// What the iterations keep for each particle, in sorted order; len = particle_count.
@group(1) @binding(4) var<storage, read_write> solutions: array<Solution>;
#ifndef FIRST
// State of the iterations; len = 1.
@group(1) @binding(5) var<storage, read> control: Control;
#endif
// Velocities without pressure, in sorted order: xyz in m/s; len = particle_count.
@group(1) @binding(6) var<storage, read> unpressed: array<vec4<f32>>;

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
    let gained = velocity.xyz - unpressed[index].xyz;
    particle.gained_x = gained.x;
    particle.gained_y = gained.y;
    particle.gained_z = gained.z;
    particle.pressure_term = velocity.w;
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

fn gained(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.gained_x, particle.gained_y, particle.gained_z);
}

// The particles that may have images in reach, by their position in the sorted order.
fn is_special(position: vec3<f32>) -> bool {
    return may_come_near_wall(position);
}

fn zero() -> Sum {
    return Sum(0.0, 0.0);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    let slope = slope_over_q(q);
    let rate = rate_of(offset, velocity_of(a) - velocity_of(b), slope);
    // Neighbors without pressure are in the air or at a free surface, where no pressure is expected between them.
#ifdef TENSION
    let are_pressed = a.pressure_term != 0.0 && b.pressure_term != 0.0;
#else
    let are_pressed = a.pressure_term > 0.0 && b.pressure_term > 0.0;
#endif
    let between = a.pressure_term - b.pressure_term;
    let explained = 0.5 * explained_per_velocity() * dot(gained(a) + gained(b), offset);
    var sum = Sum(rate, -slope * (between + explained));
    if may_have_images(q, heights(a)) {
        sum = add(sum, image_terms(a, b, offset));
    }
    sum.uneven = select(0.0, sum.uneven, are_pressed);
#ifdef BOUNDARY
    sum.rate *= mirrored_count(is_mixed(a.weight, b.weight)) * pair_weight(a.weight, b.weight);
    sum.uneven *= fluid_pair(a.weight, b.weight);
#endif
    return sum;
}

// The rate of a pair at this offset with this velocity. Under tension it is that in the middle of the step's motion:
// straight steps along the velocities of a rotation would let the water expand in each step.
fn rate_of(offset: vec3<f32>, velocity: vec3<f32>, slope: f32) -> f32 {
#ifdef TENSION
    let middle = offset + 0.5 * fluid.time_step * velocity;
    return slope_over_q(length(middle) * fluid.inverse_radius) * dot(middle, velocity);
#else
    return slope * dot(offset, velocity);
#endif
}

// The fall of the pressure term along a way in the direction of a velocity that pressure has added in a step, per
// velocity and way, m³/(kg s).
fn explained_per_velocity() -> f32 {
    return fluid.pressure_scale / (fluid.rest_density * fluid.time_step);
}

// The rate by the images that each particle of a pair has for the other one, which is the same for both, and the
// unevenness, which is opposite. The pressure of an image contains the hydrostatic difference to its place, and its
// acceleration besides free fall is mirrored.
fn image_terms(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    var sum = zero();
    let fallen = fluid.time_step * fluid.gravity;
    let scale = explained_per_velocity();
    let between = a.pressure_term - b.pressure_term - scale * dot(fallen, offset);
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
        let slope = slope_over_q(length(images.for_a) * fluid.inverse_radius);
        sum.rate += rate_of(images.for_a, velocity_of(a) - image_velocity(velocity_of(b), images), slope);
        let both = (gained(a) + fallen) + reflected(gained(b) + fallen, images.mirrored);
        sum.uneven -= slope * (between + 0.5 * scale * dot(both, images.for_a));
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(contribution.rate, -contribution.uneven);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.rate + b.rate, a.uneven + b.uneven);
}

// Without TENSION this pressure is never negative, and with it only within the water (solvers/tension.rs): water with a
// free surface would otherwise clump, since particles at the surface lack neighbors. The pressure of all iterations is
// cut and not each correction, so that a correction may also take back what an earlier one gave too much (as in Ihmsen
// et al. 2014, algorithm 1).
fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        return;
    }
#endif
    let solution = solutions[index];
    // A particle and its own images have even pressures.
    let rate = fluid.gradient_scale * (sum.rate + image_terms(particle, particle, vec3<f32>(0.0)).rate);
    let increase = fluid.time_step * rate / fluid.rest_density - allowed_increase(solution.excess);
    let error = increase - solution.evenness * sum.uneven / solution.factor;
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
    terms[index].divergence = borne(before + correction, solution.excess);
    solutions[index].previous = before;
    // The error that the pressure answers to: of a decrease only as much as there is pressure to be taken back.
    let answered = max(error, -max(before, 0.0) / solution.factor);
#ifdef TENSION
    // What tension is to answer counts in full: a decrease that is left there is corrected by shifts, step by step.
    let bearable = max(error - answered, -(most_tension(solution.excess) + min(before, 0.0)) / solution.factor);
    solutions[index].error = answered + DECREASE_ALLOWED * within(solution.excess) * bearable;
#else
    solutions[index].error = answered;
#endif
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit(2u * index, sum.rate);
    deposits::deposit(2u * index + 1u, sum.uneven);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw(2u * index), deposits::withdraw(2u * index + 1u));
}
#endif
