// The light map: how much light the water lets through to a point.
#define_import_path nearwater::render::light
#import nearwater::render::frame::{frame, light_map_place}

// Red: height above the floor up to which water is in the path of the light, m. Alpha: length of that path in water, m.
@group(0) @binding(2) var light_map: texture_2d<f32>;
@group(0) @binding(3) var light_sampler: sampler;

// The light map at the point where the light through `position` would reach the floor.
fn light_map_at(position: vec3<f32>) -> vec4<f32> {
    return textureSampleLevel(light_map, light_sampler, light_map_place(position), 0.0);
}

// Fraction of the key light that the water above a position transmits (Beer and Lambert).
fn light_reaching(position: vec3<f32>) -> f32 {
    let above = light_map_at(position);
    let height = position.y + frame.particle_radius - frame.floor_height;
    // The air below drops high above the water must not count as water.
    let water = min(max(above.r - height, 0.0), above.a) / frame.light.y;
    return exp(-3.0 * water / frame.extent);
}
