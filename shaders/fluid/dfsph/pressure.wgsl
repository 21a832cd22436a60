// Pair kernel of DFSPH: the velocities after the acceleration by the current pressures. It computes them anew from the
// velocities without pressure, so that no rounding accumulates over the iterations. With CONSTANT_DENSITY it belongs to
// the constant-density solver, otherwise to the divergence-free solver.
#define_import_path nearwater::dfsph_pressure

#import nearwater::fluid::fluid
#import nearwater::smoothing_kernel::slope_over_q
#import nearwater::walls::walls_at
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, react, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    pressure_term: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // m/s².
    acceleration: vec3<f32>,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density² times the walls' factor; in sorted order;
// len = particle_count.
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// Velocities without the solver's pressure, in sorted order: xyz in m/s, and in w the bits of the original index; with
// CONSTANT_DENSITY, for a particle of a solid the acceleration by what else acts on it, m/s². len = particle_count.
@group(1) @binding(3) var<storage, read> unpressed: array<vec4<f32>>;
// Velocities with the solver's pressure, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(1) @binding(4) var<storage, read_write> iterate: array<vec4<f32>>;

fn load(index: u32) -> Particle {
#ifdef BOUNDARY
    return Particle(densities[index].y, weights[index]);
#else
    return Particle(densities[index].y);
#endif
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0));
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
    return Sum(-fluid.gradient_scale * pressure * slope_over_q(q) * offset);
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(-contribution.acceleration);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.acceleration + b.acceleration);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let before = unpressed[index];
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
#ifdef CONSTANT_DENSITY
        react(particle.weight, before.w, before.xyz + sum.acceleration);
#else
        react(particle.weight, before.w, sum.acceleration);
#endif
        return;
    }
#endif
    let walls = walls_at(sorted_positions[index].xyz);
    // The pressure term contains the walls' factor once, and so does the density.
    let off_walls = -particle.pressure_term * densities[index].x / walls.factor * walls.gradient;
    iterate[index] = vec4<f32>(before.xyz + fluid.time_step * (sum.acceleration + off_walls), before.w);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(3u * index, sum.acceleration);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw_vector(3u * index));
}
#endif
