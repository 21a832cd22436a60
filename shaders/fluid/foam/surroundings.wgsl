// Pair kernel: what water and solids are around each particle. A diffuse particle moves with it. For a particle of the
// water it is the normal of the surface, and the speeds at which neighbors approach it, by which air is trapped.
// Diffuse particles contribute nothing to any other.
#define_import_path nearwater::foam::surroundings

#import nearwater::fluid::fluid
#import nearwater::foam::{NOTHING, SPRAY, WATER, foam, waiting_place}
#import nearwater::foam::motion::{Around, Diffuse, kind_of, moved, scaled_neighbors}
#import nearwater::smoothing_kernel::shape
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
    // As in parameters.wgsl.
    kind: f32,
}

// The sums of one particle of a pair.
struct Side {
    // Of a diffuse particle: the neighbors' velocities, weighted by the smoothing kernel, m/s. Of the water: the
    // gradient of the neighbors' number, which points out of the water, without unit.
    vector: vec3<f32>,
    // Of a diffuse particle: the weights. Of the water: the approaching speeds, m/s.
    scalar: f32,
    // Number of neighbors of the water.
    count: f32,
#ifdef BOUNDARY
    // Of a diffuse particle: the weighted offsets from particles of solids, m, and their weights.
    from_solid: vec3<f32>,
    solid: f32,
#endif
}

// Because the two particles of a pair may be of different kinds, the contribution of one to the other does not follow
// from that of the other to it. Both are computed, and only `own` is used.
struct Sum {
    own: Side,
    other: Side,
}

// Positions in sorted order: xyz in meters, and in w the bits of the index before the build; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s, and the kind; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Of particles of the water: normal of the surface, or zero inside the water, and the sum of approaching speeds in
// m/s. In sorted order; len = particle_count.
@group(1) @binding(3) var<storage, read_write> surfaces: array<vec4<f32>>;
// Positions before the build, of which those of diffuse particles are advanced: xyz in meters, and the remaining life
// in seconds; len = particle_count.
@group(1) @binding(4) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities before the build, of which those of diffuse particles are advanced: xyz in m/s, and the kind; len =
// particle_count.
@group(1) @binding(5) var<storage, read_write> velocities: array<vec4<f32>>;
// Life in seconds and kind of the diffuse particles that a particle makes, here the kind; len = particles of the
// simulation.
@group(1) @binding(6) var<storage, read_write> parents: array<vec2<f32>>;

// Length of a gradient, for the paper's number of neighbors, above which a particle is at the surface. A flat surface
// has 1.25: the integral of q (1 - q) cos θ over half a support.
const LEAST_GRADIENT: f32 = 0.4;

fn load(index: u32) -> Particle {
    let velocity = sorted_velocities[index];
    return Particle(velocity.x, velocity.y, velocity.z, velocity.w);
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

fn nothing() -> Side {
    var side: Side;
    return side;
}

fn zero() -> Sum {
    return Sum(nothing(), nothing());
}

// What b, at a distance of q support radii, contributes to a.
fn side_of(a: Particle, b: Particle, offset: vec3<f32>, q: f32) -> Side {
    var side = nothing();
    let weight = 1.0 - q;
    if a.kind == WATER && b.kind != NOTHING && b.kind < SPRAY {
        // A solid fills its side, so that water beside it has no surface there.
        side.vector = abs(b.kind) * weight * fluid.inverse_radius * offset;
        if b.kind == WATER {
            let velocity = velocity_of(a) - velocity_of(b);
            let parting = dot(velocity, offset) / max(length(offset), 1e-12);
            side.scalar = weight * max(length(velocity) - parting, 0.0);
            side.count = 1.0;
        }
    } else if a.kind >= SPRAY && b.kind == WATER {
        side.scalar = shape(q);
        side.vector = side.scalar * velocity_of(b);
        side.count = 1.0;
    }
#ifdef BOUNDARY
    if a.kind >= SPRAY && b.kind < NOTHING {
        side.from_solid = weight * offset;
        side.solid = weight;
    }
#endif
    return side;
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    return Sum(side_of(a, b, offset, q), side_of(b, a, -offset, q));
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(contribution.other, contribution.own);
}

fn add_sides(a: Side, b: Side) -> Side {
    var sum = a;
    sum.vector += b.vector;
    sum.scalar += b.scalar;
    sum.count += b.count;
#ifdef BOUNDARY
    sum.from_solid += b.from_solid;
    sum.solid += b.solid;
#endif
    return sum;
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(add_sides(a.own, b.own), add_sides(a.other, b.other));
}

// The unit normal of the surface; zero inside the water. Beyond a wall there is no air, so the missing neighbors there
// give no normal.
fn normal_of(gradient: vec3<f32>, position: vec3<f32>) -> vec3<f32> {
    let reach = 1.0 / fluid.inverse_radius;
    let off_low = select(gradient, max(gradient, vec3<f32>(0.0)), position - fluid.box_low < vec3<f32>(reach));
    let off_walls = select(off_low, min(off_low, vec3<f32>(0.0)), fluid.box_high - position < vec3<f32>(reach));
    let size = length(off_walls);
    if !(foam.neighbor_scale * size > LEAST_GRADIENT) {
        return vec3<f32>(0.0);
    }
    return off_walls / size;
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let sorted = sorted_positions[index];
    let input = bitcast<u32>(sorted.w);
    let neighbors = scaled_neighbors(sum.own.count, sorted.xyz);
    if particle.kind == WATER {
        let trapped = foam.neighbor_scale * sum.own.scalar;
        surfaces[index] = vec4<f32>(normal_of(sum.own.vector, sorted.xyz), trapped);
        parents[input] = vec2<f32>(0.0, kind_of(neighbors));
        return;
    }
    surfaces[index] = vec4<f32>(0.0);
    if particle.kind < SPRAY {
        return;
    }
    let before = Diffuse(sorted.xyz, positions[input].w, velocity_of(particle), particle.kind);
    var around = Around(neighbors, before.velocity, vec3<f32>(0.0));
    if sum.own.scalar > 1e-9 {
        around.velocity = sum.own.vector / sum.own.scalar;
    }
#ifdef BOUNDARY
    if sum.own.solid > 1e-9 {
        around.from_solid = sum.own.from_solid / sum.own.solid;
    }
#endif
    let after = moved(before, around);
    if after.kind == NOTHING {
        positions[input] = vec4<f32>(waiting_place(input - foam.particle_count), 0.0);
        velocities[input] = vec4<f32>(0.0, 0.0, 0.0, NOTHING);
    } else {
        positions[input] = vec4<f32>(after.position, after.life);
        velocities[input] = vec4<f32>(after.velocity, after.kind);
    }
}

#ifdef DEPOSITS
// Number of floats of a sum.
#ifdef BOUNDARY
const WIDTH: u32 = 9u;
#else
const WIDTH: u32 = 5u;
#endif

fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(WIDTH * index, sum.own.vector);
    deposits::deposit(WIDTH * index + 3u, sum.own.scalar);
    deposits::deposit(WIDTH * index + 4u, sum.own.count);
#ifdef BOUNDARY
    deposits::deposit_vector(WIDTH * index + 5u, sum.own.from_solid);
    deposits::deposit(WIDTH * index + 8u, sum.own.solid);
#endif
}

fn withdraw(index: u32) -> Sum {
    var sum = zero();
    sum.own.vector = deposits::withdraw_vector(WIDTH * index);
    sum.own.scalar = deposits::withdraw(WIDTH * index + 3u);
    sum.own.count = deposits::withdraw(WIDTH * index + 4u);
#ifdef BOUNDARY
    sum.own.from_solid = deposits::withdraw_vector(WIDTH * index + 5u);
    sum.own.solid = deposits::withdraw(WIDTH * index + 8u);
#endif
    return sum;
}
#endif
