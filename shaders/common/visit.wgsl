// How every traversal processes a candidate.
#define_import_path nearwater::visit

#import nearwater::pair as pair
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif
#ifdef RECORD
#import nearwater::recording
#endif

#ifdef ONLY_SPECIAL
// The number of special particles, and then their indices in the sorted order; len = particle_count + 1.
@group(1) @binding(12) var<storage, read> special_particles: array<u32>;
#endif

// A traversal that gathers runs twice for a pair kernel that divides the particles (gpu/shader.rs). With ONLY_COMMON
// every invocation serves its own particle and skips the special ones; with ONLY_SPECIAL the first invocations serve
// these.

// The particle that an invocation serves, or `particle_count` if it has none.
fn served_by(invocation: u32, particle_count: u32) -> u32 {
#ifdef ONLY_SPECIAL
    if invocation >= special_particles[0] {
        return particle_count;
    }
    return special_particles[1u + invocation];
#else
    return min(invocation, particle_count);
#endif
}

// Whether the other pass serves the particle at this position.
fn is_served_elsewhere(position: vec3<f32>) -> bool {
#ifdef ONLY_COMMON
    return pair::is_special(position);
#else
    return false;
#endif
}

// Whether this pass serves the particle at this position, in a traversal whose workgroups serve all particles of a
// region, and which needs no list of the special ones.
fn is_served_here(position: vec3<f32>) -> bool {
#ifdef ONLY_COMMON
    return !pair::is_special(position);
#else
#ifdef ONLY_SPECIAL
    return pair::is_special(position);
#else
    return true;
#endif
#endif
}

// `sum` plus the contribution of the candidate at index `other` to `particle`, if it is a neighbor.
fn visit(
    sum: pair::Sum,
    particle: pair::Particle,
    other: u32,
    is_another: bool,
    offset: vec3<f32>,
    radius_squared: f32,
) -> pair::Sum {
    let distance_squared = dot(offset, offset);
#ifdef COUNT_PAIRS
    counting::tested(is_another, distance_squared <= radius_squared);
#endif
#ifdef RECORD
    recording::tested(other, is_another, distance_squared, radius_squared);
#endif
#ifdef PAIR_VANISHES
    // The kernel is zero from the radius on. Adding zeros without a branch is cheaper than skipping them, and the
    // particle itself is treated as if it were at the radius.
    let counted = select(radius_squared, distance_squared, is_another);
    return pair::add(sum, pair::contribution(particle, pair::load(other), offset, counted));
#else
    if distance_squared <= radius_squared && is_another {
        return pair::add(sum, pair::contribution(particle, pair::load(other), offset, distance_squared));
    }
    return sum;
#endif
}

#ifdef DEPOSITS
// The same for a pair that is evaluated once: what the particle gives the candidate is deposited on it.
fn visit_once(
    sum: pair::Sum,
    particle: pair::Particle,
    other: u32,
    offset: vec3<f32>,
    radius_squared: f32,
) -> pair::Sum {
    let distance_squared = dot(offset, offset);
#ifdef COUNT_PAIRS
    counting::tested_both_ways(other, distance_squared <= radius_squared);
#endif
#ifdef RECORD
    recording::tested_both_ways(other, distance_squared, radius_squared);
#endif
    if distance_squared <= radius_squared {
        let given = pair::contribution(particle, pair::load(other), offset, distance_squared);
        pair::deposit(other, pair::mirror(given));
        return pair::add(sum, given);
    }
    return sum;
}
#endif
