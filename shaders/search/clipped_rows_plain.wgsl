// Serves a group with a pair kernel that vanishes at the radius: the kernel is evaluated for every candidate and every
// owned particle, without a branch, four candidates at a time.
#define_import_path nearwater::clipped_rows_plain

#import nearwater::clipped_rows_group::{Group, OWNED, Range, grid_parameters, left_of_slab, range_of, rows_around, sorted_positions}
#import nearwater::pair as pair

// The owned particles and their sums.
var<private> positions: array<vec3<f32>, OWNED>;
var<private> particles: array<pair::Particle, OWNED>;
var<private> sums: array<pair::Sum, OWNED>;

// What the particle `other` contributes to each owned one; nothing unless `counts`.
fn add_candidate(other: u32, counts: bool) {
    let position = sorted_positions[other].xyz;
    let candidate = pair::load(other);
    for (var k = 0u; k < OWNED; k++) {
        let offset = positions[k] - position;
        let distance_squared = select(grid_parameters.radius_squared, dot(offset, offset), counts);
        sums[k] = pair::add(sums[k], pair::contribution(particles[k], candidate, offset, distance_squared));
    }
}

// The pairs of owned particles, each evaluated once.
fn add_owned(count: u32) {
    for (var k = 0u; k < OWNED; k++) {
        for (var other = k + 1u; other < OWNED; other++) {
            let offset = positions[k] - positions[other];
            let distance_squared = select(grid_parameters.radius_squared, dot(offset, offset), other < count);
            let given = pair::contribution(particles[k], particles[other], offset, distance_squared);
            sums[k] = pair::add(sums[k], given);
            sums[other] = pair::add(sums[other], pair::mirror(given));
        }
    }
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
    add_owned(count);
    let rows = rows_around(group);
    for (var z = rows.low.y; z <= rows.high.y; z++) {
        let left = left_of_slab(group, z);
        for (var y = rows.low.x; y <= rows.high.x; y += 3u) {
            // Three rows are read in one loop, so that lanes whose rows are of different lengths stay together.
            var range = range_of(group, y, rows.high.x, z, left);
            var second = range_of(group, y + 1u, rows.high.x, z, left);
            var third = range_of(group, y + 2u, rows.high.x, z, left);
            // The owned particles cut the range of their own row in two.
            var rest = Range(0u, 0u);
            if z == group.row.y && group.row.x - y < 3u {
                if group.row.x == y {
                    rest = Range(group.end, range.end);
                    range.end = group.first;
                } else if group.row.x == y + 1u {
                    rest = Range(group.end, second.end);
                    second.end = group.first;
                } else {
                    rest = Range(group.end, third.end);
                    third.end = group.first;
                }
            }
            var more = 3u;
            loop {
                if range.start >= range.end {
                    if more == 0u {
                        break;
                    }
                    more -= 1u;
                    range = second;
                    second = third;
                    third = rest;
                    continue;
                }
                let other = range.start;
                let last = range.end - 1u;
                add_candidate(other, true);
                add_candidate(min(other + 1u, last), other + 1u <= last);
                add_candidate(min(other + 2u, last), other + 2u <= last);
                add_candidate(min(other + 3u, last), other + 3u <= last);
                range.start += 4u;
            }
        }
    }
    for (var k = 0u; k < OWNED; k++) {
        if k < count {
            pair::finish(group.first + k, particles[k], sums[k]);
        }
    }
}
