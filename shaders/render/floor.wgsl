// The floor under the box: a pool of light with a quiet grid and the water's shadow, fading into the backdrop. Draw
// 6 vertices.
#import nearwater::render::frame::{frame, light_map_place}
#import nearwater::render::shading::{backdrop, dithered, toned}

// Alpha: metres of water in the light's way.
@group(0) @binding(2) var light_map: texture_2d<f32>;
@group(0) @binding(3) var light_sampler: sampler;

// Where the floor has faded away, in half edges of the box from its middle.
const REACH: f32 = 7.0;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // World position, m.
    @location(0) position: vec3<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32) -> Corner {
    let corner = vec2<f32>(
        select(-1.0, 1.0, vertex_index == 1u || vertex_index == 4u || vertex_index == 5u),
        select(-1.0, 1.0, vertex_index == 2u || vertex_index == 3u || vertex_index == 5u),
    );
    let middle = 0.5 * (frame.box_low.xz + frame.box_high.xz) + corner * frame.extent * REACH;
    let position = vec3<f32>(middle.x, frame.floor_height, middle.y);
    return Corner(frame.clip_from_world * vec4<f32>(position, 1.0), position);
}

// How much of a pixel `width` pixels wide lines at the integers cover, fading out where lines come closer than pixels.
fn line_coverage(coordinate: vec2<f32>, width: f32) -> f32 {
    let pixel = max(fwidth(coordinate), vec2<f32>(1e-6));
    let distance = abs(fract(coordinate - 0.5) - 0.5) / pixel;
    let covered = clamp(0.5 * width + 0.5 - distance, vec2<f32>(0.0), vec2<f32>(1.0)) * clamp(1.0 - 2.5 * pixel, vec2<f32>(0.0), vec2<f32>(1.0));
    return max(covered.x, covered.y);
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    let from_middle = corner.position.xz - 0.5 * (frame.box_low.xz + frame.box_high.xz);
    let behind = backdrop(normalize(corner.position - frame.eye));
    let reach = length(from_middle) / frame.extent;
    let minor = line_coverage(from_middle / frame.grid_step, 1.0);
    let major = line_coverage(from_middle / (5.0 * frame.grid_step), 1.2);
    let place = light_map_place(corner.position);
    let water = textureSampleLevel(light_map, light_sampler, place, 0.0).a / (frame.light.y * frame.extent);
    // Water swallows red first: its shadow is blue.
    let light = exp(-water * vec3<f32>(6.5, 4.4, 3.4));
    let surface = vec3<f32>(0.088, 0.096, 0.108) * (1.0 + 0.30 * minor + 0.45 * major);
    // A pool of light around the box that ends in the backdrop, with no border.
    let rim = clamp(1.0 - reach / REACH, 0.0, 1.0);
    let pool = exp(-0.20 * reach * reach) * rim;
    let color = mix(behind, surface * (0.18 + 0.82 * light), pool);
    return vec4<f32>(dithered(toned(color), corner.clip.xy), 1.0);
}
