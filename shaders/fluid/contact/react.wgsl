// Pair kernel of the contact of fluid with solids: adds to the force on each particle of a solid what stop.wgsl took
// from the fluid, in the shares that the particle had in it.
#define_import_path nearwater::contact_react

#import nearwater::boundaries::{is_mixed, react_more, weights}
#import nearwater::contact::{share_of, way_between}
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    stop_x: f32,
    stop_y: f32,
    stop_z: f32,
#ifdef PREDICTED
    // As in stop.wgsl, m/s.
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
#endif
    // Weight as defined in boundaries.wgsl.
    weight: f32,
}

struct Sum {
    // Force on the particle of a solid over the mass of a fluid particle, m/s².
    force: vec3<f32>,
}

#ifdef PREDICTED
// As in stop.wgsl; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
#endif
// Velocities after the step, in sorted order: in w the bits of the original index; len = particle_count.
@group(1) @binding(4) var<storage, read> velocities: array<vec4<f32>>;
// The acceleration of each fluid particle by the contact over the sum of its weights: xyz in m/s²; len =
// particle_count.
@group(1) @binding(5) var<storage, read> stops: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let stop = stops[index];
    var particle: Particle;
    particle.stop_x = stop.x;
    particle.stop_y = stop.y;
    particle.stop_z = stop.z;
#ifdef PREDICTED
    let velocity = sorted_velocities[index];
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
#endif
    particle.weight = weights[index];
    return particle;
}

fn velocity_of(particle: Particle) -> vec3<f32> {
#ifdef PREDICTED
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
#else
    return vec3<f32>(0.0);
#endif
}

// Fluid has its part already.
fn needs_no_sum(particle: Particle) -> bool {
    return particle.weight >= 0.0;
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0));
}

// The same for both particles of a pair; the fluid's does not use it.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let stop = vec3<f32>(a.stop_x + b.stop_x, a.stop_y + b.stop_y, a.stop_z + b.stop_z);
    // Few particles are stopped in a step.
    if !is_mixed(a.weight, b.weight) || all(stop == vec3<f32>(0.0)) {
        return zero();
    }
    let way = way_between(offset, velocity_of(a) - velocity_of(b));
    return Sum(-share_of(a.weight, b.weight, way) * stop);
}

fn mirror(contribution: Sum) -> Sum {
    return contribution;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.force + b.force);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    react_more(particle.weight, velocities[index].w, sum.force);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(3u * index, sum.force);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw_vector(3u * index));
}
#endif
