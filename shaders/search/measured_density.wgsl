// Counts the neighbors of a few particles before a search is created: the search by clipped rows chooses its cells by
// them, and a list of neighbors its length.
//
// Entry point:
//   count_around   one workgroup per sampled particle: counts the particles within the radius, the particle included

#import nearwater::dispatch

const WORKGROUP: u32 = 256u;

// Mirrored by `search::measured_density::Sampling`.
struct Sampling {
    particle_count: u32,
    sample_count: u32,
    radius_squared: f32,
}

@group(0) @binding(0) var<uniform> sampling: Sampling;
// Positions in the order of the search's input: xyz in meters; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
// Number of particles around each sampled one; len = sample_count.
@group(0) @binding(2) var<storage, read_write> found: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP)
fn count_around(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let sample = dispatch::workgroup_index(workgroup_id, workgroup_count);
    if sample >= sampling.sample_count {
        return;
    }
    let stride = sampling.particle_count / sampling.sample_count;
    let position = positions[sample * stride + stride / 2u].xyz;
    var near = 0u;
    for (var other = local; other < sampling.particle_count; other += WORKGROUP) {
        let offset = position - positions[other].xyz;
        near += u32(dot(offset, offset) <= sampling.radius_squared);
    }
    atomicAdd(&found[sample], near);
}
