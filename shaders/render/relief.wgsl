// The large shape of the water, without its beads: the common part of the three relief passes. They work on a coarser
// picture, with texels about half a bead wide, because that shape is smooth; on depths along the viewing direction, in
// m, stored as the bits of a float, zero where there is no water.
#define_import_path nearwater::render::relief
#import nearwater::render::frame::frame

// Bits of a depth where a single drop hides whether there is a surface; no distance is so small.
const HIDDEN_BY_DROP: u32 = 1u;
// Taps on each side of the center.
const TAPS: i32 = 8;
// Standard deviation of the blur in texels: about two particle radii.
const DEVIATION: f32 = 3.7;

// Edge of a texel at the depth `depth`, m.
fn texel_at(depth: f32) -> f32 {
    return f32(frame.relief_scale) * depth / frame.pixels_at_one;
}

// Adds a tap to a sum of (weighted depth, weight). Water much nearer or farther than the slope of the blurred area
// explains belongs to another surface.
fn with_tap(sum: vec2<f32>, tap: i32, middle: f32, depth: f32) -> vec2<f32> {
    const STEEPEST: f32 = 4.5;
    let apart = (depth - middle) / (STEEPEST * DEVIATION * texel_at(middle));
    let near = max(1.0 - apart * apart, 0.0);
    let weight = exp(f32(tap * tap) * (-0.5 / (DEVIATION * DEVIATION))) * near * near;
    return sum + vec2<f32>(weight * depth, weight);
}
