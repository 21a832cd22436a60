// Pair kernel: density of each particle as the sum over its neighbors, and the pressure term that the forces use.
// With CONTINUITY the density is that of the last step, updated as described in continuity.rs; only the pass of a
// time step (ADVANCE) stores it.
#define_import_path nearwater::density

#import nearwater::equation_of_state::pressure
#import nearwater::fluid::fluid
#import nearwater::smoothing_kernel::shape
#import nearwater::walls::walls_at
#ifdef BOUNDARY
#import nearwater::boundaries::{pair_weight, weights}
#endif
#ifdef CONTINUITY
#import nearwater::continuity::continuity
#import nearwater::smoothing_kernel::slope_over_q
#endif
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
#ifdef BOUNDARY
    // Weight as defined in boundaries.wgsl.
    weight: f32,
#endif
#ifdef CONTINUITY
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
    // Density of the last step divided by the rest density, with the walls' factor at the current position; 0 where
    // it is not known.
    density: f32,
#else
#ifndef BOUNDARY
    // Unused: all masses are equal, so only a neighbor's distance matters, and WGSL has no empty structs.
    nothing: u32,
#endif
#endif
}

struct Sum {
    // Sum of kernel values divided by the normalization.
    shapes: f32,
#ifdef CONTINUITY
    // Increase of that sum during the step.
    change: f32,
    // Diffusion of density: weighted sum of the differences to the neighbors' densities.
    diffused: f32,
#endif
}

// Positions in sorted order: xyz in meters; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density² times the walls' factor; in sorted order;
// len = particle_count.
@group(1) @binding(2) var<storage, read_write> densities: array<vec2<f32>>;

#ifdef CONTINUITY
// Velocities in sorted order: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(1) @binding(4) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Carried densities relative to the rest density, without and with the walls' factor, in sorted order; len =
// particle_count.
@group(1) @binding(5) var<storage, read> sorted_carried: array<vec2<f32>>;
#ifdef ADVANCE
// Carried densities of the next step, in sorted order; len = particle_count.
@group(1) @binding(11) var<storage, read_write> carried: array<vec2<f32>>;
#endif
#endif

fn load(index: u32) -> Particle {
    var particle: Particle;
#ifdef BOUNDARY
    particle.weight = weights[index];
#endif
#ifdef CONTINUITY
    let velocity = sorted_velocities[index];
    particle.velocity_x = velocity.x;
    particle.velocity_y = velocity.y;
    particle.velocity_z = velocity.z;
    particle.density = sorted_carried[index].y;
#endif
    return particle;
}

fn zero() -> Sum {
#ifdef CONTINUITY
    return Sum(0.0, 0.0, 0.0);
#else
    return Sum(0.0);
#endif
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    let value = shape(q);
#ifdef BOUNDARY
    let share = pair_weight(a.weight, b.weight);
#else
    let share = 1.0;
#endif
#ifdef CONTINUITY
    let velocity = vec3<f32>(a.velocity_x - b.velocity_x, a.velocity_y - b.velocity_y, a.velocity_z - b.velocity_z);
    let change = value - shape(length(offset - fluid.time_step * velocity) * fluid.inverse_radius);
    let at_rest = continuity.compressibility * dot(fluid.gravity, offset);
    // Boundary particles and newly emitted particles have no density of their own yet.
    let diffused = select(0.0, slope_over_q(q) * (a.density - b.density - at_rest), a.density * b.density > 0.0);
    return Sum(share * value, share * change, diffused);
#else
    return Sum(share * value);
#endif
}

fn mirror(contribution: Sum) -> Sum {
#ifdef CONTINUITY
    return Sum(contribution.shapes, contribution.change, -contribution.diffused);
#else
    return contribution;
#endif
}

fn add(a: Sum, b: Sum) -> Sum {
#ifdef CONTINUITY
    return Sum(a.shapes + b.shapes, a.change + b.change, a.diffused + b.diffused);
#else
    return Sum(a.shapes + b.shapes);
#endif
}

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BOUNDARY
    if particle.weight <= 0.0 {
        densities[index] = vec2<f32>(fluid.rest_density, 0.0);
#ifdef ADVANCE
        carried[index] = vec2<f32>(0.0);
#endif
        return;
    }
#endif
    let factor = walls_at(sorted_positions[index].xyz).factor;
    let scale = factor * fluid.density_scale;
    let summed = scale * (shape(0.0) + sum.shapes);
#ifdef CONTINUITY
    let changed = fluid.rest_density * (particle.density + continuity.diffusion * sum.diffused) + scale * sum.change;
    // A density below a tenth of the rest density is less than a single particle contributes, so it is treated as
    // unknown.
    let is_known = particle.density > 0.0 && changed > 0.1 * fluid.rest_density;
    let density = select(max(summed, fluid.rest_density), changed, is_known);
#ifdef ADVANCE
    let relative = density / fluid.rest_density;
    carried[index] = vec2<f32>(relative / factor, relative);
#endif
#else
    let density = summed;
#endif
    let pressure_term = factor * pressure(density, fluid.rest_density, fluid.stiffness) / (density * density);
    densities[index] = vec2<f32>(density, pressure_term);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
#ifdef CONTINUITY
    deposits::deposit_vector(3u * index, vec3<f32>(sum.shapes, sum.change, sum.diffused));
#else
    deposits::deposit(index, sum.shapes);
#endif
}

fn withdraw(index: u32) -> Sum {
#ifdef CONTINUITY
    let sum = deposits::withdraw_vector(3u * index);
    return Sum(sum.x, sum.y, sum.z);
#else
    return Sum(deposits::withdraw(index));
#endif
}
#endif
