// Brings the pressures that are carried from step to step, with which the iterations start, into the order that the
// search has just sorted the positions into. One invocation per particle.

#import nearwater::dfsph::Terms
#import nearwater::dispatch
#import nearwater::fluid::fluid

const GROUP: u32 = 128u;

// Positions in sorted order, as words; the fourth is the index into `carried`; len = particle_count.
@group(0) @binding(0) var<storage, read> sorted_positions: array<vec4<u32>>;
// Pressure terms in the order before the build; len = particle_count.
@group(0) @binding(1) var<storage, read> carried: array<Terms>;
// The same in sorted order; len = particle_count.
@group(0) @binding(2) var<storage, read_write> sorted_carried: array<Terms>;

@compute @workgroup_size(GROUP)
fn carry_pressures(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < fluid.particle_count {
        sorted_carried[index] = carried[sorted_positions[index].w];
    }
}
