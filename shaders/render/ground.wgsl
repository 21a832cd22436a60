// The appearance of the floor: a pool of light with a faint grid and the water's shadow.
#define_import_path nearwater::render::ground
#import nearwater::render::frame::{frame, is_clear, light_map_place}
#import nearwater::render::light::light_map_at
#import nearwater::render::solid_light::solid_light
#import nearwater::render::sunlit::caustic_at

// Distance at which the floor has faded away, in half edges of the box from its center.
const REACH: f32 = 7.0;

// The fraction of a pixel that lines at the integers cover, `width` pixels wide, fading out where the lines are closer
// together than pixels. `pixel` is the size of a pixel.
fn line_coverage(coordinate: vec2<f32>, pixel: vec2<f32>, width: f32) -> f32 {
    let distance = abs(fract(coordinate - 0.5) - 0.5) / pixel;
    let fade = clamp(1.0 - 2.5 * pixel, vec2<f32>(0.0), vec2<f32>(1.0));
    let covered = clamp(0.5 * width + 0.5 - distance, vec2<f32>(0.0), vec2<f32>(1.0)) * fade;
    return max(covered.x, covered.y);
}

// The share of the sky's light that reaches a point of the floor through clear water. Without it the places from which
// waves turn the sun's light away would be gray in blue water.
fn sky_through_water(position: vec3<f32>) -> vec3<f32> {
    let is_inside = all(position.xz > frame.box_low.xz) && all(position.xz < frame.box_high.xz);
    return exp(-frame.absorption * select(0.0, light_map_at(position).a, is_inside));
}

// The floor's color at `place` (x and z, m), of which a pixel covers about `pixel` m, and in alpha its opacity over the
// backdrop: it fades away gradually. `clip` is the pixel in the picture.
fn ground_at(place: vec2<f32>, pixel: vec2<f32>, clip: vec2<f32>) -> vec4<f32> {
    let from_middle = place - 0.5 * (frame.box_low.xz + frame.box_high.xz);
    let reach = length(from_middle) / frame.extent;
    let width = max(pixel, vec2<f32>(1e-6)) / frame.grid_step;
    let minor = line_coverage(from_middle / frame.grid_step, width, 1.0);
    let major = line_coverage(from_middle / (5.0 * frame.grid_step), 0.2 * width, 1.2);
    let position = vec3<f32>(place.x, frame.floor_height, place.y);
    let shadow = solid_light(position, vec3<f32>(0.0, 1.0, 0.0), 0.0, clip);
    // Under the sky around clear water the floor is seen farther than in the room.
    let pool = exp(select(-0.20, -0.075, is_clear()) * reach * reach) * clamp(1.0 - reach / REACH, 0.0, 1.0);
    if is_clear() {
        // Pale tiles, on which the color and the caustics of the water show; their joints are darker.
        let stone = mix(vec3<f32>(0.270, 0.285, 0.300), vec3<f32>(0.43, 0.41, 0.375), frame.daylight);
        let tiles = stone * (1.0 - 0.16 * minor - 0.10 * major);
        let sun = caustic_at(light_map_place(position)) * shadow * vec3<f32>(0.97, 0.93, 0.86);
        // The light falls off towards the sides, in the dark theme as that of a lamp.
        let lamp = 0.05 + 1.25 * exp(-0.34 * reach * reach);
        let spot = mix(lamp, 0.5 + 0.62 * exp(-0.16 * reach * reach), frame.daylight);
        let sky = vec3<f32>(0.20, 0.23, 0.27) * sky_through_water(position);
        return vec4<f32>(tiles * (sky + mix(1.0, 1.2, frame.daylight) * sun) * spot, pool);
    }
    let water = light_map_at(position).a / (frame.light.y * frame.extent);
    // Water absorbs red first, so its shadow is blue.
    let light = exp(-water * vec3<f32>(6.5, 4.4, 3.4)) * shadow;
    let plain = mix(vec3<f32>(0.088, 0.096, 0.108), vec3<f32>(0.60, 0.62, 0.64), frame.daylight);
    let paint = plain * (1.0 + (0.30 * minor + 0.45 * major) * mix(1.0, -0.3, frame.daylight));
    return vec4<f32>(paint * (0.18 + 0.82 * light), pool);
}
