// The particles' pressures, from the values that the solvers store; for files and probes. One invocation per particle.

#import nearwater::dispatch
#import nearwater::fluid::fluid

const GROUP: u32 = 128u;

// Density in kg/m³ and, in m⁵/(kg s²), pressure / density²; in sorted order; len =
// particle_count.
@group(0) @binding(1) var<storage, read> densities: array<vec2<f32>>;
// Velocities in the order of the densities; in w the bits of the original index; len = particle_count.
@group(0) @binding(3) var<storage, read> ordered_velocities: array<vec4<f32>>;
// Pa, by original index; len = particle_count.
@group(0) @binding(2) var<storage, read_write> pressures: array<f32>;

@compute @workgroup_size(GROUP)
fn take_pressures(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < fluid.particle_count {
        let density = densities[index];
        pressures[bitcast<u32>(ordered_velocities[index].w)] = density.y * density.x * density.x;
    }
}
