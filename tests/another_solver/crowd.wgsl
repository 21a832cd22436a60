// Pair kernel of the crowd: counts the neighbors of a member and sums up their pushes. With ADVANCE the member moves
// and grows older.
#define_import_path nearwater::crowd

#import nearwater::fluid::fluid
#import nearwater::integration::{at_rest_in_walls, inside}
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct CrowdParameters {
    strength: f32,
}

struct Particle {
    // 1 for a member of the crowd.
    weight: f32,
}

struct Sum {
    neighbors: f32,
    push: vec3<f32>,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s, bits of the original index; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Number of members within the radius, including the member itself, and the age; in sorted order. len =
// particle_count.
@group(1) @binding(3) var<storage, read_write> densities: array<vec2<f32>>;
// Age of each member in steps, in sorted order; len = particle_count.
@group(1) @binding(4) var<storage, read> sorted_ages: array<f32>;
@group(1) @binding(8) var<uniform> crowd: CrowdParameters;
#ifdef ADVANCE
// Positions of the next step, in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(5) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities of the next step, in sorted order: xyz in m/s, bits of the original index; len = particle_count.
@group(1) @binding(6) var<storage, read_write> velocities: array<vec4<f32>>;
// Ages of the next step, in sorted order; len = particle_count.
@group(1) @binding(11) var<storage, read_write> ages: array<f32>;
#endif

fn load(index: u32) -> Particle {
#ifdef BOUNDARY
    return Particle(weights[index]);
#else
    return Particle(1.0);
#endif
}

fn zero() -> Sum {
    return Sum(0.0, vec3<f32>(0.0));
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    var sum = Sum(1.0, vec3<f32>(0.0));
#ifdef PUSHES
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    sum.push = crowd.strength * max(1.0 - q, 0.0) * fluid.inverse_radius * offset;
#endif
#ifdef BOUNDARY
    let both = fluid_pair(a.weight, b.weight);
    sum = Sum(both * sum.neighbors, both * sum.push);
#endif
    return sum;
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(contribution.neighbors, -contribution.push);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.neighbors + b.neighbors, a.push + b.push);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let place = sorted_positions[index].xyz;
    let before = sorted_velocities[index];
    densities[index] = vec2<f32>(1.0 + sum.neighbors, sorted_ages[index]);
#ifdef ADVANCE
    // At rates of their own, so that it shows when one has another's age.
    ages[index] = sorted_ages[index] + 1.0 + f32(bitcast<u32>(before.w) % 7u);
    if particle.weight <= 0.0 {
        positions[index] = vec4<f32>(place, 1.0);
        velocities[index] = before;
        return;
    }
    let velocity = before.xyz + fluid.time_step * sum.push;
    let next = place + fluid.time_step * velocity;
    positions[index] = vec4<f32>(inside(next), 1.0);
    velocities[index] = vec4<f32>(at_rest_in_walls(velocity, next), before.w);
#endif
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit(4u * index, sum.neighbors);
    deposits::deposit_vector(4u * index + 1u, sum.push);
}

fn withdraw(index: u32) -> Sum {
    let neighbors = deposits::withdraw(4u * index);
    return Sum(neighbors, deposits::withdraw_vector(4u * index + 1u));
}
#endif
