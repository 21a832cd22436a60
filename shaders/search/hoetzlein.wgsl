// The search of Hoetzlein 2013: a uniform grid built by counting sort.
//
// Entry points, in order of dispatch, with one invocation per particle except for `clear_cells`:
//   clear_cells       one invocation per cell: sets its counter to zero
//   count_particles   adds each particle to the counter of its cell, and stores its cell and its index in the cell
//   (exclusive scan)  converts the counters to starts; afterwards cell_start[cell_count] == particle_count
//   scatter           copies each position to the start of its cell plus its index in the cell
//   traverse          tests each particle against the particles of the cells that it looks up, one row of cells along x
//                     at a time, or with LOOK_UP_27 cell by cell

#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid
#ifdef TRAVERSAL
#import nearwater::pair as pair
#import nearwater::visit::{is_served_elsewhere, served_by, visit}
#endif
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

#ifndef TRAVERSAL
// Positions in the order of the search's input: xyz in meters; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
// Number of particles in each cell; after the scan, index of each cell's first particle. len = cell_count + 1.
@group(0) @binding(2) var<storage, read_write> cell_counters: array<atomic<u32>>;
// Index of each cell's first particle, the same buffer as the counters; len = cell_count + 1.
@group(0) @binding(3) var<storage, read> cell_start: array<u32>;
// Cell of each particle, and its index among the particles of the cell; len = particle_count.
@group(0) @binding(4) var<storage, read_write> cell_and_place: array<vec2<u32>>;
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(5) var<storage, read_write> sorted_positions: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn clear_cells(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cell = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    // In the entry past the last cell, the scan writes the number of particles.
    if cell <= grid_parameters.cell_count {
        atomicStore(&cell_counters[cell], 0u);
    }
}

@compute @workgroup_size(WORKGROUP)
fn count_particles(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < grid_parameters.particle_count {
        let cell = grid::cell_index(grid_parameters, grid::cell_coord(grid_parameters, positions[index].xyz));
        cell_and_place[index] = vec2<u32>(cell, atomicAdd(&cell_counters[cell], 1u));
    }
}

@compute @workgroup_size(WORKGROUP)
fn scatter(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < grid_parameters.particle_count {
        let found = cell_and_place[index];
        sorted_positions[cell_start[found.x] + found.y] = vec4<f32>(positions[index].xyz, bitcast<f32>(index));
    }
}
#endif

#ifdef TRAVERSAL
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Index of each cell's first particle; len = cell_count + 1.
@group(0) @binding(2) var<storage, read> cell_start: array<u32>;

// Visits the particles of the cells from `first_cell` to `last_cell` of a row. These cells are adjacent in memory, so
// that their particles are one range.
fn visit_cells(
    first_cell: u32,
    last_cell: u32,
    index: u32,
    position: vec3<f32>,
    particle: pair::Particle,
    sum_before: pair::Sum,
) -> pair::Sum {
    var sum = sum_before;
    let end = cell_start[last_cell + 1u];
#ifdef RECORD
    recording::range(cell_start[first_cell], end, first_cell, last_cell);
#endif
    for (var other = cell_start[first_cell]; other < end; other++) {
        let offset = position - sorted_positions[other].xyz;
        sum = visit(sum, particle, other, other != index, offset, grid_parameters.radius_squared);
    }
    return sum;
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
    let cells = grid::cells_to_look_up(grid_parameters, position);
    var sum = pair::zero();
    for (var z = cells.low.z; z <= cells.high.z; z++) {
        for (var y = cells.low.y; y <= cells.high.y; y++) {
            let row = grid::cell_index(grid_parameters, vec3<u32>(0u, y, z));
#ifdef FINE_ROWS
            // The row is clipped to the sphere around the particle.
            let gap = grid::gap_to_cell(grid_parameters, position, vec3<u32>(0u, y, z)).yz;
            let reach = grid_parameters.reach;
            let chord_squared = reach * reach - dot(gap, gap);
            if chord_squared < 0.0 {
                continue;
            }
            let chord = vec3<f32>(sqrt(chord_squared), 0.0, 0.0);
            let first = grid::cell_coord(grid_parameters, position - chord).x;
            let last = grid::cell_coord(grid_parameters, position + chord).x;
#else
            let first = cells.low.x;
            let last = cells.high.x;
#endif
#ifdef LOOK_UP_27
            for (var cell = row + first; cell <= row + last; cell++) {
                sum = visit_cells(cell, cell, index, position, particle, sum);
            }
#else
            sum = visit_cells(row + first, row + last, index, position, particle, sum);
#endif
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
#endif
