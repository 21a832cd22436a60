// Serves a group with a pair kernel that vanishes at the radius: the kernel is evaluated for every candidate and every
// owned particle, without a branch.
//
// The candidates of several rows are read in one loop, four in each round; lanes whose rows are of different lengths
// would otherwise wait for each other at every row. A round past the end of a range reads candidates that do not count.
//
// With PAIR_SCALES, the kernel is evaluated in scaled coordinates (clipped_rows_scaled), and the owned particles are
// candidates as well, also of themselves. Without it (clipped_rows_metric), they are left out of the candidates, and
// their pairs are evaluated once before the loop.
//
// OWNS_2, OWNS_3 and OWNS_4 are set if an invocation owns at least that many particles. Each owned particle has
// variables of its own, because compilers keep the elements of arrays in registers only for few particles. FIVE_ROWS is
// set if five rows are read in one loop instead of three.
#define_import_path nearwater::clipped_rows_plain

#import nearwater::clipped_rows_group::{Group, Range, gap_along_y, gap_up_to, grid_parameters, range_within, reach_in_layer, rows_around, sorted_positions}
#import nearwater::clipped_rows_table::table_index
#import nearwater::pair as pair
#import nearwater::visit::is_served_elsewhere
#ifdef PAIR_SCALES
#import nearwater::clipped_rows_scaled::{Owned, complete_sum, owned, with_candidate}
#else
#import nearwater::clipped_rows_metric::{Owned, add_pair, complete_sum, owned, with_candidate}
#endif

#ifdef FIVE_ROWS
const ROWS_AT_ONCE: u32 = 5u;
#else
const ROWS_AT_ONCE: u32 = 3u;
#endif

// A coordinate x farther than the radius from every owned particle, also where float is coarser than the radius. An
// infinite coordinate is farther from it in any case.
fn far_from(group: Group) -> f32 {
    let left = clamp(group.left, -1e30, 1e30);
    return left - 4.0 * grid_parameters.reach - 0.001 * abs(left);
}

// Number of rounds for a range, at least one.
fn rounds(range: Range) -> u32 {
    return (max(range.end, range.start + 1u) - range.start + 3u) / 4u;
}

#ifndef PAIR_SCALES
// Ends the range of the owned particles' row before them, and returns what follows them.
fn cut(range: ptr<function, Range>, group: Group) -> Range {
    let rest = Range(group.end, (*range).end);
    (*range).end = group.first;
    return rest;
}
#endif

// Hands the sum of the owned particle with the index `number` to the kernel, if the group has one.
fn finish(group: Group, number: u32, one: Owned) {
    let index = group.first + number;
    if index < group.end {
        pair::finish(index, one.particle, complete_sum(one));
    }
}

fn serve(group: Group) {
    // Where particles are divided, a group has only one.
    if is_served_elsewhere(sorted_positions[group.first].xyz) {
        return;
    }
#ifndef PAIR_SCALES
    let count = group.end - group.first;
#endif
    var owned_1 = owned(group, 0u);
#ifdef OWNS_2
    var owned_2 = owned(group, 1u);
#ifndef PAIR_SCALES
    add_pair(&owned_1, &owned_2, count > 1u);
#endif
#endif
#ifdef OWNS_3
    var owned_3 = owned(group, 2u);
#ifndef PAIR_SCALES
    add_pair(&owned_1, &owned_3, count > 2u);
    add_pair(&owned_2, &owned_3, count > 2u);
#endif
#endif
#ifdef OWNS_4
    var owned_4 = owned(group, 3u);
#ifndef PAIR_SCALES
    add_pair(&owned_1, &owned_4, count > 3u);
    add_pair(&owned_2, &owned_4, count > 3u);
    add_pair(&owned_3, &owned_4, count > 3u);
#endif
#endif
    let far_away = far_from(group);
    let rows = rows_around(group);
    let row_length = table_index(grid_parameters, vec3<u32>(0u, 1u, 0u));
    for (var y = rows.low.x; y <= rows.high.x; y += ROWS_AT_ONCE) {
        let gap_1 = gap_along_y(group, y);
        let gap_2 = gap_up_to(group, y + 1u, rows.high.x);
        let gap_3 = gap_up_to(group, y + 2u, rows.high.x);
#ifdef FIVE_ROWS
        let gap_4 = gap_up_to(group, y + 3u, rows.high.x);
        let gap_5 = gap_up_to(group, y + 4u, rows.high.x);
#endif
        for (var z = rows.low.y; z <= rows.high.y; z++) {
            let reach = reach_in_layer(group, z);
            let row = table_index(grid_parameters, vec3<u32>(0u, y, z));
            var range_1 = range_within(group, row, reach - gap_1);
            var range_2 = range_within(group, row + row_length, reach - gap_2);
            var range_3 = range_within(group, row + 2u * row_length, reach - gap_3);
#ifdef FIVE_ROWS
            var range_4 = range_within(group, row + 3u * row_length, reach - gap_4);
            var range_5 = range_within(group, row + 4u * row_length, reach - gap_5);
#endif
#ifndef PAIR_SCALES
            var rest = Range(0u, 0u);
            if z == group.row.y {
                // The owned particles cut the range of their own row in two. Below y, the difference wraps around.
                switch group.row.x - y {
                    case 0u: { rest = cut(&range_1, group); }
                    case 1u: { rest = cut(&range_2, group); }
                    case 2u: { rest = cut(&range_3, group); }
#ifdef FIVE_ROWS
                    case 3u: { rest = cut(&range_4, group); }
                    case 4u: { rest = cut(&range_5, group); }
#endif
                    default: {}
                }
            }
#endif
            var left = rounds(range_1) + rounds(range_2) + rounds(range_3);
#ifdef FIVE_ROWS
            left += rounds(range_4) + rounds(range_5);
#endif
#ifndef PAIR_SCALES
            left += select(0u, rounds(rest), rest.start < rest.end);
#endif
            for (; left > 0u; left--) {
                let remaining = bitcast<i32>(range_1.end - range_1.start);
                // All four are loaded before the first is used, so that one wait serves them.
                let loaded = array<vec4<f32>, 4>(
                    sorted_positions[range_1.start],
                    sorted_positions[range_1.start + 1u],
                    sorted_positions[range_1.start + 2u],
                    sorted_positions[range_1.start + 3u],
                );
                for (var part = 0u; part < 4u; part++) {
                    let other = range_1.start + part;
                    let read = loaded[part].xyz;
                    let position = vec3<f32>(select(far_away, read.x, i32(part) < remaining), read.yz);
                    let candidate = pair::load(min(other, grid_parameters.particle_count - 1u));
                    owned_1.sum = with_candidate(owned_1, position, candidate);
#ifdef OWNS_2
                    owned_2.sum = with_candidate(owned_2, position, candidate);
#endif
#ifdef OWNS_3
                    owned_3.sum = with_candidate(owned_3, position, candidate);
#endif
#ifdef OWNS_4
                    owned_4.sum = with_candidate(owned_4, position, candidate);
#endif
                }
                range_1.start += 4u;
                // By selection, so that all lanes execute the same instructions.
                let is_done = range_1.start >= range_1.end;
                range_1 = following(range_1, range_2, is_done);
                range_2 = following(range_2, range_3, is_done);
#ifdef FIVE_ROWS
                range_3 = following(range_3, range_4, is_done);
                range_4 = following(range_4, range_5, is_done);
#ifndef PAIR_SCALES
                range_5 = following(range_5, rest, is_done);
#endif
#else
#ifndef PAIR_SCALES
                range_3 = following(range_3, rest, is_done);
#endif
#endif
            }
        }
    }
    finish(group, 0u, owned_1);
#ifdef OWNS_2
    finish(group, 1u, owned_2);
#endif
#ifdef OWNS_3
    finish(group, 2u, owned_3);
#endif
#ifdef OWNS_4
    finish(group, 3u, owned_4);
#endif
}

fn following(range: Range, next: Range, is_done: bool) -> Range {
    return Range(select(range.start, next.start, is_done), select(range.end, next.end, is_done));
}
