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
#import nearwater::render::relief::texel_at
#endif

// Bits of a depth, m; 0 where there is no water, and negative where a wall is seen that needs no smoothing.
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
// Largest distance in texels over which the surface is continued behind a drop or a lump that hides it.
const HIDDEN: i32 = 12;
#endif

fn depth_at(texel: vec2<i32>) -> f32 {
    let last = vec2<i32>(textureDimensions(depths)) - 1;
    return bitcast<f32>(textureLoad(depths, clamp(texel, vec2<i32>(0), last), 0).x);
}

#ifndef SUN
#ifndef DOWN
// The depth of the surface at a texel without water, between the nearest texels of its row that show it on both sides;
// 0 if they show none, or two.
fn behind_drop(texel: vec2<i32>, step: vec2<i32>) -> f32 {
    var ends = vec2<f32>(0.0);
    var places = vec2<f32>(0.0);
    for (var tap = 1; tap <= HIDDEN; tap += 1) {
        let pair = vec2<f32>(depth_at(texel - tap * step), depth_at(texel + tap * step));
        let is_first = (pair > vec2<f32>(0.0)) & (ends == vec2<f32>(0.0));
        ends = select(ends, pair, is_first);
        places = select(places, vec2<f32>(f32(tap)), is_first);
    }
    let is_one = all(ends > vec2<f32>(0.0)) && abs(ends.x - ends.y) < STEEPEST * frame.particle_radius;
    return select(0.0, dot(ends, places.yx) / max(places.x + places.y, 1.0), is_one);
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
        middle = behind_drop(texel, step);
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
