// Keeps fluid out of solids, whose surface is a single layer of particles. Pressure alone lets some of it through: where a
// cloth with fluid on both sides is stretched; where the kernel is wide, because near the layer its slope is small; and
// where densities diffuse, because a particle then loses what it gains in density as it comes too near. A fluid particle
// nearer to a solid's particle than REACH spacings, which hardly occurs in fluid at rest, is therefore repelled. The force
// on the solid is opposite.
#define_import_path nearwater::core

#import nearwater::boundaries::{is_mixed, pair_weight}
#import nearwater::fluid::fluid

// The middle of four particles is 0.71 spacings from each of them. In WCSPH's accurate mode, the barrier there has 0.3 times
// the energy of the water's depth with a reach of 0.75, and a cube that is 8 spacings wide still fills; with 0.85 it has 3
// times that energy.
const REACH: f32 = 0.85;
const STRENGTH: f32 = 0.3;

// The repulsion of a pair with these weights over its offset, 1/m: from zero at the reach to STRENGTH where the particles
// coincide. The caller multiplies it by the unit of its accelerations or displacements.
fn repulsion(a: f32, b: f32, distance_squared: f32) -> f32 {
    let nearness = 1.0 - sqrt(distance_squared) * fluid.inverse_spacing / REACH;
    let over_distance = inverseSqrt(max(distance_squared, 1e-24));
    let whole = STRENGTH * pair_weight(a, b) * nearness * over_distance;
    return select(0.0, whole, nearness > 0.0 && is_mixed(a, b));
}
