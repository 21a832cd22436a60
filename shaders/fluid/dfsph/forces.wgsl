// Pair kernel of DFSPH: applies what does not depend on pressure (gravity, the push, VISCOUS forces, XSPH),
// and the pressures with which the divergence-free solver starts. The velocities without pressure are stored as well,
// because each iteration computes the effect of its pressures anew. STAGED: these may be the last of several stages of
// viscosity (viscous_stage.wgsl). CORRECTED: so are the gradients of pressure.
#define_import_path nearwater::dfsph_forces

#import nearwater::dfsph::{Terms, deeper, dfsph, mirrored, share_left}
#ifdef VISCOUS
#import nearwater::viscosity::staged_push
#import nearwater::viscous_factors::Stage
#endif
#import nearwater::fluid::{fluid, gravity_at}
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, velocity_for_friction, with_walls}
#import nearwater::push::push_at
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, is_mixed, pair_weight, react, weights}
#import nearwater::core::repulsion
#import nearwater::images::felt_components
#ifdef STAGED
#import nearwater::boundaries::react_in_stage
#endif
#endif
#ifdef CORRECTED
#import nearwater::corrections::{Tensor, of_image, of_pair, taken}
#import nearwater::images::reflected
#endif
#ifdef LOADS
#import nearwater::loads::begin_load
#ifdef VISCOUS
#import nearwater::loads::{add_load, along_walls}
#endif
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
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
#ifdef MOVING
    density: f32,
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
#endif
}

struct Sum {
    // Acceleration by pressure that the other particle of a pair has with the opposite sign, m/s².
    pressed: vec3<f32>,
    // Acceleration by the pressure of walls that both particles of a pair have, m/s².
    by_walls: vec3<f32>,
#ifdef VISCOUS
    // The same by their viscosity, m/s².
    viscous_walls: vec3<f32>,
#ifdef LOADS
    // The part of that along the walls, m/s².
    along: vec3<f32>,
#endif
#endif
#ifdef OTHERS
    // Acceleration by everything else, m/s².
    other: vec3<f32>,
#endif
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities of the last step, or after stages of viscosity, in sorted order: xyz in m/s, and in w the bits of the
// original index; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Pressure terms in sorted order; len = particle_count.
@group(1) @binding(3) var<storage, read> terms: array<Terms>;
// Velocities without pressure, in sorted order: xyz in m/s; for a particle of a solid the acceleration by what else
// acts on it, m/s²; in w the bits of the original index. len = particle_count.
@group(1) @binding(4) var<storage, read_write> unpressed: array<vec4<f32>>;
// Velocities with pressure, in sorted order: xyz in m/s, and in w the divergence-free solver's pressure term of a fluid
// particle; len = particle_count.
@group(1) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;
#ifdef MOVING
// Density in kg/m³, in sorted order; len = particle_count.
@group(1) @binding(11) var<storage, read> densities: array<vec2<f32>>;
#endif

#ifdef VISCOUS
// The factors of viscosity, of which this is the last stage.
@group(1) @binding(14) var<uniform> stage: Stage;
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
#ifdef BOUNDARY
    particle.weight = weights[index];
#endif
#ifdef MOVING
    let velocity = sorted_velocities[index];
    particle.density = densities[index].x;
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
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

// Viscosity is that of the other solvers, and the pressure is that of pressure.wgsl. All factors are the same for both
// particles of a pair, and only the offset changes its sign.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    let slope = slope_over_q(q);
#ifdef BOUNDARY
    let weight = pair_weight(a.weight, b.weight);
#else
    let weight = 1.0;
#endif
    let pressure = pressures(a, b, offset, 0.0);
    let left = share_left(pressure, q);
    var pressed = -fluid.gradient_scale * weight * left * pressure * slope * offset;
#ifdef CORRECTED
    let corrected = fluid.gradient_scale * weight * slope * mirrored_share(a, b);
    pressed += left * corrected * of_pair(correction(a), correction(b), offset);
#endif
    var sum = zero();
    if may_have_images(q, heights(a)) {
        sum = image_pressures(a, b, offset);
    }
#ifdef OTHERS
    var other = vec3<f32>(0.0);
#ifdef BOUNDARY
    // Up to STRENGTH spacings per step and step.
    let step_squared = fluid.time_step * fluid.time_step;
    other += repulsion(a.weight, b.weight, distance_squared) / (step_squared * fluid.inverse_spacing) * offset;
#endif
#ifdef MOVING
    let velocity = velocity_of(a) - velocity_of(b);
#endif
#ifdef VISCOUS
    other += weight * viscous_push_of(a, b, dot(velocity, offset), distance_squared) * offset;
#endif
#ifdef XSPH
    var share = dfsph.xsph * 2.0 * fluid.density_scale * shape(q) / (a.density + b.density);
#ifdef BOUNDARY
    share *= fluid_pair(a.weight, b.weight);
#endif
    other -= share * velocity;
#endif
    sum.other += other;
#endif
    sum.pressed += pressed;
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

// The pressure terms of a pair at this offset, as in pressure.wgsl, of which a fluid pair has `more`.
fn pressures(a: Particle, b: Particle, offset: vec3<f32>, more: f32) -> f32 {
    let sum = a.pressure_term + b.pressure_term;
#ifdef BOUNDARY
    if is_mixed(a.weight, b.weight) {
        return mirrored(sum, -sign(a.weight) * offset);
    }
#endif
    return sum + more;
}

// The forces of pressure and viscosity between each particle of a pair and the images of the other one, split as in
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
        let weight = pair_weight(a.weight, b.weight);
        let is_fluid = a.weight > 0.0 && b.weight > 0.0;
        let deeper_b = select(0.0, deeper(b.pressure_term, offset - from_image), is_fluid);
        let deeper_a = select(0.0, deeper(a.pressure_term, -offset - seen_from_b), is_fluid);
        let on_a = weight * felt_components(a.weight, images);
        let on_b = weight * felt_components(b.weight, images);
#else
        let deeper_b = deeper(b.pressure_term, offset - from_image);
        let deeper_a = deeper(a.pressure_term, -offset - seen_from_b);
        let on_a = vec3<f32>(1.0);
        let on_b = on_a;
#endif
        var force_a = scale * on_a * pressures(a, b, from_image, deeper_b) * from_image;
        var force_b = scale * on_b * pressures(b, a, seen_from_b, deeper_a) * seen_from_b;
#ifdef CORRECTED
        let factor = scale * mirrored_share(a, b);
        let corrected = factor * of_image(correction(a), correction(b), images.mirrored, from_image);
        force_a -= on_a * corrected;
        force_b += on_b * reflected(corrected, images.mirrored);
#endif
        sum.pressed += 0.5 * (force_a - force_b);
        sum.by_walls += 0.5 * (force_a + force_b);
#ifdef VISCOUS
        // Without slip the two particles do not part from the images of each other equally fast.
        let parting_a = dot(velocity_of(a) - velocity_for_friction(velocity_of(b), images), from_image);
        let parting_b = dot(velocity_of(b) - velocity_for_friction(velocity_of(a), images), seen_from_b);
        let distance_squared = dot(from_image, from_image);
        let viscous_a = on_a * viscous_push_of(a, b, parting_a, distance_squared) * from_image;
        let viscous_b = on_b * viscous_push_of(a, b, parting_b, distance_squared) * seen_from_b;
        sum.other += 0.5 * (viscous_a - viscous_b);
        sum.viscous_walls += 0.5 * (viscous_a + viscous_b);
#ifdef LOADS
        sum.along += along_walls(0.5 * (viscous_a + viscous_b), images.mirrored);
#endif
#endif
    }
    return sum;
}

#ifdef MOVING
fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}
#endif

#ifdef VISCOUS
fn viscous_push_of(a: Particle, b: Particle, parting: f32, distance_squared: f32) -> f32 {
#ifdef BOUNDARY
    let is_at_solid = is_mixed(a.weight, b.weight);
#else
    let is_at_solid = false;
#endif
    return staged_push(stage, is_at_solid, parting, distance_squared, a.density + b.density);
}
#endif

fn mirror(contribution: Sum) -> Sum {
    var sum = contribution;
    sum.pressed = -sum.pressed;
#ifdef OTHERS
    sum.other = -sum.other;
#endif
    return sum;
}

fn add(a: Sum, b: Sum) -> Sum {
    var sum = a;
    sum.pressed += b.pressed;
    sum.by_walls = with_walls(a.by_walls, b.by_walls);
#ifdef VISCOUS
    sum.viscous_walls = with_walls(a.viscous_walls, b.viscous_walls);
#ifdef LOADS
    sum.along = with_walls(a.along, b.along);
#endif
#endif
#ifdef OTHERS
    sum.other += b.other;
#endif
    return sum;
}

#ifdef LOADS
#ifdef VISCOUS
// Stores what the walls do by viscosity; stages before this one have stored theirs.
fn load_viscous(word: f32, by_walls: vec3<f32>, along: vec3<f32>) {
#ifdef STAGED
    if stage.repeated != 0.0 {
        add_load(word, by_walls - along, along);
        return;
    }
#endif
    begin_load(word, by_walls - along, along);
}
#endif
#endif

fn finish(index: u32, particle: Particle, sum: Sum) {
    let before = sorted_velocities[index];
#ifdef LOADS
#ifndef VISCOUS
    begin_load(before.w, vec3<f32>(0.0), vec3<f32>(0.0));
#endif
#endif
#ifdef OTHERS
    var other = sum.other;
#ifdef VISCOUS
    other += sum.viscous_walls;
#endif
#else
    var other = vec3<f32>(0.0);
#endif
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
#ifdef LOADS
#ifdef VISCOUS
        load_viscous(before.w, sum.viscous_walls, sum.along);
#endif
#endif
#ifdef STAGED
        let stages_before = unpressed[index].xyz;
#endif
        velocities[index] = before;
        unpressed[index] = before;
        if particle.weight < 0.0 {
#ifdef STAGED
            react_in_stage(particle.weight, before.w, other);
            other += select(vec3<f32>(0.0), stages_before, stage.repeated != 0.0);
#endif
            unpressed[index] = vec4<f32>(other, before.w);
            react(particle.weight, before.w, other + sum.pressed + sum.by_walls);
        }
        return;
    }
#endif
    let position = sorted_positions[index].xyz;
    // Its own images.
    let own = image_pressures(particle, particle, vec3<f32>(0.0));
#ifdef VISCOUS
    other += own.other + own.viscous_walls;
#ifdef LOADS
    load_viscous(before.w, sum.viscous_walls + own.other + own.viscous_walls, sum.along + own.along);
#endif
#endif
    let gained = gravity_at(position) + push_at(position, before.xyz) + other;
#ifdef STAGED
    // Without stages before this one, nothing is stored for them.
    let change = before.xyz - velocities[index].xyz;
    let repeated = select(vec3<f32>(0.0), stage.repeated * change, stage.repeated != 0.0);
    let velocity = before.xyz + (repeated + fluid.time_step * gained);
#else
    let velocity = before.xyz + fluid.time_step * gained;
#endif
    let pressed = sum.pressed + sum.by_walls + own.pressed + own.by_walls;
    unpressed[index] = vec4<f32>(velocity, before.w);
    velocities[index] = vec4<f32>(velocity + fluid.time_step * pressed, particle.pressure_term);
}

#ifdef DEPOSITS
// Number of floats of a sum.
#ifdef VISCOUS
const WIDTH: u32 = 12u;
#else
#ifdef OTHERS
const WIDTH: u32 = 9u;
#else
const WIDTH: u32 = 6u;
#endif
#endif

fn deposit(index: u32, sum: Sum) {
#ifdef LOADS
    // `finish` does not distinguish these two, and `along` takes the place of one.
    deposits::deposit_vector(WIDTH * index, sum.pressed + sum.by_walls);
#ifdef VISCOUS
    deposits::deposit_rare_vector(WIDTH * index + 3u, sum.along);
#endif
#else
    deposits::deposit_vector(WIDTH * index, sum.pressed);
    deposits::deposit_vector(WIDTH * index + 3u, sum.by_walls);
#endif
#ifdef OTHERS
    deposits::deposit_vector(WIDTH * index + 6u, sum.other);
#endif
#ifdef VISCOUS
    deposits::deposit_vector(WIDTH * index + 9u, sum.viscous_walls);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.pressed = deposits::withdraw_vector(WIDTH * index);
#ifdef LOADS
#ifdef VISCOUS
    sum.along = deposits::withdraw_vector(WIDTH * index + 3u);
#endif
#else
    sum.by_walls = deposits::withdraw_vector(WIDTH * index + 3u);
#endif
#ifdef OTHERS
    sum.other = deposits::withdraw_vector(WIDTH * index + 6u);
#endif
#ifdef VISCOUS
    sum.viscous_walls = deposits::withdraw_vector(WIDTH * index + 9u);
#endif
    return sum;
}
#endif
