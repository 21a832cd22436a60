// Third relief pass: the normal of the blurred surface, world space, with 1 in alpha; all 0 without water. Draw 3
// vertices into the coarse picture.
#import nearwater::render::frame::frame
#import nearwater::render::screen::{ScreenCorner, screen_corner}

// Bits of a depth, m; 0 without water.
@group(0) @binding(5) var depths: texture_2d<u32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

fn depth_at(pixel: vec2<i32>) -> f32 {
    let last = vec2<i32>(textureDimensions(depths)) - 1;
    return bitcast<f32>(textureLoad(depths, clamp(pixel, vec2<i32>(0), last), 0).x);
}

// The step along the surface to the next texel, from the eye's ray `ray` and the rays' difference `aside` between
// texels: between both neighbors, unless only one of them belongs to the same surface.
fn along_surface(before: f32, middle: f32, after: f32, ray: vec3<f32>, aside: vec3<f32>) -> vec3<f32> {
    let limit = 2.0 * frame.particle_radius;
    let forward = select(0.0, 1.0, abs(after - middle) < limit);
    let backward = select(0.0, 1.0, abs(before - middle) < limit);
    let slope = (forward * (after - middle) + backward * (middle - before)) / max(forward + backward, 1.0);
    return middle * aside + slope * ray;
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
    let along_x = along_surface(depth_at(pixel - vec2<i32>(1, 0)), middle, depth_at(pixel + vec2<i32>(1, 0)), ray, right);
    let along_y = along_surface(depth_at(pixel - vec2<i32>(0, 1)), middle, depth_at(pixel + vec2<i32>(0, 1)), ray, down);
    return vec4<f32>(normalize(cross(along_y, along_x)), 1.0);
}
