// FENNS with a halo, after the build passes of `fenns`: sorts the border particles and the inner particles of each
// coarse cell in place by the cells of a finer grid (`nearwater::fine_order`).
//
// Entry point: order_cells, one workgroup per coarse cell.

#import nearwater::dispatch
#import nearwater::fenns_cells::{grid_parameters, inner_start_of, start_of}
#import nearwater::fine_order::order_range
#import nearwater::grid
#import nearwater::workgroup_scan::{Invocation, WORKGROUP_SIZE, place_of}

@compute @workgroup_size(WORKGROUP_SIZE)
fn order_cells(invocation: Invocation) {
    let place = place_of(invocation);
    let cell = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    if cell >= grid_parameters.cell_count {
        return;
    }
    let corner = vec3<f32>(grid::coord_of(grid_parameters, cell)) * grid_parameters.cell_size;
    let low = grid_parameters.origin + corner;
    order_range(place, grid_parameters, low, start_of(cell), inner_start_of(cell));
    order_range(place, grid_parameters, low, inner_start_of(cell), start_of(cell + 1u));
}
