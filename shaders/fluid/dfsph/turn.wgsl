// Pair kernel of DFSPH: changes of the velocities that keep the angular momentum in spite of the shifts. A shift moves a
// particle and leaves its velocity as it is, so that the angular momentum of a pair at x with the relative velocity v
// changes by d × v, where d = δ x / |x| is what the pair adds to the shift of its first particle. The velocities of the
// pair change by ∓(δ / |x|) times the component of v at right angles to x, which changes the angular momentum by the
// opposite amount: a pair that is pulled together turns faster, as a skater does. Both particles of a pair get opposite
// changes, so that the momentum is kept as well. Pairs with solids and with images are left out, since walls and solids
// take up angular momentum.
#define_import_path nearwater::dfsph_turn

#import nearwater::dfsph::Terms
#import nearwater::fluid::fluid
#import nearwater::smoothing_kernel::slope_over_q
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    density_term: f32,
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // Change of the velocity divided by the square of the time step, m/s³.
    change: vec3<f32>,
}

// Pressure terms in sorted order; len = particle_count.
@group(1) @binding(1) var<storage, read> terms: array<Terms>;
// Velocities with pressure, in sorted order: xyz in m/s; len = particle_count.
@group(1) @binding(2) var<storage, read> velocities: array<vec4<f32>>;
// Changes of the velocities, in sorted order: xyz in m/s; len = particle_count.
@group(1) @binding(3) var<storage, read_write> changes: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let velocity = velocities[index];
    var particle: Particle;
    particle.density_term = terms[index].density;
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
#ifdef BOUNDARY
    particle.weight = weights[index];
#endif
    return particle;
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0));
}

// The shift of a pair is that of pressure.wgsl: −gradient_scale (κ + κ') slope · offset, times the square of the step.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    // δ / |x|.
    var share = -fluid.gradient_scale * (a.density_term + b.density_term) * slope_over_q(q);
#ifdef BOUNDARY
    share *= fluid_pair(a.weight, b.weight);
#endif
    let velocity = velocity_of(a) - velocity_of(b);
    // Coincident particles have no direction.
    let along = dot(velocity, offset) / max(distance_squared, 1e-24);
    return Sum(-share * (velocity - along * offset));
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(-contribution.change);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.change + b.change);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    changes[index] = vec4<f32>(fluid.time_step * fluid.time_step * sum.change, 0.0);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(3u * index, sum.change);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw_vector(3u * index));
}
#endif
