// Emitters and drains, as described in flow.rs.
//
// Entry points, in order of dispatch:
//   advance_emitters   one invocation: counts the layers of each emitter that are due
//   mark_parked        one invocation per particle: marks parked particles with 1
//   (exclusive scan)   turns the marks into the number of parked particles before each, and behind the last particle
//                      into their number
//   emit_and_drain     one invocation per particle: emits as many parked particles as are due, parks those in drains,
//                      and keeps those in nozzles at their speed

#import nearwater::dispatch
#import nearwater::fluid::{fluid, is_parked}

const GROUP: u32 = 128u;
// The golden ratio less 1, times 2^32.
const GOLDEN: u32 = 2654435769u;
// A full turn, radians.
const TURN: f32 = 6.2831853;

struct FlowParameters {
    spacing: f32,
    emitter_count: u32,
    drain_count: u32,
    first_parked: u32,
}

struct Emitter {
    direction: vec3<f32>,
    speed: f32,
    first_place: u32,
    place_count: u32,
    gone: f32,
    layers: u32,
}

@group(0) @binding(0) var<uniform> flow: FlowParameters;
// State of each emitter; len = emitter_count.
@group(0) @binding(1) var<storage, read_write> emitters: array<Emitter>;
// Marks of parked particles, after the scan their numbers, and at the end how many there are; len = particle_count + 1.
@group(0) @binding(2) var<storage, read_write> ranks: array<u32>;
// xyz in meters: for one emitter after the other the places of a layer, and behind them the middle of the disc with its
// radius in w, and the way along which layers are moved, with 1 in w if they are turned about the middle; len = sum of
// all place counts + 2 * emitter_count.
@group(0) @binding(3) var<storage, read> places: array<vec4<f32>>;
// Lowest and highest corner of each drain, meters; len = 2 * drain_count.
@group(0) @binding(4) var<storage, read> drains: array<vec4<f32>>;
// xyz in meters: the parking place of each particle, starting with the original index `first_parked`; len = fluid
// particles - first_parked.
@group(0) @binding(5) var<storage, read> parking: array<vec4<f32>>;
// Positions before the search's build: xyz in meters; len = particle_count.
@group(0) @binding(6) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities before the search's build: xyz in m/s, bits of the original index; len = particle_count.
@group(0) @binding(7) var<storage, read_write> velocities: array<vec4<f32>>;
// Number of places to fill in this step, of an emitter and those before it; len = emitter_count.
@group(0) @binding(8) var<storage, read_write> due: array<u32>;

@compute @workgroup_size(1)
fn advance_emitters() {
    var sum = 0u;
    for (var number = 0u; number < flow.emitter_count; number++) {
        let gone = emitters[number].gone + fluid.time_step * emitters[number].speed;
        // A long step may emit several layers. The remaining distance is how far the last of them has already moved.
        let layers = floor(gone / flow.spacing);
        emitters[number].gone = gone - layers * flow.spacing;
        emitters[number].layers += u32(layers);
        sum += u32(layers) * emitters[number].place_count;
        due[number] = sum;
    }
}

@compute @workgroup_size(GROUP)
fn mark_parked(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index < fluid.particle_count {
        let is_fluid = bitcast<u32>(velocities[index].w) < fluid.fluid_count;
        ranks[index] = u32(is_fluid && is_parked(positions[index].xyz));
    }
}

// Initial position and velocity of an emitted particle, and whether the reservoir holds all particles of its layer.
struct Emission {
    position: vec3<f32>,
    velocity: vec3<f32>,
    is_whole: bool,
}

// The place of a layer with this number where that layer has it, m: its turns, or its moves, are multiples of the
// golden ratio, which repeat the least. Only their fractions count, which a product modulo 2^32 is exactly.
fn place_in_layer(emitter: Emitter, number: u32, layer: u32) -> vec3<f32> {
    let disc = places[emitter.first_place + emitter.place_count].xyz;
    let change = places[emitter.first_place + emitter.place_count + 1u];
    let fraction = f32((layer * GOLDEN) >> 8u) / 16777216.0;
    let angle = change.w * TURN * fraction;
    let away = places[emitter.first_place + number].xyz - disc;
    let turned = cos(angle) * away + sin(angle) * cross(emitter.direction, away);
    return disc + turned + (fraction - 0.5) * change.xyz;
}

// The emission at the place with this number among all places that are due. A layer for which the reservoir holds too
// few particles is left out, since a part of a layer would make a jet with a ragged side; but a reservoir that can
// never hold a whole layer sends what it has.
fn emission(number: u32) -> Emission {
    var before = 0u;
    var emitter = 0u;
    while due[emitter] <= number {
        before = due[emitter];
        emitter++;
    }
    let found = emitters[emitter];
    let layer = (number - before) / found.place_count;
    let place = place_in_layer(found, (number - before) % found.place_count, found.layers - layer);
    let gone = found.gone + f32(layer) * flow.spacing;
    let is_whole = before + (layer + 1u) * found.place_count <= ranks[fluid.particle_count]
        || found.place_count > fluid.fluid_count - flow.first_parked;
    return Emission(place + gone * found.direction, found.speed * found.direction, is_whole);
}

// The velocity of water in the nozzle of an emitter, m/s, or what it had if it is in none. A nozzle begins one spacing
// behind the disc, since pressure pushes the last layer back, and ends one support radius in front of it.
fn velocity_in_nozzle(position: vec3<f32>, before: vec3<f32>) -> vec3<f32> {
    let spacing = flow.spacing;
    for (var number = 0u; number < flow.emitter_count; number++) {
        let emitter = emitters[number];
        let disc = places[emitter.first_place + emitter.place_count];
        let away = position - disc.xyz;
        let along = dot(away, emitter.direction);
        let is_within = along > -spacing && along * fluid.inverse_radius < 1.0;
        if emitter.speed > 0.0 && is_within && length(away - along * emitter.direction) < disc.w + 0.5 * spacing {
            return emitter.speed * emitter.direction;
        }
    }
    return before;
}

fn is_in_drain(position: vec3<f32>) -> bool {
    for (var drain = 0u; drain < flow.drain_count; drain++) {
        if all(position >= drains[2u * drain].xyz) && all(position <= drains[2u * drain + 1u].xyz) {
            return true;
        }
    }
    return false;
}

@compute @workgroup_size(GROUP)
fn emit_and_drain(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * GROUP + local;
    if index >= fluid.particle_count {
        return;
    }
    let word = velocities[index].w;
    let original = bitcast<u32>(word);
    let position = positions[index].xyz;
    if original >= fluid.fluid_count {
        return;
    }
    if is_parked(position) {
        var all_due = 0u;
        if flow.emitter_count > 0u {
            all_due = due[flow.emitter_count - 1u];
        }
        if all_due > 0u {
            let number = ranks[index];
            if number < all_due {
                let emission = emission(number);
                // A place behind a wall that was moved inward emits nothing. The margin is for layers that have
                // already moved a little.
                let margin = vec3<f32>(1.0 / fluid.inverse_spacing);
                let low = fluid.box_low - margin;
                let high = fluid.box_high + margin;
                if emission.is_whole && all(emission.position >= low) && all(emission.position <= high) {
                    positions[index] = vec4<f32>(emission.position, 1.0);
                    velocities[index] = vec4<f32>(emission.velocity, word);
                }
            }
        }
    } else if is_in_drain(position) {
        positions[index] = vec4<f32>(parking[original - flow.first_parked].xyz, 1.0);
        velocities[index] = vec4<f32>(0.0, 0.0, 0.0, word);
    } else {
        velocities[index] = vec4<f32>(velocity_in_nozzle(position, velocities[index].xyz), word);
    }
}
