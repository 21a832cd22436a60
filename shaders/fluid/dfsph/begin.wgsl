// Between the two solvers of DFSPH: stores the pressures of the divergence-free solver, and sets those with which the
// constant-density solver starts. One invocation per particle.

#import nearwater::dfsph::{Control, Solution, dfsph}
#import nearwater::dispatch
#import nearwater::fluid::fluid
#ifdef BOUNDARY
#import nearwater::boundaries::weights
#endif

const GROUP: u32 = 128u;

// Pressure / density² of the last step's constant-density and divergence-free solver, m⁵/(kg s²), in sorted order;
// len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_carried: array<vec2<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density²; in sorted order; len =
// particle_count.
@group(0) @binding(2) var<storage, read_write> densities: array<vec2<f32>>;
// What the iterations keep for each particle, in sorted order; len = particle_count.
@group(0) @binding(3) var<storage, read_write> solutions: array<Solution>;
// State of the divergence-free solver; len = 1.
@group(0) @binding(4) var<storage, read> control: Control;

@compute @workgroup_size(GROUP)
fn begin_constant_density(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < fluid.particle_count {
#ifdef BOUNDARY
        if weights[index] <= 0.0 {
            return;
        }
#endif
        // The pressures before the last correction are those that the velocities contain. Without an iteration they had
        // no effect.
        solutions[index].divergence_term = select(0.0, solutions[index].previous, control.iterations > 0u);
        let kept = dfsph.warm_start * sorted_carried[index].x;
        densities[index].y = kept;
        solutions[index].previous = kept;
    }
}
