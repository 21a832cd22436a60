// What every gathering traversal does with a candidate.
#define_import_path nearwater::visit

#import nearwater::pair as pair

// The sum of `particle` with what the candidate at place `other` gives it, if it is a neighbor.
fn visit(
    sum: pair::Sum,
    particle: pair::Particle,
    other: u32,
    is_another: bool,
    offset: vec3<f32>,
    radius_squared: f32,
) -> pair::Sum {
    let distance_squared = dot(offset, offset);
#ifdef PAIR_VANISHES
    // The kernel gives nothing from the radius on: no branch is cheaper than a skipped sum, and the particle itself
    // is moved there.
    let counted = select(radius_squared, distance_squared, is_another);
    return pair::add(sum, pair::contribution(particle, pair::load(other), offset, counted));
#else
    if distance_squared <= radius_squared && is_another {
        return pair::add(sum, pair::contribution(particle, pair::load(other), offset, distance_squared));
    }
    return sum;
#endif
}
