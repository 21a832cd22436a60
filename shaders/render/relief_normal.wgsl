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

// The step along the surface to the next texel, from the eye's ray `ray` and the difference `aside` of the rays of
// adjacent texels. Of the differences to both neighbors the smaller one counts more, because the larger one may jump to
// another surface.
fn along_surface(before: f32, middle: f32, after: f32, ray: vec3<f32>, aside: vec3<f32>) -> vec3<f32> {
    let least = 0.1 * texel_at(middle);
    let difference = vec2<f32>(after - middle, middle - before);
    let there = vec2<f32>(f32(after > 0.0), f32(before > 0.0));
    let weight = there / (difference * difference + least * least);
    let slope = dot(weight, difference) / max(weight.x + weight.y, 1e-20);
    return middle * aside + slope * ray;
}

// Whether the same surface continues to the texel at `offset`, 0 or 1.
fn reaches(pixel: vec2<i32>, middle: f32, offset: vec2<i32>) -> f32 {
    return f32(abs(depth_at(pixel + offset) - middle) < 10.0 * texel_at(middle));
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
    let along_x = along_surface(depth_at(pixel - x), middle, depth_at(pixel + x), ray, right);
    let along_y = along_surface(depth_at(pixel - y), middle, depth_at(pixel + y), ray, down);
    let around = reaches(pixel, middle, 3 * x) + reaches(pixel, middle, -3 * x)
        + reaches(pixel, middle, 3 * y) + reaches(pixel, middle, -3 * y);
    let belongs = smoothstep(0.5, 3.0, around);
    return vec4<f32>(normalize(cross(along_y, along_x)), 1.0) * belongs;
}
