// Pair kernel: density of each particle as the sum over its neighbors, and the pressure term that the forces use.
#define_import_path nearwater::density

#import nearwater::equation_of_state::pressure
#import nearwater::fluid::fluid
#import nearwater::smoothing_kernel::shape
#import nearwater::walls::walls_at
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, weights}
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
#ifdef BOUNDARY
    // As boundaries.wgsl says.
    weight: f32,
#else
    // Masses are equal: nothing about a neighbor but its distance matters, and WGSL has no empty structs.
    nothing: u32,
#endif
}

struct Sum {
    // Sum of kernel values over normalisation.
    shapes: f32,
}

// xyz in metres, in sorted order; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density² times the walls' factor; in sorted order;
// len = particle_count.
@group(1) @binding(2) var<storage, read_write> densities: array<vec2<f32>>;

fn load(index: u32) -> Particle {
#ifdef BOUNDARY
    return Particle(weights[index]);
#else
    return Particle(0u);
#endif
}

fn zero() -> Sum {
    return Sum(0.0);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let value = shape(sqrt(distance_squared) * fluid.inverse_radius);
#ifdef BOUNDARY
    return Sum(pair_weight(a.weight, b.weight) * value);
#else
    return Sum(value);
#endif
}

fn mirror(contribution: Sum) -> Sum {
    return contribution;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.shapes + b.shapes);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        densities[index] = vec2<f32>(fluid.rest_density, 0.0);
        return;
    }
#endif
    let factor = walls_at(sorted_positions[index].xyz).factor;
    let density = factor * fluid.density_scale * (shape(0.0) + sum.shapes);
    let pressure_term = factor * pressure(density, fluid.rest_density, fluid.stiffness) / (density * density);
    densities[index] = vec2<f32>(density, pressure_term);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit(index, sum.shapes);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw(index));
}
#endif
