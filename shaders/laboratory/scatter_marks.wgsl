// Writes the role of every particle for drawing: the roles of the particles in a list, and one role for all others.
//
// Entry points, in order of dispatch:
//   fill      one invocation per particle: writes the same role for all
//   scatter   one invocation per entry of the list: writes the role of its particle
#import nearwater::dispatch

const WORKGROUP: u32 = 256u;

// Mirrored by `laboratory::marker::MarkParameters`.
struct MarkParameters {
    particle_count: u32,
    entry_count: u32,
    // Role of the particles that are not in the list.
    others: u32,
    // 1 if entries refer to indices in the drawn order, 0 if they refer to identities.
    by_place: u32,
}

// Mirrored by `laboratory::marker::MarkEntry`.
struct MarkEntry {
    particle: u32,
    role: u32,
}

@group(0) @binding(0) var<uniform> mark_parameters: MarkParameters;
// Index in the drawn order for each identity; len = particle_count.
@group(0) @binding(1) var<storage, read> drawn_places: array<u32>;
// The list; len = at least entry_count.
@group(0) @binding(2) var<storage, read> entries: array<MarkEntry>;
// Role of each particle, in the drawn order; len = particle_count.
@group(0) @binding(3) var<storage, read_write> marks: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn fill(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < mark_parameters.particle_count {
        marks[index] = mark_parameters.others;
    }
}

@compute @workgroup_size(WORKGROUP)
fn scatter(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if number >= mark_parameters.entry_count {
        return;
    }
    let entry = entries[number];
    if entry.particle < mark_parameters.particle_count {
        var place = entry.particle;
        if mark_parameters.by_place == 0u {
            place = drawn_places[entry.particle];
        }
        marks[place] = entry.role;
    }
}
