// One pass of a stable radix sort of (key, value) pairs, by the digit that `mask` selects; the lowest digit comes
// first.
//   1. `count_digits`: one workgroup per tile counts the tile's keys by digit.
//   2. `scan_tiles`: one subgroup per digit scans the tiles' counts and writes their sum.
//   3. `scatter`: one workgroup per tile ranks its keys, orders the tile in workgroup memory and writes it out from
//      there, so that adjacent lanes write to adjacent addresses. It also scans the digit sums, which saves the
//      dispatches of a scan over all counts.
//
// A tile has sixteen keys per invocation, in sixteen rows: four vectors of four, written out individually because a
// loop over an array in registers is fast only if the driver's compiler unrolls it. Missing keys past the end count as
// the highest possible key: they come last in the last tile, so that no key's index depends on them, and they are not
// written.
//
// Ranking follows the multisplit of Ashkiani et al. 2016: one ballot per bit finds the lanes whose keys have the same
// digit, and the first of those lanes adds their number to the subgroup's own bin. Without SUBGROUPS each invocation
// counts as a subgroup, and digits are narrower so that the bins still fit. For the keys of a later row to rank after
// those of an earlier row, subgroups must be full and their lanes must reconverge after a branch; `gpu::subgroups`
// checks both.
//
// Numbers: DIGIT_BITS, bits of the widest digit; those of `nearwater::workgroup_scan`. WIDE_SUBGROUPS: subgroups may
// have more than 32 lanes.
#import nearwater::dispatch::workgroup_index
#import nearwater::workgroup_scan::{Invocation, Place, SUBGROUP_CAPACITY, WORKGROUP_SIZE, before_rows, order, place_of, subgroup_exclusive_scan, total_of_rows, workgroup_exclusive_scan}

struct DigitPass {
    // Pairs to sort, at least one.
    count: u32,
    // Number of tiles that they fill; the last may be incomplete.
    tile_count: u32,
    // Bins of each tile: two to the power of the number of bits of the widest digit.
    bin_count: u32,
    // Number of key bits below the digit.
    shift: u32,
    // The bits of the digit, shifted down to bit 0.
    mask: u32,
}

@group(0) @binding(0) var<uniform> digit_pass: DigitPass;
// Keys before the pass; len = count.
@group(0) @binding(1) var<storage, read> keys_in: array<u32>;
// Values before the pass; len = count.
@group(0) @binding(2) var<storage, read> values_in: array<u32>;
// Keys after the pass; len = count.
@group(0) @binding(3) var<storage, read_write> keys_out: array<u32>;
// Values after the pass; len = count.
@group(0) @binding(4) var<storage, read_write> values_out: array<u32>;
// Number of keys of each digit in each tile, then number in all earlier tiles; len = bin_count * tile_count, tile by
// tile within a digit.
@group(0) @binding(5) var<storage, read_write> tile_bins: array<u32>;
// Number of keys of each digit; len = bin_count.
@group(0) @binding(6) var<storage, read_write> digit_counts: array<u32>;

const DIGIT_BITS: u32 = #{DIGIT_BITS}u;
const BIN_CAPACITY: u32 = 1u << DIGIT_BITS;
const BINS_PER_INVOCATION: u32 = (BIN_CAPACITY + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
const KEYS_PER_TILE: u32 = 16u * WORKGROUP_SIZE;
const HIGHEST_KEY: u32 = 0xffffffffu;

// One number for each key of an invocation, row by row.
struct Rows {
    first: vec4<u32>,
    second: vec4<u32>,
    third: vec4<u32>,
    fourth: vec4<u32>,
}

fn digits_of(keys: vec4<u32>) -> vec4<u32> {
    return (keys >> vec4(digit_pass.shift)) & vec4(digit_pass.mask);
}

// Indices of four rows, of which the first begins at `first`.
fn row_indices(first: u32, stride: u32) -> vec4<u32> {
    return first + stride * vec4(0u, 1u, 2u, 3u);
}

fn load_keys(indices: vec4<u32>) -> vec4<u32> {
    // Reading the last key in place of those past the end keeps the loads free of branches, so that all are in flight
    // at once.
    let safe = min(indices, vec4(digit_pass.count - 1u));
    let keys = vec4(keys_in[safe.x], keys_in[safe.y], keys_in[safe.z], keys_in[safe.w]);
    return select(vec4(HIGHEST_KEY), keys, indices < vec4(digit_pass.count));
}

fn load_values(indices: vec4<u32>) -> vec4<u32> {
    let safe = min(indices, vec4(digit_pass.count - 1u));
    return vec4(values_in[safe.x], values_in[safe.y], values_in[safe.z], values_in[safe.w]);
}

fn load_key_rows(first: u32, stride: u32) -> Rows {
    return Rows(
        load_keys(row_indices(first, stride)),
        load_keys(row_indices(first + 4u * stride, stride)),
        load_keys(row_indices(first + 8u * stride, stride)),
        load_keys(row_indices(first + 12u * stride, stride)),
    );
}

fn load_value_rows(first: u32, stride: u32) -> Rows {
    return Rows(
        load_values(row_indices(first, stride)),
        load_values(row_indices(first + 4u * stride, stride)),
        load_values(row_indices(first + 8u * stride, stride)),
        load_values(row_indices(first + 12u * stride, stride)),
    );
}

// --- Counting ---

var<workgroup> tile_counts: array<atomic<u32>, BIN_CAPACITY>;

fn count_keys(keys: vec4<u32>) {
    let digits = digits_of(keys);
    atomicAdd(&tile_counts[digits.x], 1u);
    atomicAdd(&tile_counts[digits.y], 1u);
    atomicAdd(&tile_counts[digits.z], 1u);
    atomicAdd(&tile_counts[digits.w], 1u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn count_digits(invocation: Invocation) {
    let tile = workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    if tile >= digit_pass.tile_count {
        return;
    }
    let own = order(place_of(invocation));
    let keys = load_key_rows(tile * KEYS_PER_TILE + own, WORKGROUP_SIZE);
    for (var bin = own; bin < BIN_CAPACITY; bin += WORKGROUP_SIZE) {
        atomicStore(&tile_counts[bin], 0u);
    }
    workgroupBarrier();
    count_keys(keys.first);
    count_keys(keys.second);
    count_keys(keys.third);
    count_keys(keys.fourth);
    workgroupBarrier();
    for (var bin = own; bin < digit_pass.bin_count; bin += WORKGROUP_SIZE) {
        tile_bins[bin * digit_pass.tile_count + tile] = atomicLoad(&tile_counts[bin]);
    }
}

// --- Scanning the counts ---

// Counts of a digit in four rows of tiles, with zeros past the end.
fn load_counts(first_bin: u32, tiles: vec4<u32>) -> vec4<u32> {
    let end = vec4(digit_pass.tile_count);
    let bins = first_bin + min(tiles, end - 1u);
    let counts = vec4(tile_bins[bins.x], tile_bins[bins.y], tile_bins[bins.z], tile_bins[bins.w]);
    return select(vec4(0u), counts, tiles < end);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn scan_tiles(invocation: Invocation) {
    let workgroup = workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    let place = place_of(invocation);
    let digit = workgroup * place.subgroup_count + place.subgroup;
    if digit >= digit_pass.bin_count {
        return;
    }
    let first_bin = digit * digit_pass.tile_count;
    let stride = place.subgroup_size;
    var sum = 0u;
    var tiles = row_indices(place.lane, stride);
    var counts = load_counts(first_bin, tiles);
    for (var first_tile = 0u; first_tile < digit_pass.tile_count; first_tile += 4u * stride) {
        // The next counts are loaded before these are scanned, because the subgroup has no other work to hide the
        // latency.
        let next_tiles = tiles + 4u * stride;
        let next_counts = load_counts(first_bin, next_tiles);
        let scanned = subgroup_exclusive_scan(counts);
        let before = before_rows(scanned, sum);
        if tiles.x < digit_pass.tile_count { tile_bins[first_bin + tiles.x] = before.x; }
        if tiles.y < digit_pass.tile_count { tile_bins[first_bin + tiles.y] = before.y; }
        if tiles.z < digit_pass.tile_count { tile_bins[first_bin + tiles.z] = before.z; }
        if tiles.w < digit_pass.tile_count { tile_bins[first_bin + tiles.w] = before.w; }
        sum += total_of_rows(scanned);
        tiles = next_tiles;
        counts = next_counts;
    }
    if place.lane == 0u {
        digit_counts[digit] = sum;
    }
}

// --- Ranking ---

// Number of keys of each digit that a subgroup has ranked so far; then the number in all earlier subgroups.
var<workgroup> subgroup_bins: array<atomic<u32>, SUBGROUP_CAPACITY * BIN_CAPACITY>;

#ifdef SUBGROUPS
#ifdef WIDE_SUBGROUPS
alias Lanes = vec4<u32>;

fn lanes_where(predicate: bool) -> Lanes {
    return subgroupBallot(predicate);
}

fn lanes_before(lane: u32) -> Lanes {
    let word_start = vec4(0u, 32u, 64u, 96u);
    let partial = vec4((1u << (lane % 32u)) - 1u);
    let reached = select(partial, vec4(0xffffffffu), vec4(lane) >= word_start + 32u);
    return select(reached, vec4(0u), vec4(lane) < word_start);
}

fn lane_count(lanes: Lanes) -> u32 {
    let counts = countOneBits(lanes);
    return counts.x + counts.y + counts.z + counts.w;
}

fn first_lane(lanes: Lanes) -> u32 {
    if lanes.x != 0u { return firstTrailingBit(lanes.x); }
    if lanes.y != 0u { return 32u + firstTrailingBit(lanes.y); }
    if lanes.z != 0u { return 64u + firstTrailingBit(lanes.z); }
    return 96u + firstTrailingBit(lanes.w);
}
#else
alias Lanes = u32;

fn lanes_where(predicate: bool) -> Lanes {
    return subgroupBallot(predicate).x;
}

fn lanes_before(lane: u32) -> Lanes {
    return (1u << lane) - 1u;
}

fn lane_count(lanes: Lanes) -> u32 {
    return countOneBits(lanes);
}

fn first_lane(lanes: Lanes) -> u32 {
    return firstTrailingBit(lanes);
}
#endif

// The number of keys with the same digit that precede this lane's key in the subgroup.
fn rank_key(place: Place, all_lanes: Lanes, digit: u32) -> u32 {
    var same = all_lanes;
    for (var bit = 0u; bit < DIGIT_BITS; bit++) {
        let is_set = ((digit >> bit) & 1u) != 0u;
        let setting = lanes_where(is_set);
        same &= select(~setting, setting, is_set);
    }
    let rank = lane_count(same & lanes_before(place.lane));
    var earlier = 0u;
    if rank == 0u {
        earlier = atomicAdd(&subgroup_bins[place.subgroup * BIN_CAPACITY + digit], lane_count(same));
    }
    return subgroupShuffle(earlier, first_lane(same)) + rank;
}
#else
alias Lanes = u32;

fn lanes_where(predicate: bool) -> Lanes {
    return u32(predicate);
}

// The subgroup has one lane, which shares its bins with no other.
fn rank_key(place: Place, all_lanes: Lanes, digit: u32) -> u32 {
    return atomicAdd(&subgroup_bins[place.subgroup * BIN_CAPACITY + digit], all_lanes);
}
#endif

// Ranks four rows in sequence, so that the ranks of a later row follow those of an earlier one.
fn rank_keys(place: Place, all_lanes: Lanes, keys: vec4<u32>) -> vec4<u32> {
    let digits = digits_of(keys);
    let x = rank_key(place, all_lanes, digits.x);
    let y = rank_key(place, all_lanes, digits.y);
    let z = rank_key(place, all_lanes, digits.z);
    let w = rank_key(place, all_lanes, digits.w);
    return vec4(x, y, z, w);
}

// --- Ordering the tile ---

// Number of keys with a lower digit in the tile, by digit.
var<workgroup> tile_starts: array<u32, BIN_CAPACITY>;
// Where the tile's first key of a digit goes among all keys of that digit; then the (wrapping) difference between a
// key's index in the output and its index in the ordered tile; by digit.
var<workgroup> output_shifts: array<u32, BIN_CAPACITY>;
// The tile's keys in order, then its values.
var<workgroup> ordered: array<u32, KEYS_PER_TILE>;

// Replaces each subgroup's count of the digit by the count in all earlier subgroups; returns the tile's count.
fn scan_subgroups(digit: u32) -> u32 {
    var count = 0u;
    for (var subgroup = 0u; subgroup < SUBGROUP_CAPACITY; subgroup++) {
        let slot = subgroup * BIN_CAPACITY + digit;
        let subgroup_digit_count = atomicLoad(&subgroup_bins[slot]);
        atomicStore(&subgroup_bins[slot], count);
        count += subgroup_digit_count;
    }
    return count;
}

// Completes the three tables above.
fn scan_tile(place: Place) {
    let first_digit = order(place) * BINS_PER_INVOCATION;
    let last_digit = min(first_digit + BINS_PER_INVOCATION, BIN_CAPACITY);
    // Number of keys with the invocation's digits: in the tile, and in the complete list.
    var sums = vec4(0u);
    for (var digit = first_digit; digit < last_digit; digit++) {
        tile_starts[digit] = sums.x;
        output_shifts[digit] += sums.y;
        sums += vec4(scan_subgroups(digit), count_of(digit), 0u, 0u);
    }
    let before = workgroup_exclusive_scan(place, sums).before;
    for (var digit = first_digit; digit < last_digit; digit++) {
        let tile_start = tile_starts[digit] + before.x;
        tile_starts[digit] = tile_start;
        output_shifts[digit] += before.y - tile_start;
    }
}

fn count_of(digit: u32) -> u32 {
    return select(0u, digit_counts[min(digit, digit_pass.bin_count - 1u)], digit < digit_pass.bin_count);
}

fn place_in_tile(subgroup: u32, digit: u32, rank: u32) -> u32 {
    return tile_starts[digit] + atomicLoad(&subgroup_bins[subgroup * BIN_CAPACITY + digit]) + rank;
}

fn places_in_tile(subgroup: u32, keys: vec4<u32>, ranks: vec4<u32>) -> vec4<u32> {
    let digits = digits_of(keys);
    return vec4(
        place_in_tile(subgroup, digits.x, ranks.x),
        place_in_tile(subgroup, digits.y, ranks.y),
        place_in_tile(subgroup, digits.z, ranks.z),
        place_in_tile(subgroup, digits.w, ranks.w),
    );
}

fn store_ordered(places: vec4<u32>, items: vec4<u32>) {
    ordered[places.x] = items.x;
    ordered[places.y] = items.y;
    ordered[places.z] = items.z;
    ordered[places.w] = items.w;
}

fn store_ordered_rows(places: Rows, items: Rows) {
    store_ordered(places.first, items.first);
    store_ordered(places.second, items.second);
    store_ordered(places.third, items.third);
    store_ordered(places.fourth, items.fourth);
}

fn load_ordered(places: vec4<u32>) -> vec4<u32> {
    return vec4(ordered[places.x], ordered[places.y], ordered[places.z], ordered[places.w]);
}

// Writes four rows of the ordered keys, and returns the indices that they were written to.
fn write_keys(places: vec4<u32>, end: u32) -> vec4<u32> {
    let keys = load_ordered(places);
    let digits = digits_of(keys);
    let shifts = vec4(output_shifts[digits.x], output_shifts[digits.y], output_shifts[digits.z], output_shifts[digits.w]);
    let targets = places + shifts;
    if places.x < end { keys_out[targets.x] = keys.x; }
    if places.y < end { keys_out[targets.y] = keys.y; }
    if places.z < end { keys_out[targets.z] = keys.z; }
    if places.w < end { keys_out[targets.w] = keys.w; }
    return targets;
}

fn write_values(places: vec4<u32>, end: u32, targets: vec4<u32>) {
    let values = load_ordered(places);
    if places.x < end { values_out[targets.x] = values.x; }
    if places.y < end { values_out[targets.y] = values.y; }
    if places.z < end { values_out[targets.z] = values.z; }
    if places.w < end { values_out[targets.w] = values.w; }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn scatter(invocation: Invocation) {
    let index = workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    if index >= digit_pass.tile_count {
        return;
    }
    // The last tile comes first, because the cache still holds what `count_digits` read last.
    let tile = digit_pass.tile_count - 1u - index;
    let place = place_of(invocation);
    let own = order(place);
    // Each subgroup has sixteen rows of its own, so that its keys stay in order without waiting for other subgroups.
    let stride = place.subgroup_size;
    let tile_first = tile * KEYS_PER_TILE;
    let first = tile_first + 16u * place.subgroup * stride + place.lane;
    let keys = load_key_rows(first, stride);
    for (var slot = own; slot < SUBGROUP_CAPACITY * BIN_CAPACITY; slot += WORKGROUP_SIZE) {
        atomicStore(&subgroup_bins[slot], 0u);
    }
    // Loaded together with the keys, long before they are needed.
    for (var digit = own; digit < BIN_CAPACITY; digit += WORKGROUP_SIZE) {
        let bin = min(digit, digit_pass.bin_count - 1u) * digit_pass.tile_count + tile;
        output_shifts[digit] = tile_bins[bin];
    }
    workgroupBarrier();

    let all_lanes = lanes_where(true);
    var places: Rows;
    places.first = rank_keys(place, all_lanes, keys.first);
    places.second = rank_keys(place, all_lanes, keys.second);
    places.third = rank_keys(place, all_lanes, keys.third);
    places.fourth = rank_keys(place, all_lanes, keys.fourth);
    workgroupBarrier();
    scan_tile(place);
    workgroupBarrier();
    places.first = places_in_tile(place.subgroup, keys.first, places.first);
    places.second = places_in_tile(place.subgroup, keys.second, places.second);
    places.third = places_in_tile(place.subgroup, keys.third, places.third);
    places.fourth = places_in_tile(place.subgroup, keys.fourth, places.fourth);

    store_ordered_rows(places, keys);
    // Loaded before the barrier, so that they arrive while the keys are written.
    let values = load_value_rows(first, stride);
    workgroupBarrier();
    let end = min(digit_pass.count - tile_first, KEYS_PER_TILE);
    let first_rows = row_indices(own, WORKGROUP_SIZE);
    let second_rows = first_rows + 4u * WORKGROUP_SIZE;
    let third_rows = first_rows + 8u * WORKGROUP_SIZE;
    let fourth_rows = first_rows + 12u * WORKGROUP_SIZE;
    var targets: Rows;
    targets.first = write_keys(first_rows, end);
    targets.second = write_keys(second_rows, end);
    targets.third = write_keys(third_rows, end);
    targets.fourth = write_keys(fourth_rows, end);
    workgroupBarrier();
    store_ordered_rows(places, values);
    workgroupBarrier();
    write_values(first_rows, end, targets.first);
    write_values(second_rows, end, targets.second);
    write_values(third_rows, end, targets.third);
    write_values(fourth_rows, end, targets.fourth);
}
