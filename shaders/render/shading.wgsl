// The lighting of the scene: backdrop, sky and tone, shared by everything that is drawn.
#define_import_path nearwater::render::shading
#import nearwater::render::environment::{has_environment, mirrored_environment, received_from_all_sides}
#import nearwater::render::frame::{frame, is_clear}
#import nearwater::render::sky::sky_behind

// Light of the sky on a horizontal surface, and light of the floor below.
const SKY: vec3<f32> = vec3<f32>(0.58, 0.74, 0.94);
const GROUND: vec3<f32> = vec3<f32>(0.19, 0.23, 0.28);
// Color and strength of the lamp.
const LAMP_COLOR: vec3<f32> = vec3<f32>(1.00, 0.96, 0.90);

// Color and strength of the key light: the lamp, or the light of the scene that the water stands in.
fn key() -> vec3<f32> {
    return LAMP_COLOR * frame.key_light;
}

// The backdrop by viewing direction. Behind clear water it is a sky. Elsewhere, where the colors of the water are to be
// read, it is a plain room, lighter at the horizon; in the light theme a bright studio.
fn backdrop(direction: vec3<f32>) -> vec3<f32> {
    if is_clear() {
        return sky_behind(direction);
    }
    let height = smoothstep(-0.15, 0.8, direction.y);
    let dark = mix(vec3<f32>(0.030, 0.037, 0.046), vec3<f32>(0.009, 0.011, 0.015), height);
    let light = mix(vec3<f32>(0.60, 0.64, 0.67), vec3<f32>(0.26, 0.42, 0.58), height);
    return mix(dark, light, frame.daylight);
}

// The reflection on a smooth surface: the scene's surroundings, or a dark room with a wide soft light overhead.
fn mirrored(direction: vec3<f32>) -> vec3<f32> {
    if has_environment() {
        return mirrored_environment(direction, 0.0);
    }
    let height = clamp(direction.y, 0.0, 1.0);
    return frame.room_light * mix(vec3<f32>(0.16, 0.19, 0.23), vec3<f32>(0.75, 0.85, 1.0), height * height);
}

// Ambient light on a surface facing `normal`: of the scene's surroundings, or between floor and sky (hemisphere
// lighting).
fn ambient(normal: vec3<f32>) -> vec3<f32> {
    if has_environment() {
        return received_from_all_sides(normal);
    }
    return frame.room_light * mix(GROUND, SKY, normal.y * 0.5 + 0.5);
}

// Leaves the middle tones unchanged, so that colors match the legend, and compresses only those near white. A picture
// that is compressed later gets the light itself.
const SHOULDER: f32 = 0.75;

fn toned(color: vec3<f32>) -> vec3<f32> {
    if frame.stores_light != 0u {
        return color;
    }
    let over = max(color - SHOULDER, vec3<f32>(0.0)) / (1.0 - SHOULDER);
    return min(color, vec3<f32>(SHOULDER)) + (1.0 - SHOULDER) * over / (1.0 + over);
}

// The light that `toned` shows as `color`; of white, which no light reaches, a bright one.
fn untoned(color: vec3<f32>) -> vec3<f32> {
    if frame.stores_light != 0u {
        return color;
    }
    let above = clamp((color - SHOULDER) / (1.0 - SHOULDER), vec3<f32>(0.0), vec3<f32>(0.9));
    return min(color, vec3<f32>(SHOULDER)) + (1.0 - SHOULDER) * above / (1.0 - above);
}

// A color with noise below one step of an 8-bit sRGB picture, so that dark gradients show no bands. The noise is the
// interleaved gradient noise of Jimenez ("Next generation post processing in Call of Duty", 2014).
fn dithered(color: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let noise = fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715)))) - 0.5;
    // The derivative of linear light with respect to sRGB is close to twice the root of the value.
    return max(color + noise * (2.0 / 255.0) * sqrt(color), vec3<f32>(0.0));
}
