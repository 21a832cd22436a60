// The test of up to 32 consecutive candidates, which gives a bit for each that is a neighbor.
#define_import_path nearwater::clipped_rows_tested

#import nearwater::clipped_rows_group::{grid_parameters, sorted_positions}

// Candidates that are tested at a time.
const TESTED: u32 = 32u;

fn is_neighbor(position: vec3<f32>, other: u32) -> bool {
    let offset = position - sorted_positions[other].xyz;
    return dot(offset, offset) <= grid_parameters.radius_squared;
}

// The bits of the neighbors among the first candidates of [start, end), at most TESTED of them. The particle with the
// index `index`, which is at `position`, is none.
fn neighbors_among(position: vec3<f32>, index: u32, start: u32, end: u32) -> u32 {
    if start >= end {
        return 0u;
    }
    var bits = 0u;
    let count = min(end - start, TESTED);
    // Every round is complete, because lanes would wait for each other in a second loop over the rest. What is read
    // past the end, where the buffer has room for it, gives bits that are removed below.
    for (var tested = 0u; tested < count; tested += 4u) {
        let other = start + tested;
        let four = select(0u, 1u, is_neighbor(position, other))
            | select(0u, 2u, is_neighbor(position, other + 1u))
            | select(0u, 4u, is_neighbor(position, other + 2u))
            | select(0u, 8u, is_neighbor(position, other + 3u));
        bits |= four << tested;
    }
    bits &= 0xffffffffu >> (TESTED - count);
    // Before `start`, the difference wraps around.
    let own = index - start;
    return select(bits, bits & ~(1u << (own % TESTED)), own < TESTED);
}
