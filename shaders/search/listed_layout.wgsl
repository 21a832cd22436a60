// The list of neighbors that listed.wgsl reads and list_columns.wgsl writes.
//
// The numbers of four neighbors of a particle are one vector, and the vectors of all particles with the same number
// follow each other, so that the lanes of a subgroup read and write adjacent vectors.
#define_import_path nearwater::listed_layout

// Mirrored by `search::listed::ListParameters`.
struct ListParameters {
    particle_count: u32,
    // Number of chunks of consecutive particles.
    chunk_count: u32,
    // Neighbors of a particle that the list has room for; a multiple of 4.
    capacity: u32,
    // Squared support radius, m².
    radius_squared: f32,
}

// The vector that contains the neighbor of a particle with this number.
fn vector_of(parameters: ListParameters, particle: u32, number: u32) -> u32 {
    return number / 4u * parameters.particle_count + particle;
}
