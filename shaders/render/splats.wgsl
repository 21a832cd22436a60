// Draws particles by atomic operations in compute passes, in place of a triangle for each particle: graphics processors
// that are made for computing, and software rasterizers, set up few triangles per second. The results are those of
// `light_map.wgsl` and, for clear water, of `sun_surface.wgsl`, `spheres.wgsl` and `thickness.wgsl` with CLEAR;
// `splats_shown.wgsl` copies them into the textures that the other passes read. Sums are of whole numbers, so that
// their order does not matter.
//
// LANES invocations share a particle, and each takes some rows of its outline.
#import nearwater::render::drops::{covering_outline, is_in_body, water_in, water_radius}
#import nearwater::render::frame::{frame, is_drawable, is_left_out, light_map_place}
#import nearwater::render::light_blot::{blot_height, blot_radius, blot_water, leaves_blot}
#import nearwater::render::sphere::{Outline, on_square, path_through, surface}
#import nearwater::render::splat_targets::{NEAREST_SLACK, height_key, whole_water}

// Position, m; velocity, m/s, with the bits of the particle's original index in w; density, kg/m^3, and
// pressure over density squared. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// Bits of the largest depth of a pixel, 0 where there is no water. Length: pixels.
@group(1) @binding(20) var<storage, read_write> nearest: array<atomic<u32>>;
// Number of the visible particle plus one, 0 where there is none. Length: pixels.
@group(1) @binding(21) var<storage, read_write> numbers: array<atomic<u32>>;
// Water behind a texel of the coarse picture, in units of `whole_water`. Length: texels.
@group(1) @binding(22) var<storage, read_write> water_behind: array<atomic<u32>>;
// Of each texel of the light map: bits of the height of the highest water, m, and water in the path of the light, in
// units of `whole_water`. Length: 2 * texels.
@group(1) @binding(23) var<storage, read_write> light: array<atomic<u32>>;
// Keys of heights of the surface that the sun sees. Length: texels of the light map.
@group(1) @binding(24) var<storage, read_write> sun_heights: array<atomic<u32>>;

// Depths of the scene without water, row by row; len = pixels, with every row as long as a multiple of DEPTHS_ALIGNED.
@group(1) @binding(25) var<storage, read> scene_depths: array<f32>;

// Rows that are copied from a texture begin at multiples of so many pixels.
const DEPTHS_ALIGNED: u32 = 64u;
const LANES: u32 = 8u;
const WORKGROUP: u32 = 256u;

// The pixels from `low` up to but not including `high`.
struct Rectangle {
    low: vec2<i32>,
    high: vec2<i32>,
}

fn rectangle(low: vec2<f32>, high: vec2<f32>, size: vec2<i32>) -> Rectangle {
    // Clamped before the conversion, because large floats do not fit into an integer.
    let last = vec2<f32>(size);
    let first = vec2<i32>(clamp(floor(low), vec2<f32>(0.0), last));
    return Rectangle(first, min(vec2<i32>(clamp(ceil(high), vec2<f32>(0.0), last)), size));
}

// The particle of an invocation; the number of particles if it has none.
fn particle_of(invocation: vec3<u32>, groups: vec3<u32>) -> u32 {
    let index = (invocation.x + invocation.y * groups.x * WORKGROUP) / LANES;
    if index >= frame.particle_count {
        return frame.particle_count;
    }
    // Both sides are evaluated: Mesa's software rasterizer compiles shaders with branches on uniforms alone again in
    // every frame, and keeps all copies (docs/RELIABILITY.md).
    let left_out = (frame.drawn_below < frame.particle_count) & is_left_out(bitcast<u32>(velocities[index].w));
    return select(index, frame.particle_count, left_out || !is_drawable(positions[index].xyz));
}

// A particle's outline on the picture: for a pixel with center p, the point on the square in which the outline is the
// unit circle is (across.xy + across.z, up.xy + up.z) / ahead, each a linear function of p.
struct Footprint {
    outline: Outline,
    area: Rectangle,
    across: vec3<f32>,
    upward: vec3<f32>,
    ahead: vec3<f32>,
}

fn ray_through(place: vec2<f32>) -> vec3<f32> {
    let near = frame.world_from_clip * vec4<f32>(place, 1.0, 1.0);
    return near.xyz / near.w - frame.eye;
}

// The footprint of a circle with the outline's center whose radius is `reach` times that of the outline, in a picture
// whose texels are `scale` pixels wide.
fn footprint_of(outline: Outline, reach: f32, scale: u32) -> Footprint {
    let size = vec2<i32>(ceil(frame.size / f32(scale)));
    let nearer = outline.distance / (1.0 + outline.tangent * outline.tangent);
    let middle = frame.eye - nearer * outline.towards_eye;
    let half = nearer * outline.tangent * reach;
    var low = vec2<f32>(1e9);
    var high = vec2<f32>(-1e9);
    for (var corner = 0u; corner < 4u; corner += 1u) {
        let side = vec2<f32>(select(-half, half, (corner & 1u) == 1u), select(-half, half, corner > 1u));
        let clip = frame.clip_from_world * vec4<f32>(middle + on_square(outline, side), 1.0);
        let place = (clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5) * frame.size / f32(scale);
        low = min(low, place);
        high = max(high, place);
    }
    // Rays are a linear function of the pixel.
    let first = ray_through(vec2<f32>(-1.0, 1.0));
    let step_x = (ray_through(vec2<f32>(1.0, 1.0)) - first) * f32(scale) / frame.size.x;
    let step_y = (ray_through(vec2<f32>(-1.0, -1.0)) - first) * f32(scale) / frame.size.y;
    let linear = mat3x3<f32>(step_x, step_y, first);
    return Footprint(
        outline,
        rectangle(low, high, size),
        outline.right * linear / outline.stretch,
        outline.up * linear,
        -outline.tangent * reach * (outline.towards_eye * linear),
    );
}

fn place_in(footprint: Footprint, pixel: vec2<i32>) -> vec2<f32> {
    let center = vec3<f32>(vec2<f32>(pixel) + 0.5, 1.0);
    return vec2<f32>(dot(footprint.across, center), dot(footprint.upward, center)) / dot(footprint.ahead, center);
}

// Distances of `spheres.wgsl`: along the viewing direction, at the center and one radius from it to the right, up and
// towards the eye, m.
fn distances_ahead(outline: Outline) -> vec4<f32> {
    let ahead = vec3<f32>(frame.clip_from_world[0].w, frame.clip_from_world[1].w, frame.clip_from_world[2].w);
    return vec4<f32>(
        -outline.distance * dot(ahead, outline.towards_eye),
        outline.radius * outline.stretch * dot(ahead, outline.right),
        outline.radius * dot(ahead, outline.up),
        outline.radius * dot(ahead, outline.towards_eye),
    );
}

// Bits of the depth of the sphere's surface at a point of the square.
fn depth_bits(outline: Outline, ahead: vec4<f32>, place: vec2<f32>) -> u32 {
    let local = surface(place, outline.tangent, outline.distance / outline.radius);
    return bitcast<u32>(max(frame.near / (ahead.x + dot(ahead.yzw, local)), 0.0));
}

// Depth of the scene without water in the middle of a texel of the coarse picture.
fn scene_depth_in(texel: vec2<i32>) -> f32 {
    let size = vec2<u32>(frame.size);
    let pixel = min(vec2<u32>((vec2<f32>(texel) + 0.5) * f32(frame.relief_scale)), size - 1u);
    let row = (size.x + DEPTHS_ALIGNED - 1u) / DEPTHS_ALIGNED * DEPTHS_ALIGNED;
    return scene_depths[pixel.y * row + pixel.x];
}

// Draws the sphere of a particle: first its depths, and once those of all are known, its number where it is visible.
fn draw_sphere(index: u32, lane: u32, are_depths_known: bool) {
    let outline = covering_outline(positions[index].xyz, densities[index].x, velocities[index].xyz);
    if outline.tangent <= 0.0 {
        return;
    }
    let footprint = footprint_of(outline, 1.0, 1u);
    let ahead = distances_ahead(outline);
    for (var y = footprint.area.low.y + i32(lane); y < footprint.area.high.y; y += i32(LANES)) {
        for (var x = footprint.area.low.x; x < footprint.area.high.x; x += 1) {
            let place = place_in(footprint, vec2<i32>(x, y));
            if dot(place, place) > 1.0 {
                continue;
            }
            let bits = depth_bits(outline, ahead, place);
            let pixel = u32(y) * u32(frame.size.x) + u32(x);
            let known = atomicLoad(&nearest[pixel]);
            if are_depths_known {
                if bits + NEAREST_SLACK >= known {
                    atomicMax(&numbers[pixel], index + 1u);
                }
            } else if known < bits {
                // Most of what overlaps here is hidden, and reading is cheaper than an atomic operation.
                atomicMax(&nearest[pixel], bits);
            }
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn splat_nearest(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = particle_of(id, groups);
    if index < frame.particle_count {
        draw_sphere(index, id.x % LANES, false);
    }
}

@compute @workgroup_size(WORKGROUP)
fn splat_numbers(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = particle_of(id, groups);
    if index < frame.particle_count {
        draw_sphere(index, id.x % LANES, true);
    }
}

@compute @workgroup_size(WORKGROUP)
fn splat_thickness(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = particle_of(id, groups);
    if index >= frame.particle_count || bitcast<u32>(velocities[index].w) >= frame.fluid_count {
        return;
    }
    let outline = covering_outline(positions[index].xyz, densities[index].x, velocities[index].xyz);
    if outline.tangent <= 0.0 {
        return;
    }
    // At least one texel wide, because small spheres could otherwise fall between texels.
    let texel = f32(frame.relief_scale) / frame.pixels_at_one;
    let tangent = max(outline.tangent, 0.75 * texel);
    let footprint = footprint_of(outline, tangent / outline.tangent, frame.relief_scale);
    let radius = outline.distance * tangent;
    let water = path_through(outline, radius, water_in(outline));
    let center = frame.clip_from_world * vec4<f32>(positions[index].xyz, 1.0);
    let depth = center.z / center.w;
    let width = u32(ceil(frame.size.x / f32(frame.relief_scale)));
    for (var y = footprint.area.low.y + i32(id.x % LANES); y < footprint.area.high.y; y += i32(LANES)) {
        for (var x = footprint.area.low.x; x < footprint.area.high.x; x += 1) {
            let place = place_in(footprint, vec2<i32>(x, y));
            let inside = 1.0 - dot(place, place);
            // Solids hide the water behind them.
            if inside > 0.0 && scene_depth_in(vec2<i32>(x, y)) <= depth {
                atomicAdd(&water_behind[u32(y) * width + u32(x)], whole_water(water * sqrt(inside)));
            }
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn splat_sun_surface(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = particle_of(id, groups);
    if index >= frame.particle_count || is_in_body(densities[index].x) < 0.5 {
        return;
    }
    let position = positions[index].xyz;
    let radius = water_radius(densities[index].x);
    let right = normalize(cross(frame.light, vec3<f32>(0.0, 0.0, 1.0)));
    let up = cross(right, frame.light);
    let texels = f32(frame.light_map_texels);
    let middle = light_map_place(position) * texels;
    // How far the two directions move on the map, texels per radius. The map is a linear function of the position.
    let along_right = (light_map_place(position + radius * right) - light_map_place(position)) * texels;
    let along_up = (light_map_place(position + radius * up) - light_map_place(position)) * texels;
    let half = abs(along_right) + abs(along_up);
    let area = rectangle(middle - half, middle + half, vec2<i32>(i32(frame.light_map_texels)));
    let determinant = along_right.x * along_up.y - along_right.y * along_up.x;
    if abs(determinant) < 1e-12 {
        return;
    }
    for (var y = area.low.y + i32(id.x % LANES); y < area.high.y; y += i32(LANES)) {
        for (var x = area.low.x; x < area.high.x; x += 1) {
            let offset = vec2<f32>(vec2<i32>(x, y)) + 0.5 - middle;
            let place = vec2<f32>(
                offset.x * along_up.y - offset.y * along_up.x,
                along_right.x * offset.y - along_right.y * offset.x,
            ) / determinant;
            let squared = dot(place, place);
            if squared <= 1.0 {
                let aside = place.x * right + place.y * up;
                let height = position.y + radius * (aside.y + sqrt(1.0 - squared) * frame.light.y);
                atomicMax(&sun_heights[u32(y) * frame.light_map_texels + u32(x)], height_key(height));
            }
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn splat_light(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = particle_of(id, groups);
    if index >= frame.particle_count {
        return;
    }
    if !leaves_blot(bitcast<u32>(velocities[index].w)) {
        return;
    }
    let position = positions[index].xyz;
    let texels = f32(frame.light_map_texels);
    let radius = blot_radius(position);
    let middle = light_map_place(position) * texels;
    let half = radius * frame.light_map_inverse_size * texels;
    let area = rectangle(middle - half, middle + half, vec2<i32>(i32(frame.light_map_texels)));
    let height = bitcast<u32>(max(blot_height(position), 0.0));
    let water = blot_water(radius);
    for (var y = area.low.y + i32(id.x % LANES); y < area.high.y; y += i32(LANES)) {
        for (var x = area.low.x; x < area.high.x; x += 1) {
            let place = (vec2<f32>(vec2<i32>(x, y)) + 0.5 - middle) / half;
            let weight = 1.0 - dot(place, place);
            if weight > 0.0 {
                let texel = 2u * (u32(y) * frame.light_map_texels + u32(x));
                // Most of what overlaps here is lower, and reading is cheaper than an atomic operation.
                if atomicLoad(&light[texel]) < height {
                    atomicMax(&light[texel], height);
                }
                atomicAdd(&light[texel + 1u], whole_water(water * weight));
            }
        }
    }
}
