// The passes before and after a recording traversal.
//
// Entry points:
//   find_recorded   before it, one invocation per particle: finds the positions of the recorded particles in the sorted
//                   order
//   name_events     after it, one invocation per event: writes the identity of the particle that the event is about
#import nearwater::dispatch
#import nearwater::recording::{Event, MEMBER, RecordRequest, TESTED, VISITOR}

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> record_request: RecordRequest;
// Identities of the recorded particles; len = picked_count at least.
@group(0) @binding(1) var<storage, read> picked: array<u32>;
// The identity of each particle as the bits of the fourth component, in sorted order; len = particle_count.
@group(0) @binding(2) var<storage, read> identities: array<vec4<f32>>;
// Slot plus one of each particle that is recorded, 0 for the others, in sorted order; len = particle_count.
@group(0) @binding(3) var<storage, read_write> record_slots: array<u32>;
// Number of events, those past the capacity included; len = 1.
@group(0) @binding(4) var<storage, read> event_total: u32;
// The recorded events, in the order in which they were appended; len = event_capacity.
@group(0) @binding(5) var<storage, read_write> events: array<Event>;

@compute @workgroup_size(WORKGROUP)
fn find_recorded(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= record_request.particle_count {
        return;
    }
    let identity = bitcast<u32>(identities[index].w);
    var slot = 0u;
    for (var number = 0u; number < record_request.picked_count; number++) {
        if picked[number] == identity {
            slot = number + 1u;
        }
    }
    record_slots[index] = slot;
}

@compute @workgroup_size(WORKGROUP)
fn name_events(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if number >= min(event_total, record_request.event_capacity) {
        return;
    }
    let kind = events[number].kind_and_slot & 0xffffu;
    if kind == TESTED || kind == MEMBER || kind == VISITOR {
        events[number].fourth = bitcast<u32>(identities[events[number].first].w);
    }
}
