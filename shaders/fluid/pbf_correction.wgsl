// Pair kernel of PBF: moves each particle as its own constraint and its neighbors' ask (Macklin and Müller 2013,
// equations 12 to 14). Reads one buffer of places and writes another, as others still read the first.
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

// Longest correction, support radii: in water that flows none is a third as long. Where too few iterations let a deep
// column be crushed, or one runs into a wall, the way out would be taken in one step and as speed thrown high; this
// spreads it over several, at the price of some momentum there.
const LONGEST: f32 = 0.1;

struct Particle {
    x: f32,
    y: f32,
    z: f32,
    // As pbf_lambda.wgsl leaves it, m⁵/kg.
    multiplier: f32,
#ifdef BOUNDARY
    // As boundaries.wgsl says.
    weight: f32,
#endif
}

struct Sum {
    // m.
    correction: vec3<f32>,
}

// xyz in metres, in sorted order; and the sum of the multipliers so far, but for the step's FIRST correction. len =
// particle_count.
@group(1) @binding(1) var<storage, read> iterate: array<vec4<f32>>;
// As pbf_lambda.wgsl writes them.
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// xyz in metres after the correction, sum of the multipliers with this one; len = particle_count.
@group(1) @binding(3) var<storage, read_write> next_iterate: array<vec4<f32>>;
#ifdef BOUNDARY
// xyz in metres before the step, bits of the original index; in sorted order. len = particle_count.
@group(1) @binding(4) var<storage, read> before: array<vec4<f32>>;
#endif

fn load(index: u32) -> Particle {
    let position = iterate[index];
#ifdef BOUNDARY
    return Particle(position.x, position.y, position.z, densities[index].y, weights[index]);
#else
    return Particle(position.x, position.y, position.z, densities[index].y);
#endif
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0));
}

// The artificial pressure is a share of the pair's own, as where it comes from (Monaghan 2000, equation 3.1). Equation 13
// makes it a constant length a correction, which pushes the harder the shorter the step is, and blows apart water that
// falls freely. A boundary's particle takes over the multiplier of the fluid's.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let between = vec3<f32>(a.x - b.x, a.y - b.y, a.z - b.z);
    let q = length(between) * fluid.inverse_radius;
    let nearness = pow(shape(q) * pbf.inverse_tensile_shape, pbf.tensile_power);
    var multiplier = (a.multiplier + b.multiplier) * (1.0 + pbf.tensile * nearness);
#ifdef BOUNDARY
    multiplier *= pair_weight(a.weight, b.weight) * select(1.0, 2.0, is_mixed(a.weight, b.weight));
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
        react(particle.weight, before[index].w, acceleration);
#else
        react_more(particle.weight, before[index].w, acceleration);
#endif
        next_iterate[index] = vec4<f32>(position, 0.0);
        return;
    }
#endif
    let walls = walls_at(position);
    // The multiplier holds the walls' factor once, and so does the density.
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
    deposits::deposit(3u * index, sum.correction.x);
    deposits::deposit(3u * index + 1u, sum.correction.y);
    deposits::deposit(3u * index + 2u, sum.correction.z);
}

fn withdraw(index: u32) -> Sum {
    let x = deposits::withdraw(3u * index);
    let y = deposits::withdraw(3u * index + 1u);
    return Sum(vec3<f32>(x, y, deposits::withdraw(3u * index + 2u)));
}
#endif
