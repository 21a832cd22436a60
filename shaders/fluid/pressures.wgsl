// The particles' pressures without the walls' factor, which the values stored by the solvers contain; for files and
// probes. One invocation a particle.

#import nearwater::dispatch
#import nearwater::fluid::fluid
#import nearwater::walls::walls_at

const GROUP: u32 = 128u;

// xyz in meters, in the order of `densities`; len = particle_count.
@group(0) @binding(0) var<storage, read> observed_positions: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density² times the walls' factor; in sorted order;
// len = particle_count.
@group(0) @binding(1) var<storage, read> densities: array<vec2<f32>>;
// Pa, in the same order; len = particle_count.
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
        pressures[index] = density.y / walls_at(observed_positions[index].xyz).factor * density.x * density.x;
    }
}
