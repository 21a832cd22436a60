// The places of `Neighbors`, whose search always sorts as many particles as there are places.
//
// Entry points, with one invocation per place:
//   take_positions   gives every place without a particle, and every particle with a coordinate that is not finite, a
//                    position of its own beside the box, farther than the support radius from all others, so that it
//                    has no neighbors and no cell is crowded
//   write_order      after the search has sorted them, writes the caller's index of every particle

#import nearwater::dispatch

const WORKGROUP: u32 = 256u;

// Mirrored by `neighbors::places::Parking`.
struct Parking {
    // The first parking place, m.
    first: vec3<f32>,
    // Number of places of the search.
    capacity: u32,
    // Distances between parking places: in a row, between rows, and between layers of rows, m.
    in_row: vec3<f32>,
    row_length: u32,
    between_rows: vec3<f32>,
    row_count: u32,
    between_layers: vec3<f32>,
    unused: u32,
}

@group(0) @binding(0) var<uniform> parking: Parking;
// The number of particles in four digits to base 256, the lowest first; len = 4.
@group(0) @binding(1) var<storage, read> count_digits: array<u32>;
// Positions in the caller's order: xyz in meters; len = capacity.
@group(0) @binding(2) var<storage, read_write> positions: array<vec4<f32>>;
// Positions in sorted order: w has the bits of the caller's index; len = capacity.
@group(0) @binding(3) var<storage, read> sorted_positions: array<vec4<f32>>;
// The caller's index of each particle in sorted order; len = capacity.
@group(0) @binding(4) var<storage, read_write> original_from_sorted: array<u32>;

// Tests the bits, because compilers may assume that all values are finite.
fn is_finite(position: vec3<f32>) -> bool {
    return all((bitcast<vec3<u32>>(position) & vec3<u32>(0x7f800000u)) != vec3<u32>(0x7f800000u));
}

@compute @workgroup_size(WORKGROUP)
fn take_positions(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= parking.capacity {
        return;
    }
    let count = count_digits[0] | (count_digits[1] << 8u) | (count_digits[2] << 16u) | (count_digits[3] << 24u);
    if index < count && is_finite(positions[index].xyz) {
        return;
    }
    let row = index / parking.row_length;
    let place = parking.first
        + f32(index % parking.row_length) * parking.in_row
        + f32(row % parking.row_count) * parking.between_rows
        + f32(row / parking.row_count) * parking.between_layers;
    positions[index] = vec4<f32>(place, 0.0);
}

@compute @workgroup_size(WORKGROUP)
fn write_order(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < parking.capacity {
        original_from_sorted[index] = bitcast<u32>(sorted_positions[index].w);
    }
}
