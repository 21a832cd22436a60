// Pair kernel of the surface tension: smooths the gradients of the color (gradient.wgsl), whose directions are the
// normals of the surface, and computes the viscosity of the surface.
#define_import_path nearwater::surface_normal

#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, image_velocity}
#import nearwater::images::{may_come_near_wall, may_have_images, next_image, reflected, with_walls}
#import nearwater::smoothing_kernel::shape
#import nearwater::viscosity::viscous_push
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    // Height above the low faces of the box, m.
    height_x: f32,
    height_y: f32,
    height_z: f32,
    gradient_x: f32,
    gradient_y: f32,
    gradient_z: f32,
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // The sum of both gradients of each pair, weighted by the kernel's shape; those of an image are mirrored. It is
    // the same for both particles, whereas the other one's gradient alone would not be.
    both: vec3<f32>,
    // The weights of the particle's own gradient in it.
    own: vec3<f32>,
    // Acceleration by the viscosity of the surface, m/s², which the other particle of a pair has with the opposite
    // sign.
    drag: vec3<f32>,
    // The part by walls, which both particles of a pair have.
    by_walls: vec3<f32>,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// The gradient of the color times the support radius, which points into the fluid; in sorted order; len =
// particle_count.
@group(1) @binding(2) var<storage, read> gradients: array<vec4<f32>>;
// The smoothed gradients; len = particle_count.
@group(1) @binding(3) var<storage, read_write> normals: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s; len = particle_count.
@group(1) @binding(4) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Acceleration by the viscosity of the surface: xyz in m/s²; len = particle_count.
@group(1) @binding(5) var<storage, read_write> drags: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let heights = heights_of(sorted_positions[index].xyz);
    var particle: Particle;
    particle.height_x = heights.x;
    particle.height_y = heights.y;
    particle.height_z = heights.z;
    let gradient = gradients[index].xyz;
    particle.gradient_x = gradient.x;
    particle.gradient_y = gradient.y;
    particle.gradient_z = gradient.z;
    let velocity = sorted_velocities[index].xyz;
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

// The particles that may have images in reach, by their position in the sorted order.
fn is_special(position: vec3<f32>) -> bool {
    return may_come_near_wall(position);
}

fn zero() -> Sum {
    var sum: Sum;
    return sum;
}

fn gradient_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.gradient_x, particle.gradient_y, particle.gradient_z);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    var sum = zero();
    if may_have_images(q, heights(a)) {
        sum = image_terms(a, b, offset);
    }
    sum.own += vec3<f32>(shape(q));
    sum.drag += push_of(a, b, dot(velocity_of(a) - velocity_of(b), offset), distance_squared) * offset;
#ifdef BOUNDARY
    let weight = fluid_pair(a.weight, b.weight);
    sum.own *= weight;
    sum.drag *= weight;
    sum.by_walls *= weight;
#endif
    sum.both = sum.own * (gradient_of(a) + gradient_of(b));
    return sum;
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

// Where the curvature is not resolved, the force of the tension is not quite that of an energy, and would make the
// particles of the surface restless.
fn push_of(a: Particle, b: Particle, parting: f32, distance_squared: f32) -> f32 {
    let share = min(0.5 * (length(gradient_of(a)) + length(gradient_of(b))), 1.0);
    let densities = 2.0 * fluid.rest_density;
    return share * viscous_push(0.0, fluid.surface_viscosity, parting, distance_squared, densities);
}

// The terms of the images that each particle of a pair has for the other one, without gradients. The weights, with
// the sign that each component of a vector has in the image, are the same for both; the drags are split as in
// wcsph/forces.wgsl.
fn image_terms(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    var sum = zero();
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
        let distance_squared = dot(images.for_a, images.for_a);
        let weight = shape(sqrt(distance_squared) * fluid.inverse_radius);
        sum.own += reflected(vec3<f32>(weight), images.mirrored);
        let parting_a = dot(velocity_of(a) - image_velocity(velocity_of(b), images), images.for_a);
        let parting_b = dot(velocity_of(b) - image_velocity(velocity_of(a), images), images.for_b);
        let drag_a = push_of(a, b, parting_a, distance_squared) * images.for_a;
        let drag_b = push_of(a, b, parting_b, distance_squared) * images.for_b;
        sum.drag += 0.5 * (drag_a - drag_b);
        sum.by_walls += 0.5 * (drag_a + drag_b);
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    var mirrored = contribution;
    mirrored.drag = -contribution.drag;
    return mirrored;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.both + b.both, a.own + b.own, a.drag + b.drag, with_walls(a.by_walls, b.by_walls));
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let gradient = gradient_of(particle);
    // Its own images.
    let images = image_terms(particle, particle, vec3<f32>(0.0));
    let smoothed = sum.both - sum.own * gradient + (shape(0.0) + images.own) * gradient;
    normals[index] = vec4<f32>(fluid.density_scale / fluid.rest_density * smoothed, 0.0);
    drags[index] = vec4<f32>(sum.drag + sum.by_walls + images.by_walls, 0.0);
}

#ifdef DEPOSITS
// What walls add is deposited with the rest: `finish` does not distinguish them.
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(9u * index, sum.both);
    deposits::deposit_vector(9u * index + 3u, sum.own);
    deposits::deposit_vector(9u * index + 6u, sum.drag + sum.by_walls);
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.both = deposits::withdraw_vector(9u * index);
    sum.own = deposits::withdraw_vector(9u * index + 3u);
    sum.drag = deposits::withdraw_vector(9u * index + 6u);
    return sum;
}
#endif
