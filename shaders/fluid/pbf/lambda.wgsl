// Pair kernel of PBF: the multiplier lambda of each particle's density constraint (Macklin and Müller 2013, equations
// 8 to 11). The constraint C = density / rest density - 1 is limited to values of at least zero: the fluid resists
// compression only, since particles at the surface, which lack neighbors, would otherwise be pulled together and
// clump.
#define_import_path nearwater::pbf_lambda

#import nearwater::fluid::fluid
#import nearwater::pbf::pbf
#import nearwater::smoothing_kernel::{shape, slope_over_q}
#import nearwater::walls::walls_at
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

// Current position of a particle. The traversal tests the positions that the search was built with: a pair that was
// not closer than the support radius then is visited for neither of its particles, and a pair that has moved apart
// since contributes zero.
struct Particle {
    x: f32,
    y: f32,
    z: f32,
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
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> iterate: array<vec4<f32>>;
// Density in kg/m³; and lambda in m² over the rest density, times the walls' factor, m⁵/kg. len = particle_count.
@group(1) @binding(2) var<storage, read_write> densities: array<vec2<f32>>;

fn load(index: u32) -> Particle {
    let position = iterate[index];
#ifdef BOUNDARY
    return Particle(position.x, position.y, position.z, weights[index]);
#else
    return Particle(position.x, position.y, position.z);
#endif
}

fn zero() -> Sum {
    return Sum(0.0, 0.0, 0.0, 0.0, 0.0);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let between = vec3<f32>(a.x - b.x, a.y - b.y, a.z - b.z);
    let q = length(between) * fluid.inverse_radius;
    let gradient = slope_over_q(q) * between;
#ifdef BOUNDARY
    // A boundary particle is counted as if it could move, because its pressure is mirrored in the correction.
    // Otherwise a particle wedged between boundaries, whose gradients cancel, would be thrown far away.
    let weight = pair_weight(a.weight, b.weight);
    let own = weight * gradient;
    return Sum(weight * shape(q), own.x, own.y, own.z, weight * dot(gradient, gradient));
#else
    return Sum(shape(q), gradient.x, gradient.y, gradient.z, dot(gradient, gradient));
#endif
}

fn mirror(contribution: Sum) -> Sum {
    let given = contribution;
    return Sum(given.shapes, -given.gradient_x, -given.gradient_y, -given.gradient_z, given.squares);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(
        a.shapes + b.shapes,
        a.gradient_x + b.gradient_x,
        a.gradient_y + b.gradient_y,
        a.gradient_z + b.gradient_z,
        a.squares + b.squares,
    );
}

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        densities[index] = vec2<f32>(fluid.rest_density, 0.0);
        return;
    }
#endif
    let walls = walls_at(vec3<f32>(particle.x, particle.y, particle.z));
    let density = walls.factor * fluid.density_scale * (shape(0.0) + sum.shapes);
    let constraint = max(density / fluid.rest_density - 1.0, 0.0);
    // Gradients of the constraint with respect to each neighbor's position, and to the particle's own position, where
    // walls contribute as well.
    let scale = walls.factor * fluid.gradient_scale / fluid.rest_density;
    let own = scale * vec3<f32>(sum.gradient_x, sum.gradient_y, sum.gradient_z)
        + density / fluid.rest_density * walls.gradient;
    let lambda = -pbf.share * constraint / (dot(own, own) + scale * scale * sum.squares + pbf.relaxation);
    densities[index] = vec2<f32>(density, lambda * walls.factor / fluid.rest_density);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(5u * index, vec3<f32>(sum.gradient_x, sum.gradient_y, sum.gradient_z));
    deposits::deposit(5u * index + 3u, sum.shapes);
    deposits::deposit(5u * index + 4u, sum.squares);
}

fn withdraw(index: u32) -> Sum {
    let gradient = deposits::withdraw_vector(5u * index);
    let shapes = deposits::withdraw(5u * index + 3u);
    return Sum(shapes, gradient.x, gradient.y, gradient.z, deposits::withdraw(5u * index + 4u));
}
#endif
