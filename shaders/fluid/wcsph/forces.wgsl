// Pair kernel of WCSPH: acceleration of each particle by its neighbors' pressure and viscosity. `finish` adds
// walls, gravity and the push, and integrates the motion. XSPH is a definition, because it has a cost; so is TENSION,
// the accurate mode.
#define_import_path nearwater::forces

#import nearwater::fluid::{fluid, gravity_at}
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, velocity_for_friction, with_walls}
#ifdef TENSION
#import nearwater::corrections::{Tensor, of_image, of_pair, taken}
#import nearwater::images::reflected
#import nearwater::tension::share_without_clumping
#endif
#import nearwater::integration::{at_rest_off_walls, off_walls, rubbed}
#import nearwater::push::push_at
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#import nearwater::viscosity::viscous_push
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, is_mixed, pair_weight, react, weights}
#import nearwater::core::repulsion
#import nearwater::images::felt_components
#import nearwater::viscosity::viscous_shares
#endif
#ifdef LOADS
#import nearwater::loads::{along_walls, begin_load}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    // Scalars, because traversals store these structs in workgroup memory, where a vec3 takes the space of four.
    // Height above the low faces of the box, m.
    height_x: f32,
    height_y: f32,
    height_z: f32,
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
    density: f32,
    pressure_term: f32,
#ifdef TENSION
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
#endif
}

struct Sum {
    // Acceleration that the other particle of a pair has with the opposite sign, m/s².
    acceleration: vec3<f32>,
    // Acceleration by walls that both particles of a pair have, m/s².
    by_walls: vec3<f32>,
#ifdef XSPH
    // Weighted sum of the neighbors' velocities relative to the particle, m/s.
    drift: vec3<f32>,
#endif
#ifdef LOADS
    // The part of `by_walls` that is friction along the walls, m/s².
    along: vec3<f32>,
#endif
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density²; in sorted order; len = particle_count.
@group(1) @binding(3) var<storage, read> densities: array<vec2<f32>>;
// Positions of the next step, in sorted order: xyz in meters, 1; len = particle_count.
@group(1) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities of the next step, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(1) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;
#ifdef TENSION
// What the correction of gradients takes from the pressure term of each particle (density.wgsl), as shares of it
// (corrections.wgsl); in sorted order; len = particle_count.
@group(1) @binding(13) var<storage, read> corrections: array<vec4<u32>>;
#endif

fn load(index: u32) -> Particle {
    let velocity = sorted_velocities[index];
    let density = densities[index];
    let heights = heights_of(sorted_positions[index].xyz);
    var particle: Particle;
    particle.height_x = heights.x;
    particle.height_y = heights.y;
    particle.height_z = heights.z;
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
    particle.density = density.x;
    particle.pressure_term = density.y;
#ifdef TENSION
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
    return particle;
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
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

// Symmetric pressure force and viscosity. Each term has the same value for (a, b) and (b, a), and only the offset
// changes sign, so the two forces cancel to the last bit. All forces point along the offset, so angular momentum is
// conserved as well.
//
// A boundary particle has the rest density rho0. Where SOLID_PRESSURES gives it a pressure of its own
// (solvers/solid_pressures.rs), that is never zero. Without one it takes the fluid particle's pressure plus the
// hydrostatic difference between the two positions: p / rho² + (p + rho0 gravity · offset) / rho0² (Akinci et al.
// 2012, equation 9, mirrored; Adami, Hu and Adams 2012, equation 27, for each pair). The mean of both pressures is
// then that at the surface half-way between, so that a body floats at the correct depth rather than half a spacing
// higher. XSPH does not act on boundary particles.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let velocity = velocity_of(a) - velocity_of(b);
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    var scale = -fluid.gradient_scale * slope_over_q(q);
    var viscous = viscous_push_of(a, b, dot(velocity, offset), distance_squared);
#ifdef BOUNDARY
    let weight = pair_weight(a.weight, b.weight);
    scale *= weight;
    viscous *= weight;
#endif
    var pressure = pressure_of(a, b, offset);
#ifdef TENSION
    let tension_left = share_without_clumping(pressure, q, LOST);
    pressure *= tension_left;
#endif
    var push = scale * fluid.pressure_scale * pressure + viscous;
#ifdef BOUNDARY
    // Up to STRENGTH times the speed of sound squared over a spacing, many times what is needed to stop the fastest
    // fluid.
    let sound_squared = 7.0 * fluid.stiffness / fluid.rest_density;
    push += sound_squared * fluid.inverse_spacing * repulsion(a.weight, b.weight, distance_squared);
#endif
    var sum = zero();
    if may_have_images(q, heights(a)) {
        sum = image_forces(a, b, offset);
    }
    sum.acceleration += push * offset;
#ifdef TENSION
    let corrected = scale * fluid.pressure_scale * tension_left * mirrored_share(a, b);
    sum.acceleration -= corrected * of_pair(correction(a), correction(b), offset);
#endif
#ifdef XSPH
    // Divided by the mean of both densities, so that the two drifts of a pair are opposite (Monaghan 1989, equation
    // 2.6).
    var share = 2.0 * fluid.density_scale * shape(q) / (a.density + b.density);
#ifdef BOUNDARY
    share *= fluid_pair(a.weight, b.weight);
#endif
    sum.drift = -share * velocity;
#endif
    return sum;
}

fn viscous_push_of(a: Particle, b: Particle, parting: f32, distance_squared: f32) -> f32 {
    let densities = a.density + b.density;
    var strengths = vec2<f32>(fluid.approach_viscosity, fluid.viscosity);
#ifdef BOUNDARY
    strengths *= viscous_shares(is_mixed(a.weight, b.weight), distance_squared);
#endif
    return viscous_push(strengths.x, strengths.y, parting, distance_squared, densities);
}

#ifdef TENSION
// The share of its tension that a pair at a distance of one spacing loses (Monaghan 2000 suggests 0.2).
const LOST: f32 = 0.3;

fn correction(particle: Particle) -> Tensor {
    let normal = vec3<f32>(particle.correction_xx, particle.correction_yy, particle.correction_zz);
    return Tensor(normal, vec3<f32>(particle.correction_yz, particle.correction_xz, particle.correction_xy));
}

// The factor of the corrections of a pair: a boundary particle mirrors the fluid particle's.
fn mirrored_share(a: Particle, b: Particle) -> f32 {
#ifdef BOUNDARY
    let ratio = a.density * b.density / (fluid.rest_density * fluid.rest_density);
    let is_mirrored = is_mixed(a.weight, b.weight) && a.pressure_term + b.pressure_term > 0.0;
    return select(1.0, 1.0 + ratio * ratio, is_mirrored);
#else
    return 1.0;
#endif
}
#endif

// Sum of the pressure terms of a pair at this offset, m⁵/(kg s²).
fn pressure_of(a: Particle, b: Particle, offset: vec3<f32>) -> f32 {
    var pressure = a.pressure_term + b.pressure_term;
#ifdef BOUNDARY
    let of_solid = select(b.pressure_term, a.pressure_term, a.weight < 0.0);
    if is_mixed(a.weight, b.weight) && of_solid == 0.0 && pressure > 0.0 {
        let ratio = a.density * b.density / (fluid.rest_density * fluid.rest_density);
        let deeper = -sign(a.weight) * dot(fluid.gravity, offset) / fluid.rest_density;
        pressure += max(ratio * ratio * pressure + deeper, 0.0);
    }
#endif
    return pressure;
}

// By how much the pressure term of a particle's image exceeds its own: the hydrostatic difference to its place, m⁵/(kg
// s²). `away` is the way from the particle to its image. It is at most the pressure itself, so that
// water without pressure is not pushed.
fn deeper(particle: Particle, away: vec3<f32>) -> f32 {
    let density = particle.density;
    let difference = fluid.rest_density * dot(fluid.gravity, away) / (density * density);
    let most = max(particle.pressure_term, 0.0);
    return clamp(difference, -most, most);
}

// Forces between each particle of a pair and the images of the other one. Along the walls the forces on both are
// opposite, as in a pair of particles, but towards a wall they are equal; and the hydrostatic differences of both
// images differ. The forces are therefore split into a part that is opposite for both and a part that is the same.
fn image_forces(a: Particle, b: Particle, offset: vec3<f32>) -> Sum {
    var sum = zero();
    let offsets = image_offsets(heights(a), heights(b));
    let axes = axes_with_images(offsets);
    for (var image = axes; image != 0u; image = next_image(image, axes)) {
        let images = image_of_pair(image, offset, offsets);
        let from_image = images.for_a;
        let distance_squared = dot(from_image, from_image);
        let scale = -fluid.gradient_scale * fluid.pressure_scale
            * slope_over_q(sqrt(distance_squared) * fluid.inverse_radius);
        let seen_from_b = images.for_b;
        // Without slip the two particles do not part from the images of each other equally fast.
        let parting_a = dot(velocity_of(a) - velocity_for_friction(velocity_of(b), images), from_image);
        let parting_b = dot(velocity_of(b) - velocity_for_friction(velocity_of(a), images), seen_from_b);
        let viscous_a = viscous_push_of(a, b, parting_a, distance_squared);
        let viscous_b = viscous_push_of(a, b, parting_b, distance_squared);
#ifdef BOUNDARY
        let weight = pair_weight(a.weight, b.weight);
        let is_fluid = fluid_pair(a.weight, b.weight) > 0.0;
        let deeper_b = select(0.0, deeper(b, offset - from_image), is_fluid);
        let deeper_a = select(0.0, deeper(a, -offset - seen_from_b), is_fluid);
        let on_a = weight * felt_components(a.weight, images);
        let on_b = weight * felt_components(b.weight, images);
#else
        let deeper_b = deeper(b, offset - from_image);
        let deeper_a = deeper(a, -offset - seen_from_b);
        let on_a = vec3<f32>(1.0);
        let on_b = on_a;
#endif
        let push_a = scale * (pressure_of(a, b, from_image) + deeper_b) + viscous_a;
        let push_b = scale * (pressure_of(b, a, seen_from_b) + deeper_a) + viscous_b;
        var force_a = on_a * push_a * from_image;
        var force_b = on_b * push_b * seen_from_b;
#ifdef TENSION
        let corrected = scale * mirrored_share(a, b);
        let of_a = corrected * of_image(correction(a), correction(b), images.mirrored, from_image);
        force_a -= on_a * of_a;
        force_b += on_b * reflected(of_a, images.mirrored);
#endif
        sum.acceleration += 0.5 * (force_a - force_b);
        sum.by_walls += 0.5 * (force_a + force_b);
#ifdef LOADS
        let friction = 0.5 * (on_a * viscous_a * from_image + on_b * viscous_b * seen_from_b);
        sum.along += along_walls(friction, images.mirrored);
#endif
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    var sum = contribution;
    sum.acceleration = -sum.acceleration;
#ifdef XSPH
    sum.drift = -sum.drift;
#endif
    return sum;
}

fn add(a: Sum, b: Sum) -> Sum {
    var sum = a;
    sum.acceleration += b.acceleration;
    sum.by_walls = with_walls(a.by_walls, b.by_walls);
#ifdef XSPH
    sum.drift += b.drift;
#endif
#ifdef LOADS
    sum.along = with_walls(a.along, b.along);
#endif
    return sum;
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let position = sorted_positions[index].xyz;
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        react(particle.weight, sorted_velocities[index].w, sum.acceleration + sum.by_walls);
#ifdef LOADS
        begin_load(sorted_velocities[index].w, sum.by_walls - sum.along, sum.along);
#endif
        positions[index] = vec4<f32>(position, 1.0);
        velocities[index] = sorted_velocities[index];
        return;
    }
#endif
    // Its own images.
    let own = image_forces(particle, particle, vec3<f32>(0.0));
    let before = velocity_of(particle);
    let by_others = sum.acceleration + sum.by_walls + own.acceleration + own.by_walls;
    let acceleration = by_others + gravity_at(position) + push_at(position, before);

    // Symplectic Euler: the position is advanced with the new velocity.
    let accelerated = before + fluid.time_step * acceleration;
    let velocity = rubbed(accelerated, position);
#ifdef XSPH
    let next = position + fluid.time_step * (velocity + fluid.xsph * sum.drift);
#else
    let next = position + fluid.time_step * velocity;
#endif
    positions[index] = vec4<f32>(off_walls(next), 1.0);
    velocities[index] = vec4<f32>(at_rest_off_walls(velocity, next), sorted_velocities[index].w);
#ifdef LOADS
    let stopped = (at_rest_off_walls(velocity, next) - velocity) / fluid.time_step;
    let along = sum.along + own.along;
    let across = sum.by_walls + own.acceleration + own.by_walls - along + stopped;
    begin_load(sorted_velocities[index].w, across, along + (velocity - accelerated) / fluid.time_step);
#endif
}

#ifdef DEPOSITS
// Number of floats of a sum.
#ifdef LOADS
const WIDTH: u32 = 12u;
#else
#ifdef XSPH
const WIDTH: u32 = 9u;
#else
const WIDTH: u32 = 6u;
#endif
#endif

fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.acceleration);
    deposits::deposit_rare_vector(WIDTH * index + 3u, sum.by_walls);
#ifdef XSPH
    deposits::deposit_vector(WIDTH * index + 6u, sum.drift);
#endif
#ifdef LOADS
    deposits::deposit_rare_vector(WIDTH * index + 9u, sum.along);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.acceleration = deposits::withdraw_vector(WIDTH * index);
    sum.by_walls = deposits::withdraw_vector(WIDTH * index + 3u);
#ifdef XSPH
    sum.drift = deposits::withdraw_vector(WIDTH * index + 6u);
#endif
#ifdef LOADS
    sum.along = deposits::withdraw_vector(WIDTH * index + 9u);
#endif
    return sum;
}
#endif
