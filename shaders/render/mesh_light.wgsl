// The water's shadow, color and caustics on the meshes of the scene that it stands in. Their renderer has lit them as
// if there were no water. Each pixel is multiplied by
//
//     (R + K T) / (R + K),    K = key light · cosine of its angle · fraction that other meshes let through,
//
// where T is the fraction of the key light that arrives through the water, and R all other light. That is exact for
// matte meshes, whose color cancels; normals follow from the depths of adjacent pixels. Draw 3 vertices. With
// MULTISAMPLED a pixel has four samples, each of which is shaded.
#import nearwater::render::environment::received_from_all_sides
#import nearwater::render::frame::{frame, is_clear, light_map_place}
#import nearwater::render::light::light_reaching
#import nearwater::render::scene_light::{lamps_matte, scene_sun}
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::sunlit::sunlight_at

// Depths of the scene without water, reversed: 0 is infinitely far away.
#ifdef MULTISAMPLED
@group(1) @binding(0) var picture_depth: texture_depth_multisampled_2d;
#else
@group(1) @binding(0) var picture_depth: texture_depth_2d;
#endif

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

// The vector from a point to that of an adjacent pixel. Of the two adjacent pixels along an axis, the one whose depth
// is closer belongs to the same surface. `ray_step` is the difference of their rays.
fn along(pixel: vec2<i32>, sample: i32, axis: vec2<i32>, ray: vec3<f32>, ray_step: vec3<f32>, depth: f32) -> vec3<f32> {
    let before = textureLoad(picture_depth, pixel - axis, sample);
    let after = textureLoad(picture_depth, pixel + axis, sample);
    let forward = abs(after - depth) < abs(before - depth);
    let side = select(-1.0, 1.0, forward);
    // Beside the picture, and where there is nothing, depths are 0 and tell nothing.
    let found = select(before, after, forward);
    let other = select(depth, found, found > 0.0);
    return side * ((ray + side * ray_step) / other - ray / depth);
}

@fragment
fn fragment(
    corner: ScreenCorner,
#ifdef MULTISAMPLED
    @builtin(sample_index) sample_index: u32,
#endif
) -> @location(0) vec4<f32> {
#ifdef MULTISAMPLED
    let sample = i32(sample_index);
#else
    // The only level of the texture.
    let sample = 0;
#endif
    let right = dpdx(corner.ray);
    let down = dpdy(corner.ray);
    let pixel = vec2<i32>(corner.clip.xy);
    let depth = textureLoad(picture_depth, pixel, sample);
    if depth <= 0.0 {
        discard;
    }
    let position = frame.eye + corner.ray / depth;
    let place = light_map_place(position);
    if any(place < vec2<f32>(0.0)) || any(place > vec2<f32>(1.0)) {
        discard;
    }
    var passed = vec3<f32>(1.0);
    if is_clear() {
        passed = sunlight_at(position);
    } else {
        passed = vec3<f32>(light_reaching(position));
    }
    if all(passed == vec3<f32>(1.0)) {
        discard;
    }
    let across = along(pixel, sample, vec2<i32>(1, 0), corner.ray, right, depth);
    let downwards = along(pixel, sample, vec2<i32>(0, 1), corner.ray, down, depth);
    let facing = normalize(cross(downwards, across));
    let normal = select(facing, -facing, dot(facing, corner.ray) > 0.0);
    let cosine = dot(normal, frame.light);
    // Also where the normal is not a number.
    if !(cosine > 0.0) {
        discard;
    }
    let key = frame.key_light * cosine * scene_sun(position, 3);
    let rest = received_from_all_sides(normal) + lamps_matte(position, normal);
    let share = key / max(key + rest, vec3<f32>(1e-9));
    let factor = vec3<f32>(1.0) + share * (passed - 1.0);
    // A picture of bytes takes no color above 1, so what caustics add comes from alpha, which multiplies all colors.
    let brightest = max(factor.r, max(factor.g, factor.b));
    let darkest = min(factor.r, min(factor.g, factor.b));
    let added = clamp(brightest - 1.0, 0.0, min(darkest, 1.0));
    return vec4<f32>(factor - added, added);
}
