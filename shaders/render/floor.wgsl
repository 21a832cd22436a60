// The floor under the box, fading into the backdrop; behind the water (BEHIND) as light that is not yet tone-mapped.
// Draw 6 vertices.
#import nearwater::render::frame::frame
#import nearwater::render::ground::{REACH, ground_at}
#ifdef BEHIND
#import nearwater::render::shading::backdrop
#else
#import nearwater::render::shading::{backdrop, dithered, toned}
#endif

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // World position, m.
    @location(0) position: vec3<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32) -> Corner {
    let corner = vec2<f32>(
        select(-1.0, 1.0, vertex_index == 1u || vertex_index == 4u || vertex_index == 5u),
        select(-1.0, 1.0, vertex_index == 2u || vertex_index == 3u || vertex_index == 5u),
    );
    let middle = 0.5 * (frame.box_low.xz + frame.box_high.xz) + corner * frame.extent * REACH;
    let position = vec3<f32>(middle.x, frame.floor_height, middle.y);
    return Corner(frame.clip_from_world * vec4<f32>(position, 1.0), position);
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    let ground = ground_at(corner.position.xz, fwidth(corner.position.xz), corner.clip.xy);
    let behind = backdrop(normalize(corner.position - frame.eye));
    let light = mix(behind, ground.rgb, ground.a);
#ifdef BEHIND
    return vec4<f32>(light, 1.0);
#else
    return vec4<f32>(dithered(toned(light), corner.clip.xy), 1.0);
#endif
}
