// Smooths depths along rows, or along columns with DOWN, without mixing surfaces (N. Truong and C. Yuksel, "A
// narrow-range filter for screen-space fluid rendering", 2018): of the samples around a texel, nearer ones than a
// narrow range are left out, farther ones count as a little farther, and the range grows with the samples in it, so
// that inclined surfaces stay in one piece. A line is fitted to the samples, so that the surface continues straight to
// the water's outline, where samples of one side are missing; with both sides that is their weighted mean, as in the
// paper. The filter's width is a length in the scene and not in pixels, so that the surface does not change as the
// camera moves. With SUN, the depths are those that the sun sees. Draw 3 vertices.
#import nearwater::render::frame::frame
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#ifndef SUN
#import nearwater::render::relief::{HIDDEN_BY_DROP, texel_at}
#endif

// Bits of a depth, m; 0 where there is no water, negative where a wall is seen that needs no smoothing, and for the
// first pass HIDDEN_BY_DROP where a drop or a lump hides whether there is a surface.
@group(0) @binding(5) var depths: texture_2d<u32>;

// Largest number of taps on each side.
const TAPS: i32 = 14;
// In radii of a particle: standard deviation of the filter, half of the range, and how much farther something beyond
// the range counts. The sun's surface is smoother, because the noise of particles would blur every caustic.
#ifdef SUN
const DEVIATION: f32 = 3.2;
#else
const DEVIATION: f32 = 2.8;
#endif
const RANGE: f32 = 5.0;
const BEYOND: f32 = 1.0;
// Resistance of the fitted line to an inclination, in squared texels.
const STIFFNESS: f32 = 0.5;
#ifndef SUN
// Of a surface that is seen at a grazing angle, adjacent texels differ by more than the range. What it grows by for
// each texel, in differences to the adjacent one, and the largest such difference, in radii of a particle.
const INCLINED: f32 = 1.25;
const STEEPEST: f32 = 16.0;
// Farther than every surface, m.
const FAR: f32 = 1e9;
// In so many steps, each a third longer than the one before it, the end of what a drop or a lump hides is looked for:
// 63 texels away at most, because jets are wide.
const STEPS: i32 = 12;
#endif

fn bits_at(texel: vec2<i32>) -> u32 {
    let last = vec2<i32>(textureDimensions(depths)) - 1;
    return textureLoad(depths, clamp(texel, vec2<i32>(0), last), 0).x;
}

fn depth_at(texel: vec2<i32>) -> f32 {
    let bits = bits_at(texel);
#ifdef SUN
    return bitcast<f32>(bits);
#else
    return bitcast<f32>(select(bits, 0u, bits == HIDDEN_BY_DROP));
#endif
}

#ifndef SUN
#ifndef DOWN
// The first texel along `step` that no drop hides: the depth of its surface, or 0 if it shows none, and how far it is.
fn end_of_hidden(texel: vec2<i32>, step: vec2<i32>) -> vec2<f32> {
    var distance = 1;
    for (var tap = 0; tap < STEPS; tap += 1) {
        let bits = bits_at(texel + distance * step);
        if bits != HIDDEN_BY_DROP {
            return vec2<f32>(max(bitcast<f32>(bits), 0.0), f32(distance));
        }
        distance += 1 + distance / 3;
    }
    return vec2<f32>(0.0, f32(distance));
}

// The depth of the surface at a texel where a drop hides it, from the nearest texels that show it in opposite
// directions; 0 if they show none, or two. Of eight directions, because rows that find an end and rows that find none
// would be seen as bars across a jet.
fn behind_drop(texel: vec2<i32>, is_hidden: bool) -> f32 {
    var sum = vec2<f32>(0.0);
    // Loops end early on devices that execute both sides of every branch.
    let directions = select(0, 4, is_hidden);
    for (var direction = 0; direction < directions; direction += 1) {
        let step = vec2<i32>(select(1, 0, direction == 3), select(direction - 1, 1, direction == 3));
        let before = end_of_hidden(texel, -step);
        let after = end_of_hidden(texel, step);
        let is_one = min(before.x, after.x) > 0.0 && abs(before.x - after.x) < STEEPEST * frame.particle_radius;
        let apart = before.y + after.y;
        let depth = (before.x * after.y + after.x * before.y) / apart;
        sum += f32(is_one) / (apart * apart) * vec2<f32>(depth, 1.0);
    }
    return select(0.0, sum.x / max(sum.y, 1e-20), sum.y > 0.0);
}
#endif
#endif

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

@fragment
fn fragment(corner: ScreenCorner) -> @location(0) u32 {
    let texel = vec2<i32>(corner.clip.xy);
    var middle = depth_at(texel);
#ifdef DOWN
    let step = vec2<i32>(0, 1);
#else
    let step = vec2<i32>(1, 0);
#endif
#ifndef SUN
#ifndef DOWN
    if middle == 0.0 {
        middle = behind_drop(texel, bits_at(texel) == HIDDEN_BY_DROP);
    }
#endif
#endif
    if middle == 0.0 {
        discard;
    }
    if middle < 0.0 {
        return bitcast<u32>(middle);
    }
#ifdef SUN
    let texels = 1.0 / (frame.light_map_inverse_size * vec2<f32>(textureDimensions(depths)));
#ifdef DOWN
    let width = texels.y;
#else
    let width = texels.x;
#endif
#else
    let width = texel_at(middle);
#endif
    let radius = frame.particle_radius;
#ifdef SUN
    // Where particles are many and small, the width is a fraction of the box.
    let length = max(DEVIATION * radius, 0.028 * frame.extent);
#else
    let length = DEVIATION * radius;
#endif
    let deviation = clamp(length / width, 0.5, 0.5 * f32(TAPS));
    let taps = min(i32(ceil(2.0 * deviation)), TAPS);
    let falloff = -0.5 / (deviation * deviation);
    let range = RANGE * radius;
#ifndef SUN
    let adjacent = vec2<f32>(depth_at(texel - step), depth_at(texel + step));
    // Gaps in the layer of spheres at a wall show the second one. They belong to the wall and are no surface.
    let next = vec2<f32>(depth_at(texel - 2 * step), depth_at(texel + 2 * step));
    if all(min(adjacent, next) < vec2<f32>(0.0)) {
        return bitcast<u32>(-middle);
    }
    // The smaller difference to the adjacent texels, because the larger one may lead to another surface.
    let steps = select(abs(adjacent - middle), vec2<f32>(FAR), adjacent <= vec2<f32>(0.0));
    let least = min(steps.x, steps.y);
    let inclination = INCLINED * select(min(least, STEEPEST * radius), 0.0, least == FAR);
#endif
    // How much nearer and farther than the middle the range reaches.
    var reach = vec2<f32>(range);
    // Weighted sums over the samples: of 1, place and squared place in texels; and of the difference to the middle, and
    // that times place.
    var places = vec3<f32>(1.0, 0.0, 0.0);
    var differences = vec2<f32>(0.0);
    for (var tap = 1; tap <= taps; tap += 1) {
        var pair = vec2<f32>(depth_at(texel - tap * step), depth_at(texel + tap * step));
        let is_water = pair > vec2<f32>(0.0);
        pair -= middle;
#ifdef SUN
        let inclined = 0.0;
#else
        let inclined = f32(tap) * inclination;
#endif
        let is_before = is_water & (pair < vec2<f32>(-reach.x - inclined));
#ifdef SUN
        // Such a sample takes the one on the other side with it: a line through one side of rough water sways.
        let is_counted = is_water & !vec2<bool>(any(is_before));
#else
        let is_counted = is_water & !is_before;
#endif
        let is_beyond = pair > vec2<f32>(reach.y + inclined);
        let inside = select(pair, vec2<f32>(0.0), is_beyond | !is_counted);
        reach = max(reach, vec2<f32>(range - min(inside.x, inside.y), range + max(inside.x, inside.y)));
        let weight = exp(f32(tap * tap) * falloff) * vec2<f32>(is_counted);
        let counted = weight * select(pair, vec2<f32>(BEYOND * radius), is_beyond);
        let place = f32(tap);
        let both = weight.x + weight.y;
        places += vec3<f32>(both, place * (weight.y - weight.x), place * place * both);
        differences += vec2<f32>(counted.x + counted.y, place * (counted.y - counted.x));
    }
    // The least squares of a line's height at the middle. The added constant keeps a line through few samples level.
    let spread = places.z + STIFFNESS;
    let height = (spread * differences.x - places.y * differences.y) / (spread * places.x - places.y * places.y);
    return bitcast<u32>(middle + height);
}
