// Brute force: tests every pair, tile by tile.
//
// Entry points, in order of dispatch:
//   stamp_indices   one invocation per particle: copies the position and writes the index to the fourth component
//   traverse        one invocation per particle: tests it against all others
// or, if each pair is evaluated once for both particles:
//   traverse_once   one workgroup per pair of tiles (a <= b): adds the contribution of b to a, and deposits that of a
//                   to b
//   (finish_deposits)

#import nearwater::dispatch
#import nearwater::grid::Grid
#ifdef TRAVERSAL
#import nearwater::pair as pair
#import nearwater::visit::{is_served_elsewhere, served_by, visit}
#ifdef DEPOSITS
#import nearwater::visit::visit_once
#endif
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

const TILE: u32 = 128u;

@group(0) @binding(0) var<uniform> grid_parameters: Grid;
// Positions in the order of the search's input: xyz in meters; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;

#ifndef TRAVERSAL
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
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
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(2) var<storage, read> sorted_positions: array<vec4<f32>>;

var<workgroup> tile: array<vec3<f32>, TILE>;

// Fills `tile` with the positions from index `first` on. Slots past the end get copies of the last position and are not
// read.
fn load_tile(first: u32, local: u32) {
    tile[local] = sorted_positions[min(first + local, grid_parameters.particle_count - 1u)].xyz;
}

@compute @workgroup_size(TILE)
fn traverse(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let invocation = dispatch::workgroup_index(workgroup_id, workgroup_count) * TILE + local;
    let index = served_by(invocation, grid_parameters.particle_count);
    // Invocations past the end, and those of particles that another pass serves, only help to load tiles.
    let position = sorted_positions[min(index, grid_parameters.particle_count - 1u)].xyz;
    let particle = pair::load(min(index, grid_parameters.particle_count - 1u));
    let exists = index < grid_parameters.particle_count && !is_served_elsewhere(position);
    var sum = pair::zero();
#ifdef RECORD
    recording::begin(
        min(index, grid_parameters.particle_count - 1u),
        dispatch::workgroup_index(workgroup_id, workgroup_count),
        local,
    );
    if !exists {
        recording::stop();
    }
#endif
    for (var first = 0u; first < grid_parameters.particle_count; first += TILE) {
        workgroupBarrier();
        load_tile(first, local);
        workgroupBarrier();
#ifdef RECORD
        recording::range(
            first, min(first + TILE, grid_parameters.particle_count), recording::NOTHING, recording::NOTHING);
#endif
        for (var k = 0u; k < min(TILE, grid_parameters.particle_count - first); k++) {
            let offset = position - tile[k];
            let is_another = exists && first + k != index;
            sum = visit(sum, particle, first + k, is_another, offset, grid_parameters.radius_squared);
        }
    }
    if exists {
        pair::finish(index, particle, sum);
#ifdef COUNT_PAIRS
        counting::finish(index);
#endif
    }
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}

#ifdef DEPOSITS
@compute @workgroup_size(TILE)
fn traverse_once(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    // Workgroups are numbered as the pairs of tiles (a, b) with a <= b, row by row of the lower triangle.
    let number = dispatch::workgroup_index(workgroup_id, workgroup_count);
    let tile_count = (grid_parameters.particle_count + TILE - 1u) / TILE;
    if number >= tile_count * (tile_count + 1u) / 2u {
        return;
    }
    var tile_b = u32((sqrt(8.0 * f32(number) + 1.0) - 1.0) * 0.5);
    // The result may be wrong by one in either direction if the number exceeds the precision of a float.
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
#ifdef RECORD
    recording::begin(index, number, local);
    recording::range(first, min(first + TILE, grid_parameters.particle_count), recording::NOTHING, recording::NOTHING);
#endif
    for (var k = 0u; k < min(TILE, grid_parameters.particle_count - first); k++) {
        let other = first + k;
        if other > index {
            sum = visit_once(sum, particle, other, position - tile[k], grid_parameters.radius_squared);
        }
    }
    pair::deposit(index, sum);
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}
#endif
#endif
