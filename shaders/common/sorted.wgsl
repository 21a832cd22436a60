// The sorted positions that the two-level searches (FENNS, CLAWS) traverse.
#define_import_path nearwater::sorted

// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
