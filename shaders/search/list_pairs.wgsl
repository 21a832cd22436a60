// Pair kernel: writes every particle's neighbors into a list, for the oracle to compare.
//
// A contribution names its owner and its partner, and is written into the owner's part of the list by whichever of
// `add`, `deposit` or `finish` consumes it first; what they hand on is empty. So each contribution is listed exactly
// once in every manner of traversal, gathering or commutative, and a pair visited twice is listed twice.
#define_import_path nearwater::list_pairs

const NOBODY: u32 = 0xffffffffu;

struct Particle {
    index: u32,
}

struct Sum {
    owner: u32,
    partner: u32,
}

// First place of each particle's part of the list; len = particle_count + 1, the last the length of the list.
@group(1) @binding(0) var<storage, read> list_starts: array<u32>;
// Entries written so far, of each particle; zeroed before. len = particle_count.
@group(1) @binding(1) var<storage, read_write> list_lengths: array<atomic<u32>>;
// Neighbors by their places in the sorted order.
@group(1) @binding(2) var<storage, read_write> list: array<u32>;

fn load(index: u32) -> Particle {
    return Particle(index);
}

fn zero() -> Sum {
    return Sum(NOBODY, NOBODY);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    return Sum(a.index, b.index);
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(contribution.partner, contribution.owner);
}

fn write_down(sum: Sum) {
    if sum.owner == NOBODY {
        return;
    }
    let place = list_starts[sum.owner] + atomicAdd(&list_lengths[sum.owner], 1u);
    // A wrong traversal may find more than were counted: the length tells, the neighbor's part stays whole.
    if place < list_starts[sum.owner + 1u] {
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
