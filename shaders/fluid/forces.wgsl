// Pair kernel: acceleration of each particle by its neighbors' pressure and viscosity; `finish` adds walls, gravity
// and the push, and takes the time step.
#define_import_path nearwater::forces

#import nearwater::fluid::fluid
#import nearwater::push::push_at
#import nearwater::smoothing_kernel::slope_over_q
#import nearwater::walls::walls_at
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    // Scalars, 20 bytes: a vec3 would make it 32, and traversals keep these in workgroup memory.
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
    density: f32,
    pressure_term: f32,
}

struct Sum {
    // m/s².
    acceleration: vec3<f32>,
}

// xyz in metres, in sorted order; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// xyz in m/s, bits of the original index, in sorted order; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// As `nearwater::density` writes them.
@group(1) @binding(3) var<storage, read> densities: array<vec2<f32>>;
// Of the next step, as the search's input: xyz in metres, 1; len = particle_count.
@group(1) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
// Of the next step: xyz in m/s, bits of the original index; len = particle_count.
@group(1) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let velocity = sorted_velocities[index];
    let density = densities[index];
    return Particle(velocity.x, velocity.y, velocity.z, density.x, density.y);
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0));
}

// Symmetric pressure force and artificial viscosity (Monaghan 1992, equations 3.3 and 4.1 with beta = 0). Each term
// is the same number for (a, b) and (b, a), and only the offset changes sign, so the forces cancel to the last bit.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let approach = min(dot(velocity_of(a) - velocity_of(b), offset), 0.0);
    let viscosity = -fluid.viscosity_scale * approach
        / ((distance_squared + fluid.viscosity_floor) * (a.density + b.density));
    let slope = slope_over_q(sqrt(distance_squared) * fluid.inverse_radius);
    return Sum(-fluid.gradient_scale * (a.pressure_term + b.pressure_term + viscosity) * slope * offset);
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(-contribution.acceleration);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.acceleration + b.acceleration);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let position = sorted_positions[index].xyz;
    var velocity = velocity_of(particle);
    // The fluid behind a wall has rest density and the particle's own pressure term.
    let wall_push = -2.0 * fluid.rest_density * particle.pressure_term * walls_at(position).gradient;
    let acceleration = sum.acceleration + wall_push + fluid.gravity + push_at(position, velocity);

    // Symplectic Euler: the new velocity moves the particle.
    velocity += fluid.time_step * acceleration;
    var next = position + fluid.time_step * velocity;
    // What would cross a wall stays on it and loses its velocity into the wall.
    velocity = select(velocity, max(velocity, vec3<f32>(0.0)), next < fluid.box_low);
    velocity = select(velocity, min(velocity, vec3<f32>(0.0)), next > fluid.box_high);
    next = select(next, fluid.box_low, next < fluid.box_low);
    next = select(next, fluid.box_high, next > fluid.box_high);
    positions[index] = vec4<f32>(next, 1.0);
    velocities[index] = vec4<f32>(velocity, sorted_velocities[index].w);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit(3u * index, sum.acceleration.x);
    deposits::deposit(3u * index + 1u, sum.acceleration.y);
    deposits::deposit(3u * index + 2u, sum.acceleration.z);
}

fn withdraw(index: u32) -> Sum {
    let x = deposits::withdraw(3u * index);
    let y = deposits::withdraw(3u * index + 1u);
    return Sum(vec3<f32>(x, y, deposits::withdraw(3u * index + 2u)));
}
#endif
