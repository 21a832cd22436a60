// Serves the particles of a group one after the other, over the same candidates as the other loops, and reports every
// range and candidate to the instrument.
#define_import_path nearwater::clipped_rows_one_by_one

#import nearwater::clipped_rows_group::{Group, gap_along_y, grid_parameters, range_within, reach_in_layer, rows_around, sorted_positions}
#import nearwater::clipped_rows_table::table_index
#import nearwater::pair as pair
#import nearwater::visit::visit
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif
#ifdef RECORD
#import nearwater::clipped_rows_group::cells_within
#import nearwater::grid
#import nearwater::recording
#endif

fn serve(group: Group) {
    for (var index = group.first; index < group.end; index++) {
        serve_one(group, index);
    }
}

fn serve_one(group: Group, index: u32) {
    let position = sorted_positions[index].xyz;
    let particle = pair::load(index);
#ifdef RECORD
    recording::begin_visitor(index);
#endif
    var sum = pair::zero();
    let rows = rows_around(group);
    for (var z = rows.low.y; z <= rows.high.y; z++) {
        let left = reach_in_layer(group, z);
        for (var y = rows.low.x; y <= rows.high.x; y++) {
            let chord_squared = left - gap_along_y(group, y);
            let range = range_within(group, table_index(grid_parameters, vec3<u32>(0u, y, z)), chord_squared);
#ifdef RECORD
            if chord_squared >= 0.0 {
                let cells = cells_within(group, chord_squared);
                let row = grid::cell_index(grid_parameters, vec3<u32>(0u, y, z));
                recording::range(range.start, range.end, row + cells.x, row + cells.y);
            }
#endif
            for (var other = range.start; other < range.end; other++) {
                let offset = position - sorted_positions[other].xyz;
                sum = visit(sum, particle, other, other != index, offset, grid_parameters.radius_squared);
            }
        }
    }
    pair::finish(index, particle, sum);
#ifdef COUNT_PAIRS
    counting::finish(index);
#endif
}
