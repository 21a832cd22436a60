// Where the water is churned, as around a jet that falls into it, and where its surface is seen as a band of few
// texels, the picture of depths does not tell how the surface is inclined: its normals vary from texel to texel, and
// patches of it would mirror a lamp or a cloud in one piece, as white clumps. There the surface gets the mean of the
// normals around, and what it mirrors is blurred, as by waves that are too small to be seen. What it mirrors is blurred
// as well where particles show a smooth heap, but move apart.
#define_import_path nearwater::render::roughness
#import nearwater::render::drops::is_in_body
#import nearwater::render::frame::frame
#import nearwater::render::light::light_sampler
#import nearwater::render::names::seen_at
#import nearwater::render::water_surface::{
    Smooth, Surface, ahead_of, center_of, density_of, surface_depths, surface_normals, velocity_of,
}

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
// Distance in texels at which velocities of the surface's particles are compared.
const FLOW: f32 = 10.0;
// Heights to which these velocities would throw water that they move apart, in radii of a particle: from the first one
// on the surface counts as rougher than particles show it, as at the foot of a jet, and from the second one on as
// rough.
const THROWN: vec2<f32> = vec2<f32>(0.4, 2.0);
// Twice the acceleration by which that height follows, m/s^2.
const TWICE_GRAVITY: f32 = 19.6;
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

// How much velocities of the surface differ around a pixel, 0 to 1; 0 where it is not `wanted`.
fn churned(smooth_surface: Smooth, pixel: vec2<f32>, wanted: bool) -> f32 {
    let scale = smooth_surface.inclined / frame.particle_radius;
    var squares = 0.0;
    var velocity = vec3<f32>(0.0);
    var count = 0.0;
    // Loops end early on devices that execute both sides of every branch.
    let taps = select(0, DIRECTIONS + 1, wanted);
    for (var tap = 0; tap < taps; tap += 1) {
        let angle = 6.2831853 / f32(DIRECTIONS) * f32(tap);
        let reach = select(FLOW * f32(frame.relief_scale), 0.0, tap == DIRECTIONS);
        let name = seen_at(vec2<i32>(pixel + reach * vec2<f32>(cos(angle), sin(angle))));
        let apart = abs(ahead_of(center_of(name)) - smooth_surface.found.depth) * scale;
        let weight = f32(name != 0u && apart < OTHER.y) * is_in_body(density_of(name));
        let there = velocity_of(name);
        squares += weight * dot(there, there);
        velocity += weight * there;
        count += weight;
    }
    let mean = velocity / max(count, 1.0);
    let variance = max(squares / max(count, 1.0) - dot(mean, mean), 0.0);
    return smoothstep(THROWN.x, THROWN.y, variance / (TWICE_GRAVITY * frame.particle_radius));
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
    let steep = smoothstep(STEEP.x, STEEP.y, -view.y);
    let churn = churned(smooth_surface, pixel, steep > 0.0 && found.at_wall < 1.0);
    let rough = steep * max(max(spread, apart), churn);
    var surface = found;
    surface.normal = normalize(mix(found.normal, mean, EVENED * rough));
    return Evened(surface, rough);
}
