// Pair kernel of PBF: the multiplier lambda of each particle's density constraint (Macklin and Müller 2013, equations
// 8 to 11). The constraint C = density / rest density - 1 is limited to values of at least zero: the fluid resists
// compression only, since particles at the surface, which lack neighbors, would otherwise be pulled together and
// clump.
#define_import_path nearwater::pbf_lambda

#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, with_walls}
#import nearwater::pbf::pbf
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

// Current position of a particle. The traversal tests the positions that the search was built with: a pair that was
// not closer than the support radius then is visited for neither of its particles, and a pair that has moved apart
// since contributes zero.
struct Particle {
    x: f32,
    y: f32,
    z: f32,
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
@group(1) @binding(1) var<storage, read> iterate: array<vec4<f32>>;
// Density in kg/m³; and lambda in m² over the rest density, m⁵/kg. len = particle_count.
@group(1) @binding(2) var<storage, read_write> densities: array<vec2<f32>>;

fn load(index: u32) -> Particle {
    let position = iterate[index];
#ifdef BOUNDARY
    return Particle(position.x, position.y, position.z, weights[index]);
#else
    return Particle(position.x, position.y, position.z);
#endif
}

// The particles that may have images in reach, by their position in the sorted order.
fn is_special(position: vec3<f32>) -> bool {
    return may_come_near_wall(position);
}

fn zero() -> Sum {
    return Sum(0.0, vec3<f32>(0.0), vec3<f32>(0.0), 0.0);
}

fn position_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.x, particle.y, particle.z);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let between = position_of(a) - position_of(b);
    let q = length(between) * fluid.inverse_radius;
    var sum = zero();
    if may_have_images(q, heights_of(position_of(a))) {
        sum = image_terms(a, b);
    }
    let gradient = slope_over_q(q) * between;
    sum.shapes += shape(q);
    sum.gradient += gradient;
    sum.squares += dot(gradient, gradient);
#ifdef BOUNDARY
    // A boundary particle is counted as if it could move, because its pressure is mirrored in the correction.
    // Otherwise a particle wedged between boundaries, whose gradients cancel, would be thrown far away.
    let weight = pair_weight(a.weight, b.weight);
    return Sum(weight * sum.shapes, weight * sum.gradient, weight * sum.by_walls, weight * sum.squares);
#else
    return sum;
#endif
}

// The terms of the images that each particle of a pair has for the other one. As with forces, gradients along the walls
// are opposite for both, and those towards a wall are the same.
fn image_terms(a: Particle, b: Particle) -> Sum {
    var sum = zero();
    let between = position_of(a) - position_of(b);
    let offsets = image_offsets(heights_of(position_of(a)), heights_of(position_of(b)));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, between, offsets);
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
    return Sum(contribution.shapes, -contribution.gradient, contribution.by_walls, contribution.squares);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.shapes + b.shapes, a.gradient + b.gradient, with_walls(a.by_walls, b.by_walls), a.squares + b.squares);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        densities[index] = vec2<f32>(fluid.rest_density, 0.0);
        return;
    }
#endif
    let images = image_terms(particle, particle);
    let density = fluid.density_scale * (shape(0.0) + images.shapes + sum.shapes);
    let constraint = max(density / fluid.rest_density - 1.0, 0.0);
    // Gradients of the constraint with respect to each neighbor's position, and to the particle's own position. Its own
    // images move with it, so that their distances change by twice its motion.
    let scale = fluid.gradient_scale / fluid.rest_density;
    let own = scale * (sum.gradient + sum.by_walls + 2.0 * images.by_walls);
    let lambda = -pbf.share * constraint / (dot(own, own) + scale * scale * sum.squares + pbf.relaxation);
    densities[index] = vec2<f32>(density, lambda / fluid.rest_density);
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
