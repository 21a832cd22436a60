// The search of Morillo, Carmona, Perea and Cordero 2014: octants of a sorted uniform grid.
//
// Entry points, in order of dispatch:
//   (sorted_cells)  Algorithm 1, lines 1 to 5
//   traverse        one invocation per particle: tests it against the particles of the eight cells around its octant,
//                   two cells along x at a time (lines 6 to 15)

#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::{CellBlock, Grid}
#import nearwater::pair as pair
#import nearwater::visit::{is_served_elsewhere, served_by, visit}
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif
#ifdef RECORD
#import nearwater::recording
#endif
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> grid_parameters: Grid;

// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// First particle of each cell, and one past its last; len = cell_count.
@group(0) @binding(2) var<storage, read> cell_ranges: array<vec2<u32>>;

// The cells that can contain neighbors: along each axis the particle's own cell and, if the particle is in the low half
// of the cell, the cell below, otherwise the cell above, as far as the grid extends.
//
// These cells are sufficient, also on the secant planes and in spite of rounding. A neighbor's position in units of
// cells, as `grid::place_in_cells` computes it, differs from the particle's by less than reach / cell_size <= 1/2,
// because the reach is the radius plus a bound on the two roundings. Relative to the particle's cell: if the particle's
// fraction is below 1/2, all neighbors are between -1/2 and 1; if it is 1/2 or more, they are between 0 and 3/2.
// Positions outside the grid are clamped to it, which does not increase their distance. Past the high end the fraction
// is 1, and such a particle looks up the last cell, which also contains its neighbors.
fn octant_cells(position: vec3<f32>) -> CellBlock {
    let place = grid::place_in_cells(grid_parameters, position);
    let own = grid::cell_coord(grid_parameters, position);
    let in_high_half = vec3<u32>(place - vec3<f32>(own) >= vec3<f32>(0.5));
    let low = max(own + in_high_half, vec3<u32>(1u)) - 1u;
    return CellBlock(low, min(own + in_high_half, grid_parameters.cell_counts - 1u));
}

// The range of two cells that are adjacent in the sorted order. The range of an empty cell is (0, 0).
fn joined_range(first: vec2<u32>, second: vec2<u32>) -> vec2<u32> {
    let start = select(first.x, second.x, first.x == first.y);
    let end = select(second.y, first.y, second.x == second.y);
    return vec2<u32>(start, end);
}

@compute @workgroup_size(WORKGROUP)
fn traverse(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let invocation = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    let index = served_by(invocation, grid_parameters.particle_count);
    if index >= grid_parameters.particle_count {
        return;
    }
    let position = sorted_positions[index].xyz;
    if is_served_elsewhere(position) {
        return;
    }
    let particle = pair::load(index);
#ifdef RECORD
    recording::begin(index, dispatch::workgroup_index(workgroup_id, workgroup_count), local);
#endif
    let cells = octant_cells(position);
    var sum = pair::zero();
    for (var z = cells.low.z; z <= cells.high.z; z++) {
        for (var y = cells.low.y; y <= cells.high.y; y++) {
            let row = grid::cell_index(grid_parameters, vec3<u32>(0u, y, z));
            let range = joined_range(cell_ranges[row + cells.low.x], cell_ranges[row + cells.high.x]);
#ifdef RECORD
            recording::range(range.x, range.y, row + cells.low.x, row + cells.high.x);
#endif
            for (var other = range.x; other < range.y; other++) {
                let offset = position - sorted_positions[other].xyz;
                sum = visit(sum, particle, other, other != index, offset, grid_parameters.radius_squared);
            }
        }
    }
    pair::finish(index, particle, sum);
#ifdef COUNT_PAIRS
    counting::finish(index);
#endif
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}
