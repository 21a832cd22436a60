// Pair kernel of DFSPH: density and factor alpha of each particle (Bender and Koschier 2015, equations 8 and 9), the
// pressures with which the iterations start, and with CORRECTED the corrections of their gradients.
#define_import_path nearwater::dfsph_factor

#import nearwater::dfsph::{LOOSE, Solution, Terms, borne, dfsph}
#ifdef BOUNDARY
#import nearwater::dfsph::mirrored_count
#endif
#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, with_walls}
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#ifdef BOUNDARY
#import nearwater::boundaries::{is_mixed, pair_weight, weights}
#endif
#ifdef CORRECTED
#import nearwater::corrections::{MOST_CORRECTED, Tensor, correction_of, is_opposite, moment_of, packed}
#import nearwater::equation_of_state::share_within
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
#ifdef BOUNDARY
// How fast the evening of pressures beside solids fades with the viscosity: with dfsph.spread, and with the sum of the
// kernel gradients by solids in the same unit, which is 1.2 to 1.4 in the first layer of the water above a flat solid.
const FADING: f32 = 30.0;
#endif

struct Particle {
    // Height above the low faces of the box, m.
    height_x: f32,
    height_y: f32,
    height_z: f32,
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
#ifdef BOUNDARY
    // Sum of the lengths of the gradients by solids, m.
    by_solids: f32,
#endif
#ifdef CORRECTED
    // First moment of the gradients as in density.wgsl, m².
    normal: vec3<f32>,
    shear: vec3<f32>,
    opposite_shear: vec3<f32>,
#endif
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
#ifdef BOUNDARY
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(6) var<storage, read> sorted_velocities: array<vec4<f32>>;
// How much the solid of each boundary particle gives way, 1/m; 0 where it does not. In the order of the boundary
// particles; len = boundary_count.
@group(1) @binding(11) var<storage, read> mobilities: array<f32>;
#endif

#ifdef CORRECTED
// What the correction of gradients takes from the pressure terms of each particle, as shares of them
// (corrections.wgsl); in sorted order; len = particle_count.
@group(1) @binding(13) var<storage, read_write> corrections: array<vec4<u32>>;
#endif

fn load(index: u32) -> Particle {
    let heights = heights_of(sorted_positions[index].xyz);
    var particle: Particle;
    particle.height_x = heights.x;
    particle.height_y = heights.y;
    particle.height_z = heights.z;
#ifdef BOUNDARY
    particle.weight = weights[index];
    if particle.weight < 0.0 {
        particle.mobility = mobilities[bitcast<u32>(sorted_velocities[index].w) - fluid.fluid_count];
    }
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
    let gradient = slope_over_q(q) * offset;
    var sum = zero();
    if may_have_images(q, heights(a)) {
        sum = image_terms(a, b, offset);
    }
    sum.shapes += shape(q);
    sum.gradient += gradient;
    sum.squares += dot(gradient, gradient);
#ifdef CORRECTED
    let moment = moment_of(slope_over_q(q), offset);
    sum.normal += moment.normal;
    sum.shear += moment.shear;
#endif
    // Particles of solids are counted as if they could move. Otherwise a particle that is wedged between two solids,
    // whose gradients cancel, would be thrown far away.
#ifdef BOUNDARY
    let weight = pair_weight(a.weight, b.weight);
    sum.shapes *= weight;
    sum.gradient *= weight;
    sum.by_walls *= weight;
    let is_of_solid = is_mixed(a.weight, b.weight);
    sum.squares *= mirrored_count(is_of_solid) * weight;
    sum.by_solids = select(0.0, weight * length(gradient), is_of_solid);
    // What all corrections around a free body, as large as this one, move the body by (solids/bodies/mod.rs). The factor
    // divides by the share, which the lattice of the water needs and this sum, which is already a bound, does not.
    let yielding = mirrored_count(true) * max(a.mobility, b.mobility) * sum.by_solids;
    sum.squares += dfsph.share * fluid.rest_density / fluid.gradient_scale * yielding;
#ifdef CORRECTED
    sum.normal *= weight;
    sum.shear *= weight;
    sum.opposite_shear *= weight;
#endif
#endif
    return sum;
}

// The terms of the images that each particle of a pair has for the other one, split as in wcsph/forces.wgsl.
fn image_terms(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    var sum = zero();
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
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
#ifdef BOUNDARY
    sum.by_solids = a.by_solids + b.by_solids;
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
        terms[index] = Terms(0.0, 0.0);
        solutions[index] = Solution(0.0, 0.0, 0.0, 0.0, 0.0);
#ifdef CORRECTED
        corrections[index] = vec4<u32>();
#endif
        return;
    }
#endif
    let images = image_terms(particle, particle, vec3<f32>(0.0));
    let density = fluid.density_scale * (shape(0.0) + images.shapes + sum.shapes);
    // Gradients of the density with respect to each neighbor's position, and to the particle's own position. Its own
    // images move with it, so that their distances change by twice its motion.
    let scale = fluid.gradient_scale;
    let own = scale * (sum.gradient + sum.by_walls + 2.0 * images.by_walls);
    // The largest gradient that the pressure may answer, in which solids count as their mirrored motion does.
    var answered = length(own);
    var evenness = dfsph.evenness;
#ifdef BOUNDARY
    let by_solids = scale * sum.by_solids;
    answered += (mirrored_count(true) - 1.0) * by_solids;
    // Beside solids, which the lattice does not fit, water at rest has no even pressures. Evened out, they let it flow
    // towards the solid forever, while shifts take back the motion. Where it is viscous, this drags the solid along.
    let at_solids = by_solids / (fluid.rest_density * fluid.inverse_radius);
    evenness /= 1.0 + FADING * dfsph.spread * at_solids;
#endif
    let whole = answered * answered + scale * scale * sum.squares + dfsph.relaxation;
    let step_squared = fluid.time_step * fluid.time_step;
    let factor = dfsph.share * fluid.rest_density / (step_squared * whole);
    let excess = density / fluid.rest_density - 1.0;
    let carried = sorted_carried[index];
    let start = borne(dfsph.warm_start * carried.divergence, excess);
    densities[index] = vec2<f32>(density, 0.0);
    // At a free surface and in spray, shifts would pull the particles together, which lack neighbors. The gradient alone
    // does not tell spray: that of a particle with hardly any neighbors is as small as within the water.
    let is_open = excess < -LOOSE || length(own) > OPEN * fluid.rest_density * fluid.inverse_radius;
    let spread = KEPT * carried.density + factor * excess;
    terms[index] = Terms(start, select(spread, max(spread, 0.0), is_open));
    solutions[index] = Solution(factor, start, excess, 0.0, evenness);
#ifdef CORRECTED
    let shear = images.shear + sum.shear + sum.opposite_shear;
    let moment = Tensor(images.normal + sum.normal, shear);
    let share = share_within(density, fluid.rest_density);
    corrections[index] = packed(correction_of(moment, share, MOST_CORRECTED));
#endif
}

#ifdef DEPOSITS
// Number of floats of a sum. What walls add is deposited with the rest: `finish` does not distinguish them.
#ifdef CORRECTED
const WITHOUT_SOLIDS: u32 = 11u;
#else
const WITHOUT_SOLIDS: u32 = 5u;
#endif
#ifdef BOUNDARY
const WIDTH: u32 = WITHOUT_SOLIDS + 1u;
#else
const WIDTH: u32 = WITHOUT_SOLIDS;
#endif

fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.gradient + sum.by_walls);
    deposits::deposit(WIDTH * index + 3u, sum.shapes);
    deposits::deposit(WIDTH * index + 4u, sum.squares);
#ifdef CORRECTED
    deposits::deposit_vector(WIDTH * index + 5u, sum.normal);
    deposits::deposit_vector(WIDTH * index + 8u, sum.shear + sum.opposite_shear);
#endif
#ifdef BOUNDARY
    deposits::deposit(WIDTH * index + WITHOUT_SOLIDS, sum.by_solids);
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
#ifdef BOUNDARY
    sum.by_solids = deposits::withdraw(WIDTH * index + WITHOUT_SOLIDS);
#endif
    return sum;
}
#endif
