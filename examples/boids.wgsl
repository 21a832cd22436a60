// Pair kernel: flocking after C. Reynolds, Flocks, herds, and schools (SIGGRAPH 1987). Every boid steers to the center
// of its neighbors, to their velocity, and away from those that are close.

#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    velocity: vec3<f32>,
}

struct Sum {
    // Sum of the positions of neighbors relative to the boid, m.
    center: vec3<f32>,
    neighbors: f32,
    // Sum of their velocities relative to the boid's, m/s.
    alignment: vec3<f32>,
    // Sum of directions away from them, 1/m.
    away: vec3<f32>,
}

struct Parameters {
    // s.
    time_step: f32,
    // m/s.
    speed: f32,
    // Half the edge of the box around the origin that boids turn back to, m.
    half_edge: f32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
// The caller's index of every boid in sorted order; bound by Nearwater.
@group(1) @binding(1) var<storage, read> original_from_sorted: array<u32>;
// Positions and velocities in the caller's order, m and m/s. The search has copied the positions, so that they can be
// written here.
@group(1) @binding(2) var<storage, read_write> places: array<vec4<f32>>;
@group(1) @binding(3) var<storage, read_write> next_velocities: array<vec4<f32>>;
@group(1) @binding(4) var<storage, read> velocities: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    return Particle(velocities[original_from_sorted[index]].xyz);
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0), 0.0, vec3<f32>(0.0), vec3<f32>(0.0));
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    return Sum(-offset, 1.0, b.velocity - a.velocity, offset / max(distance_squared, 1e-6));
}

// What b gives a has the opposite sign of what a gives b, apart from the number of neighbors.
fn mirror(contribution: Sum) -> Sum {
    return Sum(-contribution.center, contribution.neighbors, -contribution.alignment, -contribution.away);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.center + b.center, a.neighbors + b.neighbors, a.alignment + b.alignment, a.away + b.away);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let own = original_from_sorted[index];
    let place = places[own].xyz;
    let share = 1.0 / max(sum.neighbors, 1.0);
    var acceleration = 6.0 * share * sum.alignment + 0.5 * share * sum.center + 0.05 * share * sum.away;
    // Boids that leave the box turn back.
    acceleration -= 4.0 * (place - clamp(place, vec3<f32>(-parameters.half_edge), vec3<f32>(parameters.half_edge)));
    let steered = particle.velocity + parameters.time_step * acceleration;
    let velocity = steered * parameters.speed / max(length(steered), 1e-6);
    next_velocities[own] = vec4<f32>(velocity, 0.0);
    places[own] = vec4<f32>(place + parameters.time_step * velocity, 0.0);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(10u * index, sum.center);
    deposits::deposit(10u * index + 3u, sum.neighbors);
    deposits::deposit_vector(10u * index + 4u, sum.alignment);
    deposits::deposit_vector(10u * index + 7u, sum.away);
}

fn withdraw(index: u32) -> Sum {
    let center = deposits::withdraw_vector(10u * index);
    let neighbors = deposits::withdraw(10u * index + 3u);
    let alignment = deposits::withdraw_vector(10u * index + 4u);
    return Sum(center, neighbors, alignment, deposits::withdraw_vector(10u * index + 7u));
}
#endif
