// Pair kernel of PBF: XSPH viscosity (Macklin and Müller 2013, equation 17) and, for the vorticity confinement, the
// curl of the velocity (equation 15), which is computed from the same pairs.
#define_import_path nearwater::pbf_damping

#import nearwater::fluid::fluid
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#ifdef BOUNDARY
#import nearwater::boundaries::{fluid_pair, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    x: f32,
    y: f32,
    z: f32,
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
    density: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // Weighted sum of the neighbors' velocities relative to the particle, m/s.
    drift: vec3<f32>,
#ifdef VORTICITY
    // 1/s.
    curl: vec3<f32>,
#endif
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> iterate: array<vec4<f32>>;
// Density in kg/m³; and lambda in m² over the rest density, m⁵/kg; in sorted order.
// len = particle_count.
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// xyz in m/s after the corrections, bits of the original index; in sorted order. len = particle_count.
@group(1) @binding(3) var<storage, read> undamped: array<vec4<f32>>;
// Velocities of the next step, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(1) @binding(4) var<storage, read_write> next_velocities: array<vec4<f32>>;
#ifdef VORTICITY
// xyz: curl of the velocity, 1/s; its length; len = particle_count.
@group(1) @binding(5) var<storage, read_write> curls: array<vec4<f32>>;
#endif

fn load(index: u32) -> Particle {
    let position = iterate[index];
    let velocity = undamped[index];
    let density = densities[index].x;
#ifdef BOUNDARY
    let weight = weights[index];
    return Particle(position.x, position.y, position.z, velocity.x, velocity.y, velocity.z, density, weight);
#else
    return Particle(position.x, position.y, position.z, velocity.x, velocity.y, velocity.z, density);
#endif
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

fn zero() -> Sum {
#ifdef VORTICITY
    return Sum(vec3<f32>(0.0), vec3<f32>(0.0));
#else
    return Sum(vec3<f32>(0.0));
#endif
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let between = vec3<f32>(a.x - b.x, a.y - b.y, a.z - b.z);
    let q = length(between) * fluid.inverse_radius;
    let faster = velocity_of(b) - velocity_of(a);
    // Both particles of a pair get the volume that follows from the mean of their densities, so that their drifts are
    // opposite and add up to zero.
#ifdef BOUNDARY
    let over_density = fluid_pair(a.weight, b.weight) * 2.0 / (a.density + b.density);
#else
    let over_density = 2.0 / (a.density + b.density);
#endif
    let drift = fluid.density_scale * over_density * shape(q) * faster;
#ifdef VORTICITY
    return Sum(drift, cross(faster, fluid.gradient_scale * over_density * slope_over_q(q) * between));
#else
    return Sum(drift);
#endif
}

// Both factors of the curl change their sign, so it is the same for both particles.
fn mirror(contribution: Sum) -> Sum {
#ifdef VORTICITY
    return Sum(-contribution.drift, contribution.curl);
#else
    return Sum(-contribution.drift);
#endif
}

fn add(a: Sum, b: Sum) -> Sum {
#ifdef VORTICITY
    return Sum(a.drift + b.drift, a.curl + b.curl);
#else
    return Sum(a.drift + b.drift);
#endif
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let own = undamped[index];
    next_velocities[index] = vec4<f32>(own.xyz + fluid.xsph * sum.drift, own.w);
#ifdef VORTICITY
    // The sum is over (relative velocity) x gradient, which is minus the curl.
    curls[index] = vec4<f32>(-sum.curl, length(sum.curl));
#endif
}

#ifdef DEPOSITS
// Number of floats of a sum.
#ifdef VORTICITY
const WIDTH: u32 = 6u;
#else
const WIDTH: u32 = 3u;
#endif

fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.drift);
#ifdef VORTICITY
    deposits::deposit_vector(WIDTH * index + 3u, sum.curl);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum: Sum;
    sum.drift = deposits::withdraw_vector(WIDTH * index);
#ifdef VORTICITY
    sum.curl = deposits::withdraw_vector(WIDTH * index + 3u);
#endif
    return sum;
}
#endif
