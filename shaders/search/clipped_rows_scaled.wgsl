// The particles that an invocation of `clipped_rows_plain` owns, for pair kernels that are powers of 1 - d²/r² and can
// be evaluated in scaled coordinates (`PairKernel::scales`). The owned positions are scaled once, and the fused
// multiply-add that subtracts a candidate's position scales it as well, so that the scale costs no instruction. It is a
// power of two, so that the offsets are as exact as in meters.
#define_import_path nearwater::clipped_rows_scaled

#import nearwater::clipped_rows_group::{Group, member, sorted_positions}
#import nearwater::pair as pair

struct Owned {
    // Position in units in which the radius is less than 1.
    scaled: vec3<f32>,
    particle: pair::Particle,
    // Sum over the candidates and the particle itself.
    sum: pair::Sum,
}

// The particle with the number `number` in its group. The sum of one that stands in is not used.
fn owned(group: Group, number: u32) -> Owned {
    let index = member(group, number);
    return Owned(pair::scale() * sorted_positions[index].xyz, pair::load(index), pair::zero());
}

fn with_candidate(one: Owned, position: vec3<f32>, candidate: pair::Particle) -> pair::Sum {
    let offset = fma(-position, vec3<f32>(pair::scale()), one.scaled);
    return pair::add(one.sum, pair::scaled_contribution(one.particle, candidate, offset));
}

fn complete_sum(one: Owned) -> pair::Sum {
    return pair::without_itself(one.particle, one.sum);
}
