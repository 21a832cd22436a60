// Collects the state of the recorded particles.
//
// Entry point: gather_picked, one invocation per particle.
#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid

const WORKGROUP: u32 = 256u;

// Mirrored by `laboratory::inspector::PickedFields`.
struct PickedFields {
    // Position, m.
    position: vec3<f32>,
    // Index in the sorted order.
    place: u32,
    // Velocity, m/s.
    velocity: vec3<f32>,
    // Density, kg/m^3.
    density: f32,
    // Cell of the search's grid.
    cell: vec3<u32>,
    // Pressure over density squared, m^5/(kg s^2).
    pressure_term: f32,
    // 1 if the search classifies it as a border particle.
    is_border: u32,
    // 1 if the particle was found.
    found: u32,
    // The particle's identity.
    identity: u32,
    padding: u32,
}

// The search's cells; a single cell if the search has none.
@group(0) @binding(0) var<uniform> cell_grid: Grid;
// Slot plus one for each recorded particle, 0 for all others, in sorted order; len = particle_count.
@group(0) @binding(1) var<storage, read> record_slots: array<u32>;
// xyz in m, in sorted order; len = particle_count.
@group(0) @binding(2) var<storage, read> sorted_positions: array<vec4<f32>>;
// The identity of each particle as the bits of the fourth component, in sorted order; with MOTION, xyz is its velocity
// in m/s. len = particle_count.
@group(0) @binding(3) var<storage, read> identities: array<vec4<f32>>;
#ifdef MOTION
// Density in kg/m^3, and pressure over density squared, in sorted order; len = particle_count.
@group(0) @binding(4) var<storage, read> densities: array<vec2<f32>>;
#endif
// The state of each recorded particle, by its slot; len = number of slots.
@group(0) @binding(5) var<storage, read_write> fields: array<PickedFields>;

@compute @workgroup_size(WORKGROUP)
fn gather_picked(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= arrayLength(&record_slots) || record_slots[index] == 0u {
        return;
    }
    let slot = record_slots[index] - 1u;
    if slot >= arrayLength(&fields) || index >= arrayLength(&identities) {
        return;
    }
    let position = sorted_positions[index].xyz;
    var picked = PickedFields();
    picked.position = position;
    picked.place = index;
    picked.cell = grid::cell_coord(cell_grid, position);
    picked.is_border = u32(grid::is_border(cell_grid, position));
    picked.found = 1u;
    picked.identity = bitcast<u32>(identities[index].w);
#ifdef MOTION
    picked.velocity = identities[index].xyz;
    picked.density = densities[index].x;
    picked.pressure_term = densities[index].y;
#endif
    fields[slot] = picked;
}
