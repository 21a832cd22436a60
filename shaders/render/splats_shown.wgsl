// Copies what `splats.wgsl` has gathered into a texture. With NUMBERS, the numbers of the visible particles in two
// halves of 16 bits; with LIGHT, the light map; with SUN_SURFACE, the surface that the sun sees; otherwise the
// thickness of the water. Draw 3 vertices.
#import nearwater::render::frame::frame
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#ifdef NUMBERS
#else
#import nearwater::render::splat_targets::{below_top, water_of}
#endif

#ifdef NUMBERS
// Number of the visible particle plus one, 0 where there is none. Length: pixels.
@group(1) @binding(21) var<storage, read> numbers: array<u32>;
#else
#ifdef LIGHT
// Bits of the height of the highest water, m, and units of water in the path of the light. Length: 2 * texels.
@group(1) @binding(23) var<storage, read> light: array<u32>;
#else
#ifdef SUN_SURFACE
// Keys of heights of the surface that the sun sees. Length: texels of the light map.
@group(1) @binding(24) var<storage, read> sun_heights: array<u32>;
#else
// Units of water behind a texel of the coarse picture. Length: texels.
@group(1) @binding(22) var<storage, read> water_behind: array<u32>;
#endif
#endif
#endif

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

#ifdef NUMBERS
@fragment
fn fragment(corner: ScreenCorner) -> @location(0) vec2<u32> {
    let pixel = vec2<u32>(corner.clip.xy);
    let number = numbers[pixel.y * u32(frame.size.x) + pixel.x];
    return vec2<u32>(number & 0xffffu, number >> 16u);
}
#else
#ifdef LIGHT
@fragment
fn fragment(corner: ScreenCorner) -> @location(0) vec4<f32> {
    let texel = vec2<u32>(corner.clip.xy);
    let place = 2u * (texel.y * frame.light_map_texels + texel.x);
    return vec4<f32>(bitcast<f32>(light[place]), 0.0, 0.0, water_of(light[place + 1u]));
}
#else
#ifdef SUN_SURFACE
@fragment
fn fragment(corner: ScreenCorner) -> @location(0) u32 {
    let texel = vec2<u32>(corner.clip.xy);
    return below_top(sun_heights[texel.y * frame.light_map_texels + texel.x]);
}
#else
@fragment
fn fragment(corner: ScreenCorner) -> @location(0) vec4<f32> {
    let texel = vec2<u32>(corner.clip.xy);
    let width = u32(ceil(frame.size.x / f32(frame.relief_scale)));
    return vec4<f32>(water_of(water_behind[texel.y * width + texel.x]), 0.0, 0.0, 0.0);
}
#endif
#endif
#endif
