// Pair kernel of DFSPH: density and factor alpha of each particle (Bender and Koschier 2015, equations 8 and 9), and the
// pressures with which the iterations start.
#define_import_path nearwater::dfsph_factor

#import nearwater::dfsph::{Solution, Terms, dfsph}
#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, with_walls}
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

// Share of the last step's pressure with which the constant-density solver starts. Its shifts do not change velocities,
// so that a step needs one correction only: the errors that it leaves are corrected by later ones, and long waves twice
// as fast with this share as without it.
const KEPT: f32 = 0.5;
// Largest gradient of the density within the water, in units of rest density / support radius; at a free surface it is
// about 1.
const OPEN: f32 = 0.5;

struct Particle {
    // Height above the low faces of the box, m.
    height_x: f32,
    height_y: f32,
    height_z: f32,
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
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Density in kg/m³, and 0 for the pressure, which the end of the step writes; in sorted order; len = particle_count.
@group(1) @binding(2) var<storage, read_write> densities: array<vec2<f32>>;
// Pressure terms of the last step in sorted order; len = particle_count.
@group(1) @binding(3) var<storage, read> sorted_carried: array<Terms>;
// Pressure terms with which the iterations start, in sorted order; len = particle_count.
@group(1) @binding(4) var<storage, read_write> terms: array<Terms>;
// What the iterations keep for each particle, in sorted order; len = particle_count.
@group(1) @binding(5) var<storage, read_write> solutions: array<Solution>;

fn load(index: u32) -> Particle {
    let heights = heights_of(sorted_positions[index].xyz);
    var particle: Particle;
    particle.height_x = heights.x;
    particle.height_y = heights.y;
    particle.height_z = heights.z;
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
    return Sum(0.0, vec3<f32>(0.0), vec3<f32>(0.0), 0.0);
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
    // Particles of solids are counted as if they could move. Otherwise a particle that is wedged between two solids,
    // whose gradients cancel, would be thrown far away.
#ifdef BOUNDARY
    let weight = pair_weight(a.weight, b.weight);
    return Sum(weight * sum.shapes, weight * sum.gradient, weight * sum.by_walls, weight * sum.squares);
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
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    let given = contribution;
    return Sum(given.shapes, -given.gradient, given.by_walls, given.squares);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(
        a.shapes + b.shapes,
        a.gradient + b.gradient,
        with_walls(a.by_walls, b.by_walls),
        a.squares + b.squares,
    );
}

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        densities[index] = vec2<f32>(fluid.rest_density, 0.0);
        terms[index] = Terms(0.0, 0.0);
        solutions[index] = Solution(0.0, 0.0, 0.0, -1.0);
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
    let excess = density / fluid.rest_density - 1.0;
    let carried = sorted_carried[index];
    let start = dfsph.warm_start * carried.divergence;
    densities[index] = vec2<f32>(density, 0.0);
    // At a free surface, shifts would pull the particles together, which lack neighbors.
    let is_open = length(own) > OPEN * fluid.rest_density * fluid.inverse_radius;
    let spread = KEPT * carried.density + factor * excess;
    terms[index] = Terms(start, select(spread, max(spread, 0.0), is_open));
    solutions[index] = Solution(factor, start, excess, 0.0);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(8u * index, sum.gradient);
    deposits::deposit_rare_vector(8u * index + 3u, sum.by_walls);
    deposits::deposit(8u * index + 6u, sum.shapes);
    deposits::deposit(8u * index + 7u, sum.squares);
}

fn withdraw(index: u32) -> Sum {
    let gradient = deposits::withdraw_vector(8u * index);
    let by_walls = deposits::withdraw_vector(8u * index + 3u);
    let shapes = deposits::withdraw(8u * index + 6u);
    return Sum(shapes, gradient, by_walls, deposits::withdraw(8u * index + 7u));
}
#endif
