// The last pass of every traversal that deposits.
//
// Entry point: finish_deposits, one invocation per particle: withdraws the deposited sum and passes it to the pair
// kernel.

#import nearwater::dispatch
#import nearwater::grid::Grid
#import nearwater::pair as pair

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> grid_parameters: Grid;

@compute @workgroup_size(WORKGROUP)
fn finish_deposits(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < grid_parameters.particle_count {
        pair::finish(index, pair::load(index), pair::withdraw(index));
    }
}
