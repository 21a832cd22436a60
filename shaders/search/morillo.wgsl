// Morillo, Carmona, Perea and Cordero 2014, octants.
//
// Entry points, in order of dispatch, one invocation a particle but for `clear_cells`:
//   hash_particles    cell index of each particle as its sorting key, its own index as the value (Algorithm 1, 1 to 4)
//   (radix sort)      line 5
//   clear_cells       one invocation a cell: an empty range
//   find_cells        start and end of each cell, where the key changes between neighbors in the sorted list;
//                     copies each position to its sorted place
//   traverse          tests each particle against those in the eight cells around its octant, two x cells at a time
//                     (lines 6 to 15)

#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid
#ifdef TRAVERSAL
#import nearwater::pair as pair
#import nearwater::visit::visit
#endif
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> grid_parameters: Grid;

#ifndef TRAVERSAL
// xyz in metres; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
// Cell of each particle, before the sort; len = particle_count.
@group(0) @binding(2) var<storage, read_write> keys: array<u32>;
// Index of each particle, before the sort; len = particle_count.
@group(0) @binding(3) var<storage, read_write> values: array<u32>;
// Both after the sort; len = particle_count.
@group(0) @binding(4) var<storage, read> sorted_keys: array<u32>;
@group(0) @binding(5) var<storage, read> original_from_sorted: array<u32>;
// First particle of each cell and the one past its last; len = cell_count.
@group(0) @binding(6) var<storage, read_write> cell_ranges: array<vec2<u32>>;
// xyz in metres, bits of the index into `positions`; len = particle_count.
@group(0) @binding(7) var<storage, read_write> sorted_positions: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn hash_particles(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < grid_parameters.particle_count {
        keys[index] = grid::cell_index(grid_parameters, grid::cell_coord(grid_parameters, positions[index].xyz));
        values[index] = index;
    }
}

@compute @workgroup_size(WORKGROUP)
fn clear_cells(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cell = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if cell < grid_parameters.cell_count {
        cell_ranges[cell] = vec2<u32>(0u);
    }
}

@compute @workgroup_size(WORKGROUP)
fn find_cells(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= grid_parameters.particle_count {
        return;
    }
    let cell = sorted_keys[index];
    if index == 0u || sorted_keys[index - 1u] != cell {
        cell_ranges[cell].x = index;
    }
    if index == grid_parameters.particle_count - 1u || sorted_keys[index + 1u] != cell {
        cell_ranges[cell].y = index + 1u;
    }
    let original = original_from_sorted[index];
    sorted_positions[index] = vec4<f32>(positions[original].xyz, bitcast<f32>(original));
}
#endif

#ifdef TRAVERSAL
// xyz in metres, bits of the index into the unsorted positions; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// First particle of each cell and the one past its last; len = cell_count.
@group(0) @binding(2) var<storage, read> cell_ranges: array<vec2<u32>>;

struct Cells {
    low: vec3<u32>,
    high: vec3<u32>,
}

// The cells that can hold neighbors: along each axis the particle's own and, in its low half, the one below, in its
// high half the one above, as far as the grid goes.
//
// That is enough, secant planes and rounding included. A neighbor's place in cells, as `grid::place_in_cells` computes
// it, differs from the particle's by less than reach / cell_size <= 1/2: the reach is the radius and more than all that
// the two roundings can add. So from a fraction below 1/2 no neighbor's place is 1 or more, nor below -1/2; and from
// one of 1/2 or more none is below 0, nor 3/2 or more. Places past the grid are bounded to it, which brings them no
// farther apart: past its high end the fraction is 1, and such a particle looks at the last cell, where its neighbors
// are too.
fn octant_cells(position: vec3<f32>) -> Cells {
    let place = grid::place_in_cells(grid_parameters, position);
    let own = grid::cell_coord(grid_parameters, position);
    let in_high_half = vec3<u32>(place - vec3<f32>(own) >= vec3<f32>(0.5));
    let low = max(own + in_high_half, vec3<u32>(1u)) - 1u;
    return Cells(low, min(own + in_high_half, grid_parameters.cell_counts - 1u));
}

// The particles of two cells that follow each other in the sorted order, either perhaps empty and so anywhere.
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
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= grid_parameters.particle_count {
        return;
    }
    let position = sorted_positions[index].xyz;
    let particle = pair::load(index);
    let cells = octant_cells(position);
    var sum = pair::zero();
    var candidates = 0u;
    var neighbors = 0u;
    for (var z = cells.low.z; z <= cells.high.z; z++) {
        for (var y = cells.low.y; y <= cells.high.y; y++) {
            let row = grid::cell_index(grid_parameters, vec3<u32>(0u, y, z));
            let range = joined_range(cell_ranges[row + cells.low.x], cell_ranges[row + cells.high.x]);
            for (var other = range.x; other < range.y; other++) {
                let offset = position - sorted_positions[other].xyz;
                sum = visit(sum, particle, other, other != index, offset, grid_parameters.radius_squared);
#ifdef COUNT_PAIRS
                candidates += u32(other != index);
                neighbors += u32(other != index && dot(offset, offset) <= grid_parameters.radius_squared);
#endif
            }
        }
    }
    pair::finish(index, particle, sum);
#ifdef COUNT_PAIRS
    counting::count_particle(index, candidates, neighbors);
#endif
}
#endif
