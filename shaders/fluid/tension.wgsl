// What keeps particles under tension from forming clumps; solvers/tension.rs explains it.
#define_import_path nearwater::tension

#import nearwater::fluid::fluid
#import nearwater::smoothing_kernel::shape

// The share of its tension that a pair at a distance of one spacing loses with solvers that iterate pressures. With 0.4
// to 0.5, arms of a rotating square are torn off at some resolutions.
const LOST: f32 = 0.35;
// The largest share of its tension that a pair loses.
const MOST_LOST: f32 = 0.9;

// The share of its pressure terms, whose sum is `pressure`, that is left to a pair: less of a tension the nearer the
// particles are. `lost` is the share that is lost at a distance of one spacing.
fn share_without_clumping(pressure: f32, q: f32, lost: f32) -> f32 {
    let nearness = shape(q) / shape(fluid.inverse_radius / fluid.inverse_spacing);
    let squared = nearness * nearness;
    return select(1.0, 1.0 - min(lost * squared * squared, MOST_LOST), pressure < 0.0);
}
