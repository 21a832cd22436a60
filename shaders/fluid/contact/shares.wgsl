// What a particle of a solid counts for in the surface beside a particle of fluid, for both passes of the contact:
// stop.wgsl takes means with these weights, and react.wgsl gives the solid what it gets in the same shares.
#define_import_path nearwater::contact

#import nearwater::boundaries::pair_weight
#import nearwater::fluid::fluid
#import nearwater::smoothing_kernel::shape

// The way from one particle of a pair to the other at the beginning of the motion: their offset, and with PREDICTED,
// where the search was built after the motion of the step, without what this relative velocity has changed it by. There
// the fluid has not passed the surface yet, and what moves along it is beside the particles that it was beside.
fn way_between(offset: vec3<f32>, velocity: vec3<f32>) -> vec3<f32> {
#ifdef PREDICTED
    return offset - fluid.time_step * velocity;
#else
    return offset;
#endif
}

// The share of a pair with these weights (boundaries.wgsl).
fn share_of(a: f32, b: f32, way: vec3<f32>) -> f32 {
    return pair_weight(a, b) * shape(length(way) * fluid.inverse_radius);
}
