// Pair kernel of particles that repel each other (Morillo et al. 2014, section 6; solvers/repulsion/mod.rs explains
// the interpretation). With MOVES, `finish` adds walls, gravity and the push, and integrates the motion.
#define_import_path nearwater::repulsion

#import nearwater::fluid::{fluid, gravity_at}
#import nearwater::integration::{at_rest_in_walls, inside}
#import nearwater::push::push_at
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, is_mixed, react, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

// The struct of the same name in solvers/repulsion/mod.rs documents the fields.
struct RepulsionParameters {
    radius: f32,
    stiffness: f32,
    damping: f32,
    density: f32,
    virial: f32,
}

struct Particle {
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // m/s².
    acceleration: vec3<f32>,
    // Sum of acceleration by repulsion times distance, m²/s².
    virial: f32,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Density, mass over the cube of a spacing, and pressure of the virial over the square of the density; in sorted
// order; len = particle_count.
@group(1) @binding(3) var<storage, read_write> densities: array<vec2<f32>>;
#ifdef MOVES
// Positions of the next step, in sorted order: xyz in meters, 1; len = particle_count.
@group(1) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities of the next step, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(1) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;
#endif
@group(1) @binding(8) var<uniform> repulsion: RepulsionParameters;

fn load(index: u32) -> Particle {
    let velocity = sorted_velocities[index].xyz;
#ifdef BOUNDARY
    return Particle(velocity.x, velocity.y, velocity.z, weights[index]);
#else
    return Particle(velocity.x, velocity.y, velocity.z);
#endif
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0), 0.0);
}

// Both terms have the same value for (a, b) and (b, a), and only the offset changes sign. Two coincident particles
// exert no force on each other.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let distance = sqrt(distance_squared);
    let over_distance = 1.0 / max(distance, 1e-12);
    var push = repulsion.stiffness * max(repulsion.radius - distance, 0.0);
    let parting = dot(velocity_of(a) - velocity_of(b), offset) * over_distance;
    var brake = select(0.0, repulsion.damping * parting, distance < repulsion.radius);
#ifdef BOUNDARY
    let felt = select(0.0, 1.0, fluid_pair(a.weight, b.weight) > 0.0 || is_mixed(a.weight, b.weight));
    push *= felt;
    brake *= felt;
#endif
    return Sum((push - brake) * over_distance * offset, push * distance);
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(-contribution.acceleration, contribution.virial);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.acceleration + b.acceleration, a.virial + b.virial);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    // The second component is the pressure of the virial over the square of the density.
    densities[index] = vec2<f32>(repulsion.density, repulsion.virial * sum.virial);
    let position = sorted_positions[index].xyz;
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        densities[index].y = 0.0;
#ifdef MOVES
        react(particle.weight, sorted_velocities[index].w, sum.acceleration);
        positions[index] = vec4<f32>(position, 1.0);
        velocities[index] = sorted_velocities[index];
#endif
        return;
    }
#endif
#ifdef MOVES
    // The mirror image of a particle behind a wall is at twice the distance of the wall.
    let low = max(repulsion.radius - 2.0 * (position - fluid.box_low), vec3<f32>(0.0));
    let high = max(repulsion.radius - 2.0 * (fluid.box_high - position), vec3<f32>(0.0));
    let before = velocity_of(particle);
    let near = (low > vec3<f32>(0.0)) | (high > vec3<f32>(0.0));
    let wall_brake = select(vec3<f32>(0.0), 2.0 * repulsion.damping * before, near);
    let off_walls = repulsion.stiffness * (low - high) - wall_brake;
    let acceleration = sum.acceleration + off_walls + gravity_at(position) + push_at(position, before);
    let velocity = before + fluid.time_step * acceleration;
    let next = position + fluid.time_step * velocity;
    positions[index] = vec4<f32>(inside(next), 1.0);
    velocities[index] = vec4<f32>(at_rest_in_walls(velocity, next), sorted_velocities[index].w);
#endif
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    for (var axis = 0u; axis < 3u; axis++) {
        deposits::deposit(4u * index + axis, sum.acceleration[axis]);
    }
    deposits::deposit(4u * index + 3u, sum.virial);
}

fn withdraw(index: u32) -> Sum {
    var sum = zero();
    for (var axis = 0u; axis < 3u; axis++) {
        sum.acceleration[axis] = deposits::withdraw(4u * index + axis);
    }
    sum.virial = deposits::withdraw(4u * index + 3u);
    return sum;
}
#endif
