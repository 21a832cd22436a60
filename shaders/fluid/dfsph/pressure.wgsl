// Pair kernel of DFSPH: the velocities after the acceleration by the current pressures. It computes them anew from the
// velocities without pressure, so that no rounding accumulates over the iterations. With CONSTANT_DENSITY it belongs to
// the constant-density solver, otherwise to the divergence-free solver.
#define_import_path nearwater::dfsph_pressure

#ifdef CONSTANT_DENSITY
#import nearwater::dfsph::deeper
#endif
#import nearwater::fluid::fluid
#import nearwater::images::{axes_with_images, heights_of, image_of_pair, image_offsets, may_come_near_wall}
#import nearwater::images::{may_have_images, next_image, with_walls}
#import nearwater::smoothing_kernel::slope_over_q
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, react, weights}
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
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density²; in sorted order; len =
// particle_count.
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// Velocities without the solver's pressure, in sorted order: xyz in m/s, and in w the bits of the original index; with
// CONSTANT_DENSITY, for a particle of a solid the acceleration by what else acts on it, m/s². len = particle_count.
@group(1) @binding(3) var<storage, read> unpressed: array<vec4<f32>>;
// Velocities with the solver's pressure, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(1) @binding(4) var<storage, read_write> iterate: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let heights = heights_of(sorted_positions[index].xyz);
    var particle: Particle;
    particle.height_x = heights.x;
    particle.height_y = heights.y;
    particle.height_z = heights.z;
    particle.pressure_term = densities[index].y;
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
    return Sum(vec3<f32>(0.0), vec3<f32>(0.0));
}

// The acceleration that corresponds to the rate of the density in rate.wgsl (Bender and Koschier 2015, equation 11):
// only the particle's own density counts particles of solids, which therefore have no pressure.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
#ifdef BOUNDARY
    let pressure = pair_weight(a.weight, b.weight) * (a.pressure_term + b.pressure_term);
#else
    let pressure = a.pressure_term + b.pressure_term;
#endif
    var sum = zero();
    if may_have_images(q, heights(a)) {
        sum = image_pressures(a, b, offset);
    }
    sum.acceleration += -fluid.gradient_scale * pressure * slope_over_q(q) * offset;
    return sum;
}

// By how much the pressure term of a particle's image exceeds its own. The pressures of the divergence-free solver are
// a part of the whole, and the other one adds the difference.
fn image_excess(particle: Particle, away: vec3<f32>) -> f32 {
#ifdef CONSTANT_DENSITY
    return deeper(particle.pressure_term, away);
#else
    return 0.0;
#endif
}

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
        // Walls act on the fluid only: a solid near a wall is held by the fluid that is there.
        let weight = scale * pair_weight(a.weight, b.weight);
        let is_fluid = a.weight > 0.0 && b.weight > 0.0;
        let deeper_b = select(0.0, image_excess(b, offset - from_image), is_fluid);
        let deeper_a = select(0.0, image_excess(a, -offset - seen_from_b), is_fluid);
        let on_a = select(0.0, weight, a.weight > 0.0);
        let on_b = select(0.0, weight, b.weight > 0.0);
#else
        let deeper_b = image_excess(b, offset - from_image);
        let deeper_a = image_excess(a, -offset - seen_from_b);
        let on_a = scale;
        let on_b = scale;
#endif
        let force_a = on_a * (a.pressure_term + b.pressure_term + deeper_b) * from_image;
        let force_b = on_b * (a.pressure_term + b.pressure_term + deeper_a) * seen_from_b;
        sum.acceleration += 0.5 * (force_a - force_b);
        sum.by_walls += 0.5 * (force_a + force_b);
    }
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(-contribution.acceleration, contribution.by_walls);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.acceleration + b.acceleration, with_walls(a.by_walls, b.by_walls));
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let before = unpressed[index];
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
#ifdef CONSTANT_DENSITY
        react(particle.weight, before.w, before.xyz + sum.acceleration + sum.by_walls);
#else
        react(particle.weight, before.w, sum.acceleration + sum.by_walls);
#endif
        return;
    }
#endif
    let own = image_pressures(particle, particle, vec3<f32>(0.0));
    let acceleration = sum.acceleration + sum.by_walls + own.acceleration + own.by_walls;
    iterate[index] = vec4<f32>(before.xyz + fluid.time_step * acceleration, before.w);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(6u * index, sum.acceleration);
    deposits::deposit_rare_vector(6u * index + 3u, sum.by_walls);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw_vector(6u * index), deposits::withdraw_vector(6u * index + 3u));
}
#endif
