// Counters of a counting traversal (`search::PairCounters`), in group 2. They are zeroed before the traversal, which
// adds to them. Only COUNT_PAIRS compiles them in; the traversal itself is the one that physics runs.
//
// The common visit functions (`nearwater::visit`) call `tested` or `tested_both_ways` for each candidate; a traversal
// calls `finish` once it has served a particle.
#define_import_path nearwater::counting

// Candidates tested for each particle, in sorted order; len = particle_count.
@group(2) @binding(0) var<storage, read_write> candidate_counts: array<atomic<u32>>;
// Neighbors found for each particle, in sorted order; len = particle_count.
@group(2) @binding(1) var<storage, read_write> neighbor_counts: array<atomic<u32>>;
// Low and high word of the number of candidates, low and high word of the number of neighbors; len = 4.
@group(2) @binding(2) var<storage, read_write> pair_totals: array<atomic<u32>, 4>;

// Counts of the particle that the invocation serves.
var<private> own_candidates: u32;
var<private> own_neighbors: u32;

// A candidate of the particle; the particle itself does not count.
fn tested(is_another: bool, is_neighbor: bool) {
    own_candidates += u32(is_another);
    own_neighbors += u32(is_another && is_neighbor);
}

// A pair that is evaluated once for both particles, of which the other is at place `other` of the sorted order.
fn tested_both_ways(other: u32, is_neighbor: bool) {
    tested(true, is_neighbor);
    count_particle(other, 1u, u32(is_neighbor));
}

// The invocation has served the particle at that place of the sorted order.
fn finish(index: u32) {
    count_particle(index, own_candidates, own_neighbors);
    own_candidates = 0u;
    own_neighbors = 0u;
}

fn add_wide(low: u32, amount: u32) {
    let before = atomicAdd(&pair_totals[low], amount);
    if before > 0xffffffffu - amount {
        atomicAdd(&pair_totals[low + 1u], 1u);
    }
}

// The counters are atomic because a traversal with deposits serves one particle from several workgroups.
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
