// Serves a group with any pair kernel, in two steps for up to 96 candidates at a time: a test of every candidate sets a
// bit if it is a neighbor, and then the kernel is evaluated for the set bits only. The second step is much longer than the
// first, and lanes would wait for each other if it was a branch of the test.
#define_import_path nearwater::clipped_rows_marked

#import nearwater::clipped_rows_group::{Group, OWNED, Range, grid_parameters, left_of_slab, range_of, rows_around, sorted_positions}
#import nearwater::pair as pair

// Candidates that are tested at a time.
const TESTED: u32 = 96u;

// The particles that an invocation owns.
var<private> positions: array<vec3<f32>, OWNED>;
var<private> particles: array<pair::Particle, OWNED>;
var<private> sums: array<pair::Sum, OWNED>;
// Bits of the neighbors among the tested candidates of each of them.
var<private> marks: array<vec3<u32>, OWNED>;

// Three ranges of candidates, as one sequence in which each range takes a multiple of four places.
struct Ranges {
    first: Range,
    second: Range,
    third: Range,
}

fn padded_length(range: Range) -> u32 {
    return (max(range.end, range.start) - range.start + 3u) & ~3u;
}

fn has_candidates(ranges: Ranges) -> bool {
    return ranges.first.start < ranges.first.end || ranges.second.start < ranges.second.end
        || ranges.third.start < ranges.third.end;
}

// The candidate at a place of the sequence.
fn candidate_at(ranges: Ranges, place: u32) -> u32 {
    let second = padded_length(ranges.first);
    let third = second + padded_length(ranges.second);
    if place < second {
        return ranges.first.start + place;
    }
    if place < third {
        return ranges.second.start + place - second;
    }
    return ranges.third.start + place - third;
}

fn is_neighbor(k: u32, other: u32) -> bool {
    let offset = positions[k] - sorted_positions[other].xyz;
    return dot(offset, offset) <= grid_parameters.radius_squared;
}

// Tests up to 96 candidates from the beginning of the ranges, and returns the ranges without them.
fn test_candidates(before: Ranges) -> Ranges {
    var left = before;
    for (var word = 0u; word < 3u; word++) {
        var bits: array<u32, OWNED>;
        for (var k = 0u; k < OWNED; k++) {
            bits[k] = 0u;
        }
        var shift = 0u;
        loop {
            if left.first.start >= left.first.end {
                if !has_candidates(left) {
                    break;
                }
                left = Ranges(left.second, left.third, Range(0u, 0u));
                continue;
            }
            if shift == 32u {
                break;
            }
            let other = left.first.start;
            let last = left.first.end - 1u;
            let there = 15u >> (3u - min(last - other, 3u));
            for (var k = 0u; k < OWNED; k++) {
                let near = select(0u, 1u, is_neighbor(k, other))
                    | select(0u, 2u, is_neighbor(k, min(other + 1u, last)))
                    | select(0u, 4u, is_neighbor(k, min(other + 2u, last)))
                    | select(0u, 8u, is_neighbor(k, min(other + 3u, last)));
                bits[k] |= (near & there) << shift;
            }
            left.first.start += 4u;
            shift += 4u;
        }
        for (var k = 0u; k < OWNED; k++) {
            marks[k] = vec3<u32>(marks[k].yz, bits[k]);
        }
    }
    return left;
}

// Clears the bit of the owned particle k itself.
fn clear_own(k: u32, own: u32, ranges: Ranges) {
    let second = padded_length(ranges.first);
    let third = second + padded_length(ranges.second);
    var place = TESTED;
    if own >= ranges.first.start && own < ranges.first.end {
        place = own - ranges.first.start;
    } else if own >= ranges.second.start && own < ranges.second.end {
        place = second + own - ranges.second.start;
    } else if own >= ranges.third.start && own < ranges.third.end {
        place = third + own - ranges.third.start;
    }
    let bit = ~(1u << (place & 31u));
    marks[k] &= select(vec3<u32>(0xffffffffu), vec3<u32>(bit), vec3<u32>(place / 32u) == vec3<u32>(0u, 1u, 2u));
}

// Evaluates the kernel for the marked candidates of the owned particle k.
fn add_marked(k: u32, ranges: Ranges) {
    let position = positions[k];
    let particle = particles[k];
    var sum = sums[k];
    var bits = marks[k];
    var place = 0u;
    loop {
        if bits.x == 0u {
            if (bits.y | bits.z) == 0u {
                break;
            }
            bits = vec3<u32>(bits.yz, 0u);
            place += 32u;
            continue;
        }
        let other = candidate_at(ranges, place + firstTrailingBit(bits.x));
        bits.x &= bits.x - 1u;
        let offset = position - sorted_positions[other].xyz;
        let given = pair::contribution(particle, pair::load(other), offset, dot(offset, offset));
        sum = pair::add(sum, given);
    }
    sums[k] = sum;
}

fn serve(group: Group) {
    let count = group.end - group.first;
    for (var k = 0u; k < OWNED; k++) {
        // Past the end of a short group, its last particle stands in; its sum is not used.
        let index = min(group.first + k, group.end - 1u);
        positions[k] = sorted_positions[index].xyz;
        particles[k] = pair::load(index);
        sums[k] = pair::zero();
    }
    let rows = rows_around(group);
    for (var z = rows.low.y; z <= rows.high.y; z++) {
        let left_of_z = left_of_slab(group, z);
        for (var y = rows.low.x; y <= rows.high.x; y += 3u) {
            // Three rows are read in one loop, so that lanes whose rows are of different lengths stay together.
            var ranges = Ranges(
                range_of(group, y, rows.high.x, z, left_of_z),
                range_of(group, y + 1u, rows.high.x, z, left_of_z),
                range_of(group, y + 2u, rows.high.x, z, left_of_z),
            );
            loop {
                let left = test_candidates(ranges);
                for (var k = 0u; k < OWNED; k++) {
                    if k < count {
                        clear_own(k, group.first + k, ranges);
                        add_marked(k, ranges);
                    }
                }
                ranges = left;
                if !has_candidates(ranges) {
                    break;
                }
            }
        }
    }
    for (var k = 0u; k < OWNED; k++) {
        if k < count {
            pair::finish(group.first + k, particles[k], sums[k]);
        }
    }
}
