// Pair kernel of WCSPH: acceleration of each particle by its neighbors' pressure, viscosity and cohesion. `finish`
// adds walls, gravity and the push, and integrates the motion. XSPH and COHESION are definitions, because these terms
// have a cost.
#define_import_path nearwater::forces

#import nearwater::fluid::{fluid, gravity_at}
#import nearwater::integration::{at_rest_in_walls, inside}
#import nearwater::push::push_at
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#import nearwater::walls::walls_at
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, is_mixed, pair_weight, react, weights}
#endif
#ifdef COHESION
#import nearwater::cohesion::cohesion_over_q
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

#ifdef CLOTH
// A cloth is a single layer with fluid on both sides, so pressure alone would let some fluid through where the cloth
// is stretched. A fluid particle nearer to a cloth particle than CORE spacings, which does not occur in fluid at
// rest, is therefore repelled with an acceleration of up to CORE_STRENGTH times the speed of sound squared over a
// spacing, many times what is needed to stop the fastest fluid.
const CORE: f32 = 0.75;
const CORE_STRENGTH: f32 = 0.3;
#endif

struct Particle {
    // Scalars, 20 or 24 bytes: with a vec3 it would have 32, and traversals store these structs in workgroup memory.
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
    density: f32,
    pressure_term: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // m/s².
    acceleration: vec3<f32>,
#ifdef XSPH
    // Weighted sum of the neighbors' velocities relative to the particle, m/s.
    drift: vec3<f32>,
#endif
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density² times the walls' factor; in sorted order;
// len = particle_count.
@group(1) @binding(3) var<storage, read> densities: array<vec2<f32>>;
// Positions of the next step, in sorted order: xyz in meters, 1; len = particle_count.
@group(1) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities of the next step, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(1) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let velocity = sorted_velocities[index];
    let density = densities[index];
#ifdef BOUNDARY
    return Particle(velocity.x, velocity.y, velocity.z, density.x, density.y, weights[index]);
#else
    return Particle(velocity.x, velocity.y, velocity.z, density.x, density.y);
#endif
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

fn zero() -> Sum {
#ifdef XSPH
    return Sum(vec3<f32>(0.0), vec3<f32>(0.0));
#else
    return Sum(vec3<f32>(0.0));
#endif
}

// Symmetric pressure force, artificial viscosity (Monaghan 1992, equations 3.3 and 4.1 with beta = 0), and a physical
// viscosity of the same form (Monaghan 2005, section 4), which also acts on separating particles. Each term has the
// same value for (a, b) and (b, a), and only the offset changes sign, so the two forces cancel to the last bit. All
// forces point along the offset, so angular momentum is conserved as well.
//
// A boundary particle has the rest density rho0 and no pressure of its own. It takes the fluid particle's pressure
// plus the hydrostatic difference between the two positions: p / rho² + (p + rho0 gravity · offset) / rho0² (Akinci
// et al. 2012, equation 9, mirrored; Adami, Hu and Adams 2012, equation 27, for each pair). The mean of both
// pressures is then that at the surface half-way between, so that a body floats at the correct depth rather than half
// a spacing higher. Cohesion and XSPH do not act on boundary particles.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let velocity = velocity_of(a) - velocity_of(b);
    let parting = dot(velocity, offset);
    let densities = a.density + b.density;
    let viscosity = -(fluid.approach_viscosity * min(parting, 0.0) + fluid.viscosity * parting)
        / ((distance_squared + fluid.viscosity_floor) * densities);
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    var pressure = a.pressure_term + b.pressure_term;
#ifdef BOUNDARY
    if is_mixed(a.weight, b.weight) && pressure > 0.0 {
        let ratio = a.density * b.density / (fluid.rest_density * fluid.rest_density);
        let deeper = -sign(a.weight) * dot(fluid.gravity, offset) / fluid.rest_density;
        pressure += max(ratio * ratio * pressure + deeper, 0.0);
    }
    var push = -fluid.gradient_scale * pair_weight(a.weight, b.weight) * (pressure + viscosity) * slope_over_q(q);
#else
    var push = -fluid.gradient_scale * (pressure + viscosity) * slope_over_q(q);
#endif
#ifdef CLOTH
    let nearness = 1.0 - sqrt(distance_squared) * fluid.inverse_spacing / CORE;
    if nearness > 0.0 && is_mixed(a.weight, b.weight) {
        let sound_squared = 7.0 * fluid.stiffness / fluid.rest_density;
        let over_distance = inverseSqrt(max(distance_squared, 1e-24));
        let core = CORE_STRENGTH * sound_squared * fluid.inverse_spacing * nearness * over_distance;
        push += pair_weight(a.weight, b.weight) * core;
    }
#endif
#ifdef COHESION
    var cohesion = fluid.cohesion * fluid.inverse_radius * cohesion_over_q(q);
#ifdef BOUNDARY
    cohesion *= fluid_pair(a.weight, b.weight);
#endif
    push -= cohesion;
#endif
#ifdef XSPH
    // Divided by the mean of both densities, so that the two drifts of a pair are opposite (Monaghan 1989, equation
    // 2.6).
    var share = 2.0 * fluid.density_scale * shape(q) / densities;
#ifdef BOUNDARY
    share *= fluid_pair(a.weight, b.weight);
#endif
    return Sum(push * offset, -share * velocity);
#else
    return Sum(push * offset);
#endif
}

fn mirror(contribution: Sum) -> Sum {
#ifdef XSPH
    return Sum(-contribution.acceleration, -contribution.drift);
#else
    return Sum(-contribution.acceleration);
#endif
}

fn add(a: Sum, b: Sum) -> Sum {
#ifdef XSPH
    return Sum(a.acceleration + b.acceleration, a.drift + b.drift);
#else
    return Sum(a.acceleration + b.acceleration);
#endif
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let position = sorted_positions[index].xyz;
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        react(particle.weight, sorted_velocities[index].w, sum.acceleration);
        positions[index] = vec4<f32>(position, 1.0);
        velocities[index] = sorted_velocities[index];
        return;
    }
#endif
    let walls = walls_at(position);
    // The pressure term already contains the walls' factor once.
    let wall_push = -particle.pressure_term * particle.density / walls.factor * walls.gradient;
    let before = velocity_of(particle);
    let acceleration = sum.acceleration + wall_push + gravity_at(position) + push_at(position, before);

    // Symplectic Euler: the position is advanced with the new velocity.
    let velocity = before + fluid.time_step * acceleration;
#ifdef XSPH
    let next = position + fluid.time_step * (velocity + fluid.xsph * sum.drift);
#else
    let next = position + fluid.time_step * velocity;
#endif
    positions[index] = vec4<f32>(inside(next), 1.0);
    velocities[index] = vec4<f32>(at_rest_in_walls(velocity, next), sorted_velocities[index].w);
}

#ifdef DEPOSITS
// Number of floats of a sum.
#ifdef XSPH
const WIDTH: u32 = 6u;
#else
const WIDTH: u32 = 3u;
#endif

fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.acceleration);
#ifdef XSPH
    deposits::deposit_vector(WIDTH * index + 3u, sum.drift);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.acceleration = deposits::withdraw_vector(WIDTH * index);
#ifdef XSPH
    sum.drift = deposits::withdraw_vector(WIDTH * index + 3u);
#endif
    return sum;
}
#endif
