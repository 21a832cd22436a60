// Traversals that read a list of all neighbors, which the traversal of a search has written with the pair kernel of
// list_columns.wgsl (src/search/listed.rs).
//
// Entry points, in order of dispatch:
//   clear_lengths   one invocation per particle: no neighbor is listed. It runs only before traversals that add up
//                   parts of sums.
//   (the search's own traversal)
//   bound_chunks    one workgroup per chunk of consecutive particles: their bounding box
//   (list_crowded of list_crowded.wgsl)
//   traverse        one invocation per particle: passes its neighbors to the pair kernel
//
// A crowded particle, which has more neighbors than the list has room for, has them behind the list. If they have no
// room there either, it finds them by itself: it tests the bounding boxes of all chunks, and the particles of those
// within reach. There are bounding boxes from the first crowded particle on.

#import nearwater::dispatch
#import nearwater::listed_layout::{Bounds, CHUNK, ListParameters}
#ifndef TRAVERSAL
#import nearwater::listed_layout::CrowdedParticles
#endif
#ifdef TRAVERSAL
#import nearwater::listed_layout::{NOWHERE, is_within_reach}
#import nearwater::pair as pair
#import nearwater::visit::{is_served_elsewhere, served_by}
#ifdef BOTH_CLASSES
#import nearwater::division::serve_class
#import nearwater::visit::has_special
#endif
#endif
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> list_parameters: ListParameters;
// Positions in sorted order: xyz in meters; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;

#ifndef TRAVERSAL
// Number of neighbors of each particle, in sorted order; len = particle_count.
@group(0) @binding(2) var<storage, read_write> column_lengths: array<u32>;
// The crowded particles; len = 4 + particle_count.
@group(0) @binding(3) var<storage, read_write> crowded_particles: CrowdedParticles;
// Bounding boxes of the chunks; len = chunk_count.
@group(0) @binding(4) var<storage, read_write> chunk_bounds: array<Bounds>;

@compute @workgroup_size(WORKGROUP)
fn clear_lengths(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < list_parameters.particle_count {
        column_lengths[index] = 0u;
    }
}

// Most neighbors of a crowded particle so far.
var<workgroup> most: u32;
var<workgroup> lows: array<vec3<f32>, CHUNK>;
var<workgroup> highs: array<vec3<f32>, CHUNK>;

@compute @workgroup_size(CHUNK)
fn bound_chunks(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let chunk = dispatch::workgroup_index(workgroup_id, workgroup_count);
    if local == 0u {
        most = atomicLoad(&crowded_particles.most);
    }
    if workgroupUniformLoad(&most) == 0u {
        return;
    }
    if local == 0u && chunk == 0u {
        crowded_particles.count = atomicExchange(&crowded_particles.found, 0u);
        atomicStore(&crowded_particles.taken, 0u);
    }
    let index = chunk * CHUNK + local;
    var low = vec3<f32>(3e38);
    var high = vec3<f32>(-3e38);
    if index < list_parameters.particle_count {
        let position = sorted_positions[index].xyz;
        // A coordinate that is not a number is in no box.
        low = select(low, position, position < low);
        high = select(high, position, position > high);
    }
    lows[local] = low;
    highs[local] = high;
    for (var stride = CHUNK / 2u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if local < stride {
            lows[local] = min(lows[local], lows[local + stride]);
            highs[local] = max(highs[local], highs[local + stride]);
        }
    }
    if local == 0u && chunk < list_parameters.chunk_count {
        chunk_bounds[chunk] = Bounds(lows[0], highs[0]);
    }
}
#endif

#ifdef TRAVERSAL
// Number of neighbors of each particle, in sorted order; len = particle_count.
@group(0) @binding(2) var<storage, read> column_lengths: array<u32>;
// The neighbors as indices in the sorted order; len = particle_count * capacity / 4 + crowded_room.
@group(0) @binding(3) var<storage, read> columns: array<vec4<u32>>;
// Bounding boxes of the chunks; len = chunk_count.
@group(0) @binding(4) var<storage, read> chunk_bounds: array<Bounds>;

// The first neighbor of a particle from the index `start` on; past the end if there is none.
fn neighbor_from(start: u32, index: u32, position: vec3<f32>) -> u32 {
    var other = start;
    while other < list_parameters.particle_count {
        if other % CHUNK == 0u && !is_within_reach(list_parameters, position, chunk_bounds[other / CHUNK]) {
            other += CHUNK;
            continue;
        }
        let offset = position - sorted_positions[other].xyz;
        if other != index && dot(offset, offset) <= list_parameters.radius_squared {
            break;
        }
        other += 1u;
    }
    return other;
}

// The next four neighbors of a particle, from the index `start` on, which is moved past them. The last particle stands
// in for those that there are not.
fn four_from(start: ptr<function, u32>, index: u32, position: vec3<f32>) -> vec4<u32> {
    var four = vec4<u32>(0u);
    for (var part = 0u; part < 4u; part++) {
        let other = neighbor_from(*start, index, position);
        four = vec4<u32>(four.yzw, min(other, list_parameters.particle_count - 1u));
        *start = other + 1u;
    }
    return four;
}

fn serve(index: u32, position: vec3<f32>) {
    let particle = pair::load(index);
    var length = column_lengths[index];
    var first = index;
    var stride = list_parameters.particle_count;
    if length > list_parameters.capacity {
        let beginning = columns[index];
        first = beginning.x;
        stride = 1u;
        length = select(beginning.y, length, first == NOWHERE);
    }
#ifdef PAIR_SKIPS
    let visited = select(length, 0u, pair::needs_no_sum(particle));
#else
    let visited = length;
#endif
    var sum = pair::zero();
    // Where the search for the next neighbors begins, if they are not listed.
    var start = 0u;
    var four = vec4<u32>(0u);
    for (var number = 0u; number < visited; number++) {
        if number % 4u == 0u {
            if first == NOWHERE {
                four = four_from(&start, index, position);
            } else {
                four = columns[first + number / 4u * stride];
            }
        }
        let other = four.x;
        four = four.yzwx;
        let offset = position - sorted_positions[other].xyz;
        sum = pair::add(sum, pair::contribution(particle, pair::load(other), offset, dot(offset, offset)));
    }
    pair::finish(index, particle, sum);
}

@compute @workgroup_size(WORKGROUP)
fn traverse(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP;
    let index = served_by(first + local, list_parameters.particle_count);
    if index >= list_parameters.particle_count {
        return;
    }
    let position = sorted_positions[index].xyz;
    if is_served_elsewhere(position) {
        return;
    }
#ifdef BOTH_CLASSES
    // Two calls, so that the compiler leaves out of the second what only special particles need.
    if has_special(first) {
        serve_class(true);
        serve(index, position);
    } else {
        serve_class(false);
        serve(index, position);
    }
#else
    serve(index, position);
#endif
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}
#endif
