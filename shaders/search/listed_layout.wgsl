// The list of neighbors that list_columns.wgsl and list_crowded.wgsl write, and listed.wgsl reads.
//
// The numbers of four neighbors of a particle are one vector, and the vectors of all particles with the same number
// follow each other, so that the lanes of a subgroup read and write adjacent vectors. A crowded particle, which has
// more neighbors than the list has room for, has vectors of its own behind those of all particles, one after the other.
// Its first vector of the list then says where they begin and how many neighbors they contain.
#define_import_path nearwater::listed_layout

// Particles of a chunk.
const CHUNK: u32 = 256u;
// In place of a vector's index: there was no room for the neighbors of a crowded particle.
const NOWHERE: u32 = 0xffffffffu;

// Mirrored by `search::listed::ListParameters`.
struct ListParameters {
    particle_count: u32,
    // Number of chunks of consecutive particles.
    chunk_count: u32,
    // Neighbors of a particle that the list has room for; a multiple of 4.
    capacity: u32,
    // Vectors for the neighbors of crowded particles.
    crowded_room: u32,
    // Squared support radius, m².
    radius_squared: f32,
}

// The bounding box of a chunk, m.
struct Bounds {
    low: vec3<f32>,
    high: vec3<f32>,
}

// The crowded particles.
struct CrowdedParticles {
    // Most neighbors of a particle in any step so far, if there were more than the list has room for; otherwise 0.
    most: atomic<u32>,
    // Number of crowded particles that the traversal has found. bound_chunks moves it to `count`.
    found: atomic<u32>,
    // Number of crowded particles.
    count: u32,
    // Vectors that their neighbors need.
    taken: atomic<u32>,
    // Their indices in the sorted order; len = particle_count.
    particles: array<u32>,
}

// The vector that contains the neighbor of a particle with this number.
fn vector_of(parameters: ListParameters, particle: u32, number: u32) -> u32 {
    return number / 4u * parameters.particle_count + particle;
}

// Whether a neighbor of a particle at `position` can be in these bounds. The margin is more than rounding can amount
// to.
fn is_within_reach(parameters: ListParameters, position: vec3<f32>, bounds: Bounds) -> bool {
    let gap = max(max(bounds.low - position, position - bounds.high), vec3<f32>(0.0));
    return dot(gap, gap) <= parameters.radius_squared * 1.0001;
}
