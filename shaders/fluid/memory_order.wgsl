// Brings one array of the particles into another order in memory; memory_order.rs describes the purpose.
//
// Entry points, one invocation per particle:
//   restore   from the order of the last build back to the order before it
//   shuffle   to a random order that depends only on a seed

#import nearwater::dispatch

const GROUP: u32 = 128u;
// Number of 32-bit words of an element.
const WORDS: u32 = #{WORDS}u;

// Mirrored by `fluid::memory_order::OrderParameters`.
struct OrderParameters {
    particle_count: u32,
    seed: u32,
    // Half the number of bits of the smallest power of four that is at least the count.
    half_bits: u32,
}

@group(0) @binding(0) var<uniform> order: OrderParameters;
// The fourth word is the index before the build; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<u32>>;
// The array in its current order; len = WORDS * particle_count.
@group(0) @binding(2) var<storage, read> moved_from: array<u32>;
// The array in its new order; len = WORDS * particle_count at least.
@group(0) @binding(3) var<storage, read_write> moved_to: array<u32>;

fn copy_element(source: u32, target_place: u32) {
    for (var word = 0u; word < WORDS; word++) {
        moved_to[target_place * WORDS + word] = moved_from[source * WORDS + word];
    }
}

@compute @workgroup_size(GROUP)
fn restore(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < order.particle_count {
        copy_element(index, sorted_positions[index].w);
    }
}

fn mixed(number: u32) -> u32 {
    var bits = number ^ (number >> 16u);
    bits *= 0x7feb352du;
    bits ^= bits >> 15u;
    bits *= 0x846ca68bu;
    return bits ^ (bits >> 16u);
}

// A permutation of all numbers with 2 * half_bits bits: a Feistel network, each round of which is invertible.
fn permuted(number: u32) -> u32 {
    let mask = (1u << order.half_bits) - 1u;
    var left = number >> order.half_bits;
    var right = number & mask;
    for (var round = 0u; round < 6u; round++) {
        let next = (left ^ mixed(right + order.seed + 0x9e3779b9u * round)) & mask;
        left = right;
        right = next;
    }
    return (left << order.half_bits) | right;
}

@compute @workgroup_size(GROUP)
fn shuffle(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index >= order.particle_count {
        return;
    }
    // Cycle walking: following a cycle of the permutation until a number below the count is reached gives a
    // permutation of the numbers below the count. The loop terminates, since the cycle leads back to `index`.
    var place = permuted(index);
    while place >= order.particle_count {
        place = permuted(place);
    }
    copy_element(index, place);
}
