// The parameters of foam, and the kinds of particles in its arrays; the struct of the same name in
// src/fluid/foam/parameters.rs documents the fields.
#define_import_path nearwater::foam

#import nearwater::parking::parking_place

struct FoamParameters {
    parking_low: vec3<f32>,
    parking_step: f32,
    parking_rows: vec2<u32>,
    particle_count: u32,
    capacity: u32,
    time_step: f32,
    neighbor_scale: f32,
    parked_together: u32,
    is_planar: u32,
    trapped_least: f32,
    trapped_scale: f32,
    crest_least: f32,
    crest_scale: f32,
    kinetic_least: f32,
    kinetic_scale: f32,
    trapped_rate: f32,
    crest_rate: f32,
    shortest_life: f32,
    longest_life: f32,
    buoyancy: f32,
    drag: f32,
    cylinder_radius: f32,
    longest_move: f32,
    solid_margin: f32,
    spare: u32,
}

@group(1) @binding(12) var<uniform> foam: FoamParameters;

// Kinds of particles, in the fourth component of velocities. Particles of solids have minus the weight of
// boundaries.wgsl.
const NOTHING: f32 = 0.0;
const WATER: f32 = 1.0;
const SPRAY: f32 = 2.0;
const FOAM: f32 = 3.0;
const BUBBLE: f32 = 4.0;

// Where a diffuse particle that does not exist waits, m.
fn waiting_place(slot: u32) -> vec3<f32> {
    return parking_place(foam.parking_low, foam.parking_step, foam.parking_rows, slot / foam.parked_together);
}

// A number from 0 to 1, and the next state of the generator: the PCG hash (O'Neill 2014, in the form of Jarzynski and
// Olano, "Hash functions for GPU rendering", 2020).
fn scrambled(state: u32) -> u32 {
    let bits = state * 747796405u + 2891336453u;
    let word = ((bits >> ((bits >> 28u) + 4u)) ^ bits) * 277803737u;
    return (word >> 22u) ^ word;
}

fn unit_number(state: u32) -> f32 {
    return f32(state >> 8u) / 16777216.0;
}
