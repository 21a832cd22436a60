// Pair kernel of the oracle badge: counts the neighbors of the sampled particles and sums the hashes of their
// identities, in the same way as a traversal computes any physical sum. It also lists the neighbors, so that wrong ones
// can be identified.
#define_import_path nearwater::sample_neighbors

#import nearwater::laboratory::sample::{FOUND_STRIDE, LISTED_MOST, NO_INDEX, identity_hash}

struct Particle {
    index: u32,
    // Its index in the sample, or NO_INDEX.
    slot: u32,
    hash: u32,
}

struct Sum {
    count: u32,
    // Sum of the partners' hashes.
    hash: u32,
    // The owner's hash, for `mirror`; unused in a sum of several pairs.
    own_hash: u32,
    // Slots and indices of a single pair that has not been listed yet; a slot is NO_INDEX if there is nothing to list.
    owner_slot: u32,
    owner: u32,
    partner_slot: u32,
    partner: u32,
}

// Identity and slot of each particle, in sorted order; len = particle_count.
@group(1) @binding(0) var<storage, read> marks: array<vec2<u32>>;
// See `nearwater::laboratory::sample`; zero before the traversal.
@group(1) @binding(1) var<storage, read_write> found: array<atomic<u32>>;
#ifdef DEPOSITS
// Count and hash of each particle; zero before the first pass, and reset by `withdraw`. len = 2 * particle_count.
@group(1) @binding(2) var<storage, read_write> deposits: array<atomic<u32>>;
#endif

fn load(index: u32) -> Particle {
    let mark = marks[index];
    return Particle(index, mark.y, identity_hash(mark.x));
}

fn zero() -> Sum {
    return Sum(0u, 0u, 0u, NO_INDEX, 0u, NO_INDEX, 0u);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    return Sum(1u, b.hash, a.hash, a.slot, a.index, b.slot, b.index);
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(
        1u,
        contribution.own_hash,
        contribution.hash,
        contribution.partner_slot,
        contribution.partner,
        contribution.owner_slot,
        contribution.owner,
    );
}

fn list_pair(sum: Sum) {
    if sum.owner_slot == NO_INDEX {
        return;
    }
    let first = sum.owner_slot * FOUND_STRIDE;
    let place = atomicAdd(&found[first + 3u], 1u);
    if place < LISTED_MOST {
        atomicStore(&found[first + 4u + place], sum.partner);
    }
}

fn add(a: Sum, b: Sum) -> Sum {
    list_pair(a);
    list_pair(b);
    return Sum(a.count + b.count, a.hash + b.hash, 0u, NO_INDEX, 0u, NO_INDEX, 0u);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    list_pair(sum);
    if particle.slot != NO_INDEX {
        let first = particle.slot * FOUND_STRIDE;
        atomicAdd(&found[first], 1u);
        atomicAdd(&found[first + 1u], sum.count);
        atomicAdd(&found[first + 2u], sum.hash);
    }
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    list_pair(sum);
    atomicAdd(&deposits[2u * index], sum.count);
    atomicAdd(&deposits[2u * index + 1u], sum.hash);
}

fn withdraw(index: u32) -> Sum {
    let count = atomicExchange(&deposits[2u * index], 0u);
    let hash = atomicExchange(&deposits[2u * index + 1u], 0u);
    return Sum(count, hash, 0u, NO_INDEX, 0u, NO_INDEX, 0u);
}
#endif
