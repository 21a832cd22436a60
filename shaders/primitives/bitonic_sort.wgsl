// Bitonic sort (Batcher 1968) of (key, value) pairs, ascending by key and, among equal keys, by value.
//
// Stage k merges sorted halves into sorted blocks of 2^k pairs. Its first step compares each pair of the lower half
// with its mirror image in the upper half; every later step compares pairs half as far apart as the step before, down
// to adjacent pairs. Both leave the lower pair at the lower index. The missing pairs that would complete the last block
// count as higher than all others, so they never move and need not be stored.
//   1. `sort_tiles`: one workgroup per tile runs all stages up to the tile's length in workgroup memory.
//   2. `merge`: one dispatch runs as many steps of a longer stage as fit into the tile that a workgroup holds. The last
//      dispatch of a stage uses contiguous tiles. The earlier ones compare distant pairs: a tile then consists of runs
//      of consecutive pairs from as many regions as the steps bring together.
//
// Numbers: WORKGROUP_SIZE, invocations per workgroup; TILE_BITS, the logarithm of the number of pairs in a tile.
#import nearwater::dispatch::workgroup_index

struct MergePass {
    // Pairs to sort, at least one.
    count: u32,
    // The last step compares pairs whose indices differ in this bit, and each earlier step uses the next higher bit.
    lowest_bit: u32,
    // Number of steps in the dispatch; all bits of a tile if `lowest_bit` is 0.
    step_count: u32,
    // 1 if the first step is the first of its stage, which compares each pair with its mirror image; otherwise 0.
    mirrors: u32,
}

@group(0) @binding(0) var<uniform> merge_pass: MergePass;
// Keys, which the comparisons sort; len = count.
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
// Values, which follow their keys; len = count.
@group(0) @binding(2) var<storage, read_write> values: array<u32>;

const WORKGROUP_SIZE: u32 = #{WORKGROUP_SIZE}u;
const TILE_BITS: u32 = #{TILE_BITS}u;
const TILE_LENGTH: u32 = 1u << TILE_BITS;
const HIGHEST: u32 = 0xffffffffu;

var<workgroup> tile_keys: array<u32, TILE_LENGTH>;
var<workgroup> tile_values: array<u32, TILE_LENGTH>;

// Number of low bits that an index in the tile shares with the index in the list: the logarithm of the run length.
fn run_bits() -> u32 {
    return TILE_BITS - merge_pass.step_count;
}

// The index in the list of a pair of the tile. The steps work on the upper bits of the index in the tile, which are the
// bits of the list index from `lowest_bit` up; the tile's number provides the bits between the run and those, and the
// bits above.
fn list_place(tile: u32, place: u32) -> u32 {
    let run = run_bits();
    let gap = merge_pass.lowest_bit - run;
    let top = merge_pass.lowest_bit + merge_pass.step_count;
    let unmirrored = (place & ((1u << run) - 1u))
        | ((tile & ((1u << gap) - 1u)) << run)
        | ((place >> run) << merge_pass.lowest_bit)
        | ((tile >> gap) << top);
    // The upper half is stored mirrored, so that the partners of the first step differ in one bit like all others.
    let half = merge_pass.mirrors << (top - 1u);
    return unmirrored ^ select(0u, half - 1u, (unmirrored & half) != 0u);
}

// Whether a tile contains no pair; the pair at index 0 has the lowest index in the list.
fn is_past_end(tile: u32) -> bool {
    return list_place(tile, 0u) >= merge_pass.count;
}

fn load_tile(tile: u32, local: u32) {
    for (var place = local; place < TILE_LENGTH; place += WORKGROUP_SIZE) {
        let source = list_place(tile, place);
        let is_pair = source < merge_pass.count;
        let safe = min(source, merge_pass.count - 1u);
        tile_keys[place] = select(HIGHEST, keys[safe], is_pair);
        tile_values[place] = select(HIGHEST, values[safe], is_pair);
    }
    workgroupBarrier();
}

fn store_tile(tile: u32, local: u32) {
    for (var place = local; place < TILE_LENGTH; place += WORKGROUP_SIZE) {
        let destination = list_place(tile, place);
        if destination < merge_pass.count {
            keys[destination] = tile_keys[place];
            values[destination] = tile_values[place];
        }
    }
}

// Leaves the lower pair at `first`, or the higher one where the order is descending.
fn compare_exchange(first: u32, second: u32, descending: bool) {
    let both_keys = vec2<u32>(tile_keys[first], tile_keys[second]);
    let both_values = vec2<u32>(tile_values[first], tile_values[second]);
    let first_is_higher =
        both_keys.x > both_keys.y || (both_keys.x == both_keys.y && both_values.x > both_values.y);
    if first_is_higher != descending {
        tile_keys[first] = both_keys.y;
        tile_keys[second] = both_keys.x;
        tile_values[first] = both_values.y;
        tile_values[second] = both_values.x;
    }
}

// The first index of the comparison with the given number when partners differ in `bit`: the number with a 0 inserted
// there.
fn first_place(comparison: u32, bit: u32) -> u32 {
    let below = comparison & ((1u << bit) - 1u);
    return ((comparison ^ below) << 1u) | below;
}

// One step of all comparisons of a tile whose partners differ in `bit`; descending where the index has a bit of
// `descending_bits`.
fn compare_all(local: u32, bit: u32, descending_bits: u32) {
    for (var comparison = local; comparison < TILE_LENGTH / 2u; comparison += WORKGROUP_SIZE) {
        let first = first_place(comparison, bit);
        compare_exchange(first, first | (1u << bit), (first & descending_bits) != 0u);
    }
    workgroupBarrier();
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn sort_tiles(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = workgroup_index(workgroup_id, workgroup_count);
    if is_past_end(tile) {
        return;
    }
    load_tile(tile, local);
    for (var stage = 1u; stage <= TILE_BITS; stage++) {
        for (var comparison = local; comparison < TILE_LENGTH / 2u; comparison += WORKGROUP_SIZE) {
            let first = first_place(comparison, stage - 1u);
            compare_exchange(first, first ^ ((1u << stage) - 1u), false);
        }
        workgroupBarrier();
        for (var bit = stage - 1u; bit > 0u; bit--) {
            compare_all(local, bit - 1u, 0u);
        }
    }
    store_tile(tile, local);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn merge(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = workgroup_index(workgroup_id, workgroup_count);
    if is_past_end(tile) {
        return;
    }
    load_tile(tile, local);
    compare_all(local, TILE_BITS - 1u, 0u);
    // The half that is stored mirrored is sorted in descending order.
    let descending_bits = merge_pass.mirrors << (TILE_BITS - 1u);
    for (var bit = TILE_BITS - 1u; bit > run_bits(); bit--) {
        compare_all(local, bit - 1u, descending_bits);
    }
    store_tile(tile, local);
}
