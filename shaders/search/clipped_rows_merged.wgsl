// Serves the special particles of a pair kernel, which are few and take the longest, in two steps as
// `clipped_rows_marked`. Here the kernel is evaluated for the neighbors of three rows in one loop, so that lanes wait
// for each other once for three rows. For kernels with less work the selection of the next row costs more than it
// saves.
#define_import_path nearwater::clipped_rows_merged

#import nearwater::clipped_rows_group::{Group, gap_along_y, gap_up_to, grid_parameters, range_within, reach_in_layer, rows_around, sorted_positions}
#import nearwater::clipped_rows_table::table_index
#import nearwater::clipped_rows_tested::{TESTED, neighbors_among}
#import nearwater::pair as pair

// Neighbors that have not been evaluated: a bit for each, and the index of the candidate of the lowest bit.
struct Marked {
    bits: u32,
    start: u32,
}

fn following(marked: Marked, next: Marked, is_done: bool) -> Marked {
    return Marked(select(marked.bits, next.bits, is_done), select(marked.start, next.start, is_done));
}

// Serves a group of one particle.
fn serve(group: Group) {
    let index = group.first;
    let position = sorted_positions[index].xyz;
    let particle = pair::load(index);
    var sum = pair::zero();
    let rows = rows_around(group);
    let row_length = table_index(grid_parameters, vec3<u32>(0u, 1u, 0u));
    for (var z = rows.low.y; z <= rows.high.y; z++) {
        let left = reach_in_layer(group, z);
        for (var y = rows.low.x; y <= rows.high.x; y += 3u) {
            let row = table_index(grid_parameters, vec3<u32>(0u, y, z));
            var range_1 = range_within(group, row, left - gap_along_y(group, y));
            var range_2 = range_within(group, row + row_length, left - gap_up_to(group, y + 1u, rows.high.x));
            var range_3 = range_within(group, row + 2u * row_length, left - gap_up_to(group, y + 2u, rows.high.x));
            while range_1.start < range_1.end || range_2.start < range_2.end || range_3.start < range_3.end {
                var marked_1 = Marked(neighbors_among(position, index, range_1.start, range_1.end), range_1.start);
                var marked_2 = Marked(neighbors_among(position, index, range_2.start, range_2.end), range_2.start);
                var marked_3 = Marked(neighbors_among(position, index, range_3.start, range_3.end), range_3.start);
                range_1.start += TESTED;
                range_2.start += TESTED;
                range_3.start += TESTED;
                let nothing = Marked(0u, 0u);
                // Rows without neighbors are moved to the end, so that the first one has some as long as there are any.
                let is_middle_empty = marked_2.bits == 0u;
                marked_2 = following(marked_2, marked_3, is_middle_empty);
                marked_3 = following(marked_3, nothing, is_middle_empty);
                let is_first_empty = marked_1.bits == 0u;
                marked_1 = following(marked_1, marked_2, is_first_empty);
                marked_2 = following(marked_2, marked_3, is_first_empty);
                marked_3 = following(marked_3, nothing, is_first_empty);
                while marked_1.bits != 0u {
                    let other = marked_1.start + firstTrailingBit(marked_1.bits);
                    marked_1.bits &= marked_1.bits - 1u;
                    let is_done = marked_1.bits == 0u;
                    marked_1 = following(marked_1, marked_2, is_done);
                    marked_2 = following(marked_2, marked_3, is_done);
                    marked_3 = following(marked_3, nothing, is_done);
                    let offset = position - sorted_positions[other].xyz;
                    let given = pair::contribution(particle, pair::load(other), offset, dot(offset, offset));
                    sum = pair::add(sum, given);
                }
            }
        }
    }
    pair::finish(index, particle, sum);
}
