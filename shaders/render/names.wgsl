// The picture of particle numbers that `spheres.wgsl` writes.
#define_import_path nearwater::render::names

// The number of the visible particle plus one, as low and high half; zero where there is none.
#ifdef MULTISAMPLED
@group(0) @binding(4) var names: texture_multisampled_2d<u32>;
#else
@group(0) @binding(4) var names: texture_2d<u32>;
#endif

// The particle in sample `sample` of a pixel; sample 0 is the only one unless the picture is multisampled.
fn sample_at(pixel: vec2<i32>, sample: i32) -> u32 {
    let halves = textureLoad(names, pixel, sample).xy;
    return halves.x | (halves.y << 16u);
}

fn picture_size() -> vec2<i32> {
    return vec2<i32>(textureDimensions(names));
}

// The particle in a pixel; outside the picture, the particle in its nearest pixel.
fn seen_at(pixel: vec2<i32>) -> u32 {
    let last = vec2<i32>(textureDimensions(names)) - 1;
    return sample_at(clamp(pixel, vec2<i32>(0), last), 0);
}
