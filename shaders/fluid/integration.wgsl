// What the walls of the box do to positions and velocities besides pressure: limits, and skin friction.
//
// Fluid is kept at a small distance from the walls. Otherwise a thin film, which resists no compression, would come to
// lie in the wall itself, where particles and their own mirror images coincide: no pressure could lift them off again,
// and what hits a corner in such a film would be pressed into a point.
#define_import_path nearwater::integration

#import nearwater::fluid::fluid

// Least distance of fluid from a wall, spacings; in water at rest the lowest layer is half a spacing above the floor.
const CLEARANCE: f32 = 0.25;

// The same in all directions, m.
fn clearance() -> vec3<f32> {
    return vec3<f32>(CLEARANCE / fluid.inverse_spacing);
}

// The nearest position in the box without its margin. It uses comparisons rather than `clamp`, which may turn NaN into
// a number and hide the error.
fn within(next: vec3<f32>, margin: vec3<f32>) -> vec3<f32> {
    let low = fluid.box_low + margin;
    let high = fluid.box_high - margin;
    let not_below = select(next, low, next < low);
    return select(not_below, high, not_below > high);
}

// The velocity without its component into the margin, for a particle whose next position would be in it.
fn at_rest_within(velocity: vec3<f32>, next: vec3<f32>, margin: vec3<f32>) -> vec3<f32> {
    let off_low = select(velocity, max(velocity, vec3<f32>(0.0)), next < fluid.box_low + margin);
    return select(off_low, min(off_low, vec3<f32>(0.0)), next > fluid.box_high - margin);
}

// The nearest position in the box.
fn inside(next: vec3<f32>) -> vec3<f32> {
    return within(next, vec3<f32>(0.0));
}

// The velocity without its component into a wall, for a particle whose next position would be beyond that wall.
fn at_rest_in_walls(velocity: vec3<f32>, next: vec3<f32>) -> vec3<f32> {
    return at_rest_within(velocity, next, vec3<f32>(0.0));
}

// The nearest position of fluid.
fn off_walls(next: vec3<f32>) -> vec3<f32> {
    return within(next, clearance());
}

// The velocity of a fluid particle without its component into a wall that its next position would be too near to.
fn at_rest_off_walls(velocity: vec3<f32>, next: vec3<f32>) -> vec3<f32> {
    return at_rest_within(velocity, next, clearance());
}

// The velocity after a step of the skin friction of walls, whose stress is half the coefficient times the density times
// the square of the velocity along the wall. It brakes the layer that is nearer to a wall than a spacing; implicit, so
// that it never turns the water round.
fn rubbed(velocity: vec3<f32>, position: vec3<f32>) -> vec3<f32> {
    let low = (position - fluid.box_low) * fluid.inverse_spacing < vec3<f32>(1.0);
    let high = (fluid.box_high - position) * fluid.inverse_spacing < vec3<f32>(1.0);
    // Without friction every division is by 1.
    let rate = 0.5 * fluid.skin_friction * fluid.time_step * fluid.inverse_spacing;
    var left = velocity;
    if low.x || high.x {
        left = vec3<f32>(left.x, left.yz / (1.0 + rate * length(left.yz)));
    }
    if low.y || high.y {
        let braked = left.xz / (1.0 + rate * length(left.xz));
        left = vec3<f32>(braked.x, left.y, braked.y);
    }
    if low.z || high.z {
        left = vec3<f32>(left.xy / (1.0 + rate * length(left.xy)), left.z);
    }
    return left;
}
