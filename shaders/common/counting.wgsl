// Counters of a counting traversal (`search::PairCounters`), group 2: zeroed before, added to.
#define_import_path nearwater::counting

// Candidates tested for each particle, in sorted order.
@group(2) @binding(0) var<storage, read_write> candidate_counts: array<atomic<u32>>;
// Neighbors found for each particle, in sorted order.
@group(2) @binding(1) var<storage, read_write> neighbor_counts: array<atomic<u32>>;
// Low and high word of all candidates, low and high word of all neighbors.
@group(2) @binding(2) var<storage, read_write> pair_totals: array<atomic<u32>, 4>;

fn add_wide(low: u32, amount: u32) {
    let before = atomicAdd(&pair_totals[low], amount);
    if before > 0xffffffffu - amount {
        atomicAdd(&pair_totals[low + 1u], 1u);
    }
}

// Atomic, since a traversal that deposits serves one particle from several workgroups.
fn count_particle(index: u32, candidates: u32, neighbors: u32) {
    if candidates > 0u {
        atomicAdd(&candidate_counts[index], candidates);
        add_wide(0u, candidates);
    }
    if neighbors > 0u {
        atomicAdd(&neighbor_counts[index], neighbors);
        add_wide(2u, neighbors);
    }
}
