// The faces of boxes. Draw 6 vertices per instance, 6 instances per box; blended, in one pass where the faces are
// visible and one where something hides them.
#import nearwater::render::boxes::boxes
#import nearwater::render::frame::frame
#import nearwater::render::lines

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // Color where the face is visible, and its opacity where something hides it.
    @location(0) @interpolate(flat) color: vec4<f32>,
    @location(1) @interpolate(flat) hidden: f32,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) instance: u32) -> Corner {
    let number = instance / 6u;
    let face = instance % 6u;
    let color = boxes[number].face;
    if color.a == 0.0 {
        return Corner(lines::no_corner().clip, vec4<f32>(0.0), 0.0);
    }
    let place = lines::face_corner(face, vertex_index, boxes[number].low, boxes[number].high);
    // Light from above makes the faces distinguishable.
    let shade = vec3<f32>(0.82, 1.0, 0.66)[face / 2u];
    let clip = frame.clip_from_world * vec4<f32>(place, 1.0);
    return Corner(clip, vec4<f32>(shade * color.rgb, color.a), boxes[number].hidden * color.a);
}

@fragment
fn fragment_seen(corner: Corner) -> @location(0) vec4<f32> {
    return corner.color;
}

@fragment
fn fragment_hidden(corner: Corner) -> @location(0) vec4<f32> {
    return vec4<f32>(corner.color.rgb, corner.hidden);
}
