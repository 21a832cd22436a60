// Whether the eye is in the water. No picture from the eye tells where the water begins then: spheres around the eye
// would be seen from within or cut off, as lumps of any size.
#define_import_path nearwater::render::eye_in_water
#import nearwater::render::frame::frame
#import nearwater::render::names::seen_at
#import nearwater::render::sunlit::lit_towards
#import nearwater::render::water_surface::{ahead_of, center_of}

// In water something is seen this near in all directions, in radii of a particle.
const NEAR: f32 = 8.0;
// Number of pixels in each row and column that are looked at, and how many of all may show something else, as where a
// solid is in the water.
const ROWS: i32 = 4;
const OTHERS: i32 = 3;

// The sun sees water above an eye that is in the water, but also above one under a jet in the air; and only from within
// the water, or from right above it, water is near in the whole picture.
fn is_eye_in_water() -> bool {
    let eye = frame.eye;
    let lit = lit_towards(eye);
    let is_in_tank = all(eye > frame.box_low) && all(eye < frame.box_high);
    let is_below = lit.is_water && lit.position.y - frame.particle_radius > eye.y;
    // Loops end early on devices that execute both sides of every branch.
    let taps = select(0, ROWS * ROWS, is_in_tank && is_below);
    var near = 0;
    for (var tap = 0; tap < taps; tap += 1) {
        let place = vec2<f32>(vec2<i32>(tap % ROWS, tap / ROWS)) + 0.5;
        let name = seen_at(vec2<i32>(place / f32(ROWS) * frame.size));
        near += i32(name != 0u && ahead_of(center_of(name)) < NEAR * frame.particle_radius);
    }
    return taps > 0 && near >= taps - OTHERS;
}
