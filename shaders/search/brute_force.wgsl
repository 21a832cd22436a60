// Brute force: every pair, tile by tile.
//
// Entry points, in order of dispatch:
//   stamp_indices   one invocation a particle: copies positions, writing each index into the fourth component
//   traverse        one invocation a particle: tests it against every other
// or, where each pair is to be seen once and both particles served:
//   traverse_once   one workgroup a pair of tiles (a <= b), adding what b gives a and mirroring what a gives b
//   (finish_deposits)

#import nearwater::dispatch
#import nearwater::grid::Grid
#ifdef TRAVERSAL
#import nearwater::pair as pair
#import nearwater::visit::visit
#endif
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif

const TILE: u32 = 128u;

@group(0) @binding(0) var<uniform> grid_parameters: Grid;
// xyz in metres; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;

#ifndef TRAVERSAL
// xyz in metres, bits of the index into `positions`; len = particle_count.
@group(0) @binding(2) var<storage, read_write> sorted_positions: array<vec4<f32>>;

@compute @workgroup_size(TILE)
fn stamp_indices(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * TILE + local;
    if index < grid_parameters.particle_count {
        sorted_positions[index] = vec4<f32>(positions[index].xyz, bitcast<f32>(index));
    }
}
#endif

#ifdef TRAVERSAL
@group(0) @binding(2) var<storage, read> sorted_positions: array<vec4<f32>>;

var<workgroup> tile: array<vec3<f32>, TILE>;

// Fills `tile` with the particles from `first` on; past the end with copies of the last, which nobody reads.
fn load_tile(first: u32, local: u32) {
    tile[local] = sorted_positions[min(first + local, grid_parameters.particle_count - 1u)].xyz;
}

@compute @workgroup_size(TILE)
fn traverse(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * TILE + local;
    // Invocations past the end help to load tiles, and find nothing.
    let exists = index < grid_parameters.particle_count;
    let position = sorted_positions[min(index, grid_parameters.particle_count - 1u)].xyz;
    let particle = pair::load(min(index, grid_parameters.particle_count - 1u));
    var sum = pair::zero();
    var neighbors = 0u;
    for (var first = 0u; first < grid_parameters.particle_count; first += TILE) {
        workgroupBarrier();
        load_tile(first, local);
        workgroupBarrier();
        for (var k = 0u; k < min(TILE, grid_parameters.particle_count - first); k++) {
            let offset = position - tile[k];
            let is_another = exists && first + k != index;
            sum = visit(sum, particle, first + k, is_another, offset, grid_parameters.radius_squared);
#ifdef COUNT_PAIRS
            neighbors += u32(is_another && dot(offset, offset) <= grid_parameters.radius_squared);
#endif
        }
    }
    if exists {
        pair::finish(index, particle, sum);
#ifdef COUNT_PAIRS
        counting::count_particle(index, grid_parameters.particle_count - 1u, neighbors);
#endif
    }
}

#ifdef DEPOSITS
@compute @workgroup_size(TILE)
fn traverse_once(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    // Workgroups number the pairs of tiles (a, b) with a <= b row by row of the lower triangle.
    let number = dispatch::workgroup_index(workgroup_id, workgroup_count);
    let tile_count = (grid_parameters.particle_count + TILE - 1u) / TILE;
    if number >= tile_count * (tile_count + 1u) / 2u {
        return;
    }
    var tile_b = u32((sqrt(8.0 * f32(number) + 1.0) - 1.0) * 0.5);
    // The square root may be off by one either way once the number outgrows a float's digits.
    while tile_b * (tile_b + 1u) / 2u > number {
        tile_b -= 1u;
    }
    while (tile_b + 1u) * (tile_b + 2u) / 2u <= number {
        tile_b += 1u;
    }
    let tile_a = number - tile_b * (tile_b + 1u) / 2u;

    let index = tile_a * TILE + local;
    let first = tile_b * TILE;
    load_tile(first, local);
    workgroupBarrier();
    if index >= grid_parameters.particle_count {
        return;
    }
    let position = sorted_positions[index].xyz;
    let particle = pair::load(index);
    var sum = pair::zero();
    for (var k = 0u; k < min(TILE, grid_parameters.particle_count - first); k++) {
        let other = first + k;
        let offset = position - tile[k];
        let distance_squared = dot(offset, offset);
        if distance_squared <= grid_parameters.radius_squared && other > index {
            let given = pair::contribution(particle, pair::load(other), offset, distance_squared);
            sum = pair::add(sum, given);
            pair::deposit(other, pair::mirror(given));
        }
    }
    pair::deposit(index, sum);
}
#endif
#endif
