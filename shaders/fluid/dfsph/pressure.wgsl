// Pair kernel of DFSPH: the velocities after the acceleration by the current pressures of the divergence-free solver.
// It computes them anew from the velocities without pressure, so that no rounding accumulates over the iterations. In
// the first iteration of a step (FIRST) it also computes the shifts of the positions by the constant-density solver.
// With CORRECTED the gradients of pressure are corrected, but not those of the shifts.
#define_import_path nearwater::dfsph_pressure

#import nearwater::dfsph::{Terms, deeper, mirrored, share_left}
#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, with_walls}
#import nearwater::smoothing_kernel::slope_over_q
#ifdef BOUNDARY
#import nearwater::boundaries::{is_mixed, pair_weight, react, weights}
#import nearwater::images::felt_components
#endif
#ifdef CORRECTED
#import nearwater::corrections::{Tensor, of_image, of_pair, taken}
#import nearwater::images::reflected
#endif
#ifdef LOADS
#import nearwater::loads::iterate_load
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    // Height above the low faces of the box, m.
    height_x: f32,
    height_y: f32,
    height_z: f32,
    pressure_term: f32,
#ifdef CORRECTED
    // What the correction of gradients takes from it, m⁵/(kg s²).
    correction_xx: f32,
    correction_yy: f32,
    correction_zz: f32,
    correction_yz: f32,
    correction_xz: f32,
    correction_xy: f32,
#endif
#ifdef FIRST
    density_term: f32,
#endif
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // Acceleration that the other particle of a pair has with the opposite sign, m/s².
    acceleration: vec3<f32>,
    // Acceleration by walls that both particles of a pair have, m/s².
    by_walls: vec3<f32>,
#ifdef FIRST
    // The same of the shifts: way per square of the time step, m/s².
    shift: vec3<f32>,
    shift_by_walls: vec3<f32>,
#endif
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Pressure terms in sorted order; len = particle_count.
@group(1) @binding(2) var<storage, read> terms: array<Terms>;
// Velocities without pressure, in sorted order: xyz in m/s, and in w the bits of the original index; for a particle of
// a solid the acceleration by what else acts on it, m/s². len = particle_count.
@group(1) @binding(3) var<storage, read> unpressed: array<vec4<f32>>;
// Velocities with pressure, in sorted order: xyz in m/s, and in w the divergence-free solver's pressure term of a fluid
// particle; len = particle_count.
@group(1) @binding(4) var<storage, read_write> velocities: array<vec4<f32>>;
#ifdef FIRST
// Shifts divided by the time step, in sorted order: xyz in m/s, and in w the bits of the original index of a fluid
// particle; len = particle_count.
@group(1) @binding(5) var<storage, read_write> shifts: array<vec4<f32>>;
#endif

#ifdef CORRECTED
// What the correction of gradients takes from the pressure terms of each particle, as shares of them
// (corrections.wgsl); in sorted order; len = particle_count.
@group(1) @binding(13) var<storage, read> corrections: array<vec4<u32>>;
#endif

fn load(index: u32) -> Particle {
    let heights = heights_of(sorted_positions[index].xyz);
    var particle: Particle;
    particle.height_x = heights.x;
    particle.height_y = heights.y;
    particle.height_z = heights.z;
    particle.pressure_term = terms[index].divergence;
#ifdef CORRECTED
    let correction = taken(corrections[index], particle.pressure_term);
    particle.correction_xx = correction.normal.x;
    particle.correction_yy = correction.normal.y;
    particle.correction_zz = correction.normal.z;
    particle.correction_yz = correction.shear.x;
    particle.correction_xz = correction.shear.y;
    particle.correction_xy = correction.shear.z;
#endif
#ifdef FIRST
    particle.density_term = terms[index].density;
#endif
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

// The acceleration that corresponds to the rate of the density in rate.wgsl (Bender and Koschier 2015, equation 11). In
// the paper particles of solids have no pressure. Uniform pressure is then not in equilibrium in front of a solid: the
// first layer of the water sinks into it until the solid's side is twice as dense as that of the water. So they mirror
// the pressure of the fluid here.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    var scale = -fluid.gradient_scale * slope_over_q(q);
#ifdef BOUNDARY
    scale *= pair_weight(a.weight, b.weight);
#endif
    let gradient = scale * offset;
    var sum = zero();
    if may_have_images(q, heights(a)) {
        sum = image_pressures(a, b, offset);
    }
    let pressure = pressures(a, b, offset, 0.0);
    let left = share_left(pressure, q);
    sum.acceleration += left * pressure * gradient;
#ifdef CORRECTED
    sum.acceleration -= left * scale * mirrored_share(a, b) * of_pair(correction(a), correction(b), offset);
#endif
#ifdef FIRST
    sum.shift += density_terms(a, b) * gradient;
#endif
    return sum;
}

#ifdef CORRECTED
fn correction(particle: Particle) -> Tensor {
    let normal = vec3<f32>(particle.correction_xx, particle.correction_yy, particle.correction_zz);
    return Tensor(normal, vec3<f32>(particle.correction_yz, particle.correction_xz, particle.correction_xy));
}

// The factor of the corrections of a pair: particles of solids mirror that of the fluid, as they do its pressure.
fn mirrored_share(a: Particle, b: Particle) -> f32 {
#ifdef BOUNDARY
    return select(1.0, 2.0, is_mixed(a.weight, b.weight));
#else
    return 1.0;
#endif
}
#endif

// The pressure terms of a pair at this offset, of which a fluid pair has `more`.
fn pressures(a: Particle, b: Particle, offset: vec3<f32>, more: f32) -> f32 {
    // Particles of solids have none of their own.
    let sum = a.pressure_term + b.pressure_term;
#ifdef BOUNDARY
    if is_mixed(a.weight, b.weight) {
        return mirrored(sum, -sign(a.weight) * offset);
    }
#endif
    return sum + more;
}

#ifdef FIRST
fn density_terms(a: Particle, b: Particle) -> f32 {
    let sum = a.density_term + b.density_term;
#ifdef BOUNDARY
    return select(1.0, 2.0, is_mixed(a.weight, b.weight)) * sum;
#else
    return sum;
#endif
}
#endif

// The forces of pressure between each particle of a pair and the images of the other one, split as in
// wcsph/forces.wgsl.
fn image_pressures(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    var sum = zero();
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
        let from_image = images.for_a;
        let seen_from_b = images.for_b;
        let scale = -fluid.gradient_scale * slope_over_q(length(from_image) * fluid.inverse_radius);
#ifdef BOUNDARY
        let weight = scale * pair_weight(a.weight, b.weight);
        let is_fluid = a.weight > 0.0 && b.weight > 0.0;
        let deeper_b = select(0.0, deeper(b.pressure_term, offset - from_image), is_fluid);
        let deeper_a = select(0.0, deeper(a.pressure_term, -offset - seen_from_b), is_fluid);
        let on_a = weight * felt_components(a.weight, images);
        let on_b = weight * felt_components(b.weight, images);
#else
        let deeper_b = deeper(b.pressure_term, offset - from_image);
        let deeper_a = deeper(a.pressure_term, -offset - seen_from_b);
        let on_a = vec3<f32>(scale);
        let on_b = on_a;
#endif
        let along_a = on_a * from_image;
        let along_b = on_b * seen_from_b;
        var force_a = pressures(a, b, from_image, deeper_b) * along_a;
        var force_b = pressures(b, a, seen_from_b, deeper_a) * along_b;
#ifdef CORRECTED
        let corrected = mirrored_share(a, b) * of_image(correction(a), correction(b), images.mirrored, from_image);
        force_a -= on_a * corrected;
        force_b += on_b * reflected(corrected, images.mirrored);
#endif
        sum.acceleration += 0.5 * (force_a - force_b);
        sum.by_walls += 0.5 * (force_a + force_b);
#ifdef FIRST
        let density_term = density_terms(a, b);
        sum.shift += 0.5 * density_term * (along_a - along_b);
        sum.shift_by_walls += 0.5 * density_term * (along_a + along_b);
#endif
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    var sum = contribution;
    sum.acceleration = -sum.acceleration;
#ifdef FIRST
    sum.shift = -sum.shift;
#endif
    return sum;
}

fn add(a: Sum, b: Sum) -> Sum {
    var sum = a;
    sum.acceleration += b.acceleration;
    sum.by_walls = with_walls(a.by_walls, b.by_walls);
#ifdef FIRST
    sum.shift += b.shift;
    sum.shift_by_walls = with_walls(a.shift_by_walls, b.shift_by_walls);
#endif
    return sum;
}

// Shifts move the fluid alone: a solid feels the pressures of the velocities. In place of a shift it keeps its velocity
// and its original index, which the oracle badge reads after the step.
fn finish(index: u32, particle: Particle, sum: Sum) {
    let before = unpressed[index];
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        react(particle.weight, before.w, before.xyz + sum.acceleration + sum.by_walls);
#ifdef LOADS
        iterate_load(before.w, sum.by_walls);
#endif
        return;
    }
#endif
    let own = image_pressures(particle, particle, vec3<f32>(0.0));
    let acceleration = sum.acceleration + sum.by_walls + own.acceleration + own.by_walls;
    velocities[index] = vec4<f32>(before.xyz + fluid.time_step * acceleration, particle.pressure_term);
#ifdef LOADS
    iterate_load(before.w, sum.by_walls + own.acceleration + own.by_walls);
#endif
#ifdef FIRST
    let shift = sum.shift + sum.shift_by_walls + own.shift + own.shift_by_walls;
    shifts[index] = vec4<f32>(fluid.time_step * shift, before.w);
#endif
}

#ifdef DEPOSITS
// Number of floats of a sum.
#ifdef FIRST
const WIDTH: u32 = 12u;
#else
const WIDTH: u32 = 6u;
#endif

fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.acceleration);
    deposits::deposit_rare_vector(WIDTH * index + 3u, sum.by_walls);
#ifdef FIRST
    deposits::deposit_vector(WIDTH * index + 6u, sum.shift);
    deposits::deposit_rare_vector(WIDTH * index + 9u, sum.shift_by_walls);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.acceleration = deposits::withdraw_vector(WIDTH * index);
    sum.by_walls = deposits::withdraw_vector(WIDTH * index + 3u);
#ifdef FIRST
    sum.shift = deposits::withdraw_vector(WIDTH * index + 6u);
    sum.shift_by_walls = deposits::withdraw_vector(WIDTH * index + 9u);
#endif
    return sum;
}
#endif
