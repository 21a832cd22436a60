// Last pass of a step of DFSPH: moves the particles by the velocities that the divergence-free solver has found and by
// the shifts of the constant-density solver, and stores the pressures of both for the next step. One invocation per
// particle.

#import nearwater::dfsph::{Control, Terms}
#import nearwater::dispatch
#import nearwater::fluid::fluid
#import nearwater::integration::{at_rest_off_walls, off_walls, rubbed}
#ifdef BOUNDARY
#import nearwater::boundaries::weights
#endif
#ifdef LOADS
#import nearwater::loads::add_load
#endif

const GROUP: u32 = 128u;

// Positions in sorted order: xyz in meters; len = particle_count.
@group(0) @binding(0) var<storage, read> sorted_positions: array<vec4<f32>>;
// Shifts divided by the time step, in sorted order: xyz in m/s, and in w the bits of the original index;
// len = particle_count.
@group(0) @binding(1) var<storage, read> shifts: array<vec4<f32>>;
// Pressure terms in sorted order; len = particle_count.
@group(0) @binding(2) var<storage, read> terms: array<Terms>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density²; in sorted order; len = particle_count.
@group(0) @binding(3) var<storage, read_write> densities: array<vec2<f32>>;
// Positions of the next step, in sorted order: xyz in meters, 1; len = particle_count.
@group(0) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities with pressure, which become those of the next step, in sorted order: xyz in m/s; in w the bits of the
// original index at the end. len = particle_count.
@group(0) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;
// Pressure terms for the next step; len = particle_count.
@group(0) @binding(6) var<storage, read_write> carried: array<Terms>;
// State of the iterations; len = 1.
@group(0) @binding(7) var<storage, read> control: Control;

@compute @workgroup_size(GROUP)
fn integrate(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < fluid.particle_count {
        let position = sorted_positions[index].xyz;
        let velocity = velocities[index].xyz;
#ifdef BOUNDARY
        if weights[index] <= 0.0 {
            positions[index] = vec4<f32>(position, 1.0);
            carried[index] = Terms(0.0, 0.0);
            return;
        }
#endif
        let moved = position + fluid.time_step * velocity;
        let shift = shifts[index];
        positions[index] = vec4<f32>(off_walls(moved + fluid.time_step * shift.xyz), 1.0);
        let left = at_rest_off_walls(rubbed(velocity, position), moved);
        velocities[index] = vec4<f32>(left, shift.w);
#ifdef LOADS
        let slower = rubbed(velocity, position);
        add_load(shift.w, (left - slower) / fluid.time_step, (slower - velocity) / fluid.time_step);
#endif
        // In a box without a free surface a pressure that all particles have in common moves nothing, and nothing would
        // ever take it back (dfsph/mod.rs).
        let term = Terms(terms[index].divergence - control.shared_term, terms[index].density);
        carried[index] = term;
        // Gradients of few neighbors are too small by the factor that `pressure_scale` is the inverse of, and the
        // pressures of the iterations too large.
        densities[index].y = term.divergence / fluid.pressure_scale;
    }
}
