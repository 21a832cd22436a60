// Smooths edges inside the layer of clear water. It is shaded once for each pixel, and what is seen through water or
// mirrored in it begins and ends between one pixel and the next: the rim of a solid, a total reflection. Such edges
// would look like stairs. Fast approximate anti-aliasing (Lottes, "FXAA", 2009) looks for edges in the finished colors,
// follows each to both of its ends, and mixes a pixel with the one across the edge by how much of it the straight line
// between the ends cuts off.
#define_import_path nearwater::render::smooth_edges

// Color of the water, premultiplied, and as alpha the share of the pixel that it covers, plus, where that is all of it,
// the share of the color that is the mean of the pixels beside it.
@group(1) @binding(0) var water_layer: texture_2d<f32>;

// Share of its pixel that water covers which counts.
const COVERED: f32 = 0.5;
// Least contrast of an edge: of what the eye sees, and as a part of the lightest of the pixels around it.
const CONTRAST: vec2<f32> = vec2<f32>(0.03, 0.12);
// In so many steps each end of an edge is looked for; the first ones go one pixel, later ones two.
const STEPS: i32 = 8;
const SHORT_STEPS: i32 = 4;
// Greatest share of the pixel across the edge in one that stands out from all pixels around it.
const SPECK: f32 = 0.6;

fn covered_color(pixel: vec2<i32>, otherwise: vec3<f32>) -> vec3<f32> {
    let last = vec2<i32>(textureDimensions(water_layer)) - 1;
    let color = textureLoad(water_layer, clamp(pixel, vec2<i32>(0), last), 0);
    // What covers little of its pixel belongs to the outline of the water, which is smooth already.
    return select(otherwise, color.rgb / min(color.a, 1.0), color.a > COVERED);
}

// How light a color looks, 0 to 1; the eye sees roots of light.
fn lightness(color: vec3<f32>) -> f32 {
    return sqrt(max(dot(color, vec3<f32>(0.30, 0.59, 0.11)), 0.0));
}

// A texel `found` of the layer, with the edges in it smoothed.
fn smooth_edges(pixel: vec2<i32>, found: vec4<f32>) -> vec4<f32> {
    if found.a <= COVERED {
        return found;
    }
    let share = min(found.a, 1.0);
    return vec4<f32>(share * smooth_color(pixel, found.rgb / share), found.a);
}

// The color of a pixel that water covers, whose own color is `own`.
fn smooth_color(pixel: vec2<i32>, own: vec3<f32>) -> vec3<f32> {
    let here = lightness(own);
    let right = vec2<i32>(1, 0);
    let down = vec2<i32>(0, 1);
    let west = lightness(covered_color(pixel - right, own));
    let east = lightness(covered_color(pixel + right, own));
    let north = lightness(covered_color(pixel - down, own));
    let south = lightness(covered_color(pixel + down, own));
    let lightest = max(here, max(max(west, east), max(north, south)));
    let darkest = min(here, min(min(west, east), min(north, south)));
    let contrast = lightest - darkest;
    if contrast < max(CONTRAST.x, CONTRAST.y * lightest) {
        return own;
    }
    let north_west = lightness(covered_color(pixel - right - down, own));
    let north_east = lightness(covered_color(pixel + right - down, own));
    let south_west = lightness(covered_color(pixel - right + down, own));
    let south_east = lightness(covered_color(pixel + right + down, own));
    // An edge goes along the direction in which lightness changes less.
    let upright = 2.0 * abs(north + south - 2.0 * here)
        + abs(north_west + south_west - 2.0 * west)
        + abs(north_east + south_east - 2.0 * east);
    let sideways = 2.0 * abs(west + east - 2.0 * here)
        + abs(north_west + north_east - 2.0 * north)
        + abs(south_west + south_east - 2.0 * south);
    let is_level = upright >= sideways;
    let along = select(down, right, is_level);
    let before = select(west, north, is_level);
    let after = select(east, south, is_level);
    let is_before = abs(before - here) >= abs(after - here);
    let across = select(right, down, is_level) * select(1, -1, is_before);
    let beyond = select(after, before, is_before);
    // Between the rows of pixels on both sides of the edge their mean is that of the edge, until it ends.
    let edge = 0.5 * (here + beyond);
    let limit = 0.25 * abs(beyond - here);
    var ends = vec2<i32>(0);
    var offsets = vec2<f32>(0.0);
    var ended = vec2<bool>(false);
    for (var turn = 1; turn <= STEPS; turn += 1) {
        let way = turn + max(turn - SHORT_STEPS, 0);
        for (var side = 0; side < 2; side += 1) {
            if ended[side] {
                continue;
            }
            let place = pixel + along * (way * (2 * side - 1));
            let inside = lightness(covered_color(place, own));
            let outside = lightness(covered_color(place + across, own));
            offsets[side] = 0.5 * (inside + outside) - edge;
            ends[side] = way;
            ended[side] = abs(offsets[side]) >= limit;
        }
        if all(ended) {
            break;
        }
    }
    // The pixel nearest to an end at which the edge turns towards its own side is cut off, the more the nearer it is.
    let nearest = select(1, 0, ends.x <= ends.y);
    let turns_here = (here - edge < 0.0) != (offsets[nearest] < 0.0);
    let length = f32(ends.x + ends.y);
    let cut = select(0.0, 0.5 - f32(ends[nearest]) / length, turns_here && ended[nearest]);
    // A pixel that is lighter or darker than all those around it is no part of a longer edge.
    let mean = (2.0 * (west + east + north + south) + north_west + north_east + south_west + south_east) / 12.0;
    let stands_out = smoothstep(0.0, 1.0, clamp(abs(mean - here) / contrast, 0.0, 1.0));
    return mix(own, covered_color(pixel + across, own), max(cut, SPECK * stands_out * stands_out));
}
