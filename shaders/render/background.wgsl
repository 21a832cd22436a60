// The backdrop, drawn where nothing else was drawn. Draw 3 vertices.
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::shading::{backdrop, dithered}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

@fragment
fn fragment(corner: ScreenCorner) -> @location(0) vec4<f32> {
    return vec4<f32>(dithered(backdrop(normalize(corner.ray)), corner.clip.xy), 1.0);
}
