// How every traversal processes a candidate.
#define_import_path nearwater::visit

#import nearwater::pair as pair
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif
#ifdef RECORD
#import nearwater::recording
#endif

// Whether another pass serves the particle. A traversal that gathers runs twice for a pair kernel that divides the
// particles: for those with additional work, and without that work for all others.
fn is_served_elsewhere(particle: pair::Particle) -> bool {
#ifdef ONLY_SPECIAL
    return !pair::is_special(particle);
#else
#ifdef ONLY_COMMON
    return pair::is_special(particle);
#else
    return false;
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
