// How `splats.wgsl` stores lengths in whole numbers, and how `splats_shown.wgsl` reads them.
#define_import_path nearwater::render::splat_targets
#import nearwater::render::frame::frame

// Depths whose bits differ by at most this count as equal: two shaders may round the same computation differently.
const NEAREST_SLACK: u32 = 64u;
// Bits of infinity, above those of every finite positive float.
const INFINITE: u32 = 0x7f800000u;
// Number of units of water in the largest sum, which is far above the longest path in a box.
const UNITS: f32 = 4294967040.0;
const LONGEST: f32 = 128.0;

// A length in water, m, in units that can be added up in any order.
fn whole_water(length: f32) -> u32 {
    return u32(length * (UNITS / (LONGEST * frame.extent)));
}

// The length of a sum of `whole_water`, m.
fn water_of(units: u32) -> f32 {
    return f32(units) * (LONGEST * frame.extent / UNITS);
}

// A key that is larger the higher a surface is, and never 0.
fn height_key(height: f32) -> u32 {
    return INFINITE - bitcast<u32>(max(frame.shadow_top - height, 1e-6));
}

// How far below the top of the map the surface of a key is, as the bits of a float, m; 0 for the key 0.
fn below_top(key: u32) -> u32 {
    return select(INFINITE - key, 0u, key == 0u);
}
