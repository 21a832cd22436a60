// Pair kernel of DFSPH: density and factor alpha of each particle (Bender and Koschier 2015, equations 8 and 9), and
// the rate at which the density changes with the current velocities, which is the first error of the divergence-free
// solver.
#define_import_path nearwater::dfsph_factor

#import nearwater::dfsph::{INSIDE, Solution, dfsph}
#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, reflected, with_walls}
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, react, weights}
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
    // Sum of kernel values divided by the normalization.
    shapes: f32,
    // Sum of the kernel gradients divided by normalization / radius², m: the part that the other particle of a pair has
    // with the opposite sign.
    gradient: vec3<f32>,
    // The part by walls, which both particles of a pair have.
    by_walls: vec3<f32>,
    // Sum of the squares of these gradients, m².
    squares: f32,
    // Sum of their products with the relative velocities, m²/s.
    rate: f32,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density² with which the divergence-free solver starts; in sorted
// order; len = particle_count.
@group(1) @binding(3) var<storage, read_write> densities: array<vec2<f32>>;
// Pressure / density² of the last step's constant-density and divergence-free solver, m⁵/(kg s²), in sorted order;
// len = particle_count.
@group(1) @binding(4) var<storage, read> sorted_carried: array<vec2<f32>>;
// What the iterations keep for each particle, in sorted order; len = particle_count.
@group(1) @binding(5) var<storage, read_write> solutions: array<Solution>;
// The velocities that the divergence-free solver changes, in sorted order: xyz in m/s, and in w the bits of the
// original index; len = particle_count.
@group(1) @binding(11) var<storage, read_write> velocities: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let velocity = sorted_velocities[index];
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
    return Sum(0.0, vec3<f32>(0.0), vec3<f32>(0.0), 0.0, 0.0);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    let gradient = slope_over_q(q) * offset;
    var sum = zero();
    if may_have_images(q, heights(a)) {
        sum = image_terms(a, b, offset);
    }
    sum.shapes += shape(q);
    sum.gradient += gradient;
    sum.squares += dot(gradient, gradient);
    sum.rate += dot(gradient, velocity_of(a) - velocity_of(b));
    // Particles of solids are counted as if they could move. Otherwise a particle that is wedged between two solids,
    // whose gradients cancel, would be thrown far away.
#ifdef BOUNDARY
    let weight = pair_weight(a.weight, b.weight);
    return Sum(
        weight * sum.shapes,
        weight * sum.gradient,
        weight * sum.by_walls,
        weight * sum.squares,
        weight * sum.rate,
    );
#else
    return sum;
#endif
}

// The terms of the images that each particle of a pair has for the other one, split as in wcsph/forces.wgsl.
fn image_terms(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    var sum = zero();
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
        let q = length(images.for_a) * fluid.inverse_radius;
        let gradient_a = slope_over_q(q) * images.for_a;
        let gradient_b = slope_over_q(q) * images.for_b;
        sum.shapes += shape(q);
        sum.gradient += 0.5 * (gradient_a - gradient_b);
        sum.by_walls += 0.5 * (gradient_a + gradient_b);
        sum.squares += dot(gradient_a, gradient_a);
        sum.rate += dot(gradient_a, velocity_of(a) - reflected(velocity_of(b), images.mirrored));
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    let given = contribution;
    return Sum(given.shapes, -given.gradient, given.by_walls, given.squares, given.rate);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(
        a.shapes + b.shapes,
        a.gradient + b.gradient,
        with_walls(a.by_walls, b.by_walls),
        a.squares + b.squares,
        a.rate + b.rate,
    );
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let own_velocity = sorted_velocities[index];
    velocities[index] = own_velocity;
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        densities[index] = vec2<f32>(fluid.rest_density, 0.0);
        solutions[index] = Solution(0.0, 0.0, -1.0, 0.0);
        react(particle.weight, own_velocity.w, vec3<f32>(0.0));
        return;
    }
#endif
    let images = image_terms(particle, particle, vec3<f32>(0.0));
    let density = fluid.density_scale * (shape(0.0) + images.shapes + sum.shapes);
    // Gradients of the density with respect to each neighbor's position, and to the particle's own position. Its own
    // images move with it, so that their distances change by twice its motion.
    let scale = fluid.gradient_scale;
    let own = scale * (sum.gradient + sum.by_walls + 2.0 * images.by_walls);
    let whole = dot(own, own) + scale * scale * sum.squares + dfsph.relaxation;
    let step_squared = fluid.time_step * fluid.time_step;
    let factor = dfsph.share * fluid.rest_density / (step_squared * whole);

    let rate = scale * (sum.rate + images.rate);
    let is_inside = density >= INSIDE * fluid.rest_density;
    let error = select(0.0, max(fluid.time_step * rate / fluid.rest_density, 0.0), is_inside);
    let kept = dfsph.warm_start * sorted_carried[index].y;
    let term = select(0.0, select(factor * error, kept, kept > 0.0), is_inside);
    densities[index] = vec2<f32>(density, term);
    solutions[index] = Solution(factor, term, error, 0.0);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(9u * index, sum.gradient);
    deposits::deposit_rare_vector(9u * index + 3u, sum.by_walls);
    deposits::deposit_vector(9u * index + 6u, vec3<f32>(sum.shapes, sum.squares, sum.rate));
}

fn withdraw(index: u32) -> Sum {
    let gradient = deposits::withdraw_vector(9u * index);
    let by_walls = deposits::withdraw_vector(9u * index + 3u);
    let others = deposits::withdraw_vector(9u * index + 6u);
    return Sum(others.x, gradient, by_walls, others.y, others.z);
}
#endif
