// Limits positions and velocities at the walls of the box.
#define_import_path nearwater::integration

#import nearwater::fluid::fluid

// The nearest position in the box. It uses comparisons rather than `clamp`, which may turn NaN into a number and hide
// the error.
fn inside(next: vec3<f32>) -> vec3<f32> {
    let not_below = select(next, fluid.box_low, next < fluid.box_low);
    return select(not_below, fluid.box_high, not_below > fluid.box_high);
}

// The velocity without its component into a wall, for a particle whose next position would be beyond that wall.
fn at_rest_in_walls(velocity: vec3<f32>, next: vec3<f32>) -> vec3<f32> {
    let off_low = select(velocity, max(velocity, vec3<f32>(0.0)), next < fluid.box_low);
    return select(off_low, min(off_low, vec3<f32>(0.0)), next > fluid.box_high);
}
