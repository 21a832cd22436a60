// The sky around clear water: what the water mirrors, a gradient with soft clouds and one soft sun; and what is seen
// behind the scene, which is darker, so that spray and foam stand out.
#define_import_path nearwater::render::sky
#import nearwater::render::environment::{has_environment, mirrored_environment}
#import nearwater::render::frame::frame

// Mean share of the sky that clouds cover, and of the room's upper half that lamps do.
const MEAN_CLOUD: f32 = 0.35;
const MEAN_LAMPS: f32 = 0.12;

// Smooth noise of two dimensions, 0 to 1. The number of a corner is computed in the same way for all four cells that
// meet there: rounded otherwise, it would be another one, and the noise would jump at the border of the cell.
fn noise(place: vec2<f32>) -> f32 {
    let cell = floor(place);
    let inside = place - cell;
    let weight = inside * inside * (3.0 - 2.0 * inside);
    let x = cell.x + vec4<f32>(0.0, 1.0, 0.0, 1.0);
    let y = cell.y + vec4<f32>(0.0, 0.0, 1.0, 1.0);
    let values = fract(sin(127.1 * x + 311.7 * y) * 43758.547);
    return mix(mix(values.x, values.y, weight.x), mix(values.z, values.w, weight.x), weight.y);
}

// Light from `direction`, as the water mirrors it; below the horizon that of the ground. In the light theme, and in the
// scene of another program, it is a day with clouds; in the dark theme a dim room with a ring of lamps overhead, so
// that calm water is dark and clear, and the fronts of waves shine. Another program may have surroundings of its own.
fn sky(direction: vec3<f32>) -> vec3<f32> {
    return blurred_sky(direction, 0.0);
}

// The same as a rough surface mirrors it: 0 if it is smooth, and 1 if it mirrors a mean of lamps or clouds.
fn blurred_sky(direction: vec3<f32>, rough: f32) -> vec3<f32> {
    if has_environment() {
        return mirrored_environment(direction, rough);
    }
    let up = max(direction.y, 0.0);
    let day = max(frame.daylight, f32(frame.in_picture));
    let horizon = mix(vec3<f32>(0.085, 0.105, 0.130), vec3<f32>(0.46, 0.62, 0.78), day);
    let zenith = mix(vec3<f32>(0.020, 0.032, 0.055), vec3<f32>(0.14, 0.38, 0.85), day);
    var light = mix(horizon, zenith, pow(up, 0.55));
    if day > 0.5 {
        // Clouds lie in a plane overhead and fade towards the horizon.
        let place = 2.2 * direction.xz / (up + 0.25);
        let cover = 0.6 * noise(place) + 0.28 * noise(2.3 * place + 7.0) + 0.12 * noise(5.1 * place + 3.0);
        let cloud = mix(smoothstep(0.3, 0.95, cover), MEAN_CLOUD, rough) * smoothstep(0.02, 0.35, up);
        light = mix(light, vec3<f32>(1.35, 1.40, 1.45), 0.75 * cloud);
    } else {
        let lamps = mix(ring_of_lamps(direction), MEAN_LAMPS * smoothstep(0.1, 0.7, direction.y), rough);
        light += vec3<f32>(2.3, 2.5, 2.7) * lamps;
    }
    let ground = mix(vec3<f32>(0.07, 0.085, 0.10), vec3<f32>(0.34, 0.36, 0.37), day);
    light = mix(ground, light, smoothstep(-0.12, 0.06, direction.y));
    let sunward = clamp(dot(direction, frame.light), 0.0, 1.0);
    return frame.room_light * light + frame.key_light * vec3<f32>(1.0, 0.88, 0.70) * 0.35 * pow(sunward, 24.0);
}

// How much of a ring of soft lamps is seen in `direction`, 0 to 1: six panels between 25 and 59 degrees over the
// horizon, with soft edges.
fn ring_of_lamps(direction: vec3<f32>) -> f32 {
    let height = smoothstep(0.42, 0.54, direction.y) * (1.0 - smoothstep(0.72, 0.86, direction.y));
    let turn = atan2(direction.z, direction.x) * (6.0 / 6.2831853);
    let panel = 1.0 - smoothstep(0.26, 0.40, abs(fract(turn) - 0.5));
    return height * panel;
}

// The sky as it is seen directly, behind the scene: a clear day, or in the dark theme the last light of a clear
// evening. Both are darker than foam and spray, and brighter towards the light.
fn sky_behind(direction: vec3<f32>) -> vec3<f32> {
    let up = max(direction.y, 0.0);
    // The cosine of the angle between the directions of view and light on the ground; 0 when looking straight down.
    let lengths = length(direction.xz) * length(frame.light.xz);
    let along = dot(direction.xz, frame.light.xz) / max(lengths, 1e-6);
    if frame.daylight > 0.5 {
        let glow = vec3<f32>(0.13, 0.09, 0.04) * smoothstep(0.2, 1.0, along) * exp(-6.0 * up);
        let haze = vec3<f32>(0.26, 0.39, 0.52);
        return mix(haze, vec3<f32>(0.02, 0.12, 0.36), pow(smoothstep(-0.02, 0.45, direction.y), 0.6)) + glow;
    }
    let haze = vec3<f32>(0.008, 0.014, 0.024) + vec3<f32>(0.014, 0.018, 0.024) * smoothstep(-0.9, 1.0, along);
    return mix(haze, vec3<f32>(0.002, 0.004, 0.010), pow(smoothstep(-0.02, 0.75, up), 0.7));
}

// The sun's image on a surface that mirrors the direction `direction`: soft, as behind a thin haze. `variance` is that
// of the directions that the surface mirrors within the pixel, squared radians.
fn sun_glint(direction: vec3<f32>, variance: f32) -> vec3<f32> {
    let sunward = clamp(dot(direction, frame.light), 0.0, 1.0);
    let sharp = filtered_lobe(9.0, 900.0, variance);
    let soft = filtered_lobe(0.9, 90.0, variance);
    let light = sharp.x * pow(sunward, sharp.y) + soft.x * pow(sunward, soft.y);
    return frame.key_light * vec3<f32>(1.0, 0.95, 0.86) * light;
}

// The strength and the exponent of a lobe strength * cos^exponent as a pixel sees it whose directions vary by
// `variance`, squared radians. A lobe has a variance of about 1 / exponent; both variances are added, as Tokuyoshi and
// Kaplanyan add them ("Improved geometric specular antialiasing", 2019), and its light, which is proportional to
// strength / exponent, is kept. A lobe that is narrower than a pixel would be a white pixel here and none in the next.
fn filtered_lobe(strength: f32, exponent: f32, variance: f32) -> vec2<f32> {
    let wider = 1.0 / (1.0 + exponent * variance);
    return wider * vec2<f32>(strength, exponent);
}
