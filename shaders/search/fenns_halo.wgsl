// The traversal of FENNS with a halo: the particles of a coarse cell and the border particles of the 26 cells around it
// that are within reach are in one local grid in workgroup memory, and the former gather their sums from it. This is
// not the paper's traversal, in which the cell's particles alone are in the local grid and the others visit them.
//
// Entry point:
//   traverse   one workgroup per chunk of a coarse cell, after the build passes of `fenns`

#import nearwater::dispatch
#import nearwater::fenns_cells::grid_parameters
#import nearwater::fenns_ranges::{RUN_COUNT, chunk_of_workgroup, visitors}
#import nearwater::halo
#import nearwater::halo::Owners
#import nearwater::workgroup_scan::{Invocation, WORKGROUP_SIZE, order, place_of}
#ifdef RECORD
#import nearwater::recording
#endif
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif

@compute @workgroup_size(WORKGROUP_SIZE)
fn traverse(invocation: Invocation) {
    let place = place_of(invocation);
    let local = order(place);
    let workgroup = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    let own = chunk_of_workgroup(workgroup);
    if own.last == own.first {
        return;
    }
#ifdef RECORD
    recording::enter_cell(own.cell, workgroup, place.subgroup, place.lane);
#endif
    let owners = Owners(own.first, own.last);
    let box = halo::enclose_owners(place, owners, grid_parameters);
    if !halo::has_owners() {
        return;
    }
    // The ranges of visitors, and after these the chunk itself.
    var run = vec2<u32>(0u);
    if local < RUN_COUNT {
        run = visitors(local, own);
    } else if local == RUN_COUNT {
        run = vec2<u32>(own.first, own.last - own.first);
    }
    halo::list_run(place, run);
    let count = halo::candidate_count();
    let empty = halo::start(place, box, owners, grid_parameters);
    if halo::fits(halo::read(place, box, owners, empty, 0u, count, false)) {
        let local_cells = halo::make_room(place, empty);
        _ = halo::read(place, box, owners, local_cells, 0u, count, true);
        halo::serve_owners(place, owners, local_cells);
    } else {
        halo::serve_in_parts(place, box, owners, grid_parameters);
    }
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}
