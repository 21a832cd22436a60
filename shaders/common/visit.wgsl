// How every traversal processes a candidate.
#define_import_path nearwater::visit

#import nearwater::pair as pair
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif
#ifdef RECORD
#import nearwater::recording
#endif

// A traversal that gathers runs twice for a pair kernel that divides the particles (gpu/pair_kernel.rs): for the common
// particles with ONLY_COMMON, and for the special ones with ONLY_SPECIAL; or once for both with BOTH_CLASSES, with the
// special ones first, since they take longer. With DIVIDED, the particles of the pass are listed; without it, every
// invocation has a particle of its own, and skips it if the other pass serves it. The common particles of a graphics
// card are not listed where they have a pass of their own: they are most of its particles, and reading their numbers
// costs more than the few idle lanes.

#ifdef DIVIDED
// The number of special particles, that of common ones, the indices of the special ones in the sorted order, and those
// of the common ones; len = particle_count + 2.
@group(1) @binding(12) var<storage, read> divided_particles: array<u32>;

#ifdef SPREAD
// Invocations of a bundle.
const BUNDLE: u32 = 32u;
#endif

// The place in a list of `count` particles that an invocation serves; `count` or more if it serves none.
fn place_in_list(invocation: u32, count: u32, particle_count: u32) -> u32 {
#ifdef SPREAD
    // llvmpipe gives each of its threads an equal part of the workgroups, one after the other. The invocations that
    // serve are therefore spread evenly over all, in bundles.
    let bundles = (particle_count + BUNDLE - 1u) / BUNDLE;
    let serving = (count + BUNDLE - 1u) / BUNDLE;
    let bundle = invocation / BUNDLE;
    let before = bundle * serving / bundles;
    let is_serving = (bundle + 1u) * serving / bundles > before;
    return select(count, before * BUNDLE + invocation % BUNDLE, is_serving);
#else
    return invocation;
#endif
}
#endif

#ifdef BOTH_CLASSES
// Whether special particles are among those that the invocations from `first` on serve.
fn has_special(first: u32) -> bool {
    return first < divided_particles[0];
}
#endif

// The particle that an invocation serves, or `particle_count` if it has none.
fn served_by(invocation: u32, particle_count: u32) -> u32 {
#ifdef DIVIDED
#ifdef ONLY_SPECIAL
    let count = divided_particles[0];
    let first = 2u;
#else
#ifdef ONLY_COMMON
    let count = divided_particles[1];
    let first = 2u + divided_particles[0];
#else
    // The common ones follow the special ones.
    let count = particle_count;
    let first = 2u;
#endif
#endif
    let place = place_in_list(invocation, count, particle_count);
    if place >= count {
        return particle_count;
    }
    return divided_particles[first + place];
#else
    return min(invocation, particle_count);
#endif
}

// Whether the other pass serves the particle at this position, which `served_by` gave.
fn is_served_elsewhere(position: vec3<f32>) -> bool {
#ifdef ONLY_COMMON
#ifndef DIVIDED
    return pair::is_special(position);
#endif
#endif
    return false;
}

// Whether this pass serves the particle at this position, in a traversal whose workgroups serve all particles of a
// region, and which needs no lists.
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
