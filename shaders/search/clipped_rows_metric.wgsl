// The particles that an invocation of `clipped_rows_plain` owns, for any pair kernel that vanishes at the radius:
// offsets are in meters, and a particle is not a candidate of its own group.
#define_import_path nearwater::clipped_rows_metric

#import nearwater::clipped_rows_group::{Group, grid_parameters, member, sorted_positions}
#import nearwater::pair as pair

struct Owned {
    position: vec3<f32>,
    particle: pair::Particle,
    sum: pair::Sum,
}

// The particle with the number `number` in its group. The sum of one that stands in is not used.
fn owned(group: Group, number: u32) -> Owned {
    let index = member(group, number);
    return Owned(sorted_positions[index].xyz, pair::load(index), pair::zero());
}

fn with_candidate(one: Owned, position: vec3<f32>, candidate: pair::Particle) -> pair::Sum {
    let offset = one.position - position;
    return pair::add(one.sum, pair::contribution(one.particle, candidate, offset, dot(offset, offset)));
}

// Adds the contributions of two owned particles to each other, which are evaluated once; none unless `counts`.
fn add_pair(one: ptr<function, Owned>, other: ptr<function, Owned>, counts: bool) {
    let offset = (*one).position - (*other).position;
    let distance_squared = select(grid_parameters.radius_squared, dot(offset, offset), counts);
    let given = pair::contribution((*one).particle, (*other).particle, offset, distance_squared);
    (*one).sum = pair::add((*one).sum, given);
    (*other).sum = pair::add((*other).sum, pair::mirror(given));
}

fn complete_sum(one: Owned) -> pair::Sum {
    return one.sum;
}
