// Hoetzlein 2013, counting sort.
//
// Entry points, in order of dispatch, one invocation a particle but for `clear_cells`:
//   clear_cells       one invocation a cell: zeroes its counter
//   count_particles   adds each particle to its cell's counter and keeps its cell and its place in the cell
//   (exclusive scan)  turns the counters into starts; cell_start[cell_count] == particle_count afterwards
//   scatter           copies each position to start of its cell + place in the cell
//   traverse          tests each particle against those in the cells it can see, a row of x cells at a time

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
// Particles in each cell; after the scan, index of each cell's first particle. len = cell_count + 1.
@group(0) @binding(2) var<storage, read_write> cell_counters: array<atomic<u32>>;
// The same buffer after the scan.
@group(0) @binding(3) var<storage, read> cell_start: array<u32>;
// Cell of each particle and its place among those of the cell; len = particle_count.
@group(0) @binding(4) var<storage, read_write> cell_and_place: array<vec2<u32>>;
// xyz in metres, bits of the index into `positions`; len = particle_count.
@group(0) @binding(5) var<storage, read_write> sorted_positions: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn clear_cells(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cell = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    // One past the last cell: the scan leaves the number of particles there.
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
// xyz in metres, bits of the index into the unsorted positions; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Index of each cell's first particle; len = cell_count + 1.
@group(0) @binding(2) var<storage, read> cell_start: array<u32>;

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
    let reach = grid_parameters.reach;
    let low = grid::cell_coord(grid_parameters, position - reach);
    let high = grid::cell_coord(grid_parameters, position + reach);
    var sum = pair::zero();
    var candidates = 0u;
    var neighbors = 0u;
    for (var z = low.z; z <= high.z; z++) {
        for (var y = low.y; y <= high.y; y++) {
            // Cells of a row are neighbors in memory, so all its particles are one range.
            let row = grid::cell_index(grid_parameters, vec3<u32>(0u, y, z));
#ifdef FINE_ROWS
            // No farther along the row than the sphere reaches in it.
            let gap = grid::gap_to_cell(grid_parameters, position, vec3<u32>(0u, y, z)).yz;
            let chord_squared = reach * reach - dot(gap, gap);
            if chord_squared < 0.0 {
                continue;
            }
            let chord = vec3<f32>(sqrt(chord_squared), 0.0, 0.0);
            let first = grid::cell_coord(grid_parameters, position - chord).x;
            let last = grid::cell_coord(grid_parameters, position + chord).x;
#else
            let first = low.x;
            let last = high.x;
#endif
            let end = cell_start[row + last + 1u];
            for (var other = cell_start[row + first]; other < end; other++) {
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
