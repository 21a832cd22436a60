// Pair kernel: density of each particle as the sum over its neighbors, and the pressure term that the forces use.
// With CONTINUITY the density is that of the last step, updated as described in continuity.rs; only the pass of a
// time step (ADVANCE) stores it. TENSION is the accurate mode (wcsph/accurate.rs), which requires CONTINUITY. SURFACE
// is the same in a step of water that has a surface tension, whose passes have computed the gradient of the color. With
// SOLID_PRESSURES boundary particles get pressures too (solvers/solid_pressures.rs).
#define_import_path nearwater::density

#ifdef TENSION
#import nearwater::corrections::{MOST_CORRECTED, Tensor, correction_of, is_opposite, moment_of, packed}
#import nearwater::equation_of_state::{bearable, share_between, share_within, tait}
#else
#import nearwater::equation_of_state::pressure
#endif
#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets}
#import nearwater::images::{may_come_near_wall, may_have_images, next_image}
#ifdef CONTINUITY
#import nearwater::images::image_velocity
#endif
#ifdef TENSION
#import nearwater::images::with_walls
#endif
#import nearwater::smoothing_kernel::shape
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, weights}
#endif
#ifdef CONTINUITY
#import nearwater::continuity::continuity
#ifdef SURFACE
#import nearwater::continuity::covered_share
#endif
#import nearwater::smoothing_kernel::slope_over_q
#endif
#ifdef DEPOSITS
#import nearwater::deposits
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
#ifdef CONTINUITY
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
    // Density of the last step divided by the rest density; 0 where it is not known.
    density: f32,
#endif
}

struct Sum {
    // Sum of kernel values divided by the normalization.
    shapes: f32,
#ifdef CONTINUITY
    // Increase of that sum during the step.
    change: f32,
    // Diffusion of density: weighted sum of the differences to the neighbors' densities.
    diffused: f32,
#endif
#ifdef TENSION
    // First moment of the kernel's gradients, not scaled: its components xx, yy, zz, and yz, xz, xy. Those of the
    // second kind have a part that the images of a pair give to its particles with opposite signs.
    normal: vec3<f32>,
    shear: vec3<f32>,
    opposite_shear: vec3<f32>,
#endif
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density²; in sorted order; len = particle_count.
@group(1) @binding(2) var<storage, read_write> densities: array<vec2<f32>>;

#ifdef BOUNDARY
#ifdef SOLID_PRESSURES
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(4) var<storage, read> sorted_velocities: array<vec4<f32>>;
// The share of the rest density that water at rest gives to each boundary particle; 0 where it mirrors the pressure of
// the water. In the order of the boundary particles; len = boundary_count.
@group(1) @binding(5) var<storage, read> water_shares: array<f32>;
#endif
#endif
#ifdef CONTINUITY
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(4) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Carried densities relative to the rest density, in sorted order; len = particle_count.
@group(1) @binding(5) var<storage, read> sorted_carried: array<f32>;
#ifdef ADVANCE
// Carried densities of the next step, in sorted order; len = particle_count.
@group(1) @binding(11) var<storage, read_write> carried: array<f32>;
#endif
#endif
#ifdef TENSION
// What the correction of gradients takes from the pressure term of each particle, as shares of it (corrections.wgsl);
// in sorted order; len = particle_count.
@group(1) @binding(13) var<storage, read_write> corrections: array<vec4<u32>>;
#endif
#ifdef SURFACE
// The gradient of the color times the support radius (surface_tension/gradient.wgsl); in sorted order; len =
// particle_count.
@group(1) @binding(14) var<storage, read> gradients: array<vec4<f32>>;
#endif

fn load(index: u32) -> Particle {
    let heights = heights_of(sorted_positions[index].xyz);
    var particle: Particle;
    particle.height_x = heights.x;
    particle.height_y = heights.y;
    particle.height_z = heights.z;
#ifdef BOUNDARY
    particle.weight = weights[index];
#endif
#ifdef CONTINUITY
    let velocity = sorted_velocities[index];
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
    particle.density = sorted_carried[index];
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

fn heights(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.height_x, particle.height_y, particle.height_z);
}

#ifdef CONTINUITY
fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

// The value of the kernel at an offset that changes with a velocity, its increase during the step, and its slope, which
// weights the diffusion.
fn terms(offset: vec3<f32>, velocity: vec3<f32>) -> Sum {
    let q = length(offset) * fluid.inverse_radius;
    let value = shape(q);
    let before = length(offset - fluid.time_step * velocity) * fluid.inverse_radius;
    var sum: Sum;
    sum.shapes = value;
    sum.change = value - shape(before);
    sum.diffused = slope_over_q(q);
#ifdef TENSION
    let moment = moment_of(sum.diffused, offset);
    sum.normal = moment.normal;
    sum.shear = moment.shear;
#endif
    return sum;
}
#else
fn terms(offset: vec3<f32>, velocity: vec3<f32>) -> Sum {
    return Sum(shape(length(offset) * fluid.inverse_radius));
}
#endif

// The terms of the images that b has for a, which are those that a has for b.
fn image_terms(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    var sum = zero();
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
#ifdef CONTINUITY
        let velocity = velocity_of(a) - image_velocity(velocity_of(b), images);
#else
        let velocity = vec3<f32>(0.0);
#endif
        var of_image = terms(images.for_a, velocity);
#ifdef TENSION
        of_image.opposite_shear = select(vec3<f32>(0.0), of_image.shear, is_opposite(images.mirrored));
        of_image.shear -= of_image.opposite_shear;
#endif
        sum = add(sum, of_image);
    }
    return sum;
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    var images = zero();
    if may_have_images(q, heights(a)) {
        images = image_terms(a, b, offset);
    }
#ifdef BOUNDARY
    let share = pair_weight(a.weight, b.weight);
#else
    let share = 1.0;
#endif
#ifdef CONTINUITY
    var sum = add(terms(offset, velocity_of(a) - velocity_of(b)), images);
    // The density of an image contains the hydrostatic difference to its place, so all images have the same difference
    // of densities as the pair itself.
    let at_rest = continuity.compressibility * dot(fluid.gravity, offset);
    // Boundary particles and newly emitted particles have no density of their own yet.
    sum.diffused = select(0.0, sum.diffused * (a.density - b.density - at_rest), a.density * b.density > 0.0);
    sum.shapes *= share;
    sum.change *= share;
#ifdef TENSION
    sum.normal *= share;
    sum.shear *= share;
    sum.opposite_shear *= share;
#endif
    return sum;
#else
    return Sum(share * (shape(q) + images.shapes));
#endif
}

fn mirror(contribution: Sum) -> Sum {
    var mirrored = contribution;
#ifdef CONTINUITY
    mirrored.diffused = -contribution.diffused;
#endif
#ifdef TENSION
    mirrored.opposite_shear = -contribution.opposite_shear;
#endif
    return mirrored;
}

fn add(a: Sum, b: Sum) -> Sum {
    var sum: Sum;
    sum.shapes = a.shapes + b.shapes;
#ifdef CONTINUITY
    sum.change = a.change + b.change;
    sum.diffused = a.diffused + b.diffused;
#endif
#ifdef TENSION
    sum.normal = a.normal + b.normal;
    sum.shear = a.shear + b.shear;
    sum.opposite_shear = with_walls(a.opposite_shear, b.opposite_shear);
#endif
    return sum;
}

#ifdef SURFACE
// The summed densities, relative to the rest density, between which the density of a particle begins to settle: below
// them are spray and sharp tips, whose surface is not flat. Particles at a flat surface have about 0.7.
const SPRAY: f32 = 0.4;
const ATTACHED: f32 = 0.6;

// The increase of a density in a step as it settles at the number of particles per volume, also at a free surface.
fn settled(index: u32, summed: f32, density: f32) -> f32 {
    let steepness = length(gradients[index].xyz) * fluid.rest_density / summed;
    let at_surface = summed / covered_share(steepness);
    let within = share_within(summed, fluid.rest_density);
    let attached = share_between(summed / fluid.rest_density, SPRAY, ATTACHED);
    let share = mix(continuity.surface_settling * attached, continuity.settling, within);
    return share * (mix(at_surface, summed, within) - density);
}
#endif

#ifdef TENSION
// Stores the correction of a particle whose density and pressure term are stored; wcsph/accurate.rs explains it.
fn correct(index: u32, own: Sum, sum: Sum, summed: f32) {
    let moment = Tensor(own.normal + sum.normal, own.shear + sum.shear + sum.opposite_shear);
    let correction = correction_of(moment, share_within(summed, fluid.rest_density), MOST_CORRECTED);
    corrections[index] = packed(correction);
}
#endif

#ifdef BOUNDARY
#ifdef SOLID_PRESSURES
// The least pressure term of a boundary particle that has one: 0 stands for one that mirrors the pressure of the water.
const LEAST_TERM: f32 = 1e-30;

// Pressure / density² of a boundary particle, m⁵/(kg s²), as solvers/solid_pressures.rs describes it. The sum contains
// the particle's own weight once for each particle of the water.
fn solid_pressure_term(index: u32, weight: f32, shapes: f32) -> f32 {
    if weight == 0.0 {
        return 0.0;
    }
    let share = water_shares[bitcast<u32>(sorted_velocities[index].w) - fluid.fluid_count];
    let density = (1.0 - share) * fluid.rest_density - fluid.density_scale * shapes / weight;
    let term = pressure(density, fluid.rest_density, fluid.stiffness) / (density * density);
    return select(0.0, max(term, LEAST_TERM), share > 0.0);
}
#endif
#endif

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        densities[index] = vec2<f32>(fluid.rest_density, 0.0);
#ifdef SOLID_PRESSURES
        densities[index].y = solid_pressure_term(index, particle.weight, sum.shapes);
#endif
#ifdef ADVANCE
        carried[index] = 0.0;
#endif
#ifdef TENSION
        corrections[index] = vec4<u32>();
#endif
        return;
    }
#endif
    // Its own images.
    let own = image_terms(particle, particle, vec3<f32>(0.0));
    let summed = fluid.density_scale * (shape(0.0) + own.shapes + sum.shapes);
#ifdef CONTINUITY
    var changed = fluid.rest_density * (particle.density + continuity.diffusion * sum.diffused)
        + fluid.density_scale * (own.change + sum.change);
#ifdef SURFACE
    changed += settled(index, summed, changed);
#else
#ifdef TENSION
    changed += continuity.settling * share_within(summed, fluid.rest_density) * (summed - changed);
#endif
#endif
    // A density below a tenth of the rest density is less than a single particle contributes, so it is treated as
    // unknown.
    let is_known = particle.density > 0.0 && changed > 0.1 * fluid.rest_density;
    let density = select(max(summed, fluid.rest_density), changed, is_known);
#ifdef ADVANCE
    carried[index] = density / fluid.rest_density;
#endif
#else
    let density = summed;
#endif
#ifdef TENSION
    let whole = tait(density, fluid.rest_density, fluid.stiffness);
    let within = share_between(summed / fluid.rest_density, continuity.tension_from, continuity.tension_whole);
    let value = bearable(whole, within, fluid.most_tension);
#else
    let value = pressure(density, fluid.rest_density, fluid.stiffness);
#endif
    let pressure_term = value / (density * density);
    densities[index] = vec2<f32>(density, pressure_term);
#ifdef TENSION
    correct(index, own, sum, summed);
#endif
}

#ifdef DEPOSITS
// Number of floats of a sum that has more than one.
#ifdef TENSION
const WIDTH: u32 = 12u;
#else
const WIDTH: u32 = 3u;
#endif

fn deposit(index: u32, sum: Sum) {
#ifdef CONTINUITY
    deposits::deposit_vector(WIDTH * index, vec3<f32>(sum.shapes, sum.change, sum.diffused));
#ifdef TENSION
    deposits::deposit_vector(WIDTH * index + 3u, sum.normal);
    deposits::deposit_vector(WIDTH * index + 6u, sum.shear);
    deposits::deposit_rare_vector(WIDTH * index + 9u, sum.opposite_shear);
#endif
#else
    deposits::deposit(index, sum.shapes);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
#ifdef CONTINUITY
    let withdrawn = deposits::withdraw_vector(WIDTH * index);
    sum.shapes = withdrawn.x;
    sum.change = withdrawn.y;
    sum.diffused = withdrawn.z;
#ifdef TENSION
    sum.normal = deposits::withdraw_vector(WIDTH * index + 3u);
    sum.shear = deposits::withdraw_vector(WIDTH * index + 6u);
    sum.opposite_shear = deposits::withdraw_vector(WIDTH * index + 9u);
#endif
#else
    sum.shapes = deposits::withdraw(index);
#endif
    return sum;
}
#endif
