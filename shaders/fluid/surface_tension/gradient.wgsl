// Pair kernel of the surface tension: the gradient of a color that is 1 in the fluid and 0 outside of it.
// surface_tension.rs explains it.
#define_import_path nearwater::surface_gradient

#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, with_walls}
#import nearwater::smoothing_kernel::slope_over_q
#ifdef BOUNDARY
#import nearwater::boundaries::{is_mixed, pair_weight, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

#ifdef BOUNDARY
// The part of the gradient that solids make up, times the support radius, from which on a particle lies at a solid.
const AT_SOLID: f32 = 0.1;
#endif

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
    // Sum of the kernel's gradients divided by normalization / radius², m: the part that the other particle of a pair
    // has with the opposite sign.
    gradient: vec3<f32>,
    // The part by walls, which both particles of a pair have.
    by_walls: vec3<f32>,
#ifdef BOUNDARY
    // The part by solids.
    by_solids: vec3<f32>,
#endif
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// The gradient of the color times the support radius, which points into the fluid; in sorted order; len =
// particle_count.
@group(1) @binding(2) var<storage, read_write> gradients: array<vec4<f32>>;

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
    var sum: Sum;
    return sum;
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    var sum = zero();
    if may_have_images(q, heights(a)) {
        sum = image_gradients(a, b, offset);
    }
    sum.gradient += slope_over_q(q) * offset;
#ifdef BOUNDARY
    let weight = pair_weight(a.weight, b.weight);
    sum.gradient *= weight;
    sum.by_walls *= weight;
    sum.by_solids = select(vec3<f32>(0.0), sum.gradient, is_mixed(a.weight, b.weight));
#endif
    return sum;
}

// The gradients of the images that each particle of a pair has for the other one, split as in wcsph/forces.wgsl.
fn image_gradients(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    var sum = zero();
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
        let slope = slope_over_q(length(images.for_a) * fluid.inverse_radius);
        sum.gradient += 0.5 * slope * (images.for_a - images.for_b);
        sum.by_walls += 0.5 * slope * (images.for_a + images.for_b);
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    var mirrored = contribution;
    mirrored.gradient = -contribution.gradient;
#ifdef BOUNDARY
    mirrored.by_solids = -contribution.by_solids;
#endif
    return mirrored;
}

fn add(a: Sum, b: Sum) -> Sum {
    var sum: Sum;
    sum.gradient = a.gradient + b.gradient;
    sum.by_walls = with_walls(a.by_walls, b.by_walls);
#ifdef BOUNDARY
    sum.by_solids = a.by_solids + b.by_solids;
#endif
    return sum;
}

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        gradients[index] = vec4<f32>(0.0);
        return;
    }
#endif
    // Its own images.
    let own = image_gradients(particle, particle, vec3<f32>(0.0));
    let whole = sum.gradient + sum.by_walls + own.by_walls;
    let scale = fluid.gradient_scale / (fluid.rest_density * fluid.inverse_radius);
    var gradient = scale * whole;
#ifdef BOUNDARY
    // A solid is a single layer of particles, beside which the gradient does not vanish: what is left of it across the
    // solid says nothing of a surface. Without it the surface meets a solid at a right angle.
    let solid = scale * sum.by_solids;
    let across = solid / max(length(solid), AT_SOLID);
    gradient -= dot(gradient, across) * across;
#endif
    gradients[index] = vec4<f32>(gradient, 0.0);
}

#ifdef DEPOSITS
// Number of floats of a sum.
#ifdef BOUNDARY
const WIDTH: u32 = 6u;
#else
const WIDTH: u32 = 3u;
#endif

// What walls add is deposited with the rest: `finish` does not distinguish them.
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.gradient + sum.by_walls);
#ifdef BOUNDARY
    deposits::deposit_vector(WIDTH * index + 3u, sum.by_solids);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.gradient = deposits::withdraw_vector(WIDTH * index);
#ifdef BOUNDARY
    sum.by_solids = deposits::withdraw_vector(WIDTH * index + 3u);
#endif
    return sum;
}
#endif
