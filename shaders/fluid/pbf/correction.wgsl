// Pair kernel of PBF: moves each particle according to its own constraint and those of its neighbors (Macklin and
// Müller 2013, equations 12 to 14). It reads one buffer of positions and writes another, since other invocations still
// read the first. The FIRST correction of a step also applies the VISCOUS forces, computed from the velocities of the
// predictions: they then need no pass of their own, and later iterations correct the compression that they cause. It
// does so where a single stage of viscosity suffices; several follow the corrections. With CORRECTED a tensor is taken
// from each multiplier (wcsph/accurate.rs), so that water under pressure does not resist a change of its shape. The
// gradients that pairs are corrected along are those at the start of the step (start.wgsl).
#define_import_path nearwater::pbf_correction

#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, reflected, velocity_for_friction, with_walls}
#ifdef CORRECTED
#import nearwater::corrections::{Tensor, of_image, of_pair, taken}
#endif
#ifdef TENSION
#import nearwater::tension::{LOST, share_without_clumping}
#endif
#import nearwater::integration::off_walls
#import nearwater::pbf::pbf
#import nearwater::pbf_artificial::with_artificial
#import nearwater::pbf_start::{image_at_start, place_at_start, share_of_start}
#import nearwater::smoothing_kernel::slope_over_q
#ifdef VISCOUS
#import nearwater::viscosity::staged_push
#import nearwater::viscous_factors::Stage
#endif
#ifdef BOUNDARY
#import nearwater::boundaries::{is_mixed, pair_weight, react, react_more, weights}
#import nearwater::images::felt_components
#ifdef FIRST
#import nearwater::core::repulsion
#endif
#endif
#ifdef LOADS
#import nearwater::loads::{add_load, along_walls}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    x: f32,
    y: f32,
    z: f32,
    // Multiplier as written by lambda.wgsl, m⁵/kg.
    multiplier: f32,
    // Position at the start of the step, m.
    start_x: f32,
    start_y: f32,
    start_z: f32,
#ifdef CORRECTED
    // What the correction of gradients takes from it.
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
#ifdef FIRST
    // How much the solid that it belongs to gives way, 1/m; 0 for the fluid.
    mobility: f32,
#endif
#endif
#ifdef VISCOUS
    density: f32,
    // Velocity of the prediction, m/s.
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
#endif
}

struct Sum {
    // Correction that the other particle of a pair has with the opposite sign, m.
    correction: vec3<f32>,
    // Correction by walls that both particles of a pair have, m.
    by_walls: vec3<f32>,
#ifdef LOADS
    // The part of that by friction along the walls, m.
    along: vec3<f32>,
#endif
}

// xyz in meters, in sorted order; and, except in the FIRST correction of a step, the sum of the multipliers so far.
// len = particle_count.
@group(1) @binding(1) var<storage, read> iterate: array<vec4<f32>>;
// Density in kg/m³; and lambda in m² over the rest density, m⁵/kg; in sorted order.
// len = particle_count.
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// xyz in meters after the correction, and the sum of the multipliers including this one; len = particle_count.
@group(1) @binding(3) var<storage, read_write> next_iterate: array<vec4<f32>>;
// Velocities as written by predict.wgsl, in sorted order; len = particle_count.
@group(1) @binding(4) var<storage, read> predicted_velocities: array<vec4<f32>>;
#ifdef BOUNDARY
#ifdef FIRST
// How much the solid of each boundary particle gives way, 1/m; 0 where it does not. In the order of the boundary
// particles; len = boundary_count.
@group(1) @binding(11) var<storage, read> mobilities: array<f32>;
#endif
#endif
#ifdef VISCOUS
// The factors of viscosity, whose only stage this is.
@group(1) @binding(14) var<uniform> stage: Stage;
#endif
// Positions at the start of the step, in sorted order: xyz in meters. The FIRST correction writes them for later ones,
// which then load less; len = particle_count.
#ifdef FIRST
@group(1) @binding(5) var<storage, read_write> starts: array<vec4<f32>>;
#else
@group(1) @binding(5) var<storage, read> starts: array<vec4<f32>>;
#endif
#ifdef CORRECTED
// What the correction of gradients takes from the multiplier of each particle, as shares of it (corrections.wgsl); in
// sorted order; len = particle_count.
@group(1) @binding(13) var<storage, read> corrections: array<vec4<u32>>;
#endif

fn load(index: u32) -> Particle {
    let position = iterate[index];
    var particle: Particle;
    particle.x = position.x;
    particle.y = position.y;
    particle.z = position.z;
    particle.multiplier = densities[index].y;
#ifdef FIRST
    // It begins with the predictions.
    let start = place_at_start(position.xyz, predicted_velocities[index].xyz);
#else
    let start = starts[index];
#endif
    particle.start_x = start.x;
    particle.start_y = start.y;
    particle.start_z = start.z;
#ifdef CORRECTED
    let correction = taken(corrections[index], particle.multiplier);
    particle.correction_xx = correction.normal.x;
    particle.correction_yy = correction.normal.y;
    particle.correction_zz = correction.normal.z;
    particle.correction_yz = correction.shear.x;
    particle.correction_xz = correction.shear.y;
    particle.correction_xy = correction.shear.z;
#endif
#ifdef BOUNDARY
    particle.weight = weights[index];
#ifdef FIRST
    if particle.weight < 0.0 {
        particle.mobility = mobilities[bitcast<u32>(predicted_velocities[index].w) - fluid.fluid_count];
    }
#endif
#endif
#ifdef VISCOUS
    let velocity = predicted_velocities[index].xyz - fallen(index);
    particle.density = densities[index].x;
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
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
    let multiplier = multiplier_of(a, b, between, deeper_solid(a, b, between));
#ifdef VISCOUS
    let viscous = viscous_of(a, b, dot(velocity_of(a) - velocity_of(b), between), between);
#else
    let viscous = 0.0;
#endif
    var sum = zero();
    if may_have_images(length(between) * fluid.inverse_radius, heights_of(position_of(a))) {
        sum = image_corrections(a, b);
    }
    let along = gradient_of(a, b, start_of(a) - start_of(b), between);
    sum.correction += multiplier * along + weight_of(a, b) * viscous * between;
#ifdef CORRECTED
    let corrected = factor_of(a, b, between) * mirrored_share(a, b);
    sum.correction -= corrected * of_pair(tensor_of(a), tensor_of(b), along);
#endif
#ifdef BOUNDARY
#ifdef FIRST
    // All pairs at a free body move it, and those of a layer of water by its mobility times the spacing. Without that in
    // the divisor a body that is lighter than the layer would be thrown back by more than it came too near.
    let apart = repulsion(a.weight, b.weight, dot(between, between));
    sum.correction += apart / (fluid.inverse_spacing + max(a.mobility, b.mobility)) * between;
#endif
#endif
    return sum;
}

fn start_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.start_x, particle.start_y, particle.start_z);
}

// How far it has moved since, m.
fn moved(particle: Particle) -> vec3<f32> {
    return position_of(particle) - start_of(particle);
}

// The factor on the multipliers of a pair at this offset: it has an artificial pressure, or loses some of its tension.
fn factor_of(a: Particle, b: Particle, between: vec3<f32>) -> f32 {
    let q = length(between) * fluid.inverse_radius;
    let artificial = with_artificial(q);
#ifdef TENSION
    let sum = a.multiplier + b.multiplier;
    return select(artificial, share_without_clumping(-sum, q, LOST), sum > 0.0);
#else
    return artificial;
#endif
}

// The kernel's gradient that a pair with this offset at the start and now is corrected along, per multiplier.
fn gradient_of(a: Particle, b: Particle, start: vec3<f32>, now: vec3<f32>) -> vec3<f32> {
    let share = share_of_start(start, now);
    var gradient = slope_over_q(length(start) * fluid.inverse_radius) * start;
    if share < 1.0 {
        gradient = mix(slope_over_q(length(now) * fluid.inverse_radius) * now, gradient, share);
    }
    return weight_of(a, b) * fluid.gradient_scale * gradient;
}

fn weight_of(a: Particle, b: Particle) -> f32 {
#ifdef BOUNDARY
    return pair_weight(a.weight, b.weight);
#else
    return 1.0;
#endif
}

// The factor on what a pair's multipliers contribute: a boundary particle takes the multiplier of the fluid particle.
fn mirrored_share(a: Particle, b: Particle) -> f32 {
#ifdef BOUNDARY
    return select(1.0, 2.0, is_mixed(a.weight, b.weight));
#else
    return 1.0;
#endif
}

#ifdef CORRECTED
fn tensor_of(particle: Particle) -> Tensor {
    let normal = vec3<f32>(particle.correction_xx, particle.correction_yy, particle.correction_zz);
    return Tensor(normal, vec3<f32>(particle.correction_yz, particle.correction_xz, particle.correction_xy));
}
#endif

// The multiplier of a pair at this offset, with an addition for an image or a boundary particle.
fn multiplier_of(a: Particle, b: Particle, between: vec3<f32>, more: f32) -> f32 {
    return mirrored_share(a, b) * (a.multiplier + b.multiplier) * factor_of(a, b, between) + more;
}

#ifdef VISCOUS
// What the velocity of a prediction contains of the fall in this step, which is not a motion relative to walls and
// solids: the pressure stops it. With it, viscosity would bear a part of the weight, 2 % of that of a tank 20 across
// with 0.2 m²/s, and solids in still water would be dragged down.
fn fallen(index: u32) -> vec3<f32> {
    let fall = fluid.time_step * fluid.gravity;
#ifdef BOUNDARY
    return select(vec3<f32>(0.0), fall, weights[index] > 0.0);
#else
    return fall;
#endif
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

// Viscosity, multiplied by the square of the time step as every acceleration here.
fn viscous_of(a: Particle, b: Particle, parting: f32, between: vec3<f32>) -> f32 {
#ifdef BOUNDARY
    let is_at_solid = is_mixed(a.weight, b.weight);
#else
    let is_at_solid = false;
#endif
    let push = staged_push(stage, is_at_solid, parting, dot(between, between), a.density + b.density);
    return fluid.time_step * fluid.time_step * push;
}
#endif

// By how much the multiplier of a particle's image or of a boundary particle beside it differs from its own: the
// hydrostatic difference of pressure to that place. `away` is the way from the particle to it, and `pressure` the sum
// of the pair's multipliers. The FIRST correction of a step contains the whole difference, which is at most the
// pressure that the corrections of the step add up to if all are as large, so that water without pressure is not
// pushed.
fn deeper(pressure: f32, away: vec3<f32>) -> f32 {
#ifdef FIRST
    let step_squared = fluid.time_step * fluid.time_step;
    let difference = -step_squared * fluid.pressure_scale * dot(fluid.gravity, away) / fluid.rest_density;
    let most = pbf.iterations * max(-pressure, 0.0);
    return clamp(difference, -most, most);
#else
    return 0.0;
#endif
}

// The same for the boundary particle of a pair of fluid and solid at this offset (Adami, Hu and Adams 2012, equation
// 27, for each pair), and zero for other pairs.
fn deeper_solid(a: Particle, b: Particle, between: vec3<f32>) -> f32 {
#ifdef BOUNDARY
    let difference = deeper(a.multiplier + b.multiplier, -sign(a.weight) * between);
    return select(0.0, difference, is_mixed(a.weight, b.weight));
#else
    return 0.0;
#endif
}

// The corrections by the images that each particle of a pair has for the other one, split like the forces of
// forces.wgsl into a part that is opposite for both and a part that is the same.
fn image_corrections(a: Particle, b: Particle) -> Sum {
    var sum = zero();
    let between = position_of(a) - position_of(b);
    let offsets = image_offsets(heights_of(position_of(a)), heights_of(position_of(b)));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, between, offsets);
        let from_image = images.for_a;
        let seen_from_b = images.for_b;
        var deeper_b = deeper(a.multiplier + b.multiplier, between - from_image);
        var deeper_a = deeper(a.multiplier + b.multiplier, -between - seen_from_b);
#ifdef VISCOUS
        // Without slip the two particles do not part from the images of each other equally fast.
        let parting_a = dot(velocity_of(a) - velocity_for_friction(velocity_of(b), images), from_image);
        let parting_b = dot(velocity_of(b) - velocity_for_friction(velocity_of(a), images), seen_from_b);
        let viscous_a = weight_of(a, b) * viscous_of(a, b, parting_a, from_image);
        let viscous_b = weight_of(a, b) * viscous_of(a, b, parting_b, from_image);
#else
        let viscous_a = 0.0;
        let viscous_b = 0.0;
#endif
#ifdef BOUNDARY
        let is_fluid = !is_mixed(a.weight, b.weight);
        deeper_b = select(deeper_solid(a, b, from_image), deeper_b, is_fluid);
        deeper_a = select(deeper_solid(b, a, seen_from_b), deeper_a, is_fluid);
        let on_a = felt_components(a.weight, images);
        let on_b = felt_components(b.weight, images);
#else
        let on_a = vec3<f32>(1.0);
        let on_b = on_a;
#endif
        let start = image_at_start(from_image, moved(a), moved(b), images.mirrored);
        let along_a = gradient_of(a, b, start, from_image);
        let along_b = -reflected(along_a, images.mirrored);
        var of_a = on_a * (multiplier_of(a, b, from_image, deeper_b) * along_a + viscous_a * from_image);
        var of_b = on_b * (multiplier_of(a, b, from_image, deeper_a) * along_b + viscous_b * seen_from_b);
#ifdef CORRECTED
        let factor = factor_of(a, b, from_image) * mirrored_share(a, b);
        let corrected = factor * of_image(tensor_of(a), tensor_of(b), images.mirrored, along_a);
        of_a -= on_a * corrected;
        of_b += on_b * reflected(corrected, images.mirrored);
#endif
        sum.correction += 0.5 * (of_a - of_b);
        sum.by_walls += 0.5 * (of_a + of_b);
#ifdef LOADS
        let friction = 0.5 * (on_a * viscous_a * from_image + on_b * viscous_b * seen_from_b);
        sum.along += along_walls(friction, images.mirrored);
#endif
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    var sum = contribution;
    sum.correction = -sum.correction;
    return sum;
}

fn add(a: Sum, b: Sum) -> Sum {
    var sum = a;
    sum.correction += b.correction;
    sum.by_walls = with_walls(a.by_walls, b.by_walls);
#ifdef LOADS
    sum.along = with_walls(a.along, b.along);
#endif
    return sum;
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let position = vec3<f32>(particle.x, particle.y, particle.z);
#ifdef FIRST
    starts[index] = vec4<f32>(start_of(particle), 1.0);
#endif
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        let acceleration = (sum.correction + sum.by_walls) / (fluid.time_step * fluid.time_step);
#ifdef FIRST
        react(particle.weight, predicted_velocities[index].w, acceleration);
#else
        react_more(particle.weight, predicted_velocities[index].w, acceleration);
#endif
#ifdef LOADS
        let step_squared = fluid.time_step * fluid.time_step;
        add_load(predicted_velocities[index].w, (sum.by_walls - sum.along) / step_squared, sum.along / step_squared);
#endif
        next_iterate[index] = vec4<f32>(position, 0.0);
        return;
    }
#endif
#ifdef FIRST
    let multipliers = particle.multiplier;
#else
    let multipliers = iterate[index].w + particle.multiplier;
#endif
    // Its own images.
    let own = image_corrections(particle, particle);
    let correction = sum.correction + sum.by_walls + own.correction + own.by_walls;
    let next = position + correction;
    next_iterate[index] = vec4<f32>(off_walls(next), multipliers);
#ifdef LOADS
    let along = sum.along + own.along;
    let across = sum.by_walls + own.correction + own.by_walls - along + (off_walls(next) - next);
    let per_square = 1.0 / (fluid.time_step * fluid.time_step);
    add_load(predicted_velocities[index].w, per_square * across, per_square * along);
#endif
}

#ifdef DEPOSITS
// Number of floats of a sum.
#ifdef LOADS
const WIDTH: u32 = 9u;
#else
const WIDTH: u32 = 6u;
#endif

fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.correction);
    deposits::deposit_rare_vector(WIDTH * index + 3u, sum.by_walls);
#ifdef LOADS
    deposits::deposit_rare_vector(WIDTH * index + 6u, sum.along);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.correction = deposits::withdraw_vector(WIDTH * index);
    sum.by_walls = deposits::withdraw_vector(WIDTH * index + 3u);
#ifdef LOADS
    sum.along = deposits::withdraw_vector(WIDTH * index + 6u);
#endif
    return sum;
}
#endif
