// Serves a group with any pair kernel, in two steps for up to 32 candidates at a time: a test of every candidate sets a
// bit if it is a neighbor, and then the kernel is evaluated for the set bits only. The second step is much longer than
// the first; as a branch of the test, it would make lanes wait for each other at every candidate.
#define_import_path nearwater::clipped_rows_marked

#import nearwater::clipped_rows_group::{Group, gap_along_y, grid_parameters, range_within, reach_in_layer, rows_around, sorted_positions}
#import nearwater::clipped_rows_table::table_index
#import nearwater::clipped_rows_tested::{TESTED, neighbors_among}
#import nearwater::pair as pair
#import nearwater::visit::is_served_elsewhere

fn serve(group: Group) {
    for (var index = group.first; index < group.end; index++) {
        serve_one(group, index);
    }
}

fn serve_one(group: Group, index: u32) {
    let position = sorted_positions[index].xyz;
    if is_served_elsewhere(position) {
        return;
    }
    let particle = pair::load(index);
    var sum = pair::zero();
    let rows = rows_around(group);
    for (var z = rows.low.y; z <= rows.high.y; z++) {
        let left = reach_in_layer(group, z);
        for (var y = rows.low.x; y <= rows.high.x; y++) {
            let row = table_index(grid_parameters, vec3<u32>(0u, y, z));
            let range = range_within(group, row, left - gap_along_y(group, y));
            for (var start = range.start; start < range.end; start += TESTED) {
                var bits = neighbors_among(position, index, start, range.end);
                while bits != 0u {
                    let other = start + firstTrailingBit(bits);
                    bits &= bits - 1u;
                    let offset = position - sorted_positions[other].xyz;
                    let given = pair::contribution(particle, pair::load(other), offset, dot(offset, offset));
                    sum = pair::add(sum, given);
                }
            }
        }
    }
    pair::finish(index, particle, sum);
}
