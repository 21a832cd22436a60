// Bitonic sort (Batcher 1968) of (key, value) pairs, ascending by key and, among equal keys, by value.
//
// Stage k makes sorted blocks of 2^k pairs out of sorted halves. Its first step compares each place of the lower half
// with its mirror image in the upper half, every later step each place with the one half as far away as before, down
// to its neighbor. Both leave the lower pair at the lower place, so the pairs that would fill the last block up, higher
// than all others, never move and need not exist.
//   1. `sort_tiles`: a workgroup a tile runs all stages up to the tile's length in workgroup memory.
//   2. `merge`: one dispatch runs as many steps of a longer stage as compare within what a workgroup holds. The last
//      such dispatch of a stage takes tiles as they lie. The earlier ones compare places far apart: a tile is then
//      made of runs of neighbors from as many places as the steps bring together.
//
// Numbers: WORKGROUP_SIZE invocations; TILE_BITS, of which two to the power are the pairs of a tile.
#import nearwater::dispatch::workgroup_index

struct MergePass {
    // Pairs to sort, at least one.
    count: u32,
    // The last step compares places that differ in this bit, and each step before in the next higher one.
    lowest_bit: u32,
    // Steps of the dispatch; all of a tile's bits if `lowest_bit` is 0.
    step_count: u32,
    // 1 where the first step is the first of its stage, which mirrors.
    mirrors: u32,
}

@group(0) @binding(0) var<uniform> merge_pass: MergePass;
// len = count.
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
// len = count.
@group(0) @binding(2) var<storage, read_write> values: array<u32>;

const WORKGROUP_SIZE: u32 = #{WORKGROUP_SIZE}u;
const TILE_BITS: u32 = #{TILE_BITS}u;
const TILE_LENGTH: u32 = 1u << TILE_BITS;
const HIGHEST: u32 = 0xffffffffu;

var<workgroup> tile_keys: array<u32, TILE_LENGTH>;
var<workgroup> tile_values: array<u32, TILE_LENGTH>;

// Bits of a tile's place that are the low bits of a place in the list: the length of its runs.
fn run_bits() -> u32 {
    return TILE_BITS - merge_pass.step_count;
}

// Which place of the list a tile's place stands for. The steps work on the tile's upper bits, which are the list's
// from `lowest_bit` on; the tile's number fills the gap between the run's bits and those, and what is above.
fn list_place(tile: u32, place: u32) -> u32 {
    let run = run_bits();
    let gap = merge_pass.lowest_bit - run;
    let top = merge_pass.lowest_bit + merge_pass.step_count;
    let unmirrored = (place & ((1u << run) - 1u))
        | ((tile & ((1u << gap) - 1u)) << run)
        | ((place >> run) << merge_pass.lowest_bit)
        | ((tile >> gap) << top);
    // The upper half is held mirrored, so that the partners of the first step differ in one bit like all others.
    let half = merge_pass.mirrors << (top - 1u);
    return unmirrored ^ select(0u, half - 1u, (unmirrored & half) != 0u);
}

// Whether no place of a tile holds a pair; the first is the lowest.
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

// The first place of the comparison of that number, when partners differ in `bit`: the number with a 0 put in there.
fn first_place(comparison: u32, bit: u32) -> u32 {
    let below = comparison & ((1u << bit) - 1u);
    return ((comparison ^ below) << 1u) | below;
}

// One step of all comparisons of a tile whose partners differ in `bit`; descending where a place has a bit of
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
    // What is held mirrored is sorted the other way round.
    let descending_bits = merge_pass.mirrors << (TILE_BITS - 1u);
    for (var bit = TILE_BITS - 1u; bit > run_bits(); bit--) {
        compare_all(local, bit - 1u, descending_bits);
    }
    store_tile(tile, local);
}
