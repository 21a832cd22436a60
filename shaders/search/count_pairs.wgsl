// Pair kernel: the number of neighbors of a particle. The sums are integers, so all searches must agree exactly.
#define_import_path nearwater::count_pairs

struct Particle {
    nothing: u32,
}

struct Sum {
    neighbors: u32,
}

// Number of neighbors of each particle, in sorted order or with BY_ORIGINAL_INDEX in the caller's; len =
// particle_count.
@group(1) @binding(0) var<storage, read_write> pair_counts: array<u32>;
#ifdef BY_ORIGINAL_INDEX
// The caller's index of each particle in sorted order, by which the numbers are written; len = particle_count.
@group(1) @binding(2) var<storage, read> original_from_sorted: array<u32>;
#endif
#ifdef DEPOSITS
// Counts that traversals add to, in sorted order. They are zeroed before the first pass and by `withdraw`.
// len = particle_count.
@group(1) @binding(1) var<storage, read_write> deposits: array<atomic<u32>>;

fn deposit(index: u32, sum: Sum) {
    atomicAdd(&deposits[index], sum.neighbors);
}

fn withdraw(index: u32) -> Sum {
    return Sum(atomicExchange(&deposits[index], 0u));
}
#endif

fn load(index: u32) -> Particle {
    return Particle(0u);
}

fn zero() -> Sum {
    return Sum(0u);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    return Sum(1u);
}

fn mirror(contribution: Sum) -> Sum {
    return contribution;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.neighbors + b.neighbors);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
#ifdef BY_ORIGINAL_INDEX
    let place = original_from_sorted[index];
    // The caller could have written to the indices.
    if place < arrayLength(&pair_counts) {
        pair_counts[place] = sum.neighbors;
    }
#else
    pair_counts[index] = sum.neighbors;
#endif
}
