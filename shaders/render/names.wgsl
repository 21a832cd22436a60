// The picture of particle numbers that `spheres.wgsl` leaves.
#define_import_path nearwater::render::names

// The number plus one of the particle seen, low and high half; zero where there is none.
#ifdef MULTISAMPLED
@group(0) @binding(4) var names: texture_multisampled_2d<u32>;
#else
@group(0) @binding(4) var names: texture_2d<u32>;
#endif

// What sample `sample` of a pixel sees; sample 0 is the only one unless the picture is multisampled.
fn sample_at(pixel: vec2<i32>, sample: i32) -> u32 {
    let halves = textureLoad(names, pixel, sample).xy;
    return halves.x | (halves.y << 16u);
}

// What a pixel sees; the nearest pixel of the picture for one outside it.
fn seen_at(pixel: vec2<i32>) -> u32 {
    let last = vec2<i32>(textureDimensions(names)) - 1;
    return sample_at(clamp(pixel, vec2<i32>(0), last), 0);
}
