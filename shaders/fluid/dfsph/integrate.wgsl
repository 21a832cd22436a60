// Last pass of a step of DFSPH: moves the particles by the velocities that the constant-density solver has found, and
// stores the pressures of both solvers for the next step. One invocation per particle.

#import nearwater::dfsph::Solution
#import nearwater::dispatch
#import nearwater::fluid::fluid
#import nearwater::integration::{at_rest_off_walls, off_walls}
#ifdef BOUNDARY
#import nearwater::boundaries::weights
#endif

const GROUP: u32 = 128u;

// Positions in sorted order: xyz in meters; len = particle_count.
@group(0) @binding(0) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities with all pressures, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(0) @binding(1) var<storage, read> iterate: array<vec4<f32>>;
// What the iterations keep for each particle, in sorted order; len = particle_count.
@group(0) @binding(2) var<storage, read> solutions: array<Solution>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density², which becomes the sum of both solvers, as a mean of this
// step and the last; in sorted order; len = particle_count.
@group(0) @binding(3) var<storage, read_write> densities: array<vec2<f32>>;
// Positions of the next step, in sorted order: xyz in meters, 1; len = particle_count.
@group(0) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities of the next step, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(0) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;
// Pressure / density² of the constant-density and of the divergence-free solver, m⁵/(kg s²), for the next step;
// len = particle_count.
@group(0) @binding(6) var<storage, read_write> carried: array<vec2<f32>>;
// The same of the last step, in sorted order; len = particle_count.
@group(0) @binding(7) var<storage, read> sorted_carried: array<vec2<f32>>;

@compute @workgroup_size(GROUP)
fn integrate(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < fluid.particle_count {
        let position = sorted_positions[index].xyz;
        let velocity = iterate[index];
#ifdef BOUNDARY
        if weights[index] <= 0.0 {
            positions[index] = vec4<f32>(position, 1.0);
            velocities[index] = velocity;
            carried[index] = vec2<f32>(0.0);
            return;
        }
#endif
        let next = position + fluid.time_step * velocity.xyz;
        positions[index] = vec4<f32>(off_walls(next), 1.0);
        velocities[index] = vec4<f32>(at_rest_off_walls(velocity.xyz, next), velocity.w);
        let of_divergence = solutions[index].divergence_term;
        // The pressures before the last correction are those that the velocities contain.
        let term = solutions[index].previous;
        // The number of iterations may alternate from step to step, and the pressure with it, so that the pressure of
        // one step alone is not that of the flow. Files and probes get the mean of two steps.
        let before = sorted_carried[index];
        let after = vec2<f32>(term, of_divergence);
        let mean = select(after, 0.5 * (before + after), before.x > 0.0);
        carried[index] = after;
        // Gradients of few neighbors are too small by the factor that `pressure_scale` is the inverse of, and the
        // pressures of the iterations too large.
        densities[index].y = (mean.x + mean.y) / fluid.pressure_scale;
    }
}
