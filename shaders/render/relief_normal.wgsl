// Third relief pass: the normal of the blurred surface in world space, multiplied by alpha; alpha is 1 inside the
// water, lower at its borders, and 0 for single drops and where there is no water. Draw 3 vertices into the coarse
// picture.
#import nearwater::render::relief::texel_at
#import nearwater::render::screen::{ScreenCorner, screen_corner}

// Bits of a depth, m; 0 where there is no water, and negative where a wall is seen.
@group(0) @binding(5) var depths: texture_2d<u32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

fn depth_at(pixel: vec2<i32>) -> f32 {
    let last = vec2<i32>(textureDimensions(depths)) - 1;
    return bitcast<f32>(textureLoad(depths, clamp(pixel, vec2<i32>(0), last), 0).x);
}

// How much farther the surface is at the next texel, m. Of the differences to both neighbors the smaller one counts
// more, because the larger one may jump to another surface.
fn slope(before: f32, middle: f32, after: f32) -> f32 {
    let least = 0.1 * texel_at(middle);
    let difference = vec2<f32>(after - middle, middle - before);
    let there = vec2<f32>(f32(after > 0.0), f32(before > 0.0));
    let weight = there / (difference * difference + least * least);
    return dot(weight, difference) / max(weight.x + weight.y, 1e-20);
}

// Whether the same surface continues three texels along `step`, 0 or 1: about as near as here, or as a plane with that
// slope, which may be seen at a grazing angle.
fn reaches(pixel: vec2<i32>, middle: f32, step: vec2<i32>, slope: f32) -> f32 {
    let apart = depth_at(pixel + 3 * step) - middle;
    return f32(min(abs(apart), abs(apart - 3.0 * slope)) < 10.0 * texel_at(middle));
}

@fragment
fn fragment(corner: ScreenCorner) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(corner.clip.xy);
    let middle = depth_at(pixel);
    let ray = corner.ray;
    let right = dpdx(ray);
    let down = dpdy(ray);
    if middle <= 0.0 {
        discard;
    }
    let x = vec2<i32>(1, 0);
    let y = vec2<i32>(0, 1);
    let across = slope(depth_at(pixel - x), middle, depth_at(pixel + x));
    let along = slope(depth_at(pixel - y), middle, depth_at(pixel + y));
    let around = reaches(pixel, middle, x, across) + reaches(pixel, middle, -x, -across)
        + reaches(pixel, middle, y, along) + reaches(pixel, middle, -y, -along);
    let belongs = smoothstep(0.5, 3.0, around);
    return vec4<f32>(normalize(cross(middle * down + along * ray, middle * right + across * ray)), 1.0) * belongs;
}
