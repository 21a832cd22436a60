// Pair kernel of DFSPH: applies what does not depend on pressure (gravity, the push, VISCOUS forces, COHESION, XSPH), and
// the pressures with which the constant-density solver starts. The velocities without pressure are stored as well,
// because each iteration computes the effect of its pressures anew.
#define_import_path nearwater::dfsph_forces

#import nearwater::dfsph::dfsph
#import nearwater::fluid::{fluid, gravity_at}
#import nearwater::push::push_at
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#import nearwater::walls::walls_at
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, pair_weight, react, reactions, weights}
#endif
#ifdef COHESION
#import nearwater::cohesion::cohesion_over_q
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
#ifdef MOVING
    density: f32,
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
#endif
}

struct Sum {
    // Acceleration by pressure, m/s².
    pressed: vec3<f32>,
#ifdef OTHERS
    // Acceleration by everything else, m/s².
    other: vec3<f32>,
#endif
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities after the divergence-free solver, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(1) @binding(2) var<storage, read> velocities: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density² times the walls' factor; in sorted order;
// len = particle_count.
@group(1) @binding(3) var<storage, read> densities: array<vec2<f32>>;
// Velocities without the pressures of the constant-density solver, in sorted order: xyz in m/s; for a particle of a
// solid the acceleration by what else acts on it, m/s²; in w the bits of the original index. len = particle_count.
@group(1) @binding(4) var<storage, read_write> unpressed: array<vec4<f32>>;
// Velocities with these pressures, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(1) @binding(5) var<storage, read_write> iterate: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let density = densities[index];
    var particle: Particle;
    particle.pressure_term = density.y;
#ifdef BOUNDARY
    particle.weight = weights[index];
#endif
#ifdef MOVING
    let velocity = velocities[index];
    particle.density = density.x;
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
#endif
    return particle;
}

fn zero() -> Sum {
#ifdef OTHERS
    return Sum(vec3<f32>(0.0), vec3<f32>(0.0));
#else
    return Sum(vec3<f32>(0.0));
#endif
}

// Viscosity and cohesion are those of the other solvers, and the pressure is that of pressure.wgsl. All factors are the
// same for both particles of a pair, and only the offset changes its sign.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    let slope = slope_over_q(q);
#ifdef BOUNDARY
    let weight = pair_weight(a.weight, b.weight);
    let between_fluid = fluid_pair(a.weight, b.weight);
#else
    let weight = 1.0;
    let between_fluid = 1.0;
#endif
    let pressed = -fluid.gradient_scale * weight * (a.pressure_term + b.pressure_term) * slope * offset;
#ifdef OTHERS
    var other = vec3<f32>(0.0);
#ifdef MOVING
    let velocity = vec3<f32>(a.velocity_x - b.velocity_x, a.velocity_y - b.velocity_y, a.velocity_z - b.velocity_z);
#endif
#ifdef VISCOUS
    let parting = dot(velocity, offset);
    let viscosity = -(dfsph.approach_viscosity * min(parting, 0.0) + dfsph.viscosity * parting)
        / ((distance_squared + fluid.viscosity_floor) * (a.density + b.density));
    other += -fluid.gradient_scale * weight * viscosity * slope * offset;
#endif
#ifdef COHESION
    other -= between_fluid * fluid.cohesion * fluid.inverse_radius * cohesion_over_q(q) * offset;
#endif
#ifdef XSPH
    other -= between_fluid * dfsph.xsph * 2.0 * fluid.density_scale * shape(q) / (a.density + b.density) * velocity;
#endif
    return Sum(pressed, other);
#else
    return Sum(pressed);
#endif
}

fn mirror(contribution: Sum) -> Sum {
#ifdef OTHERS
    return Sum(-contribution.pressed, -contribution.other);
#else
    return Sum(-contribution.pressed);
#endif
}

fn add(a: Sum, b: Sum) -> Sum {
#ifdef OTHERS
    return Sum(a.pressed + b.pressed, a.other + b.other);
#else
    return Sum(a.pressed + b.pressed);
#endif
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let before = velocities[index];
#ifdef OTHERS
    let other = sum.other;
#else
    let other = vec3<f32>(0.0);
#endif
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        iterate[index] = before;
        unpressed[index] = before;
        if particle.weight < 0.0 {
            // So far the reaction is that of the divergence-free solver.
            let acceleration = reactions[bitcast<u32>(before.w) - fluid.fluid_count].xyz + other;
            unpressed[index] = vec4<f32>(acceleration, before.w);
            react(particle.weight, before.w, acceleration + sum.pressed);
        }
        return;
    }
#endif
    let position = sorted_positions[index].xyz;
    let walls = walls_at(position);
    let off_walls = -particle.pressure_term * densities[index].x / walls.factor * walls.gradient;
    let gained = gravity_at(position) + push_at(position, before.xyz) + other;
    let velocity = before.xyz + fluid.time_step * gained;
    unpressed[index] = vec4<f32>(velocity, before.w);
    iterate[index] = vec4<f32>(velocity + fluid.time_step * (sum.pressed + off_walls), before.w);
}

#ifdef DEPOSITS
// Number of floats of a sum.
#ifdef OTHERS
const WIDTH: u32 = 6u;
#else
const WIDTH: u32 = 3u;
#endif

fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.pressed);
#ifdef OTHERS
    deposits::deposit_vector(WIDTH * index + 3u, sum.other);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.pressed = deposits::withdraw_vector(WIDTH * index);
#ifdef OTHERS
    sum.other = deposits::withdraw_vector(WIDTH * index + 3u);
#endif
    return sum;
}
#endif
