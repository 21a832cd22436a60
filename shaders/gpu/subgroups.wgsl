// Whether subgroups are as the shaders with SUBGROUPS take them to be (`gpu::subgroups` says who relies on what).
//
// Entry point: check_subgroups, any number of workgroups, one invocation an invocation checked.
//
// Numbers: WORKGROUP_SIZE invocations of a workgroup; SMALLEST and LARGEST subgroup that the driver promises.

const WORKGROUP_SIZE: u32 = #{WORKGROUP_SIZE}u;

// Invocations that found something else, and invocations that ran; len = 2.
@group(0) @binding(0) var<storage, read_write> subgroup_findings: array<atomic<u32>, 2>;

// How many invocations stand at each place of the workgroup, when these are numbered by subgroup and lane.
var<workgroup> taken: array<atomic<u32>, WORKGROUP_SIZE>;
var<workgroup> drawn: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn check_subgroups(
    @builtin(local_invocation_index) index: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(num_subgroups) count: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    atomicStore(&taken[index], 0u);
    if index == 0u {
        atomicStore(&drawn, 0u);
    }
    workgroupBarrier();

    // Full subgroups: their lanes number the invocations of the workgroup without a gap.
    var is_wrong = size < #{SMALLEST}u || size > #{LARGEST}u || size * count != WORKGROUP_SIZE || lane >= size;
    let place = subgroup * size + lane;
    if place < WORKGROUP_SIZE {
        is_wrong = is_wrong || atomicAdd(&taken[place], 1u) > 0u;
    } else {
        is_wrong = true;
    }

    // Lanes that part in a branch or a loop are together again behind it, in every round of a loop around both.
    for (var round = 0u; round < 8u; round++) {
        if (lane + round) % 3u == 0u {
            atomicAdd(&drawn, 1u);
        }
        for (var turn = 0u; turn < (5u * lane + round) % 7u; turn++) {
            atomicAdd(&drawn, 1u);
        }
        var first = 0u;
        if lane == 0u {
            first = atomicAdd(&drawn, 1u) + 1u;
        }
        let shared_first = subgroupBroadcastFirst(first);
        is_wrong = is_wrong || subgroupAdd(1u) != size || shared_first == 0u || subgroupMax(first) != shared_first;
    }

    if is_wrong {
        atomicAdd(&subgroup_findings[0], 1u);
    }
    atomicAdd(&subgroup_findings[1], 1u);
}
