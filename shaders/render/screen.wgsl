// The triangle that covers the picture, with the ray of each pixel.
#define_import_path nearwater::render::screen
#import nearwater::render::frame::frame

struct ScreenCorner {
    @builtin(position) clip: vec4<f32>,
    // From the eye to the near plane, m.
    @location(0) ray: vec3<f32>,
}

// Corner `index` of 3, infinitely far away.
fn screen_corner(index: u32) -> ScreenCorner {
    // A single triangle, twice as large as the picture.
    let place = vec2<f32>(select(-1.0, 3.0, index == 1u), select(-1.0, 3.0, index == 2u));
    let near = frame.world_from_clip * vec4<f32>(place, 1.0, 1.0);
    return ScreenCorner(vec4<f32>(place, 0.0, 1.0), near.xyz / near.w - frame.eye);
}
