// Shared by the passes of the oracle badge: the hash of a particle's identity, and the layout of the numbers of a
// sampled particle.
#define_import_path nearwater::laboratory::sample

// Marks the absence of an identity or a slot.
const NO_INDEX: u32 = 0xffffffffu;
// Largest number of listed neighbors per sampled particle.
const LISTED_MOST: u32 = 512u;
// Number of words of a sampled particle in `found`: how often its sum was finished, the number of neighbors, the sum of
// their hashes, the number of listed neighbors, and the list of their indices in the sorted order.
const FOUND_STRIDE: u32 = 4u + LISTED_MOST;

// Mixes all bits (C. Wellons, hash prospector, lowbias32), so that different sets of identities have different sums.
fn identity_hash(identity: u32) -> u32 {
    var bits = identity ^ (identity >> 16u);
    bits *= 0x7feb352du;
    bits ^= bits >> 15u;
    bits *= 0x846ca68bu;
    return bits ^ (bits >> 16u);
}
