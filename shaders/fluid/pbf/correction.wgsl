// Pair kernel of PBF: moves each particle according to its own constraint and those of its neighbors (Macklin and
// Müller 2013, equations 12 to 14). It reads one buffer of positions and writes another, since other invocations
// still read the first. The FIRST correction of a step also applies the VISCOUS forces, computed from the velocities
// of the predictions: they then need no pass of their own, and later iterations correct the compression that they
// cause.
#define_import_path nearwater::pbf_correction

#import nearwater::fluid::fluid
#import nearwater::integration::inside
#import nearwater::pbf::pbf
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#import nearwater::walls::walls_at
#ifdef BOUNDARY
#import nearwater::boundaries::{is_mixed, pair_weight, react, react_more, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

// Longest correction, support radii; in flowing water corrections stay below a third of it. Where too few iterations
// let a deep column be compressed, or a column hits a wall, the compression would be corrected in a single step and
// become a high velocity; the limit spreads the correction over several steps, at the cost of some momentum there.
const LONGEST: f32 = 0.1;

struct Particle {
    x: f32,
    y: f32,
    z: f32,
    // Multiplier as written by lambda.wgsl, m⁵/kg.
    multiplier: f32,
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
#ifdef VISCOUS
    density: f32,
    // Velocity of the prediction, m/s.
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
#endif
}

struct Sum {
    // m.
    correction: vec3<f32>,
}

// xyz in meters, in sorted order; and, except in the FIRST correction of a step, the sum of the multipliers so far.
// len = particle_count.
@group(1) @binding(1) var<storage, read> iterate: array<vec4<f32>>;
// Density in kg/m³; and lambda in m² over the rest density, times the walls' factor, m⁵/kg; in sorted order.
// len = particle_count.
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// xyz in meters after the correction, and the sum of the multipliers including this one; len = particle_count.
@group(1) @binding(3) var<storage, read_write> next_iterate: array<vec4<f32>>;
// Velocities as written by predict.wgsl, in sorted order; len = particle_count.
@group(1) @binding(4) var<storage, read> predicted_velocities: array<vec4<f32>>;

fn load(index: u32) -> Particle {
    let position = iterate[index];
    var particle: Particle;
    particle.x = position.x;
    particle.y = position.y;
    particle.z = position.z;
    particle.multiplier = densities[index].y;
#ifdef BOUNDARY
    particle.weight = weights[index];
#endif
#ifdef VISCOUS
    let velocity = predicted_velocities[index].xyz;
    particle.density = densities[index].x;
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
#endif
    return particle;
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0));
}

// The artificial pressure is a fraction of the pair's own pressure, as in its source (Monaghan 2000, equation 3.1).
// Equation 13 of the PBF paper makes it a constant length per correction instead, which has a stronger effect the
// shorter the step is, and blows apart water in free fall. A boundary particle takes the multiplier of the fluid
// particle. Viscosity is that of forces.wgsl, multiplied by the square of the time step as every acceleration here.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let between = vec3<f32>(a.x - b.x, a.y - b.y, a.z - b.z);
    let q = length(between) * fluid.inverse_radius;
    let nearness = pow(shape(q) * pbf.inverse_tensile_shape, pbf.tensile_power);
    var multiplier = (a.multiplier + b.multiplier) * (1.0 + pbf.tensile * nearness);
#ifdef BOUNDARY
    multiplier *= select(1.0, 2.0, is_mixed(a.weight, b.weight));
#endif
#ifdef VISCOUS
    let velocity = vec3<f32>(a.velocity_x - b.velocity_x, a.velocity_y - b.velocity_y, a.velocity_z - b.velocity_z);
    let parting = dot(velocity, between);
    multiplier += (pbf.approach_viscosity * min(parting, 0.0) + pbf.viscosity * parting)
        / ((dot(between, between) + fluid.viscosity_floor) * (a.density + b.density));
#endif
#ifdef BOUNDARY
    multiplier *= pair_weight(a.weight, b.weight);
#endif
    return Sum(multiplier * fluid.gradient_scale * slope_over_q(q) * between);
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(-contribution.correction);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.correction + b.correction);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let position = vec3<f32>(particle.x, particle.y, particle.z);
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        let acceleration = sum.correction / (fluid.time_step * fluid.time_step);
#ifdef FIRST
        react(particle.weight, predicted_velocities[index].w, acceleration);
#else
        react_more(particle.weight, predicted_velocities[index].w, acceleration);
#endif
        next_iterate[index] = vec4<f32>(position, 0.0);
        return;
    }
#endif
    let walls = walls_at(position);
    // Both the multiplier and the density contain the walls' factor once.
    let off_walls = particle.multiplier * densities[index].x / walls.factor * walls.gradient;
#ifdef FIRST
    let multipliers = particle.multiplier;
#else
    let multipliers = iterate[index].w + particle.multiplier;
#endif
    let correction = sum.correction + off_walls;
    let radii = max(length(correction) * fluid.inverse_radius, 1e-12);
    next_iterate[index] = vec4<f32>(inside(position + min(1.0, LONGEST / radii) * correction), multipliers);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(3u * index, sum.correction);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw_vector(3u * index));
}
#endif
