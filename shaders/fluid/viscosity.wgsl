// Viscosity of a pair of particles: the artificial viscosity of Monaghan 1992 (equations 3.3 and 4.1 with beta = 0),
// which acts between particles that approach each other, and a physical viscosity of the same form (Monaghan 2005,
// section 4), which also acts between those that part. Both act along the offset, and so they keep angular momentum.
#define_import_path nearwater::viscosity

#import nearwater::fluid::fluid
#import nearwater::smoothing_kernel::slope_over_q
#import nearwater::viscous_factors::Stage

#ifdef BOUNDARY
// The shares of the artificial and of the physical viscosity that act in a pair: both whole between particles of the
// fluid, and between fluid and a particle of a solid as far as the material sticks to solids. There the physical one is
// stronger near the particle, which stands for the whole solid (solids/friction.rs).
fn viscous_shares(is_at_solid: bool, distance_squared: f32) -> vec2<f32> {
    let nearness = max(1.0 - sqrt(distance_squared) * fluid.inverse_radius, 0.0);
    let held = fluid.held_far + fluid.held_near * nearness * nearness;
    return select(vec2<f32>(1.0), vec2<f32>(fluid.no_slip, held), is_at_solid);
}
#endif

// Smallest squared distance by which the physical viscosity is divided, as a share of fluid.viscosity_floor: so small
// that it only keeps coincident particles from dividing zero by zero.
const LEAST: f32 = 1e-4;

// The acceleration of a particle by a neighbor in a stage over the offset between them, 1/s²; for a pair of fluid and
// solid with the shares above.
fn staged_push(stage: Stage, is_at_solid: bool, parting: f32, distance_squared: f32, densities: f32) -> f32 {
    var strengths = vec2<f32>(stage.approach_viscosity, stage.viscosity);
#ifdef BOUNDARY
    strengths *= viscous_shares(is_at_solid, distance_squared);
#endif
    return viscous_push(strengths.x, strengths.y, parting, distance_squared, densities);
}

// The acceleration of a particle by a neighbor over the offset between them, 1/s².
//   approach          strength of the artificial viscosity, as fluid.approach_viscosity
//   physical          strength of the physical viscosity, as fluid.viscosity; viscous_weight.rs gives the weight and
//                     its reason
//   parting           product of offset and relative velocity, m²/s
//   distance_squared  m²
//   densities         sum of both densities, kg/m³
fn viscous_push(approach: f32, physical: f32, parting: f32, distance_squared: f32, densities: f32) -> f32 {
    let q = sqrt(distance_squared) * fluid.inverse_radius;
    let braked = approach * fluid.gradient_scale * slope_over_q(q) * min(parting, 0.0)
        / (distance_squared + fluid.viscosity_floor);
    let w = max(1.0 - q, 0.0);
    let held = physical * w * sqrt(w) * parting / max(distance_squared, LEAST * fluid.viscosity_floor);
    return (braked - held) / densities;
}
