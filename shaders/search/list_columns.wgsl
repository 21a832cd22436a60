// Pair kernel: writes the neighbors of every particle to the list that listed.wgsl reads, and their numbers. Neighbors
// that the list has no room for are counted only, and their particle is noted as crowded.
//
// Every traversal adds the contributions to a particle one by one to a sum that begins empty. The sum counts them and
// holds the last ones until they are four, which are then written together. With ADDS_ONE_BY_ONE, a particle has one
// sum, whose count tells where they belong, and four of them are a vector of the list. A traversal that deposits has
// several sums for a particle, which reserve places in its part of the list.
#define_import_path nearwater::list_columns

#import nearwater::listed_layout::{CrowdedParticles, ListParameters, vector_of}

struct Particle {
    index: u32,
}

// A number of neighbors of `owner`, which has no meaning while there are none; `latest` ends with the last one. A
// contribution has a count of one.
struct Sum {
    owner: u32,
    count: u32,
    latest: vec4<u32>,
}

@group(1) @binding(0) var<uniform> list_parameters: ListParameters;
// The crowded particles; len = 4 + particle_count.
@group(1) @binding(3) var<storage, read_write> crowded_particles: CrowdedParticles;

fn load(index: u32) -> Particle {
    return Particle(index);
}

fn zero() -> Sum {
    return Sum(0u, 0u, vec4<u32>(0u));
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    return Sum(a.index, 1u, vec4<u32>(b.index));
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(contribution.latest.w, 1u, vec4<u32>(contribution.owner));
}

// Notes a particle that has more neighbors than the list has room for. Called once for each.
fn note_crowded(index: u32) {
    crowded_particles.particles[atomicAdd(&crowded_particles.found, 1u)] = index;
}

#ifdef ADDS_ONE_BY_ONE
// Number of neighbors of each particle, in sorted order; len = particle_count.
@group(1) @binding(1) var<storage, read_write> column_lengths: array<u32>;
// The neighbors as indices in the sorted order; len = particle_count * capacity / 4 + crowded_room.
@group(1) @binding(2) var<storage, read_write> columns: array<vec4<u32>>;

fn add(sum: Sum, given: Sum) -> Sum {
    let latest = vec4<u32>(sum.latest.yzw, given.latest.w);
    if sum.count % 4u == 3u && sum.count < list_parameters.capacity {
        columns[vector_of(list_parameters, given.owner, sum.count)] = latest;
    }
    return Sum(given.owner, sum.count + 1u, latest);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    column_lengths[index] = sum.count;
    if sum.count > list_parameters.capacity {
        atomicMax(&crowded_particles.most, sum.count);
        note_crowded(index);
    }
    let left = sum.count % 4u;
    if left != 0u && sum.count < list_parameters.capacity {
        // The latest neighbor stands in for those that there are not, so that every entry is a particle.
        let last = sum.latest.w;
        let first = select(select(sum.latest.y, sum.latest.z, left == 2u), last, left == 1u);
        let second = select(last, sum.latest.z, left == 3u);
        columns[vector_of(list_parameters, index, sum.count)] = vec4<u32>(first, second, last, last);
    }
}
#else
// Number of neighbors of each particle, in sorted order, zeroed before the traversal; len = particle_count.
@group(1) @binding(1) var<storage, read_write> column_lengths: array<atomic<u32>>;
// The neighbors as indices in the sorted order, four to a vector of listed.wgsl; len = capacity * particle_count
// + 4 * crowded_room.
@group(1) @binding(2) var<storage, read_write> columns: array<u32>;

fn write(owner: u32, number: u32, neighbor: u32) {
    if number < list_parameters.capacity {
        columns[4u * vector_of(list_parameters, owner, number) + number % 4u] = neighbor;
    }
}

// Reserves places for the last `count` neighbors of a sum, one to four, and writes them there.
fn write_down(sum: Sum, count: u32) {
    let end = atomicAdd(&column_lengths[sum.owner], count) + count;
    if count > 3u {
        write(sum.owner, end - 4u, sum.latest.x);
    }
    if count > 2u {
        write(sum.owner, end - 3u, sum.latest.y);
    }
    if count > 1u {
        write(sum.owner, end - 2u, sum.latest.z);
    }
    write(sum.owner, end - 1u, sum.latest.w);
    if end > list_parameters.capacity {
        atomicMax(&crowded_particles.most, end);
        if end - count <= list_parameters.capacity {
            note_crowded(sum.owner);
        }
    }
}

fn add(sum: Sum, given: Sum) -> Sum {
    let more = Sum(given.owner, sum.count + 1u, vec4<u32>(sum.latest.yzw, given.latest.w));
    if more.count % 4u == 0u {
        write_down(more, 4u);
    }
    return more;
}

fn deposit(index: u32, sum: Sum) {
    let left = sum.count % 4u;
    if left != 0u {
        write_down(sum, left);
    }
}

// The deposited neighbors are in the list already.
fn withdraw(index: u32) -> Sum {
    return zero();
}

fn finish(index: u32, particle: Particle, sum: Sum) {}
#endif
