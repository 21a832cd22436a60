// The passes of foam that are no pair kernels, as described in src/fluid/foam/mod.rs. The arrays `positions` and
// `velocities` contain the particles of the simulation, and after them the diffuse ones.
//
// Entry points, in order of dispatch:
//   begin             one invocation: clears the counts and the sums of the scans
//   gather            one invocation per particle of the simulation: copies it
//   (search's build)
//   reorder           one invocation per particle: brings velocities into the order of the build
//   (surroundings, crests, exclusive scan of `births`)
//   mark_free         one invocation per place: marks places without a particle
//   (exclusive scan of `ranks`)
//   make              one invocation per place: makes the new particles, counts all, and lists them for drawing
// and, in place of all others but `begin`, `mark_free` and `make`:
//   park              one invocation per place: removes its particle

#import nearwater::dispatch
#import nearwater::fluid::{fluid, is_parked}
#import nearwater::foam::{BUBBLE, FOAM, NOTHING, SPRAY, WATER, foam, scrambled, unit_number, waiting_place}
#import nearwater::integration::inside

const GROUP: u32 = 128u;
const TAU: f32 = 6.2831853;

struct Control {
    // Number of the step of foam, from which random numbers follow.
    number: u32,
    spray_count: atomic<u32>,
    foam_count: atomic<u32>,
    bubble_count: atomic<u32>,
}

// Positions and velocities of the simulation: xyz in meters and m/s, and in w of velocities the bits of the original
// index; len = particles of the simulation.
@group(0) @binding(0) var<storage, read> state_positions: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> state_velocities: array<vec4<f32>>;
// Positions before the search's build: xyz in meters, and in w the remaining life of a diffuse particle in seconds;
// len = particle_count.
@group(0) @binding(2) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities before the search's build: xyz in m/s, and the kind; len = particle_count.
@group(0) @binding(3) var<storage, read_write> velocities: array<vec4<f32>>;
// Positions in sorted order, with the bits of the index before the build in w; len = particle_count.
@group(0) @binding(4) var<storage, read> sorted_positions: array<vec4<f32>>;
// As `velocities`, in sorted order; len = particle_count.
@group(0) @binding(5) var<storage, read_write> sorted_velocities: array<vec4<f32>>;
// Number of diffuse particles that each particle of the simulation makes, and after the scan the sum of those before
// it; len = particles of the simulation + 1.
@group(0) @binding(6) var<storage, read_write> births: array<u32>;
// Life in seconds and kind of the diffuse particles that each particle makes; len = particles of the simulation.
@group(0) @binding(7) var<storage, read> parents: array<vec2<f32>>;
// 1 for each free place, and after the scan the number of those before it; len = capacity + 1.
@group(0) @binding(8) var<storage, read_write> ranks: array<u32>;
// Number of the step and counts of particles; len = 1.
@group(0) @binding(9) var<storage, read_write> control: Control;
// The places of the particles that there are; len = capacity.
@group(0) @binding(10) var<storage, read_write> drawn: array<u32>;
// Arguments of an indirect draw: vertices, instances, and two zeros; len = 4.
@group(0) @binding(11) var<storage, read_write> arguments: array<u32>;
#ifdef BOUNDARY
// Weights of the particles of solids as defined in boundaries.wgsl; len = boundary_count.
@group(0) @binding(12) var<storage, read> boundary_weights: array<f32>;
#endif

var<workgroup> shared_counts: array<atomic<u32>, 3>;

@compute @workgroup_size(1)
fn begin() {
    births[foam.particle_count] = 0u;
    ranks[foam.capacity] = 0u;
    atomicStore(&control.spray_count, 0u);
    atomicStore(&control.foam_count, 0u);
    atomicStore(&control.bubble_count, 0u);
}

@compute @workgroup_size(GROUP)
fn gather(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index >= foam.particle_count {
        return;
    }
    if index == 0u {
        control.number += 1u;
    }
    let position = state_positions[index].xyz;
    let velocity = state_velocities[index];
    var kind = select(WATER, NOTHING, is_parked(position));
#ifdef BOUNDARY
    let original = bitcast<u32>(velocity.w);
    if original >= fluid.fluid_count {
        kind = boundary_weights[original - fluid.fluid_count];
    }
#endif
    positions[index] = vec4<f32>(position, 0.0);
    velocities[index] = vec4<f32>(velocity.xyz, kind);
}

@compute @workgroup_size(GROUP)
fn reorder(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < foam.particle_count + foam.capacity {
        sorted_velocities[index] = velocities[bitcast<u32>(sorted_positions[index].w)];
    }
}

@compute @workgroup_size(GROUP)
fn mark_free(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if slot < foam.capacity {
        ranks[slot] = u32(velocities[foam.particle_count + slot].w == NOTHING);
    }
}

// The particle of the simulation that makes the new particle with this number: the last one before which there are at
// most so many.
fn parent_of(number: u32) -> u32 {
    var low = 0u;
    var high = foam.particle_count;
    while low < high {
        let middle = (low + high) / 2u;
        if births[middle] <= number {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low - 1u;
}

// Puts a new particle into a place, at random in the cylinder that its parent has passed since the last step (section
// 3.1 of the paper).
fn fill(slot: u32, number: u32) {
    let parent = parent_of(number);
    let velocity = velocities[parent].xyz;
    let life_and_kind = parents[parent];
    let first = scrambled(number ^ scrambled(control.number));
    let second = scrambled(first);
    let third = scrambled(second);
    let radius = foam.cylinder_radius * sqrt(unit_number(first));
    let angle = TAU * unit_number(second);
    let back = foam.time_step * unit_number(third);
    // Only particles with kinetic energy make others.
    let axis = normalize(velocity);
    let aside = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 1.0, 0.0), abs(axis.x) > 0.7);
    let across = normalize(cross(axis, aside));
    var offset = radius * (cos(angle) * across + sin(angle) * cross(axis, across));
    if foam.is_planar != 0u {
        offset.z = 0.0;
    }
    let index = foam.particle_count + slot;
    // A fast parent that was stopped by a wall was not beyond it before.
    positions[index] = vec4<f32>(inside(positions[parent].xyz + offset - back * velocity), life_and_kind.x);
    velocities[index] = vec4<f32>(velocity + offset, life_and_kind.y);
}

@compute @workgroup_size(GROUP)
fn make(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if local < 3u {
        atomicStore(&shared_counts[local], 0u);
    }
    workgroupBarrier();
    let slot = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    let free = ranks[foam.capacity];
    let wanted = births[foam.particle_count];
    let made = min(free, wanted);
    if slot < foam.capacity {
        let rank = ranks[slot];
        if ranks[slot + 1u] > rank && rank < made {
            // Where there are too few places, every few particles are left out.
            let spread = u32(f32(rank) * (f32(wanted) / f32(free)));
            fill(slot, select(rank, min(spread, wanted - 1u), wanted > free));
        }
        let kind = velocities[foam.particle_count + slot].w;
        if kind != NOTHING {
            // The places before this one, without those that are still free.
            drawn[slot - (max(rank, made) - made)] = slot;
            atomicAdd(&shared_counts[u32(kind) - u32(SPRAY)], 1u);
        }
    }
    workgroupBarrier();
    if local == 0u {
        atomicAdd(&control.spray_count, atomicLoad(&shared_counts[0]));
        atomicAdd(&control.foam_count, atomicLoad(&shared_counts[1]));
        atomicAdd(&control.bubble_count, atomicLoad(&shared_counts[2]));
    }
    if slot == 0u {
        arguments[0] = 3u;
        arguments[1] = foam.capacity - (free - made);
        arguments[2] = 0u;
        arguments[3] = 0u;
    }
}

@compute @workgroup_size(GROUP)
fn park(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if slot < foam.capacity {
        let index = foam.particle_count + slot;
        positions[index] = vec4<f32>(waiting_place(slot), 0.0);
        velocities[index] = vec4<f32>(0.0, 0.0, 0.0, NOTHING);
    }
}
