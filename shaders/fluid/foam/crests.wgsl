// Pair kernel: the curvature of the surface where it is convex, and from it, from the trapped air and from the kinetic
// energy the number of diffuse particles that each particle of the water makes (Ihmsen et al. 2012, section 3.1).
#define_import_path nearwater::foam::crests

#import nearwater::fluid::fluid
#import nearwater::foam::{WATER, foam, scrambled, unit_number}
#ifdef DEPOSITS
#import nearwater::deposits
#endif

struct Particle {
    // Normal of the surface; zero for a particle that is not at it.
    normal_x: f32,
    normal_y: f32,
    normal_z: f32,
    // Sum of approaching speeds, m/s.
    trapped: f32,
}

// The convex curvature of both particles of a pair, of which only `own` is used: whether the surface is convex depends
// on the normal of the one or of the other.
struct Sum {
    own: f32,
    other: f32,
}

// Positions in sorted order: xyz in meters, and in w the bits of the index before the build; len = particle_count.
@group(1) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
// Velocities in sorted order: xyz in m/s, and the kind; len = particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
// Normal of the surface and sum of approaching speeds in m/s, in sorted order; len = particle_count.
@group(1) @binding(3) var<storage, read> surfaces: array<vec4<f32>>;
// Life in seconds and kind of the diffuse particles that a particle makes; len = particles of the simulation.
@group(1) @binding(6) var<storage, read_write> parents: array<vec2<f32>>;
// Number of diffuse particles that each particle makes; len = particles of the simulation + 1.
@group(1) @binding(8) var<storage, read_write> births: array<u32>;
// Number of the step of foam, and counts; len = 4.
@group(1) @binding(9) var<storage, read> control: array<u32, 4>;
// Velocities of the simulation, with the bits of the original index in w; len = particles of the simulation.
@group(1) @binding(10) var<storage, read> state_velocities: array<vec4<f32>>;

// Cosine of the angle to the normal up to which a wave moves towards its crest.
const ALONG_NORMAL: f32 = 0.6;

fn load(index: u32) -> Particle {
    let surface = surfaces[index];
    return Particle(surface.x, surface.y, surface.z, surface.w);
}

fn normal_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.normal_x, particle.normal_y, particle.normal_z);
}

fn zero() -> Sum {
    return Sum(0.0, 0.0);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    let normal_a = normal_of(a);
    let normal_b = normal_of(b);
    let are_both = dot(normal_a, normal_a) > 0.0 && dot(normal_b, normal_b) > 0.0;
    let weight = 1.0 - sqrt(distance_squared) * fluid.inverse_radius;
    let bent = select(0.0, weight * (1.0 - dot(normal_a, normal_b)), are_both);
    // Convex where the neighbor lies below the plane of the surface.
    return Sum(select(0.0, bent, dot(offset, normal_a) > 0.0), select(0.0, bent, dot(offset, normal_b) < 0.0));
}

fn mirror(contribution: Sum) -> Sum {
    return Sum(contribution.other, contribution.own);
}

fn add(a: Sum, b: Sum) -> Sum {
    return Sum(a.own + b.own, a.other + b.other);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    let input = bitcast<u32>(sorted_positions[index].w);
    if input >= foam.particle_count {
        return;
    }
    births[input] = 0u;
    let velocity = sorted_velocities[index];
    if velocity.w != WATER {
        return;
    }
    let speed = length(velocity.xyz);
    let kinetic = saturate((0.5 * speed * speed - foam.kinetic_least) * foam.kinetic_scale);
    let trapped = saturate((particle.trapped - foam.trapped_least) * foam.trapped_scale);
    let forward = dot(velocity.xyz, normal_of(particle)) >= ALONG_NORMAL * speed;
    let curvature = select(0.0, foam.neighbor_scale * sum.own, forward);
    let crest = saturate((curvature - foam.crest_least) * foam.crest_scale);
    let number = kinetic * (foam.trapped_rate * trapped + foam.crest_rate * crest) * foam.time_step;
    // Comparisons with NaN are false, so that a particle that is not finite makes none.
    if number > 0.0 {
        let original = bitcast<u32>(state_velocities[input].w);
        let chance = unit_number(scrambled(original ^ scrambled(control[0])));
        births[input] = u32(min(number, 65535.0) + chance);
        parents[input].x = mix(foam.shortest_life, foam.longest_life, saturate(kinetic * max(trapped, crest)));
    }
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit(index, sum.own);
}

fn withdraw(index: u32) -> Sum {
    return Sum(deposits::withdraw(index), 0.0);
}
#endif
