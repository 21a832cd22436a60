// The light of the exhibit: backdrop, sky and tone, shared by everything drawn.
#define_import_path nearwater::render::shading

// Light of the sky that a horizontal surface sees, and of the floor below.
const SKY: vec3<f32> = vec3<f32>(0.58, 0.74, 0.94);
const GROUND: vec3<f32> = vec3<f32>(0.19, 0.23, 0.28);
// Colour and strength of the key light.
const KEY: vec3<f32> = vec3<f32>(1.00, 0.96, 0.90);

// What is seen behind everything, by the direction of view: a quiet room, lighter at the horizon.
fn backdrop(direction: vec3<f32>) -> vec3<f32> {
    let height = smoothstep(-0.15, 0.8, direction.y);
    return mix(vec3<f32>(0.030, 0.037, 0.046), vec3<f32>(0.009, 0.011, 0.015), height);
}

// What a smooth surface mirrors: the dark room with a broad soft light overhead.
fn mirrored(direction: vec3<f32>) -> vec3<f32> {
    let height = clamp(direction.y, 0.0, 1.0);
    return mix(vec3<f32>(0.16, 0.19, 0.23), vec3<f32>(0.75, 0.85, 1.0), height * height);
}

// Ambient light on a surface facing `normal`, between floor and sky (hemisphere lighting).
fn ambient(normal: vec3<f32>) -> vec3<f32> {
    return mix(GROUND, SKY, normal.y * 0.5 + 0.5);
}

// Keeps the middle tones as they are, so that colours match the legend, and bends only the lights below white.
fn toned(color: vec3<f32>) -> vec3<f32> {
    const SHOULDER: f32 = 0.75;
    let over = max(color - SHOULDER, vec3<f32>(0.0)) / (1.0 - SHOULDER);
    return min(color, vec3<f32>(SHOULDER)) + (1.0 - SHOULDER) * over / (1.0 + over);
}

// A colour with noise below one step of an 8-bit sRGB picture, so that dark gradients do not band. The noise is the
// interleaved gradient noise of Jimenez ("Next generation post processing in Call of Duty", 2014).
fn dithered(color: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let noise = fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715)))) - 0.5;
    // The slope of linear light over sRGB is close to twice the value's root.
    return max(color + noise * (2.0 / 255.0) * sqrt(color), vec3<f32>(0.0));
}
