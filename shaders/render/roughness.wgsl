// Where the water is churned, as around a jet that falls into it, and where its surface is seen as a band of few
// texels, the picture of depths does not tell how the surface is inclined: its normals vary from texel to texel, and
// patches of it would mirror a lamp or a cloud in one piece, as white clumps. There the surface gets the mean of the
// normals around, and what it mirrors is blurred, as by waves that are too small to be seen.
#define_import_path nearwater::render::roughness
#import nearwater::render::frame::frame
#import nearwater::render::light::light_sampler
#import nearwater::render::water_surface::{Smooth, Surface, surface_depths, surface_normals}

// Distances at which normals are compared, in texels of the coarse picture, about as wide as a particle's radius.
const AROUND: vec2<f32> = vec2<f32>(3.0, 6.0);
// Directions in which they are compared at each distance.
const DIRECTIONS: i32 = 6;
// Fewest of these places that show the same surface.
const FEWEST: f32 = 1.0;
// How far across the surface, in radii of a particle, a place is up to which it counts, and from which on it shows
// another surface.
const OTHER: vec2<f32> = vec2<f32>(4.0, 8.0);
// How much shorter than 1 the mean of the normals around is: up to the first value they are those of a wave, and from
// the second one on the surface is rough.
const SPREAD: vec2<f32> = vec2<f32>(0.03, 0.15);
// The same of 1 less the cosine of the angle between that mean and the normal in the pixel.
const APART: vec2<f32> = vec2<f32>(0.02, 0.10);
// How steeply the eye looks down on it, as the sine of the angle: up to the first value a surface is seen along itself,
// where the means of neighboring pixels are of different waves and would be specks, and from the second one on from
// above.
const STEEP: vec2<f32> = vec2<f32>(0.05, 0.14);
// How much the mean counts on the roughest surface.
const EVENED: f32 = 0.8;

struct Evened {
    surface: Surface,
    // 0 to 1.
    rough: f32,
}

// The surface in the pixel with center `pixel`, which is seen along `view`.
fn evened(smooth_surface: Smooth, pixel: vec2<f32>, view: vec3<f32>) -> Evened {
    let found = smooth_surface.found;
    let size = vec2<f32>(textureDimensions(surface_normals));
    let place = pixel / f32(frame.relief_scale);
    var sum = vec3<f32>(0.0);
    var weights = 0.0;
    for (var tap = 0; tap < 2 * DIRECTIONS; tap += 1) {
        let angle = 6.2831853 / f32(DIRECTIONS) * f32(tap);
        let away = select(AROUND.x, AROUND.y, tap >= DIRECTIONS) * vec2<f32>(cos(angle), sin(angle));
        let there = clamp(place + away, vec2<f32>(0.5), size - 0.5);
        let depth = bitcast<f32>(textureLoad(surface_depths, vec2<i32>(there), 0).x);
        let apart = abs(depth - found.depth) * smooth_surface.inclined / frame.particle_radius;
        let weight = 1.0 - smoothstep(OTHER.x, OTHER.y, apart);
        let read = textureSampleLevel(surface_normals, light_sampler, there / size, 0.0);
        sum += weight * read.xyz;
        weights += weight * read.a;
    }
    let length_of_sum = length(sum);
    if length_of_sum < FEWEST {
        return Evened(found, 0.0);
    }
    let mean = sum / length_of_sum;
    let spread = smoothstep(SPREAD.x, SPREAD.y, 1.0 - length_of_sum / weights);
    let apart = smoothstep(APART.x, APART.y, 1.0 - dot(found.normal, mean));
    let rough = smoothstep(STEEP.x, STEEP.y, -view.y) * max(spread, apart);
    var surface = found;
    surface.normal = normalize(mix(found.normal, mean, EVENED * rough));
    return Evened(surface, rough);
}
