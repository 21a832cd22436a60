// Groups of owned particles in the search by clipped rows, and the parts of rows that contain their candidates.
#define_import_path nearwater::clipped_rows_group

#import nearwater::clipped_rows_table::table_index
#import nearwater::grid
#import nearwater::grid::Grid

// Most particles that an invocation owns.
const OWNED: u32 = #{OWNED}u;

@group(0) @binding(0) var<uniform> grid_parameters: Grid;
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Index of each cell's first particle, and at the end of each row the index past its last; len = entry_count.
@group(0) @binding(2) var<storage, read> cell_start: array<u32>;

// Consecutive particles of one row that are close together, with their bounding box, in which a coordinate that is NaN
// counts as that of the grid's corner, like in the build.
struct Group {
    first: u32,
    end: u32,
    // Row of cells: y and z.
    row: vec2<u32>,
    low: vec3<f32>,
    high: vec3<f32>,
}

// A part of a row: the particles [start, end) of the sorted order.
struct Range {
    start: u32,
    end: u32,
}

// Rows that are read in one loop.
const ROWS_AT_ONCE: u32 = 3u;

fn without_nan(position: vec3<f32>) -> vec3<f32> {
    return select(grid_parameters.origin, position, grid::are_numbers(position));
}

// The group that begins with the particle `first`, of the particles before `end`.
fn group_from(first: u32, end: u32) -> Group {
    let lead = without_nan(sorted_positions[first].xyz);
    let row = grid::cell_coord(grid_parameters, lead).yz;
    var group = Group(first, first + 1u, row, lead, lead);
    var last = lead.x;
    for (var index = first + 1u; index < end; index++) {
        let position = without_nan(sorted_positions[index].xyz);
        let is_far = abs(position.x - last) > 3.0 * grid_parameters.reach;
        if is_far || any(grid::cell_coord(grid_parameters, position).yz != row) {
            break;
        }
        group.end = index + 1u;
        group.low = min(group.low, position);
        group.high = max(group.high, position);
        last = position.x;
    }
    return group;
}

// The cell along x of a coordinate that is not NaN; the same as that of `grid::cell_coord`.
fn cell_along_row(x: f32) -> u32 {
    let place = (x - grid_parameters.origin.x) * grid_parameters.inverse_cell_size.x;
    let count = grid_parameters.cell_counts.x;
    return min(u32(clamp(place, 0.0, f32(count))), count - 1u);
}

// Squared distance along one axis between a slab of cells and the group's box, 0 if they overlap. The outermost slabs
// extend to infinity, because they contain everything outside the grid.
fn squared_gap(slab: u32, axis: u32, low: f32, high: f32) -> f32 {
    let start = grid_parameters.origin[axis] + f32(slab) * grid_parameters.cell_size[axis];
    let below = select(start - high, 0.0, slab == 0u);
    let above = select(low - start - grid_parameters.cell_size[axis], 0.0, slab == grid_parameters.cell_counts[axis] - 1u);
    let gap = max(max(below, above), 0.0);
    return gap * gap;
}

// The first and the last cell along x of a row that the sphere around the group's box cuts out; (1, 0) if there is none.
// `left`: squared reach less the squared distance to the row.
fn cells_of_row(group: Group, left: f32) -> vec2<u32> {
    if left < 0.0 {
        return vec2<u32>(1u, 0u);
    }
    let chord = sqrt(left);
    return vec2<u32>(cell_along_row(group.low.x - chord), cell_along_row(group.high.x + chord));
}

fn left_of_row(group: Group, y: u32, left_of_slab: f32) -> f32 {
    return left_of_slab - squared_gap(y, 1u, group.low.y, group.high.y);
}

// The candidates in the row (y, z); empty if the row is past `last_y` or out of reach.
fn range_of(group: Group, y: u32, last_y: u32, z: u32, left_of_slab: f32) -> Range {
    let cells = cells_of_row(group, select(left_of_row(group, y, left_of_slab), -1.0, y > last_y));
    if cells.x > cells.y {
        return Range(0u, 0u);
    }
    let row = table_index(grid_parameters, vec3<u32>(0u, y, z));
    return Range(cell_start[row + cells.x], cell_start[row + cells.y + 1u]);
}

// The rows within reach of a group: y and z of the first and of the last.
struct RowBlock {
    low: vec2<u32>,
    high: vec2<u32>,
}

fn rows_around(group: Group) -> RowBlock {
    let reach = grid_parameters.reach;
    return RowBlock(
        grid::cell_coord(grid_parameters, group.low - reach).yz,
        grid::cell_coord(grid_parameters, group.high + reach).yz,
    );
}

// Squared reach less the squared distance between the group's box and a slab of rows along z.
fn left_of_slab(group: Group, z: u32) -> f32 {
    return grid_parameters.reach * grid_parameters.reach - squared_gap(z, 2u, group.low.z, group.high.z);
}
