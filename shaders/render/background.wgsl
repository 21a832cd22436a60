// The backdrop, drawn where nothing else was drawn; behind the water (BEHIND) without noise. Draw 3 vertices.
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#ifdef BEHIND
#import nearwater::render::shading::backdrop
#else
#import nearwater::render::shading::{backdrop, dithered}
#endif

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

@fragment
fn fragment(corner: ScreenCorner) -> @location(0) vec4<f32> {
#ifdef BEHIND
    return vec4<f32>(backdrop(normalize(corner.ray)), 1.0);
#else
    return vec4<f32>(dithered(backdrop(normalize(corner.ray)), corner.clip.xy), 1.0);
#endif
}
