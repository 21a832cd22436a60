// The oracle badge: marks a sample of particles, and finds their neighbors by brute force for comparison with those of
// a search.
//
// Entry points, in order of dispatch:
// mark_particles one invocation per particle: stores its identity, marks it as not sampled, and sums hashes that show
//                    whether the identities are a permutation
//   mark_sample      one invocation per sampled particle: stores its slot
//   (a traversal with the pair kernel sample_neighbors.wgsl)
//   judge            one workgroup per sampled particle: tests it against every particle

#import nearwater::dispatch
#import nearwater::laboratory::sample::{FOUND_STRIDE, LISTED_MOST, NO_INDEX, identity_hash}

const WORKGROUP: u32 = 64u;
// Largest number of ambiguous pairs, too close to the radius for a decision, whose hashes are stored separately.
const AMBIGUOUS_MOST: u32 = 8u;
// Number of words of a sampled particle in `judged`: see `laboratory::badge::Judged`.
const JUDGED_STRIDE: u32 = 20u;
// Number of words before the first sampled particle: the number of particles and the sum of their hashes come first.
const JUDGED_FIRST: u32 = 4u;

// Mirrored by `laboratory::badge::SampleParameters`.
struct SampleParameters {
    particle_count: u32,
    sample_count: u32,
    // Squared distances up to which a pair is certainly a neighbor, and beyond which it certainly is not, m².
    certain_squared: f32,
    ambiguous_squared: f32,
}

@group(0) @binding(0) var<uniform> badge: SampleParameters;
// The fourth word is the particle's identity, in sorted order; len = particle_count.
@group(0) @binding(1) var<storage, read> identities: array<vec4<u32>>;
// xyz in m, in sorted order; len = particle_count.
@group(0) @binding(2) var<storage, read> sorted_positions: array<vec4<f32>>;
// Distinct indices of the sampled particles in the sorted order; len = sample_count.
@group(0) @binding(3) var<storage, read> sampled_places: array<u32>;
// Identity and slot of each particle, in sorted order; len = particle_count.
@group(0) @binding(4) var<storage, read_write> marks: array<vec2<u32>>;
// What the search found; see `nearwater::laboratory::sample`.
@group(0) @binding(5) var<storage, read> found: array<u32>;
// The result, zero before the first pass; len = JUDGED_FIRST + sample_count * JUDGED_STRIDE.
@group(0) @binding(6) var<storage, read_write> judged: array<atomic<u32>>;
// Bits of xyz (m) and the identity of the neighbors that the search listed; LISTED_MOST per sampled particle.
@group(0) @binding(7) var<storage, read_write> listed: array<vec4<u32>>;
// The same for the certain and ambiguous neighbors by brute force.
@group(0) @binding(8) var<storage, read_write> expected: array<vec4<u32>>;

var<workgroup> certain_count: atomic<u32>;
var<workgroup> certain_hash: atomic<u32>;
var<workgroup> ambiguous_count: atomic<u32>;
var<workgroup> expected_count: atomic<u32>;

@compute @workgroup_size(WORKGROUP)
fn mark_particles(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if local == 0u {
        atomicStore(&certain_count, 0u);
        atomicStore(&certain_hash, 0u);
    }
    workgroupBarrier();
    if index < badge.particle_count {
        let identity = identities[index].w;
        marks[index] = vec2<u32>(identity, NO_INDEX);
        atomicAdd(&certain_count, 1u);
        atomicAdd(&certain_hash, identity_hash(identity));
    }
    workgroupBarrier();
    if local == 0u {
        atomicAdd(&judged[0], atomicLoad(&certain_count));
        atomicAdd(&judged[1], atomicLoad(&certain_hash));
    }
}

@compute @workgroup_size(WORKGROUP)
fn mark_sample(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if slot < badge.sample_count {
        marks[sampled_places[slot]].y = slot;
    }
}

@compute @workgroup_size(WORKGROUP)
fn judge(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = dispatch::workgroup_index(workgroup_id, workgroup_count);
    if slot >= badge.sample_count {
        return;
    }
    let words = JUDGED_FIRST + slot * JUDGED_STRIDE;
    let index = sampled_places[slot];
    let position = sorted_positions[index].xyz;
    if local == 0u {
        atomicStore(&certain_count, 0u);
        atomicStore(&certain_hash, 0u);
        atomicStore(&ambiguous_count, 0u);
        atomicStore(&expected_count, 0u);
    }
    workgroupBarrier();
    for (var other = local; other < badge.particle_count; other += WORKGROUP) {
        let there = sorted_positions[other].xyz;
        let offset = position - there;
        let distance_squared = dot(offset, offset);
        if other == index || !(distance_squared < badge.ambiguous_squared) {
            continue;
        }
        let identity = identities[other].w;
        if distance_squared <= badge.certain_squared {
            atomicAdd(&certain_count, 1u);
            atomicAdd(&certain_hash, identity_hash(identity));
        } else {
            let place = atomicAdd(&ambiguous_count, 1u);
            if place < AMBIGUOUS_MOST {
                atomicStore(&judged[words + 9u + place], identity_hash(identity));
            }
        }
        let place = atomicAdd(&expected_count, 1u);
        if place < LISTED_MOST {
            expected[slot * LISTED_MOST + place] = vec4<u32>(bitcast<vec3<u32>>(there), identity);
        }
    }
    let list = slot * FOUND_STRIDE;
    for (var entry = local; entry < min(found[list + 3u], LISTED_MOST); entry += WORKGROUP) {
        let other = found[list + 4u + entry];
        if other < badge.particle_count {
            let identity = identities[other].w;
            let there = bitcast<vec3<u32>>(sorted_positions[other].xyz);
            listed[slot * LISTED_MOST + entry] = vec4<u32>(there, identity);
        } else {
            listed[slot * LISTED_MOST + entry] = vec4<u32>(0u, 0u, 0u, NO_INDEX);
        }
    }
    workgroupBarrier();
    if local == 0u {
        atomicStore(&judged[words], index);
        atomicStore(&judged[words + 1u], identities[index].w);
        for (var word = 0u; word < 4u; word++) {
            atomicStore(&judged[words + 2u + word], found[list + word]);
        }
        atomicStore(&judged[words + 6u], atomicLoad(&certain_count));
        atomicStore(&judged[words + 7u], atomicLoad(&certain_hash));
        atomicStore(&judged[words + 8u], atomicLoad(&ambiguous_count));
        atomicStore(&judged[words + 17u], bitcast<u32>(position.x));
        atomicStore(&judged[words + 18u], bitcast<u32>(position.y));
        atomicStore(&judged[words + 19u], bitcast<u32>(position.z));
    }
}
