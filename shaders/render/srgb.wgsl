// Colors that Rust passes to shaders as integers.
#define_import_path nearwater::render::srgb

// Linear color of a color given as 0xRRGGBB in sRGB.
fn linear_of(packed: u32) -> vec3<f32> {
    let bytes = (vec3<u32>(packed) >> vec3<u32>(16u, 8u, 0u)) & vec3<u32>(0xffu);
    let srgb = vec3<f32>(bytes) / 255.0;
    return select(pow((srgb + 0.055) / 1.055, vec3<f32>(2.4)), srgb / 12.92, srgb <= vec3<f32>(0.04045));
}
