// Brings the velocities into the order that the search has just sorted the positions into. One invocation per
// particle. It reads the old index from the fourth component of the sorted positions, and copies words because one of
// them is not a float. With BOUNDARY it also writes the weight of each particle.

#import nearwater::dispatch
#ifdef BOUNDARY
#import nearwater::fluid::is_parked
#import nearwater::integration::clearance
#endif
#import nearwater::fluid::fluid

const GROUP: u32 = 128u;

// Positions in sorted order, as words; the fourth is the index into `velocities`; len = particle_count.
@group(0) @binding(0) var<storage, read> sorted_positions: array<vec4<u32>>;
// Velocities in the order before the search's build, as words; len = particle_count.
@group(0) @binding(1) var<storage, read> velocities: array<vec4<u32>>;
// Velocities in sorted order, as words; len = particle_count.
@group(0) @binding(2) var<storage, read_write> sorted_velocities: array<vec4<u32>>;

#ifdef BOUNDARY
// Weights of the boundary particles as defined in boundaries.wgsl, in the order of the boundary particles; len =
// boundary_count.
@group(0) @binding(3) var<storage, read> boundary_weights: array<f32>;
// Weights of all particles in sorted order; len = particle_count.
@group(0) @binding(4) var<storage, read_write> weights: array<f32>;
#endif

#ifdef BOUNDARY
// The share of its weight that a particle of a solid has at a place. It has none behind a wall, since its image would
// be in the fluid, and all of it at the distance that fluid keeps from walls. In between the share grows with the
// distance: a particle that came out from behind a wall at once, together with its image, would throw away the fluid
// at the wall.
fn share_before_walls(place: vec3<f32>) -> f32 {
    let distances = min(place - fluid.box_low, fluid.box_high - place) / clearance();
    return clamp(min(distances.x, min(distances.y, distances.z)), 0.0, 1.0);
}
#endif

@compute @workgroup_size(GROUP)
fn reorder(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < fluid.particle_count {
        let velocity = velocities[sorted_positions[index].w];
        sorted_velocities[index] = velocity;
#ifdef BOUNDARY
        weights[index] = 1.0;
        if velocity.w >= fluid.fluid_count {
            let place = bitcast<vec3<f32>>(sorted_positions[index].xyz);
            weights[index] = share_before_walls(place) * boundary_weights[velocity.w - fluid.fluid_count];
        } else if is_parked(bitcast<vec3<f32>>(sorted_positions[index].xyz)) {
            weights[index] = 0.0;
        }
#endif
    }
}
