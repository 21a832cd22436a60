// Pair kernel of the cloths: contact forces between cloth particles that no springs connect, and between cloth
// particles and particles of solids. A contact is a spring and a damper that never pull, with Coulomb friction;
// cloths/mod.rs gives the strengths.
#define_import_path nearwater::cloth_contacts

#import nearwater::boundaries::{react_more, weights}
#import nearwater::cloth::{PINNED, cloth_of, cloth_numbers, cloth_words, cloths}
#import nearwater::fluid::fluid
#ifdef DEPOSITS
#import nearwater::deposits
#endif

// Kind of particles without contacts: those of the fluid, parked ones, and those of solids outside the box.
const NOTHING: u32 = 0xffffffffu;
// Kind of particles of solids other than cloths.
const SOLID: u32 = 0xfffffffeu;

struct Particle {
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
    // Number of the cloth, or one of the above.
    kind: u32,
    // Place in the cloth's grid: row * 2^16 + column.
    place: u32,
}

struct Sum {
    // N.
    force: vec3<f32>,
}

// Velocities after the fluid's step: xyz in m/s, bits of the original index; in sorted order. len = particle_count.
@group(1) @binding(4) var<storage, read> velocities: array<vec4<f32>>;
// Contact force on each cloth particle: xyz in N; in the cloths' order. len = cloths.count.
@group(1) @binding(5) var<storage, read_write> contacts: array<vec4<f32>>;
// Index of each cloth particle in the sorted order; len = cloths.count.
@group(1) @binding(6) var<storage, read_write> places: array<u32>;

fn load(index: u32) -> Particle {
    let velocity = velocities[index];
    let original = bitcast<u32>(velocity.w);
    var kind = NOTHING;
    var place = 0u;
    if original >= cloths.first {
        kind = cloth_of(original - cloths.first);
        let words = cloth_words[kind];
        let number = original - cloths.first - words.first;
        place = ((number / words.columns) << 16u) | (number % words.columns);
    } else if original >= fluid.fluid_count && weights[index] < 0.0 {
        kind = SOLID;
    }
    return Particle(velocity.x, velocity.y, velocity.z, kind, place);
}

fn zero() -> Sum {
    return Sum(vec3<f32>(0.0));
}

fn apart(a: u32, b: u32) -> u32 {
    return max(a, b) - min(a, b);
}

// Every term either has the same value for (a, b) and (b, a), or changes its sign with the offset and the velocity.
fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let is_cloth = vec2<bool>(a.kind < SOLID, b.kind < SOLID);
    if !any(is_cloth) || a.kind == NOTHING || b.kind == NOTHING {
        return zero();
    }
    var reach: f32;
    var mass: f32;
    var friction: f32;
    if all(is_cloth) {
        // Particles that springs connect may be nearer than a thickness.
        let rows_apart = apart(a.place >> 16u, b.place >> 16u);
        let columns_apart = apart(a.place & 0xffffu, b.place & 0xffffu);
        if a.kind == b.kind && rows_apart <= 2u && columns_apart <= 2u {
            return zero();
        }
        reach = 0.5 * (cloth_words[a.kind].thickness + cloth_words[b.kind].thickness);
        let masses = vec2<f32>(cloth_words[a.kind].mass, cloth_words[b.kind].mass);
        mass = masses.x * masses.y / (masses.x + masses.y);
        friction = min(cloth_words[a.kind].friction, cloth_words[b.kind].friction);
    } else {
        let cloth = min(a.kind, b.kind);
        reach = max(cloths.solid_distance, 0.5 * (cloths.solid_distance + cloth_words[cloth].thickness));
        mass = cloth_words[cloth].mass;
        friction = cloth_words[cloth].friction;
    }
    let distance = sqrt(distance_squared);
    if distance >= reach {
        return zero();
    }
    // Two coincident particles exert no force on each other.
    let normal = offset / max(distance, 1e-12);
    let velocity = vec3<f32>(a.velocity_x - b.velocity_x, a.velocity_y - b.velocity_y, a.velocity_z - b.velocity_z);
    let parting = dot(velocity, normal);
    let push = mass * max(cloths.contact_stiffness * (reach - distance) - cloths.contact_damping * parting, 0.0);
    let sliding = velocity - parting * normal;
    let speed = length(sliding);
    let brake = min(friction * push, mass * cloths.contact_damping * speed);
    return Sum(push * normal - brake / max(speed, 1e-12) * sliding);
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(-contribution.force);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.force + b.force);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let word = velocities[index].w;
    if particle.kind == SOLID {
        react_more(weights[index], word, sum.force / cloths.fluid_mass);
    } else if particle.kind != NOTHING {
        let number = bitcast<u32>(word) - cloths.first;
        contacts[number] = vec4<f32>(sum.force, 0.0);
        places[number] = index;
    }
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    for (var axis = 0u; axis < 3u; axis++) {
        deposits::deposit(3u * index + axis, sum.force[axis]);
    }
}

fn withdraw(index: u32) -> Sum {
    var sum = zero();
    for (var axis = 0u; axis < 3u; axis++) {
        sum.force[axis] = deposits::withdraw(3u * index + axis);
    }
    return sum;
}
#endif
