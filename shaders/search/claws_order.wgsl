// An addition to CLAWS that is not part of the paper: sorts the particles of each block in place by the cells of a
// finer grid (`nearwater::fine_order`).
//
// Entry point: order_blocks, any number of workgroups, each of which processes every n-th block.

#import nearwater::claws_blocks::{cell_coord_of, cell_of_block, grid_parameters}
#import nearwater::claws_work::block_start
#import nearwater::dispatch
#import nearwater::fine_order::order_range
#import nearwater::workgroup_scan::{Invocation, WORKGROUP_SIZE, place_of}

@compute @workgroup_size(WORKGROUP_SIZE)
fn order_blocks(invocation: Invocation) {
    let place = place_of(invocation);
    let stride = invocation.workgroup_count.x * invocation.workgroup_count.y;
    var block = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    for (; block < 2u * grid_parameters.cell_count; block += stride) {
        let corner = vec3<f32>(cell_coord_of(cell_of_block(block))) * grid_parameters.cell_size;
        let low = grid_parameters.origin + corner;
        order_range(place, grid_parameters, low, block_start(block), block_start(block + 1u));
    }
}
