// Lists the particles near walls, which are the special ones of the pair kernels that evaluate images (images.wgsl),
// and all others, which are the common ones.
//
// Entry points, in order of dispatch:
//   clear_list         one invocation: sets both numbers of listed particles to zero
//   list_near_walls    one invocation per particle: adds its index to one of the lists

#import nearwater::dispatch
#import nearwater::fluid::fluid
#import nearwater::images::may_come_near_wall

const GROUP: u32 = 128u;

// Positions in sorted order: xyz in meters; len = particle_count.
@group(0) @binding(0) var<storage, read> sorted_positions: array<vec4<f32>>;
// The number of particles near walls, that of the others, the indices of those near walls in the sorted order, and
// those of the others, which are listed from the end; len = particle_count + 2.
@group(0) @binding(1) var<storage, read_write> divided_particles: array<atomic<u32>>;

// Of each list, the number of particles of the workgroup, and then how many come before them.
var<workgroup> group_counts: array<atomic<u32>, 2>;
var<workgroup> groups_before: array<u32, 2>;

@compute @workgroup_size(1)
fn clear_list() {
    atomicStore(&divided_particles[0], 0u);
    atomicStore(&divided_particles[1], 0u);
}

@compute @workgroup_size(GROUP)
fn list_near_walls(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    let exists = index < fluid.particle_count;
    var list = 1u;
    if exists && may_come_near_wall(sorted_positions[index].xyz) {
        list = 0u;
    }
    // One addition per workgroup to each number that all share. Workgroup memory does not begin as zeros
    // (gpu/kernel.rs).
    if local < 2u {
        atomicStore(&group_counts[local], 0u);
    }
    workgroupBarrier();
    var place = 0u;
    if exists {
        place = atomicAdd(&group_counts[list], 1u);
    }
    workgroupBarrier();
    if local < 2u {
        groups_before[local] = atomicAdd(&divided_particles[local], atomicLoad(&group_counts[local]));
    }
    workgroupBarrier();
    if exists {
        let near_walls = 2u + groups_before[0] + place;
        // A block for each workgroup, so that particles that are close together are read together.
        let others = 2u + fluid.particle_count - groups_before[1] - atomicLoad(&group_counts[1]) + place;
        atomicStore(&divided_particles[select(others, near_walls, list == 0u)], index);
    }
}
