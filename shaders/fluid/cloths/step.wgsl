// The cloths' springs and their time integration. One invocation per cloth particle.
//
// Entry points:
//   advance   performs a substep from one pair of buffers into another, since neighbors still read the first
//   hand_out  copies the result of the last substep to the buffers that the fluid and the next step read

#import nearwater::dispatch
#import nearwater::cloth::{Cloth, cloth_of, cloth_words, cloths, is_pinned}
#import nearwater::fluid::fluid
#ifdef ADVANCE
#import nearwater::fluid::gravity_at
#import nearwater::integration::inside
#import nearwater::push::push_at
#endif

const GROUP: u32 = 128u;

// Positions, xyz in meters, and velocities, xyz in m/s, before and after the substep, in the cloths' order. len =
// cloths.count.
@group(0) @binding(0) var<storage, read> from_positions: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> from_velocities: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> to_positions: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> to_velocities: array<vec4<f32>>;

#ifdef ADVANCE
// Contact force on each cloth particle, xyz in N, in the cloths' order; len = cloths.count.
@group(0) @binding(4) var<storage, read> contacts: array<vec4<f32>>;
// Force of the fluid on each boundary particle divided by a fluid particle's mass, m/s². In the order of the boundary
// particles; len = boundary_count.
@group(0) @binding(5) var<storage, read> reactions: array<vec4<f32>>;

// Force, N, of the spring to the neighbor at this offset in columns and rows.
fn spring(words: Cloth, number: u32, offset: vec2<i32>, rest: f32, stiffness: f32, damping: f32) -> vec3<f32> {
    let within = number - words.first;
    let place = vec2<i32>(vec2<u32>(within % words.columns, within / words.columns)) + offset;
    if any(place < vec2<i32>(0)) || any(place >= vec2<i32>(vec2<u32>(words.columns, words.rows))) {
        return vec3<f32>(0.0);
    }
    let other = words.first + u32(place.y) * words.columns + u32(place.x);
    let way = from_positions[other].xyz - from_positions[number].xyz;
    let length = max(sqrt(dot(way, way)), 1e-12);
    let direction = way / length;
    let parting = dot(from_velocities[other].xyz - from_velocities[number].xyz, direction);
    return (stiffness * (length - rest) + damping * parting) * direction;
}

fn springs(words: Cloth, number: u32) -> vec3<f32> {
    var force = vec3<f32>(0.0);
    for (var side = -1; side <= 1; side += 2) {
        let along = vec2<i32>(side, 0);
        let across = vec2<i32>(0, side);
        force += spring(words, number, along, words.rest_along, words.stretch, words.damping_stretch);
        force += spring(words, number, across, words.rest_across, words.stretch, words.damping_stretch);
        force += spring(words, number, along + across, words.rest_diagonal, words.shear, words.damping_shear);
        force += spring(words, number, along - across, words.rest_other_diagonal, words.shear, words.damping_shear);
        force += spring(words, number, 2 * along, 2.0 * words.rest_along, words.bend, words.damping_bend);
        force += spring(words, number, 2 * across, 2.0 * words.rest_across, words.bend, words.damping_bend);
    }
    return force;
}

@compute @workgroup_size(GROUP)
fn advance(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if number >= cloths.count {
        return;
    }
    let position = from_positions[number].xyz;
    if is_pinned(number) {
        to_positions[number] = vec4<f32>(position, 1.0);
        to_velocities[number] = vec4<f32>(0.0);
        return;
    }
    let words = cloth_words[cloth_of(number)];
    let before = from_velocities[number].xyz;
    let reaction = cloths.fluid_mass * reactions[cloths.first - fluid.fluid_count + number].xyz;
    let force = springs(words, number) + contacts[number].xyz + reaction;
    let acceleration = force / words.mass + gravity_at(position) + push_at(position, before) - words.drag * before;
    // Symplectic Euler: the position is advanced with the new velocity.
    let velocity = before + cloths.step * acceleration;
    let next = position + cloths.step * velocity;
    // A cloth stays half its thickness away from the walls, and Coulomb friction slows it down as it slides along
    // them.
    let margin = vec3<f32>(0.5 * words.thickness);
    let low = next < fluid.box_low + margin;
    let high = next > fluid.box_high - margin;
    var slower = select(velocity, max(velocity, vec3<f32>(0.0)), low);
    slower = select(slower, min(slower, vec3<f32>(0.0)), high);
    let stopped = abs(velocity - slower);
    let sliding = select(slower, vec3<f32>(0.0), low | high);
    let brake = min(1.0, words.friction * (stopped.x + stopped.y + stopped.z) / max(length(sliding), 1e-12));
    slower -= brake * sliding;
    let off_low = select(next, fluid.box_low + margin, low);
    to_positions[number] = vec4<f32>(inside(select(off_low, fluid.box_high - margin, high)), 1.0);
    to_velocities[number] = vec4<f32>(slower, 0.0);
}
#endif

#ifdef HAND_OUT
// Index of each cloth particle in the sorted order; len = cloths.count.
@group(0) @binding(4) var<storage, read> places: array<u32>;
// Positions of the next step, in sorted order: xyz in meters, 1; len = particle_count.
@group(0) @binding(5) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities of the next step, in sorted order: xyz in m/s, bits of the original index; len = particle_count.
@group(0) @binding(6) var<storage, read_write> velocities: array<vec4<f32>>;

@compute @workgroup_size(GROUP)
fn hand_out(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if number >= cloths.count {
        return;
    }
    let position = vec4<f32>(from_positions[number].xyz, 1.0);
    let velocity = from_velocities[number].xyz;
    positions[places[number]] = position;
    velocities[places[number]] = vec4<f32>(velocity, bitcast<f32>(cloths.first + number));
    to_positions[number] = position;
    to_velocities[number] = vec4<f32>(velocity, 0.0);
}
#endif
