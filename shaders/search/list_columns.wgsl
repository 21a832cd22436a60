// Pair kernel: writes the neighbors of every particle to the list that listed.wgsl reads, and their numbers. Neighbors
// that the list has no room for are counted only.
//
// With ADDS_ONE_BY_ONE, the traversal adds the contributions to a particle one by one to a sum that begins empty. The
// sum then counts them and holds the last ones until they fill a vector. Other traversals add up parts of a sum, or
// deposit them; there, the first function that receives a contribution adds it to the list, as in list_pairs.wgsl.
#define_import_path nearwater::list_columns

#import nearwater::listed_layout::{ListParameters, vector_of}

const NONE: u32 = 0xffffffffu;

struct Particle {
    index: u32,
}

@group(1) @binding(0) var<uniform> list_parameters: ListParameters;
// Most neighbors of a particle so far, if there were more than the list has room for; otherwise 0. len = 1.
@group(1) @binding(3) var<storage, read_write> column_overflow: atomic<u32>;
#ifdef ADDS_ONE_BY_ONE
// Number of neighbors of each particle, in sorted order; len = particle_count.
@group(1) @binding(1) var<storage, read_write> column_lengths: array<u32>;
// The neighbors as indices in the sorted order; len = particle_count * capacity / 4.
@group(1) @binding(2) var<storage, read_write> columns: array<vec4<u32>>;

// A contribution has a count of one; the sum of a particle holds its last neighbors in `latest`.
struct Sum {
    owner: u32,
    partner: u32,
    count: u32,
    latest: vec3<u32>,
}

fn zero() -> Sum {
    return Sum(NONE, NONE, 0u, vec3<u32>(0u));
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    return Sum(a.index, b.index, 1u, vec3<u32>(0u));
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(contribution.partner, contribution.owner, 1u, vec3<u32>(0u));
}

fn add(sum: Sum, given: Sum) -> Sum {
    if sum.count % 4u == 3u && sum.count < list_parameters.capacity {
        columns[vector_of(list_parameters, given.owner, sum.count)] = vec4<u32>(sum.latest, given.partner);
    }
    return Sum(given.owner, NONE, sum.count + 1u, vec3<u32>(sum.latest.yz, given.partner));
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    column_lengths[index] = sum.count;
    if sum.count > list_parameters.capacity {
        atomicMax(&column_overflow, sum.count);
    }
    let left = sum.count % 4u;
    if left != 0u && sum.count < list_parameters.capacity {
        // The latest neighbor stands in for those that there are not, so that every entry is a particle.
        let first = select(select(sum.latest.x, sum.latest.y, left == 2u), sum.latest.z, left == 1u);
        let second = select(sum.latest.y, sum.latest.z, left < 3u);
        columns[vector_of(list_parameters, index, sum.count)] =
            vec4<u32>(first, second, sum.latest.z, sum.latest.z);
    }
}
#else
// Number of neighbors of each particle, in sorted order, zeroed before the traversal; len = particle_count.
@group(1) @binding(1) var<storage, read_write> column_lengths: array<atomic<u32>>;
// The neighbors as indices in the sorted order, four to a vector of listed.wgsl; len = capacity * particle_count.
@group(1) @binding(2) var<storage, read_write> columns: array<u32>;

struct Sum {
    owner: u32,
    partner: u32,
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
    let number = atomicAdd(&column_lengths[sum.owner], 1u);
    if number < list_parameters.capacity {
        columns[4u * vector_of(list_parameters, sum.owner, number) + number % 4u] = sum.partner;
    } else {
        atomicMax(&column_overflow, number + 1u);
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
#endif

fn load(index: u32) -> Particle {
    return Particle(index);
}
