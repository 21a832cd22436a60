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

#ifndef FINE_ROWS
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
    let low = grid::cell_coord(grid_parameters, position - grid_parameters.reach);
    let high = grid::cell_coord(grid_parameters, position + grid_parameters.reach);
    var sum = pair::zero();
    var candidates = 0u;
    var neighbors = 0u;
    for (var z = low.z; z <= high.z; z++) {
        for (var y = low.y; y <= high.y; y++) {
            // Cells of a row are neighbors in memory, so all its particles are one range.
            let row = grid::cell_index(grid_parameters, vec3<u32>(0u, y, z));
            let end = cell_start[row + high.x + 1u];
            for (var other = cell_start[row + low.x]; other < end; other++) {
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
#else

// As above for rows cut fine: an invocation serves two particles that are neighbors in the sorted order, so that each
// candidate is loaded once for both, and walks no farther along a row than their spheres reach in it.
@compute @workgroup_size(WORKGROUP)
fn traverse(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index_a = 2u * (dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local);
    if index_a >= grid_parameters.particle_count {
        return;
    }
    let has_b = index_a + 1u < grid_parameters.particle_count;
    let index_b = select(index_a, index_a + 1u, has_b);
    let position_a = sorted_positions[index_a].xyz;
    let position_b = sorted_positions[index_b].xyz;
    let particle_a = pair::load(index_a);
    let particle_b = pair::load(index_b);
    let row_a = grid::cell_coord(grid_parameters, position_a).yz;
    let row_b = grid::cell_coord(grid_parameters, position_b).yz;
    // Where b begins another row the two may be far apart: each then gets a walk of its own.
    let together = has_b && all(row_a == row_b);
    let walk_count = select(1u, 2u, has_b && !together);
    var sum_a = pair::zero();
    var sum_b = pair::zero();
    var counts_a = vec2<u32>(0u);
    var counts_b = vec2<u32>(0u);
    for (var walk = 0u; walk < walk_count; walk++) {
        let serves_a = walk == 0u;
        let serves_b = together || walk == 1u;
        let lowest = min(select(position_b, position_a, serves_a), select(position_a, position_b, serves_b));
        let highest = max(select(position_b, position_a, serves_a), select(position_a, position_b, serves_b));
        let low = grid::cell_coord(grid_parameters, lowest - grid_parameters.reach);
        let high = grid::cell_coord(grid_parameters, highest + grid_parameters.reach);
        for (var z = low.z; z <= high.z; z++) {
            for (var y = low.y; y <= high.y; y++) {
                let gap = grid::gap_to_cell(grid_parameters, lowest, highest, vec3<u32>(0u, y, z)).yz;
                let chord_squared = grid_parameters.reach * grid_parameters.reach - dot(gap, gap);
                if chord_squared < 0.0 {
                    continue;
                }
                let chord = vec3<f32>(sqrt(chord_squared), 0.0, 0.0);
                let first = grid::cell_coord(grid_parameters, lowest - chord).x;
                let last = grid::cell_coord(grid_parameters, highest + chord).x;
                let row = grid::cell_index(grid_parameters, vec3<u32>(0u, y, z));
                let end = cell_start[row + last + 1u];
                for (var other = cell_start[row + first]; other < end; other++) {
                    let candidate = sorted_positions[other].xyz;
                    let another_a = serves_a && other != index_a;
                    let another_b = serves_b && other != index_b;
                    let offset_a = position_a - candidate;
                    let offset_b = position_b - candidate;
                    sum_a = visit(sum_a, particle_a, other, another_a, offset_a, grid_parameters.radius_squared);
                    sum_b = visit(sum_b, particle_b, other, another_b, offset_b, grid_parameters.radius_squared);
#ifdef COUNT_PAIRS
                    counts_a += count(another_a, offset_a);
                    counts_b += count(another_b, offset_b);
#endif
                }
            }
        }
    }
    pair::finish(index_a, particle_a, sum_a);
    if has_b {
        pair::finish(index_b, particle_b, sum_b);
    }
#ifdef COUNT_PAIRS
    counting::count_particle(index_a, counts_a.x, counts_a.y);
    if has_b {
        counting::count_particle(index_b, counts_b.x, counts_b.y);
    }
#endif
}

#ifdef COUNT_PAIRS
// One candidate, and one neighbor if it is near enough.
fn count(is_another: bool, offset: vec3<f32>) -> vec2<u32> {
    return vec2<u32>(u32(is_another), u32(is_another && dot(offset, offset) <= grid_parameters.radius_squared));
}
#endif
#endif
#endif
