// Color and lighting of the particles that `spheres.wgsl` found, once per pixel. Draw 3 vertices.
#import nearwater::render::field::positions
#import nearwater::render::names::sample_at
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#ifdef MARKED
#import nearwater::render::marked::lit
#else
#ifdef SMOOTH
#import nearwater::render::smooth::lit
#else
#import nearwater::render::beads::lit
#endif
#endif

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

// The triangle is infinitely far away, and the depth test passes where something is nearer: at exactly the samples that
// spheres cover. In a picture that was drawn before, which shows other things too, it passes everywhere, and the color
// is blended by alpha, the share of the samples that spheres cover. (Naga 29 declares a mask of samples as SPIR-V does
// not allow.)
@fragment
fn fragment(corner: ScreenCorner) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(corner.clip.xy);
    let count = arrayLength(&positions);
#ifdef MULTISAMPLED
    // Most pixels see one particle in all of their samples; each particle is shaded once and weighted by its samples.
    var sum = vec4<f32>(0.0);
    var left = vec4<u32>(sample_at(pixel, 0), sample_at(pixel, 1), sample_at(pixel, 2), sample_at(pixel, 3));
    for (var turn = 0u; turn < 4u; turn += 1u) {
        let name = max(max(left.x, left.y), max(left.z, left.w));
        if name == 0u {
            break;
        }
        let mine = left == vec4<u32>(name);
        let weight = dot(select(vec4<f32>(0.0), vec4<f32>(1.0), mine), vec4<f32>(1.0));
        sum += weight * vec4<f32>(lit(min(name, count) - 1u, corner.ray, corner.clip.xy), 1.0);
        left = select(left, vec4<u32>(0u), mine);
    }
    return vec4<f32>(sum.rgb / max(sum.a, 1.0), 0.25 * sum.a);
#else
    let name = sample_at(pixel, 0);
    if name == 0u {
        discard;
    }
    return vec4<f32>(lit(min(name, count) - 1u, corner.ray, corner.clip.xy), 1.0);
#endif
}
