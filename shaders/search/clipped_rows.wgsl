// The traversal of the search by clipped rows: an invocation owns up to OWNED consecutive particles of the sorted order,
// and reads the rows of cells around them once for all of them.
//
// Entry point:
//   traverse   one invocation per OWNED particles. It serves them in groups, nearly always all at once: a group ends
//              where the row ends, or where the next particle is too far away to share candidates. Of each row within
//              reach of the group's bounding box, it reads the part that the sphere around the box cuts out.
//
// Three loops do the same work:
//   clipped_rows_plain         evaluates a pair kernel that vanishes at the radius for every candidate, without a branch
//   clipped_rows_marked        first tests the candidates, which gives one bit each, and then evaluates the kernel for
//                              the set bits only
//   clipped_rows_one_by_one    serves the particles of a group one after the other, for instruments
//
// Numbers: WORKGROUP, invocations of a workgroup; OWNED, particles that an invocation owns.

#import nearwater::clipped_rows_group::{OWNED, grid_parameters, group_from}
#import nearwater::dispatch
#ifdef ONE_BY_ONE
#import nearwater::clipped_rows_one_by_one::serve
#else
#ifdef PAIR_VANISHES
#import nearwater::clipped_rows_plain::serve
#else
#import nearwater::clipped_rows_marked::serve
#endif
#endif
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif
#ifdef RECORD
#import nearwater::recording
#endif

const WORKGROUP: u32 = #{WORKGROUP}u;

@compute @workgroup_size(WORKGROUP)
fn traverse(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let workgroup = dispatch::workgroup_index(workgroup_id, workgroup_count);
    let particle_count = grid_parameters.particle_count;
    var first = (workgroup * WORKGROUP + local) * OWNED;
    let end = min(first + OWNED, particle_count);
#ifdef RECORD
    recording::enter_cell(recording::NOTHING, workgroup, recording::NOTHING, local);
#endif
    while first < end {
        let group = group_from(first, end);
        serve(group);
        first = group.end;
    }
#ifdef LIMITED_LOOPS
    loop_limit::check(particle_count);
#endif
}
