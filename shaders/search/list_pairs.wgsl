// Pair kernel: writes the neighbors of every particle to a list.
//
// A contribution consists of its owner and its partner. The first of `add`, `deposit` and `finish` that processes it
// writes the partner to the owner's part of the list, and then passes on an empty sum. Each contribution is therefore
// listed exactly once in every traversal, whether it gathers or deposits, and a pair that is visited twice is listed
// twice.
#define_import_path nearwater::list_pairs

const NONE: u32 = 0xffffffffu;

struct Particle {
    index: u32,
}

struct Sum {
    owner: u32,
    partner: u32,
}

// First index of each particle's part of the list; the last entry is the length of the list. len = particle_count + 1
@group(1) @binding(0) var<storage, read> list_starts: array<u32>;
// Number of entries written for each particle, zeroed before the traversal; len = particle_count.
@group(1) @binding(1) var<storage, read_write> list_lengths: array<atomic<u32>>;
// The neighbors as indices in the sorted order, or with BY_ORIGINAL_INDEX the caller's; len = length of the list.
@group(1) @binding(2) var<storage, read_write> list: array<u32>;
#ifdef BY_ORIGINAL_INDEX
// The caller's index of each particle in sorted order, by which particles are listed; len = particle_count.
@group(1) @binding(3) var<storage, read> original_from_sorted: array<u32>;
#endif

fn load(index: u32) -> Particle {
#ifdef BY_ORIGINAL_INDEX
    return Particle(original_from_sorted[index]);
#else
    return Particle(index);
#endif
}

fn zero() -> Sum {
    return Sum(NONE, NONE);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    return Sum(a.index, b.index);
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(contribution.partner, contribution.owner);
}

fn write_down(sum: Sum) {
    if sum.owner == NONE {
        return;
    }
#ifdef BY_ORIGINAL_INDEX
    // The caller could have written to the indices.
    if sum.owner >= arrayLength(&list_lengths) || sum.owner + 1u >= arrayLength(&list_starts) {
        return;
    }
#endif
    let place = list_starts[sum.owner] + atomicAdd(&list_lengths[sum.owner], 1u);
    // A wrong traversal may find more neighbors than were counted. The number of entries then exceeds the count, and
    // the part of the next particle is not overwritten. The list may be shorter than the neighbors found.
    if place < min(list_starts[sum.owner + 1u], arrayLength(&list)) {
        list[place] = sum.partner;
    }
}

fn add(a: Sum, b: Sum) -> Sum {
    write_down(a);
    write_down(b);
    return zero();
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    write_down(sum);
}

fn deposit(index: u32, sum: Sum) {
    write_down(sum);
}

fn withdraw(index: u32) -> Sum {
    return zero();
}
