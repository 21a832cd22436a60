// Finds the index in the drawn order of the particle with each identity.
//
// Entry point: find_drawn, one invocation per particle.
#import nearwater::dispatch

const WORKGROUP: u32 = 256u;

// Mirrored by `laboratory::drawn_places::PlaceParameters`.
struct PlaceParameters {
    particle_count: u32,
}

@group(0) @binding(0) var<uniform> place_parameters: PlaceParameters;
// The identity of each particle as the bits of the fourth component, in the drawn order; len = particle_count.
@group(0) @binding(1) var<storage, read> identities: array<vec4<f32>>;
// Index in the drawn order for each identity; len = particle_count.
@group(0) @binding(2) var<storage, read_write> drawn_places: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn find_drawn(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < place_parameters.particle_count {
        let identity = bitcast<u32>(identities[index].w);
        if identity < place_parameters.particle_count {
            drawn_places[identity] = index;
        }
    }
}
