// In-place exclusive scan, with wrapping addition, of `count` numbers.
//
// Up to a few blocks: only `scan_serially`, in one workgroup. With more blocks, reduce-then-scan:
//   1. `reduce`: one workgroup per block writes the block's sum.
//   2. `scan_serially`: one workgroup scans the block sums, bound as `values`, block after block.
//   3. `scan_blocks`: one workgroup per block scans it, starting from its scanned block sum.
// Decoupled look-back would read the numbers only once, but it makes one workgroup wait for another, and neither Vulkan
// nor WebGPU guarantees that the other one is running.
//
// A block is four rows, in each of which every invocation has one vector of four numbers. With VECTORS the buffer ends
// on a complete vector and is accessed by vectors; without, one number at a time.
#import nearwater::dispatch::workgroup_index
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, before_rows, order, place_of, total_of_rows, workgroup_exclusive_scan}

struct ScanLength {
    // Numbers to scan, at least one.
    count: u32,
    // Number of blocks that they fill; the last may be incomplete.
    block_count: u32,
}

@group(0) @binding(0) var<uniform> scan_length: ScanLength;
// The numbers before the pass; afterwards the sum of all numbers before each one; len = count.
#ifdef VECTORS
@group(0) @binding(1) var<storage, read_write> values: array<vec4<u32>>;
#else
@group(0) @binding(1) var<storage, read_write> values: array<u32>;
#endif
// Sum of each block, then the sum of all earlier blocks; len = block_count.
@group(0) @binding(2) var<storage, read_write> block_sums: array<u32>;

const VECTORS_PER_ROW: u32 = WORKGROUP_SIZE;
const VECTORS_PER_BLOCK: u32 = 4u * VECTORS_PER_ROW;

// The numbers of one invocation, row by row.
struct Rows {
    first: vec4<u32>,
    second: vec4<u32>,
    third: vec4<u32>,
    fourth: vec4<u32>,
}

// The vector with the given index, with zeros past the end.
fn load_vector(index: u32) -> vec4<u32> {
    // Reading the last vector in place of those past the end keeps the loads free of branches, so that all loads of an
    // invocation are in flight at once.
    let indices = 4u * index + vec4(0u, 1u, 2u, 3u);
#ifdef VECTORS
    let vector = values[min(index, (scan_length.count - 1u) / 4u)];
#else
    let safe = min(indices, vec4(scan_length.count - 1u));
    let vector = vec4(values[safe.x], values[safe.y], values[safe.z], values[safe.w]);
#endif
    return select(vec4(0u), vector, indices < vec4(scan_length.count));
}

// Stores the vector with the given index; elements past the end are discarded.
fn store_vector(index: u32, vector: vec4<u32>) {
    let indices = 4u * index + vec4(0u, 1u, 2u, 3u);
#ifdef VECTORS
    if indices.w < scan_length.count {
        values[index] = vector;
        return;
    }
    if indices.x < scan_length.count { values[index].x = vector.x; }
    if indices.y < scan_length.count { values[index].y = vector.y; }
    if indices.z < scan_length.count { values[index].z = vector.z; }
#else
    if indices.x < scan_length.count { values[indices.x] = vector.x; }
    if indices.y < scan_length.count { values[indices.y] = vector.y; }
    if indices.z < scan_length.count { values[indices.z] = vector.z; }
    if indices.w < scan_length.count { values[indices.w] = vector.w; }
#endif
}

fn load_rows(first_vector: u32) -> Rows {
    return Rows(
        load_vector(first_vector),
        load_vector(first_vector + VECTORS_PER_ROW),
        load_vector(first_vector + 2u * VECTORS_PER_ROW),
        load_vector(first_vector + 3u * VECTORS_PER_ROW),
    );
}

fn sum_of(vector: vec4<u32>) -> u32 {
    return vector.x + vector.y + vector.z + vector.w;
}

fn row_sums(rows: Rows) -> vec4<u32> {
    return vec4(sum_of(rows.first), sum_of(rows.second), sum_of(rows.third), sum_of(rows.fourth));
}

// Exclusive scan of four numbers, starting from `before`.
fn scan_vector(vector: vec4<u32>, before: u32) -> vec4<u32> {
    let second = before + vector.x;
    let third = second + vector.y;
    return vec4(before, second, third, third + vector.z);
}

// Scans one block, starting from `before`, and returns the sum of the block.
fn scan_block(place: Place, block: u32, before: u32) -> u32 {
    let first_vector = block * VECTORS_PER_BLOCK + order(place);
    let rows = load_rows(first_vector);
    let scanned = workgroup_exclusive_scan(place, row_sums(rows));
    let row_starts = before_rows(scanned, before);
    store_vector(first_vector, scan_vector(rows.first, row_starts.x));
    store_vector(first_vector + VECTORS_PER_ROW, scan_vector(rows.second, row_starts.y));
    store_vector(first_vector + 2u * VECTORS_PER_ROW, scan_vector(rows.third, row_starts.z));
    store_vector(first_vector + 3u * VECTORS_PER_ROW, scan_vector(rows.fourth, row_starts.w));
    return total_of_rows(scanned);
}

var<workgroup> block_sum: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn reduce(invocation: Invocation) {
    let block = workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    if block >= scan_length.block_count {
        return;
    }
    let place = place_of(invocation);
    let rows = load_rows(block * VECTORS_PER_BLOCK + order(place));
    var sum = sum_of(row_sums(rows));
    if order(place) == 0u {
        atomicStore(&block_sum, 0u);
    }
    workgroupBarrier();
#ifdef SUBGROUPS
    sum = subgroupAdd(sum);
#endif
    if place.lane == 0u {
        atomicAdd(&block_sum, sum);
    }
    workgroupBarrier();
    if order(place) == 0u {
        block_sums[block] = atomicLoad(&block_sum);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn scan_serially(invocation: Invocation) {
    let place = place_of(invocation);
    var before = 0u;
    for (var block = 0u; block < scan_length.block_count; block++) {
        before += scan_block(place, block, before);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn scan_blocks(invocation: Invocation) {
    let index = workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    if index >= scan_length.block_count {
        return;
    }
    // The last block comes first, because the cache still holds what `reduce` read last.
    let block = scan_length.block_count - 1u - index;
    scan_block(place_of(invocation), block, block_sums[block]);
}
