// Pair kernel of PBF: the multiplier lambda of each particle's density constraint (Macklin and Müller 2013, equations
// 8 to 11). The constraint C = density / rest density - 1 is limited to values of at least zero: the fluid resists
// compression only, since particles at the surface, which lack neighbors, would otherwise be pulled together and
// clump. With CORRECTED, the first pass of a step also stores their corrections (wcsph/accurate.rs).
#define_import_path nearwater::pbf_lambda

#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, with_walls}
#import nearwater::pbf::pbf
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, weights}
#endif
#ifdef CORRECTED
#import nearwater::corrections::{Tensor, correction_of, is_opposite, moment_of, packed}
#import nearwater::equation_of_state::share_within
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
#ifdef CORRECTED
    // First moment of the gradients as in density.wgsl, m².
    normal: vec3<f32>,
    shear: vec3<f32>,
    opposite_shear: vec3<f32>,
#endif
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> iterate: array<vec4<f32>>;
// Density in kg/m³; and lambda in m² over the rest density, m⁵/kg. len = particle_count.
@group(1) @binding(2) var<storage, read_write> densities: array<vec2<f32>>;
#ifdef CORRECTED
// What the correction of gradients takes from the multiplier of each particle, as shares of it (corrections.wgsl); in
// sorted order; len = particle_count.
@group(1) @binding(13) var<storage, read_write> corrections: array<array<vec2<f32>, 3>>;
#endif

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
    var sum: Sum;
    return sum;
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
#ifdef CORRECTED
    let moment = moment_of(slope_over_q(q), between);
    sum.normal += moment.normal;
    sum.shear += moment.shear;
#endif
#ifdef BOUNDARY
    // A boundary particle is counted as if it could move, because its pressure is mirrored in the correction.
    // Otherwise a particle wedged between boundaries, whose gradients cancel, would be thrown far away.
    let weight = pair_weight(a.weight, b.weight);
    sum.shapes *= weight;
    sum.gradient *= weight;
    sum.by_walls *= weight;
    sum.squares *= weight;
#ifdef CORRECTED
    sum.normal *= weight;
    sum.shear *= weight;
    sum.opposite_shear *= weight;
#endif
#endif
    return sum;
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
        let slope = slope_over_q(q);
        let gradient_a = slope * images.for_a;
        let gradient_b = slope * images.for_b;
        sum.shapes += shape(q);
        sum.gradient += 0.5 * (gradient_a - gradient_b);
        sum.by_walls += 0.5 * (gradient_a + gradient_b);
        sum.squares += dot(gradient_a, gradient_a);
#ifdef CORRECTED
        let moment = moment_of(slope, images.for_a);
        let opposite = select(vec3<f32>(0.0), moment.shear, is_opposite(images.mirrored));
        sum.normal += moment.normal;
        sum.shear += moment.shear - opposite;
        sum.opposite_shear += opposite;
#endif
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    var mirrored = contribution;
    mirrored.gradient = -contribution.gradient;
#ifdef CORRECTED
    mirrored.opposite_shear = -contribution.opposite_shear;
#endif
    return mirrored;
}

fn add(a: Sum, b: Sum) -> Sum {
    var sum: Sum;
    sum.shapes = a.shapes + b.shapes;
    sum.gradient = a.gradient + b.gradient;
    sum.by_walls = with_walls(a.by_walls, b.by_walls);
    sum.squares = a.squares + b.squares;
#ifdef CORRECTED
    sum.normal = a.normal + b.normal;
    sum.shear = a.shear + b.shear;
    sum.opposite_shear = with_walls(a.opposite_shear, b.opposite_shear);
#endif
    return sum;
}

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        densities[index] = vec2<f32>(fluid.rest_density, 0.0);
#ifdef CORRECTED
        corrections[index] = array<vec2<f32>, 3>();
#endif
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
#ifdef CORRECTED
    let moment = Tensor(images.normal + sum.normal, images.shear + sum.shear + sum.opposite_shear);
    corrections[index] = packed(correction_of(moment, share_within(density, fluid.rest_density)));
#endif
}

#ifdef DEPOSITS
// Number of floats of a sum. What walls add is deposited with the rest: `finish` does not distinguish them.
#ifdef CORRECTED
const WIDTH: u32 = 11u;
#else
const WIDTH: u32 = 5u;
#endif

fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.gradient + sum.by_walls);
    deposits::deposit(WIDTH * index + 3u, sum.shapes);
    deposits::deposit(WIDTH * index + 4u, sum.squares);
#ifdef CORRECTED
    deposits::deposit_vector(WIDTH * index + 5u, sum.normal);
    deposits::deposit_vector(WIDTH * index + 8u, sum.shear + sum.opposite_shear);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.gradient = deposits::withdraw_vector(WIDTH * index);
    sum.shapes = deposits::withdraw(WIDTH * index + 3u);
    sum.squares = deposits::withdraw(WIDTH * index + 4u);
#ifdef CORRECTED
    sum.normal = deposits::withdraw_vector(WIDTH * index + 5u);
    sum.shear = deposits::withdraw_vector(WIDTH * index + 8u);
#endif
    return sum;
}
#endif
