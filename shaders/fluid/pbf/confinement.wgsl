// Pair kernel of PBF: vorticity confinement, which restores some of the rotation that damping removes (Macklin and
// Müller 2013, equation 16): a force around the places of strongest curl, in the direction of the rotation.
#define_import_path nearwater::pbf_confinement

#import nearwater::fluid::fluid
#import nearwater::pbf::pbf
#import nearwater::smoothing_kernel::slope_over_q
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
    // Length of the curl, 1/s.
    curl: f32,
    density: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
}

struct Sum {
    // Gradient of the curl's length, 1/(m s).
    gradient: vec3<f32>,
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> iterate: array<vec4<f32>>;
// Density in kg/m³; and lambda in m² over the rest density, m⁵/kg; in sorted order.
// len = particle_count.
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// xyz: curl of the velocity, 1/s; its length; in sorted order; len = particle_count.
@group(1) @binding(3) var<storage, read> curls: array<vec4<f32>>;
// Velocities of the next step, in sorted order, which the pass adds to: xyz in m/s, bits of the original index.
// len = particle_count.
@group(1) @binding(4) var<storage, read_write> next_velocities: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let position = iterate[index];
#ifdef BOUNDARY
    return Particle(position.x, position.y, position.z, curls[index].w, densities[index].x, weights[index]);
#else
    return Particle(position.x, position.y, position.z, curls[index].w, densities[index].x);
#endif
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0));
}

// Uses the difference of the curls, which gives exactly zero for a uniform curl whatever the arrangement of the
// particles.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let between = vec3<f32>(a.x - b.x, a.y - b.y, a.z - b.z);
    let slope = slope_over_q(length(between) * fluid.inverse_radius);
    var steeper = 2.0 * fluid.gradient_scale / (a.density + b.density) * (b.curl - a.curl) * slope;
#ifdef BOUNDARY
    steeper *= fluid_pair(a.weight, b.weight);
#endif
    return Sum(steeper * between);
}

// Difference and offset both change their sign, so their product does not.
fn mirror(contribution: Sum) -> Sum {
    return contribution;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.gradient + b.gradient);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let steepness = length(sum.gradient);
    // Where the gradient vanishes, there is no center of rotation.
    if steepness > 1e-12 {
        let force = pbf.vorticity * cross(sum.gradient / steepness, curls[index].xyz);
        let velocity = next_velocities[index];
        next_velocities[index] = vec4<f32>(velocity.xyz + fluid.time_step * force, velocity.w);
    }
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(3u * index, sum.gradient);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw_vector(3u * index));
}
#endif
