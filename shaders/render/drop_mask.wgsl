// Depths of the drops and lumps in front of the surface of clear water, where the picture shows them: the pass that
// shades them runs nowhere else, also on devices that execute both sides of every branch. Draw 3 vertices.
#import nearwater::render::frame::frame
#import nearwater::render::names::sample_at
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::water_surface::{ball_at, smooth_at}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

@fragment
fn fragment(corner: ScreenCorner) -> @builtin(frag_depth) f32 {
    let name = sample_at(vec2<i32>(corner.clip.xy), 0);
    if name == 0u {
        discard;
    }
    let ball = ball_at(name, corner.ray);
    if !smooth_at(ball, corner.clip.xy).is_hidden {
        discard;
    }
    return frame.near / ball.ahead;
}
