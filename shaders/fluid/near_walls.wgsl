// Lists the particles near walls, which are the special ones of the pair kernels that evaluate images (images.wgsl).
//
// Entry points, in order of dispatch:
//   clear_list         one invocation: sets the number of listed particles to zero
//   list_near_walls    one invocation per particle: adds its index if it is near a wall

#import nearwater::dispatch
#import nearwater::fluid::fluid
#import nearwater::images::may_come_near_wall

const GROUP: u32 = 128u;

// Positions in sorted order: xyz in meters; len = particle_count.
@group(0) @binding(0) var<storage, read> sorted_positions: array<vec4<f32>>;
// The number of listed particles, and then their indices in the sorted order; len = particle_count + 1.
@group(0) @binding(1) var<storage, read_write> special_particles: array<atomic<u32>>;

// Number of listed particles of the workgroup, and then the place of its first one in the list.
var<workgroup> group_count: atomic<u32>;
var<workgroup> group_start: u32;

@compute @workgroup_size(1)
fn clear_list() {
    atomicStore(&special_particles[0], 0u);
}

@compute @workgroup_size(GROUP)
fn list_near_walls(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    var is_listed = false;
    if index < fluid.particle_count {
        is_listed = may_come_near_wall(sorted_positions[index].xyz);
    }
    // One addition per workgroup to the number that all share. Workgroup memory does not begin as zeros
    // (gpu/kernel.rs).
    if local == 0u {
        atomicStore(&group_count, 0u);
    }
    workgroupBarrier();
    var place = 0u;
    if is_listed {
        place = atomicAdd(&group_count, 1u);
    }
    workgroupBarrier();
    if local == 0u {
        group_start = 1u + atomicAdd(&special_particles[0], atomicLoad(&group_count));
    }
    workgroupBarrier();
    if is_listed {
        atomicStore(&special_particles[group_start + place], index);
    }
}
