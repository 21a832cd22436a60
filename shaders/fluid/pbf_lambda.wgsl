// Pair kernel of PBF: how strongly each particle's density constraint must be enforced. Macklin and Müller 2013,
// equations 8 to 11, with the constraint C = density / rest density - 1 kept at or above zero: water resists being
// compressed; pulled together where the surface leaves neighbors out, it would clump.
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

// Where a particle is by now. The traversal tests the places that the search was built with; a pair that was out of
// reach there is never seen, by either of the two, and one that left it gives nothing.
struct Particle {
    x: f32,
    y: f32,
    z: f32,
#ifdef BOUNDARY
    // As boundaries.wgsl says.
    weight: f32,
#endif
}

struct Sum {
    // Sum of kernel values over normalisation.
    shapes: f32,
    // Sum of their gradients over normalisation / radius², m.
    gradient_x: f32,
    gradient_y: f32,
    gradient_z: f32,
    // Sum of those gradients' squares, m².
    squares: f32,
}

// xyz in metres, in sorted order; len = particle_count.
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
    // A boundary's particle is counted as if it gave way, as its pressure is mirrored in the correction. Without, a
    // particle wedged between boundaries, whose gradients cancel, would be thrown far out.
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
    // Gradients of the constraint: over each neighbor's place, and over the particle's own, which walls push too.
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
