// The traversal of the search by clipped rows: an invocation owns up to OWNED consecutive particles of the sorted
// order, and reads the rows of cells around them once for all of them.
//
// Entry point:
//   traverse   one invocation for every OWNED particles of the sorted order, which serves those up to the end of their
//              row; and, if OWNED exceeds 1, one for each row, which serves the particles at its beginning that this
//              leaves out. Without the latter, the lanes of a subgroup would wait for the one whose particles belong to
//              two rows. Of each row within reach of the particles' bounding box, the part that the sphere around the
//              box cuts out is read.
//
// Four loops do the same work:
// clipped_rows_plain evaluates a pair kernel that vanishes at the radius for every candidate, without a branch
// clipped_rows_marked first tests the candidates, which gives one bit each, and then evaluates the kernel for
//                              the set bits only
//   clipped_rows_merged        the same for the special particles of a pair kernel, with three rows at a time
//   clipped_rows_one_by_one    serves the particles of a group one after the other, for instruments
//
// Numbers: WORKGROUP, invocations of a workgroup; OWNED, particles that an invocation owns.

#import nearwater::clipped_rows_group::{OWNED, end_of_row, grid_parameters, group_from, row_of, sorted_positions}
#import nearwater::clipped_rows_group::cell_start
#import nearwater::clipped_rows_table::table_index
#import nearwater::dispatch
#ifdef ONE_BY_ONE
#import nearwater::clipped_rows_one_by_one::serve
#else
#ifdef PAIR_VANISHES
#import nearwater::clipped_rows_plain::serve
#else
#ifdef ONLY_SPECIAL
#import nearwater::clipped_rows_merged::serve
#else
#import nearwater::clipped_rows_marked::serve
#endif
#endif
#endif
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif
#ifdef RECORD
#import nearwater::recording
#endif
#ifdef DIVIDED
#import nearwater::visit::served_by
#endif

const WORKGROUP: u32 = #{WORKGROUP}u;

// The particles [x, y) that an invocation serves.
fn share_of(number: u32) -> vec2<u32> {
    let particle_count = grid_parameters.particle_count;
#ifdef DIVIDED
    // Listed particles are served one by one, since neighbors in the list need not be neighbors in a row.
    let index = served_by(number, particle_count);
    return vec2<u32>(index, min(index + 1u, particle_count));
#else
    let shares = (particle_count + OWNED - 1u) / OWNED;
    if number < shares {
        let first = number * OWNED;
        let end = min(first + OWNED, particle_count);
        return vec2<u32>(first, min(end, end_of_row(row_of(sorted_positions[first].xyz))));
    }
    let counts = grid_parameters.cell_counts;
    let row = number - shares;
    if row >= counts.y * counts.z {
        return vec2<u32>(0u);
    }
    let coord = vec2<u32>(row % counts.y, row / counts.y);
    let first = cell_start[table_index(grid_parameters, vec3<u32>(0u, coord))];
    return vec2<u32>(first, min((first + OWNED - 1u) / OWNED * OWNED, end_of_row(coord)));
#endif
}

@compute @workgroup_size(WORKGROUP)
fn traverse(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = dispatch::workgroup_index(workgroup_id, workgroup_count);
    let share = share_of(workgroup * WORKGROUP + local);
#ifdef RECORD
    recording::enter_cell(recording::NOTHING, workgroup, recording::NOTHING, local);
#endif
    var first = share.x;
    while first < share.y {
        let group = group_from(first, share.y);
        serve(group);
        first = group.end;
    }
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}
