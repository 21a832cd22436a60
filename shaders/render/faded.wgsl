// The veil of faded particles: their common surface as one faint layer, so that what is inside stays visible however
// many of them lie in front of each other. Draw 3 vertices, blended over the picture, with the particle numbers that
// `spheres.wgsl` writes.
#import nearwater::render::field::positions
#import nearwater::render::frame::frame
#import nearwater::render::marked::rounded
#import nearwater::render::names::sample_at
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::sphere::{normal_of, outline_of, place_of, point_of, surface}
#import nearwater::render::srgb::linear_of

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

struct Seen {
    @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn fragment(corner: ScreenCorner) -> Seen {
    let pixel = vec2<i32>(corner.clip.xy);
#ifdef MULTISAMPLED
    let samples = vec4<u32>(sample_at(pixel, 0), sample_at(pixel, 1), sample_at(pixel, 2), sample_at(pixel, 3));
    let name = max(max(samples.x, samples.y), max(samples.z, samples.w));
    let coverage = 0.25 * dot(vec4<f32>(samples != vec4<u32>(0u)), vec4<f32>(1.0));
#else
    let name = sample_at(pixel, 0);
    let coverage = 1.0;
#endif
    if name == 0u {
        discard;
    }
    let center = positions[min(name, arrayLength(&positions)) - 1u].xyz;
    let outline = outline_of(center);
    let local = surface(place_of(outline, corner.ray), outline.tangent, outline.distance / outline.radius);
    let clip = frame.clip_from_world * vec4<f32>(center + outline.radius * point_of(outline, local), 1.0);
    let color = rounded(linear_of(#{COLOR_FADED}u), normal_of(outline, local), local.z);
    return Seen(vec4<f32>(color, coverage * frame.veil), frame.near / clip.w);
}
