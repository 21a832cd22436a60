// The backdrop, where nothing else was drawn. Draw 3 vertices.
#import nearwater::render::frame::frame
#import nearwater::render::shading::{backdrop, dithered}

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // From the eye to the near plane, m.
    @location(0) direction: vec3<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32) -> Corner {
    // One triangle twice the picture's size.
    let place = vec2<f32>(select(-1.0, 3.0, vertex_index == 1u), select(-1.0, 3.0, vertex_index == 2u));
    let near = frame.world_from_clip * vec4<f32>(place, 1.0, 1.0);
    return Corner(vec4<f32>(place, 0.0, 1.0), near.xyz / near.w - frame.eye);
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    return vec4<f32>(dithered(backdrop(normalize(corner.direction)), corner.clip.xy), 1.0);
}
