// Brings the densities that are carried from step to step into the order that the search has just sorted the
// positions into, and multiplies them by the walls' factor at these positions; continuity.rs explains why. One
// invocation per particle.

#import nearwater::dispatch
#import nearwater::fluid::fluid
#import nearwater::walls::walls_at

const GROUP: u32 = 128u;

// Positions in sorted order, as words; the fourth is the index into `carried`; len = particle_count.
@group(0) @binding(0) var<storage, read> sorted_positions: array<vec4<u32>>;
// Carried densities relative to the rest density, in the order before the build; len = particle_count.
@group(0) @binding(1) var<storage, read> carried: array<vec2<f32>>;
// Carried densities in sorted order, without and with the walls' factor; len = particle_count.
@group(0) @binding(2) var<storage, read_write> sorted_carried: array<vec2<f32>>;

@compute @workgroup_size(GROUP)
fn carry_densities(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < fluid.particle_count {
        let kept = carried[sorted_positions[index].w].x;
        let factor = walls_at(bitcast<vec3<f32>>(sorted_positions[index].xyz)).factor;
        sorted_carried[index] = vec2<f32>(kept, kept * factor);
    }
}
