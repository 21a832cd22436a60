// Lists the neighbors of crowded particles, which have more than the list has room for (src/search/listed.rs). Few
// particles are crowded, and one invocation would be slow: so a workgroup finds the neighbors of one particle after the
// other, by the bounding boxes of all chunks and the particles of those within reach, in the order of their indices.
//
// Entry point: list_crowded, a fixed number of workgroups.

#import nearwater::dispatch
#import nearwater::listed_layout::{Bounds, CHUNK, CrowdedParticles, ListParameters, NOWHERE, is_within_reach}
#import nearwater::workgroup_scan::{
    Invocation, Place, WORKGROUP_SIZE, before_rows, order, place_of, total_of_rows, workgroup_exclusive_scan
}
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif

@group(0) @binding(0) var<uniform> list_parameters: ListParameters;
// Positions in sorted order: xyz in meters; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Number of neighbors of each particle, in sorted order; len = particle_count.
@group(0) @binding(2) var<storage, read> column_lengths: array<u32>;
// The parts of the vectors of the list; len = particle_count * capacity + 4 * crowded_room.
@group(0) @binding(3) var<storage, read_write> columns: array<u32>;
// Bounding boxes of the chunks; len = chunk_count.
@group(0) @binding(4) var<storage, read> chunk_bounds: array<Bounds>;
// The crowded particles; len = 4 + particle_count.
@group(0) @binding(5) var<storage, read_write> crowded_particles: CrowdedParticles;

// Number of crowded particles.
var<workgroup> crowded_count: u32;
// The first vector of the particle that is served.
var<workgroup> first_vector: u32;
// Chunks within its reach, of those that are tested at once.
var<workgroup> near_chunks: array<u32, WORKGROUP_SIZE>;
var<workgroup> near_count: u32;

// Reserves vectors for the neighbors of a particle. Returns the first one, or NOWHERE if there is no room.
fn reserve(vector_count: u32) -> u32 {
    // Without this test, the number of vectors could exceed the largest integer.
    if atomicLoad(&crowded_particles.taken) > list_parameters.crowded_room {
        return NOWHERE;
    }
    let start = atomicAdd(&crowded_particles.taken, vector_count);
    let end_of_list = list_parameters.particle_count * (list_parameters.capacity / 4u);
    let fits = vector_count <= list_parameters.crowded_room && start <= list_parameters.crowded_room - vector_count;
    return select(NOWHERE, end_of_list + start, fits);
}

// Writes the chunks within reach of `position`, of one chunk per invocation from `first_chunk` on, to near_chunks.
fn find_near_chunks(place: Place, position: vec3<f32>, first_chunk: u32) {
    let chunk = first_chunk + order(place);
    var is_near = false;
    if chunk < list_parameters.chunk_count {
        is_near = is_within_reach(list_parameters, position, chunk_bounds[chunk]);
    }
    let scanned = workgroup_exclusive_scan(place, vec4<u32>(u32(is_near), vec3<u32>(0u)));
    if is_near {
        near_chunks[scanned.before.x] = chunk;
    }
    if order(place) == 0u {
        near_count = scanned.total.x;
    }
}

// Whether a particle is a neighbor of the one at `position` with the index `served`.
fn is_neighbor(served: u32, position: vec3<f32>, other: u32) -> bool {
    if other >= list_parameters.particle_count || other == served {
        return false;
    }
    let offset = position - sorted_positions[other].xyz;
    return dot(offset, offset) <= list_parameters.radius_squared;
}

fn serve(place: Place, particle: u32) {
    let position = sorted_positions[particle].xyz;
    let length = column_lengths[particle];
    if order(place) == 0u {
        first_vector = reserve((length + 3u) / 4u);
        columns[4u * particle] = first_vector;
    }
    let first = workgroupUniformLoad(&first_vector);
    if first == NOWHERE {
        return;
    }
    var listed = 0u;
    for (var chunk = 0u; chunk < list_parameters.chunk_count; chunk += WORKGROUP_SIZE) {
        find_near_chunks(place, position, chunk);
        // A row has one particle for each invocation.
        let rows = (workgroupUniformLoad(&near_count) * CHUNK + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
        for (var row = 0u; row < rows; row += 4u) {
            var others = vec4<u32>(0u);
            var are_near = vec4<u32>(0u);
            for (var part = 0u; part < 4u; part++) {
                let slot = (row + part) * WORKGROUP_SIZE + order(place);
                let near_chunk = slot / CHUNK;
                if near_chunk < near_count {
                    others[part] = near_chunks[near_chunk] * CHUNK + slot % CHUNK;
                    are_near[part] = u32(is_neighbor(particle, position, others[part]));
                }
            }
            let scanned = workgroup_exclusive_scan(place, are_near);
            let numbers = before_rows(scanned, listed);
            for (var part = 0u; part < 4u; part++) {
                // Rounding may find another neighbor at the radius than the traversal has, for which there is no room.
                if are_near[part] == 1u && numbers[part] < length {
                    columns[4u * first + numbers[part]] = others[part];
                }
            }
            listed += total_of_rows(scanned);
        }
        // near_chunks is written again only when all have read it.
        workgroupBarrier();
    }
    if order(place) == 0u {
        columns[4u * particle + 1u] = min(listed, length);
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn list_crowded(invocation: Invocation) {
    let place = place_of(invocation);
    if order(place) == 0u {
        crowded_count = crowded_particles.count;
    }
    let count = workgroupUniformLoad(&crowded_count);
    let workgroups = invocation.workgroup_count.x * invocation.workgroup_count.y;
    let first = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    for (var number = first; number < count; number += workgroups) {
        serve(place, crowded_particles.particles[number]);
    }
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}
