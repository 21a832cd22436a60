// Takes lumps of a few particles out of the depths of the water's surface, because a filter that is wider than they are
// would make flat patches of them: `clear_water.wgsl` draws them as it draws drops. The first pass marks texels whose
// surface ends in all four directions after a short way, by the lowest bit of their depths. The second one, with OUT,
// takes marked texels out unless one of these ways leads to a texel that is not marked: a lump is taken out as a whole
// or not at all. What is taken out hides the surface as a drop does. Draw 3 vertices into the coarse picture.
#import nearwater::render::frame::frame
#import nearwater::render::relief::{HIDDEN_BY_DROP, texel_at}
#import nearwater::render::screen::{ScreenCorner, screen_corner}

// Bits of a depth, m; 0 where there is no water, and negative where a wall is seen.
@group(0) @binding(5) var depths: texture_2d<u32>;

// Width and height of the largest lump, and how much farther the next texel shows the same surface, in radii of a
// particle: less than the range of `narrow_range.wgsl`, which smooths a lump together with water right behind it.
const LARGEST: f32 = 9.0;
const JUMP: f32 = 4.0;
// Largest way in texels.
const TAPS: i32 = 20;

fn bits_at(texel: vec2<i32>) -> u32 {
    let last = vec2<i32>(textureDimensions(depths)) - 1;
    return textureLoad(depths, clamp(texel, vec2<i32>(0), last), 0).x;
}

struct Way {
    // Number of texels over which the surface continues, or something nearer hides whether it does.
    length: i32,
    // Whether one of them is not marked.
    leads_on: bool,
}

fn way(texel: vec2<i32>, step: vec2<i32>, taps: i32) -> Way {
    var depth = abs(bitcast<f32>(bits_at(texel)));
    var found = Way(0, false);
    for (var tap = 1; tap <= taps; tap += 1) {
        let bits = bits_at(texel + tap * step);
        let is_drop = bits == HIDDEN_BY_DROP;
        let next = select(abs(bitcast<f32>(bits)), depth, is_drop);
        let farther = (next - depth) / frame.particle_radius;
        if bits == 0u || farther > JUMP {
            break;
        }
        // Behind a drop the surface may go on, or end.
        found.length = select(tap, found.length, is_drop);
        let is_same = farther > -JUMP;
        depth = select(depth, next, is_same);
        found.leads_on = found.leads_on || (is_same && !is_drop && (bits & 1u) == 0u);
    }
    return found;
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

@fragment
fn fragment(corner: ScreenCorner) -> @location(0) u32 {
    let texel = vec2<i32>(corner.clip.xy);
    let bits = bits_at(texel);
    if bits == 0u {
        discard;
    }
#ifdef OUT
    let is_marked = (bits & 1u) == 1u && bits != HIDDEN_BY_DROP;
#else
    let is_marked = bits != HIDDEN_BY_DROP;
#endif
    let depth = bitcast<f32>(bits);
    let largest = LARGEST * frame.particle_radius / texel_at(max(abs(depth), frame.near));
    let taps = select(0, clamp(i32(ceil(largest)), 2, TAPS), is_marked);
    let right = way(texel, vec2<i32>(1, 0), taps);
    let left = way(texel, vec2<i32>(-1, 0), taps);
    let down = way(texel, vec2<i32>(0, 1), taps);
    let up = way(texel, vec2<i32>(0, -1), taps);
#ifdef OUT
    let leads_on = right.leads_on || left.leads_on || down.leads_on || up.leads_on;
    return select(bits, HIDDEN_BY_DROP, is_marked && !leads_on);
#else
    let ways = vec4<i32>(right.length, left.length, down.length, up.length);
    let is_small = f32(ways.x + ways.y) < largest && f32(ways.z + ways.w) < largest && all(ways < vec4<i32>(taps));
    return select((bits >> 1u) << 1u, bits | 1u, is_small) | select(0u, HIDDEN_BY_DROP, !is_marked);
#endif
}
