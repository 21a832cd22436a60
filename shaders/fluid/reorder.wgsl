// Brings the velocities into the order that the search has just sorted the positions into. One invocation a particle.
// Reads the old index from the sorted positions' fourth component; copies words, as one of them is no float. Where there
// are particles that are not the fluid's, tells what each is worth.

#import nearwater::dispatch
#ifdef BOUNDARY
#import nearwater::fluid::is_parked
#endif
#ifdef CONTINUITY
#import nearwater::walls::walls_at
#endif
#import nearwater::fluid::fluid

const GROUP: u32 = 128u;

// The fourth word is the index into `velocities`; len = particle_count.
@group(0) @binding(0) var<storage, read> sorted_positions: array<vec4<u32>>;
// In the order before the search's build; len = particle_count.
@group(0) @binding(1) var<storage, read> velocities: array<vec4<u32>>;
// In the order after it; len = particle_count.
@group(0) @binding(2) var<storage, read_write> sorted_velocities: array<vec4<u32>>;

#ifdef BOUNDARY
// As boundaries.wgsl says, in the order of the boundary; len = boundary_count.
@group(0) @binding(3) var<storage, read> boundary_weights: array<f32>;
// As boundaries.wgsl says, in sorted order; len = particle_count.
@group(0) @binding(4) var<storage, read_write> weights: array<f32>;
#endif

#ifdef CONTINUITY
// As `Continuity` says, in the order before the build; len = particle_count.
@group(0) @binding(5) var<storage, read> carried: array<vec2<f32>>;
// In the order after it, with the walls' factor at the places there; len = particle_count.
@group(0) @binding(6) var<storage, read_write> sorted_carried: array<vec2<f32>>;
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
#ifdef CONTINUITY
        let kept = carried[sorted_positions[index].w].x;
        let factor = walls_at(bitcast<vec3<f32>>(sorted_positions[index].xyz)).factor;
        sorted_carried[index] = vec2<f32>(kept, kept * factor);
#endif
#ifdef BOUNDARY
        weights[index] = 1.0;
        if velocity.w >= fluid.fluid_count {
            weights[index] = boundary_weights[velocity.w - fluid.fluid_count];
        } else if is_parked(bitcast<vec3<f32>>(sorted_positions[index].xyz)) {
            weights[index] = 0.0;
        }
#endif
    }
}
