// Pair kernel for drawing: the position of each particle of water, moved towards the mean of its neighbors (J. Yu and
// G. Turk, Reconstructing surfaces of particle-based fluids using anisotropic kernels, ACM Transactions on Graphics 32,
// 2013, section 4.1). smoothed_positions.rs explains it.
#define_import_path nearwater::smoothed_positions

#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, with_walls}
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

// The share of the way to the mean of the neighbors.
const SHARE: f32 = 0.9;
// Sums of the weights between which this begins and is whole, over the square of the support radius in spacings, which
// sheets have 1.9 of and threads 0.4: so few particles that each is a drop of its own stay where they are.
const FEW: vec2<f32> = vec2<f32>(0.3, 0.8);

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
    // Weighted sum of the ways to the neighbors, m: the part that the other particle of a pair has with the opposite
    // sign.
    ways: vec3<f32>,
    // The part by walls, which both particles of a pair have.
    by_walls: vec3<f32>,
    // Sum of the weights.
    weight: f32,
}

// Positions of the search's build in sorted order: xyz in meters, and in w the bits of the place before the build;
// len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order; in w the bits of the original index; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Positions of the state: xyz in meters; len = particle_count.
@group(1) @binding(3) var<storage, read> positions: array<vec4<f32>>;
// Velocities of the state; in w the bits of the original index; len = particle_count.
@group(1) @binding(4) var<storage, read> velocities: array<vec4<f32>>;
// Positions of the state, which become smoothed ones: xyz in meters; len = particle_count.
@group(1) @binding(5) var<storage, read_write> smoothed: array<vec4<f32>>;

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

// Equation 5 of the paper.
fn weight_at(q: f32) -> f32 {
    return max(1.0 - q * q * q, 0.0);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    var sum = zero();
    if may_have_images(q, heights(a)) {
        sum = of_images(a, b, offset);
    }
    let weight = weight_at(q);
    sum.ways -= weight * offset;
    sum.weight += weight;
#ifdef BOUNDARY
    let of_pair = pair_weight(a.weight, b.weight);
    sum.ways *= of_pair;
    sum.by_walls *= of_pair;
    sum.weight *= of_pair;
#endif
    return sum;
}

// What the images do that each particle of a pair has for the other one, split as in wcsph/forces.wgsl.
fn of_images(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    var sum = zero();
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
        let weight = weight_at(length(images.for_a) * fluid.inverse_radius);
        sum.ways -= 0.5 * weight * (images.for_a - images.for_b);
        sum.by_walls -= 0.5 * weight * (images.for_a + images.for_b);
        sum.weight += weight;
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    var mirrored = contribution;
    mirrored.ways = -contribution.ways;
    return mirrored;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.ways + b.ways, with_walls(a.by_walls, b.by_walls), a.weight + b.weight);
}

// The place in the state of a particle of the build. A step leaves the state in the order of its build, unless it is to
// keep an older one (memory_order.rs); where particles have been placed anew since, there is none, and the number of
// particles stands for it.
fn place_of(index: u32) -> u32 {
    let original = bitcast<u32>(sorted_velocities[index].w);
    let before = min(bitcast<u32>(sorted_positions[index].w), fluid.particle_count - 1u);
    if bitcast<u32>(velocities[index].w) == original {
        return index;
    }
    return select(fluid.particle_count, before, bitcast<u32>(velocities[before].w) == original);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        return;
    }
#endif
    let place = place_of(index);
    if place == fluid.particle_count {
        return;
    }
    // Its own images.
    let own = of_images(particle, particle, vec3<f32>(0.0));
    let weights = sum.weight + own.weight;
    let mean = (sum.ways + sum.by_walls + own.by_walls) / (1.0 + weights);
    let ratio = fluid.inverse_spacing / fluid.inverse_radius;
    let share = SHARE * smoothstep(FEW.x, FEW.y, weights / (ratio * ratio));
    smoothed[place] = vec4<f32>(positions[place].xyz + share * mean, 1.0);
}

#ifdef DEPOSITS
// What walls add is deposited with the rest: `finish` does not distinguish them.
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(4u * index, sum.ways + sum.by_walls);
    deposits::deposit(4u * index + 3u, sum.weight);
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.ways = deposits::withdraw_vector(4u * index);
    sum.weight = deposits::withdraw(4u * index + 3u);
    return sum;
}
#endif
