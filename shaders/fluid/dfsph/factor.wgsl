// Pair kernel of DFSPH: density and factor alpha of each particle (Bender and Koschier 2015, equations 8 and 9), and
// the rate at which the density changes with the current velocities, which is the first error of the divergence-free
// solver.
#define_import_path nearwater::dfsph_factor

#import nearwater::dfsph::{INSIDE, Solution, dfsph}
#import nearwater::fluid::fluid
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#import nearwater::walls::walls_at
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, react, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

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
    // Sum of kernel values divided by the normalization.
    shapes: f32,
    // Sum of the kernel gradients divided by normalization / radius², m.
    gradient_x: f32,
    gradient_y: f32,
    gradient_z: f32,
    // Sum of the squares of these gradients, m².
    squares: f32,
    // Sum of their products with the relative velocities, m²/s.
    rate: f32,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density² times the walls' factor with which the divergence-free
// solver starts; in sorted order; len = particle_count.
@group(1) @binding(3) var<storage, read_write> densities: array<vec2<f32>>;
// Pressure / density² of the last step's constant-density and divergence-free solver, m⁵/(kg s²), in sorted order;
// len = particle_count.
@group(1) @binding(4) var<storage, read> sorted_carried: array<vec2<f32>>;
// What the iterations keep for each particle, in sorted order; len = particle_count.
@group(1) @binding(5) var<storage, read_write> solutions: array<Solution>;
// The velocities that the divergence-free solver changes, in sorted order: xyz in m/s, and in w the bits of the
// original index; len = particle_count.
@group(1) @binding(11) var<storage, read_write> velocities: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let velocity = sorted_velocities[index];
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
    return Sum(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    let gradient = slope_over_q(q) * offset;
    // Particles of solids are counted as if they could move. Otherwise a particle that is wedged between two solids,
    // whose gradients cancel, would be thrown far away.
#ifdef BOUNDARY
    let weight = pair_weight(a.weight, b.weight);
#else
    let weight = 1.0;
#endif
    let own = weight * gradient;
    return Sum(
        weight * shape(q),
        own.x,
        own.y,
        own.z,
        weight * dot(gradient, gradient),
        dot(own, velocity_of(a) - velocity_of(b)),
    );
}

fn mirror(contribution: Sum) -> Sum {
    let given = contribution;
    return Sum(given.shapes, -given.gradient_x, -given.gradient_y, -given.gradient_z, given.squares, given.rate);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(
        a.shapes + b.shapes,
        a.gradient_x + b.gradient_x,
        a.gradient_y + b.gradient_y,
        a.gradient_z + b.gradient_z,
        a.squares + b.squares,
        a.rate + b.rate,
    );
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let own_velocity = sorted_velocities[index];
    velocities[index] = own_velocity;
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        densities[index] = vec2<f32>(fluid.rest_density, 0.0);
        solutions[index] = Solution(0.0, 0.0, -1.0, 0.0);
        react(particle.weight, own_velocity.w, vec3<f32>(0.0));
        return;
    }
#endif
    let walls = walls_at(sorted_positions[index].xyz);
    let density = walls.factor * fluid.density_scale * (shape(0.0) + sum.shapes);
    // Gradients of the density with respect to each neighbor's position, and to the particle's own position, where
    // walls contribute as well.
    let scale = walls.factor * fluid.gradient_scale;
    let own = scale * vec3<f32>(sum.gradient_x, sum.gradient_y, sum.gradient_z) + density * walls.gradient;
    let whole = dot(own, own) + scale * scale * sum.squares + dfsph.relaxation;
    let step_squared = fluid.time_step * fluid.time_step;
    let factor = dfsph.share * fluid.rest_density * walls.factor / (step_squared * whole);

    let rate = scale * sum.rate + density * dot(walls.gradient, own_velocity.xyz);
    let is_inside = density >= INSIDE * fluid.rest_density;
    let error = select(0.0, max(fluid.time_step * rate / fluid.rest_density, 0.0), is_inside);
    let kept = dfsph.warm_start * walls.factor * sorted_carried[index].y;
    let term = select(0.0, select(factor * error, kept, kept > 0.0), is_inside);
    densities[index] = vec2<f32>(density, term);
    solutions[index] = Solution(factor, term, error, 0.0);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(6u * index, vec3<f32>(sum.gradient_x, sum.gradient_y, sum.gradient_z));
    deposits::deposit_vector(6u * index + 3u, vec3<f32>(sum.shapes, sum.squares, sum.rate));
}

fn withdraw(index: u32) -> Sum {
    let gradient = deposits::withdraw_vector(6u * index);
    let others = deposits::withdraw_vector(6u * index + 3u);
    return Sum(others.x, gradient.x, gradient.y, gradient.z, others.y, others.z);
}
#endif
