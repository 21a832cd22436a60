// Pair kernel of PBF: the multiplier lambda of each particle's density constraint (Macklin and Müller 2013, equations
// 8 to 11). The constraint C = density / rest density - 1 is limited to values of at least zero: the fluid resists
// compression only, since particles at the surface, which lack neighbors, would otherwise be pulled together and
// clump. With CORRECTED, the first pass of a step also stores the corrections of gradients (wcsph/accurate.rs). With
// TENSION multipliers may pull within the water (solvers/tension.rs); FIRST, which matters only there, is the first
// pass of a step. STARTS makes the pass compute the places of the particles at the start of the step, for both.
#define_import_path nearwater::pbf_lambda

#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, with_walls}
#import nearwater::pbf::pbf
#ifdef CORRECTED
#import nearwater::pbf_artificial::with_artificial
#endif
#ifdef STARTS
#import nearwater::pbf_start::{image_at_start, place_at_start, share_of_start}
#endif
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, weights}
#endif
#ifdef CORRECTED
#import nearwater::corrections::{Tensor, correction_of, is_opposite, moment_of, packed}
#import nearwater::equation_of_state::share_within
#endif
#ifdef TENSION
#import nearwater::equation_of_state
#ifndef FIRST
#import nearwater::images::reflected
#endif
#ifdef BOUNDARY
#import nearwater::boundaries::fluid_pair
#endif
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
#ifdef STARTS
    // Position at the start of the step, m.
    start_x: f32,
    start_y: f32,
    start_z: f32,
#endif
#ifdef TENSION
#ifndef FIRST
    // Way by the corrections of the step so far, m, and the sum of their multipliers, m⁵/kg.
    moved_x: f32,
    moved_y: f32,
    moved_z: f32,
    multipliers: f32,
#endif
#endif
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
    // How much the solid that it belongs to gives way, 1/m; 0 for the fluid.
    mobility: f32,
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
#ifdef TENSION
    // FIRST: sum of kernel values at the start of the step, divided by the normalization. Else: what the neighbors'
    // multipliers exceed the particle's by, less what their gradients explain, weighted by the slope of the kernel,
    // m⁵/kg; the other particle of a pair has it with the opposite sign.
    other: f32,
#endif
}

// Positions in sorted order: xyz in meters, and except in the first pass of a step the sum of the multipliers so far;
// len = particle_count.
@group(1) @binding(1) var<storage, read> iterate: array<vec4<f32>>;
// Density in kg/m³; and lambda in m² over the rest density, m⁵/kg. len = particle_count.
@group(1) @binding(2) var<storage, read_write> densities: array<vec2<f32>>;
#ifdef BOUNDARY
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(3) var<storage, read> sorted_velocities: array<vec4<f32>>;
// How much the solid of each boundary particle gives way, 1/m; 0 where it does not. In the order of the boundary
// particles; len = boundary_count.
@group(1) @binding(11) var<storage, read> mobilities: array<f32>;
#endif
// Correction of a surface behind which all particles have the largest multiplier that there is, support radii. Where
// too few iterations let a deep column be compressed, or a column hits a wall, the compression would be corrected in a
// single step and become a high velocity; the limit spreads the correction over several steps. It is on multipliers
// and not on corrections, so that the displacements of a pair remain opposite and no momentum is lost. Water in free
// flow is not compressed by as much.
const LONGEST: f32 = 0.1;

#ifdef CORRECTED
// What the correction of gradients takes from the multiplier of each particle, as shares of it (corrections.wgsl); in
// sorted order; len = particle_count.
@group(1) @binding(13) var<storage, read_write> corrections: array<vec4<u32>>;

// Limit of the norm of a correction, as a share of the multiplier. Without trace, it then takes at most 0.73 of the
// pressure in any direction, so that pressure pushes in all of them. The noise of PBF brings particles into so much
// disorder that the limit of other solvers leaves a resistance which takes energy from waves.
const MOST_CORRECTED: f32 = 0.9;
#endif

#ifdef STARTS
// Velocities as written by predict.wgsl, in sorted order; len = particle_count.
@group(1) @binding(4) var<storage, read> predicted_velocities: array<vec4<f32>>;
#endif
// Predicted positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(5) var<storage, read> sorted_positions: array<vec4<f32>>;

#ifdef TENSION
// The density over the rest density that tension keeps up, and the share by which the particle is within the water; in
// sorted order; len = particle_count.
#ifdef FIRST
@group(1) @binding(6) var<storage, read_write> held: array<vec2<f32>>;
#else
@group(1) @binding(6) var<storage, read> held: array<vec2<f32>>;
#endif

// The share of a correction by which tension answers to a decrease of the density: the evening of multipliers needs the
// rest.
const SHARE_OF_TENSION: f32 = 0.5;
// The share of a lack of density that tension makes up for in a step, within the water. A larger one turns errors of
// the density into velocities. In arms of one or two rows, whose densities are lower, it would pull particles into
// clumps with gaps between them.
const PULL: f32 = 0.05;
// The density over the rest density that is lacking at a flat surface itself, and the gradient of the density there in
// rest densities per support radius.
const LACK_AT_SURFACE: f32 = 0.5;
const GRADIENT_AT_SURFACE: f32 = 1.5;
// The densities over the rest density between which tension begins and is whole, those of WCSPH's accurate mode. A
// particle at a flat surface has 0.79 and one at the tip of an arm 0.54 to 0.62, and both must keep up with the water
// behind them. Single particles, which have 0.45 and less, are not torn at.
const TENSION_FROM: f32 = 0.5;
const TENSION_WHOLE: f32 = 0.8;
#endif

fn load(index: u32) -> Particle {
    let position = iterate[index];
    var particle: Particle;
    particle.x = position.x;
    particle.y = position.y;
    particle.z = position.z;
#ifdef STARTS
    // The first pass begins with the predictions.
    let start = place_at_start(position.xyz, predicted_velocities[index].xyz);
    particle.start_x = start.x;
    particle.start_y = start.y;
    particle.start_z = start.z;
#endif
#ifdef TENSION
#ifndef FIRST
    let moved = position.xyz - sorted_positions[index].xyz;
    particle.moved_x = moved.x;
    particle.moved_y = moved.y;
    particle.moved_z = moved.z;
    particle.multipliers = position.w;
#endif
#endif
#ifdef BOUNDARY
    particle.weight = weights[index];
    if particle.weight < 0.0 {
        particle.mobility = mobilities[bitcast<u32>(sorted_velocities[index].w) - fluid.fluid_count];
    }
#endif
    return particle;
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
#ifdef TENSION
#ifdef FIRST
    sum.other += shape(length(start_of(a) - start_of(b)) * fluid.inverse_radius);
#else
    sum.other += unevenness(a.multipliers - b.multipliers, moved(a) + moved(b), between, slope_over_q(q));
    // Neighbors without multipliers are in the air or at a free surface, where none are expected between them.
    let is_torn = a.multipliers * b.multipliers != 0.0 && max(a.multipliers, b.multipliers) > 0.0;
    sum.other = select(0.0, sum.other, is_torn);
#endif
#endif
#ifdef CORRECTED
    let moment = corrected_moment(start_of(a) - start_of(b), between);
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
    // What all corrections around a free body, as large as this one, move the body by (solids/bodies/mod.rs). The
    // multiplier divides by the share, which the lattice of the water needs and this sum, which is already a bound, does
    // not.
    let yielding = max(a.mobility, b.mobility) * weight * length(gradient);
    sum.squares += pbf.share * fluid.rest_density / fluid.gradient_scale * yielding;
#ifdef TENSION
#ifdef FIRST
    sum.other *= weight;
#else
    sum.other *= fluid_pair(a.weight, b.weight);
#endif
#endif
#ifdef CORRECTED
    sum.normal *= weight;
    sum.shear *= weight;
    sum.opposite_shear *= weight;
#endif
#endif
    return sum;
}

#ifdef STARTS
fn start_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.start_x, particle.start_y, particle.start_z);
}

// How far it has moved since, m.
fn moved(particle: Particle) -> vec3<f32> {
    return position_of(particle) - start_of(particle);
}
#endif

#ifdef CORRECTED
// The moment of a pair with this offset at the start and now, for the gradient that it is corrected along. The
// artificial pressure of close pairs has a share in it, since water under pressure otherwise resists a change of its
// shape by what it adds, and torques would not add up to zero.
fn corrected_moment(start: vec3<f32>, now: vec3<f32>) -> Tensor {
    let share = share_of_start(start, now);
    let q = length(now) * fluid.inverse_radius;
    let of_start = moment_of(slope_over_q(length(start) * fluid.inverse_radius), start);
    let of_now = moment_of(slope_over_q(q), now);
    let normal = mix(of_now.normal, of_start.normal, share);
    let factor = with_artificial(q) / pbf.bearing;
    return Tensor(factor * normal, factor * mix(of_now.shear, of_start.shear, share));
}
#endif

#ifdef TENSION
#ifndef FIRST
fn moved(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.moved_x, particle.moved_y, particle.moved_z);
}

// The unevenness of a pair (dfsph/mod.rs) from the difference of multipliers, the sum of both ways by corrections and
// the offset.
fn unevenness(between: f32, both_moved: vec3<f32>, offset: vec3<f32>, slope: f32) -> f32 {
    let explained = 0.5 * fluid.pressure_scale / fluid.rest_density * dot(both_moved, offset);
    return -slope * (explained - between);
}
#endif
#endif

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
#ifdef TENSION
#ifdef FIRST
        let before = image_at_start(images.for_a, moved(a), moved(b), images.mirrored);
        sum.other += shape(length(before) * fluid.inverse_radius);
#else
        // As in dfsph/rate.wgsl: the multiplier of an image contains the hydrostatic difference to its place, and its
        // way besides free fall is mirrored.
        let fallen = fluid.time_step * fluid.time_step * fluid.gravity;
        let way = (moved(a) + fallen) + reflected(moved(b) + fallen, images.mirrored);
        let at_rest = fluid.pressure_scale / fluid.rest_density * dot(fallen, between);
        sum.other += unevenness(a.multipliers - b.multipliers + at_rest, way, images.for_a, slope);
#endif
#endif
#ifdef CORRECTED
        let start = image_at_start(images.for_a, moved(a), moved(b), images.mirrored);
        let moment = corrected_moment(start, images.for_a);
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
#ifdef TENSION
#ifndef FIRST
    mirrored.other = -contribution.other;
#endif
#endif
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
#ifdef TENSION
    sum.other = a.other + b.other;
#endif
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
        corrections[index] = vec4<u32>();
#endif
        return;
    }
#endif
    let images = image_terms(particle, particle);
    let density = fluid.density_scale * (shape(0.0) + images.shapes + sum.shapes);
    // Gradients of the constraint with respect to each neighbor's position, and to the particle's own position. Its own
    // images move with it, so that their distances change by twice its motion.
    let scale = fluid.gradient_scale / fluid.rest_density;
    let own = scale * (sum.gradient + sum.by_walls + 2.0 * images.by_walls);
    let whole = dot(own, own) + scale * scale * sum.squares + pbf.relaxation;
    let ratio = density / fluid.rest_density;
#ifdef TENSION
#ifdef FIRST
    let before = fluid.density_scale * (shape(0.0) + images.other + sum.other) / fluid.rest_density;
    let within = equation_of_state::share_between(ratio, TENSION_FROM, TENSION_WHOLE);
    // Its own images count once here, as in the density itself.
    let gradient = scale * (sum.gradient + sum.by_walls + images.by_walls);
    let lacking = max(1.0 - before - lack_by_surface(length(gradient) / fluid.inverse_radius), 0.0);
    let pull = PULL * equation_of_state::share_between(before, equation_of_state::SURFACE, equation_of_state::WITHIN);
    let kept = vec2<f32>(min(before + pull * lacking, 1.0), within);
    held[index] = kept;
    let multiplier = multiplier_of(ratio, whole, kept, 0.0, 0.0);
#else
    let uneven = pbf.evenness * sum.other;
    let multiplier = multiplier_of(ratio, whole, held[index], particle.multipliers, uneven);
#endif
#else
    let multiplier = -pbf.share * max(ratio - 1.0, 0.0) / (whole * fluid.rest_density);
#endif
    // Along a flat surface the gradient of the density is 1.5 rest densities per radius, and both particles of a pair
    // have a multiplier.
    let largest = LONGEST / (3.0 * fluid.inverse_radius * fluid.inverse_radius * fluid.rest_density);
    densities[index] = vec2<f32>(density, max(multiplier, -largest));
#ifdef CORRECTED
    let moment = Tensor(images.normal + sum.normal, images.shear + sum.shear + sum.opposite_shear);
    let share = share_within(density, fluid.rest_density);
    corrections[index] = packed(correction_of(moment, share, MOST_CORRECTED));
#endif
}

#ifdef TENSION
#ifdef FIRST
// The largest lack of density, over the rest density, that a flat surface explains where the density has this gradient,
// in rest densities per support radius: none within the water, half at the surface itself, and between them at most
// this power of the gradient. Making up for what a surface explains would pull the particles of the surface into rows
// that are too dense, and rows into clumps.
fn lack_by_surface(gradient: f32) -> f32 {
    let share = min(gradient / GRADIENT_AT_SURFACE, 1.0);
    return LACK_AT_SURFACE * share * sqrt(share);
}
#endif

// The multiplier, m⁵/kg, with which the constraint is answered where the corrections so far have the sum `before`, and
// what evening adds. A density above that at rest pushes. One below that at the start of the step takes back what
// pushed too much, and then pulls, as far as the particle can bear it. One between them takes back what has pulled too
// much.
fn multiplier_of(ratio: f32, whole: f32, kept: vec2<f32>, before: f32, uneven: f32) -> f32 {
    let is_dense = ratio > 1.0;
    let share = select(SHARE_OF_TENSION, 1.0, is_dense) * pbf.share;
    let answer = share * (ratio - select(kept.x, 1.0, is_dense)) / (whole * fluid.rest_density);
    let wanted = before - answer + uneven;
    let is_between = !is_dense && ratio >= kept.x;
    let sum = select(wanted, max(wanted, min(before, 0.0)), is_between);
    let density = ratio * fluid.rest_density;
    let step_squared = fluid.time_step * fluid.time_step;
    let most = step_squared * fluid.most_tension * fluid.pressure_scale / (density * density);
    return -equation_of_state::bearable(-sum, kept.y, most) - before;
}
#endif

#ifdef DEPOSITS
// Number of floats of a sum. What walls add is deposited with the rest: `finish` does not distinguish them.
#ifdef CORRECTED
const OTHER: u32 = 11u;
#else
const OTHER: u32 = 5u;
#endif
#ifdef TENSION
const WIDTH: u32 = OTHER + 1u;
#else
const WIDTH: u32 = OTHER;
#endif

fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.gradient + sum.by_walls);
    deposits::deposit(WIDTH * index + 3u, sum.shapes);
    deposits::deposit(WIDTH * index + 4u, sum.squares);
#ifdef TENSION
    deposits::deposit(WIDTH * index + OTHER, sum.other);
#endif
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
#ifdef TENSION
    sum.other = deposits::withdraw(WIDTH * index + OTHER);
#endif
#ifdef CORRECTED
    sum.normal = deposits::withdraw_vector(WIDTH * index + 5u);
    sum.shear = deposits::withdraw_vector(WIDTH * index + 8u);
#endif
    return sum;
}
#endif
