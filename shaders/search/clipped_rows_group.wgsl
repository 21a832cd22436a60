// Groups of owned particles in the search by clipped rows, and the parts of rows that contain their candidates.
//
// Coordinates in units of cells are bounded by the grid, so that a particle outside it counts as one on its face. The
// distance from there to a slab of cells is never more than from the particle itself, and no candidate is lost.
#define_import_path nearwater::clipped_rows_group

#import nearwater::clipped_rows_table::table_index
#import nearwater::grid
#import nearwater::grid::Grid

// Most particles that an invocation owns.
const OWNED: u32 = #{OWNED}u;

@group(0) @binding(0) var<uniform> grid_parameters: Grid;
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Index of each cell's first particle, and at the end of each row the index past its last; len = 4 * vector_count.
@group(0) @binding(2) var<storage, read> cell_start: array<u32>;

// The particles [first, end) of one row, which are close together.
struct Group {
    first: u32,
    end: u32,
    // Row of cells: y and z.
    row: vec2<u32>,
    // Bounding box, in cells.
    low: vec3<f32>,
    high: vec3<f32>,
    // Lowest x, m.
    left: f32,
}

// The particles [start, end) of a row.
struct Range {
    start: u32,
    end: u32,
}

// The rows from `low` to `high`, both included: y and z.
struct RowBlock {
    low: vec2<u32>,
    high: vec2<u32>,
}

fn row_of(position: vec3<f32>) -> vec2<u32> {
    return grid::cell_coord(grid_parameters, position).yz;
}

// The index past the last particle of a row.
fn end_of_row(row: vec2<u32>) -> u32 {
    return cell_start[table_index(grid_parameters, vec3<u32>(grid_parameters.cell_counts.x, row))];
}

fn number_or_corner(x: f32) -> f32 {
    return select(grid_parameters.origin.x, x, (bitcast<u32>(x) & 0x7fffffffu) <= 0x7f800000u);
}

// The group that begins with `first`: particles of its row before `end`, as long as none is farther than three times
// the reach from the one before it. Distant particles have no candidates in common.
fn group_from(first: u32, end: u32) -> Group {
    let lead = sorted_positions[first].xyz;
    let place = grid::place_in_cells(grid_parameters, lead);
    var group = Group(first, first + 1u, row_of(lead), place, place, number_or_corner(lead.x));
    var before = lead.x;
    var joins = true;
    // The loads do not wait for each other, since none of them is in a branch.
    for (var k = 1u; k < OWNED; k++) {
        let index = first + k;
        let position = sorted_positions[min(index, grid_parameters.particle_count - 1u)].xyz;
        joins = joins && index < end && !(abs(position.x - before) > 3.0 * grid_parameters.reach);
        let at = grid::place_in_cells(grid_parameters, position);
        group.end = select(group.end, index + 1u, joins);
        group.low = select(group.low, min(group.low, at), joins);
        group.high = select(group.high, max(group.high, at), joins);
        group.left = select(group.left, min(group.left, number_or_corner(position.x)), joins);
        before = position.x;
    }
    return group;
}

// The index of the particle with the number `number` in a group. Past the end of a short group, its last particle
// stands in.
fn member(group: Group, number: u32) -> u32 {
    return min(group.first + number, group.end - 1u);
}

// The rows within reach of a group's box.
fn rows_around(group: Group) -> RowBlock {
    let reach = grid_parameters.reach * grid_parameters.inverse_cell_size.yz;
    return RowBlock(
        vec2<u32>(max(group.low.yz - reach, vec2<f32>(0.0))),
        min(vec2<u32>(group.high.yz + reach), grid_parameters.cell_counts.yz - 1u),
    );
}

// The squared distance between [low, high] and a slab of cells along an axis with cells of the given edge.
fn squared_gap(slab: u32, low: f32, high: f32, edge: f32) -> f32 {
    let gap = max(max(f32(slab) - high, low - f32(slab + 1u)), 0.0) * edge;
    return gap * gap;
}

// The squared distance along y between a group's box and a row.
fn gap_along_y(group: Group, y: u32) -> f32 {
    return squared_gap(y, group.low.y, group.high.y, grid_parameters.cell_size.y);
}

// Greater than any squared distance that matters.
const OUT_OF_REACH: f32 = 3e38;

// The squared distance along y between a group's box and a row, out of reach past the last row.
fn gap_up_to(group: Group, y: u32, last: u32) -> f32 {
    return select(OUT_OF_REACH, gap_along_y(group, y), y <= last);
}

// The squared reach that is left at the distance of a layer of rows along z.
fn reach_in_layer(group: Group, z: u32) -> f32 {
    let gap = squared_gap(z, group.low.z, group.high.z, grid_parameters.cell_size.z);
    return grid_parameters.reach * grid_parameters.reach - gap;
}

// The first and the last cell of a row that the sphere around the group's box cuts out; `chord_squared` is the squared
// reach that is left at the distance of the row, and not negative.
fn cells_within(group: Group, chord_squared: f32) -> vec2<u32> {
    let chord = sqrt(chord_squared) * grid_parameters.inverse_cell_size.x;
    return vec2<u32>(
        u32(max(group.low.x - chord, 0.0)),
        min(u32(group.high.x + chord), grid_parameters.cell_counts.x - 1u),
    );
}

// The candidates in the row that begins with the entry `row` of the table; empty if the row is out of reach.
fn range_within(group: Group, row: u32, chord_squared: f32) -> Range {
    if chord_squared < 0.0 {
        return Range(0u, 0u);
    }
    let cells = cells_within(group, chord_squared);
    return Range(cell_start[row + cells.x], cell_start[row + cells.y + 1u]);
}
