// The corners of the mesh of `caustics.wgsl`: where the light that the surface refracts reaches the floor, and how much
// of it does. Each corner belongs to six triangles, so that computing it in their vertices would take six times as
// long. Light is refracted once and reaches the floor without meeting anything; it does not leave the water again. Draw
// 3 vertices into a texture with a texel for each corner.
#import nearwater::render::caustic_mesh::{corner_bits, mesh_edge}
#import nearwater::render::frame::frame
#import nearwater::render::light::{light_map, light_sampler}
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::sunlit::{Point, point_at, slope, sun_surface}

// Lengths of the light's path in water, in radii of a particle: up to the first one drops let it pass straight on, and
// from the second one on it is refracted.
const REFRACTING: vec2<f32> = vec2<f32>(2.5, 5.0);
// The same, between which the refracting surface turns from a level one to that of the water: that of a few layers of
// particles is as rough as they are, and its caustics would be noise.
const SMOOTH: vec2<f32> = vec2<f32>(7.0, 14.0);
// Half of the width over which the mean normal of the surface is found, in radii of a particle, and differences of the
// normal from it: up to the first one they are the rows and layers of particles, whose caustics would be lines as in
// wood, and from the second one on they are waves.
const WIDTH: f32 = 6.0;
const ROUGH: vec2<f32> = vec2<f32>(0.03, 0.12);
// How much deeper than the sum of its particles says water may be: times, and in radii of a particle.
const VARIATION: vec2<f32> = vec2<f32>(1.5, 2.0);
// How far the spheres of particles rise above the water that these stand for, in radii of a particle.
const BULGE: f32 = 0.6;

// How much of the surface around a place of the map continues that at `here`, 0 to 1. Light at the water's outline and
// through single drops passes straight on, because the few corners of the mesh there would be scattered far apart.
fn continued(place: vec2<f32>, here: Point) -> f32 {
    let reach = 3.0 / f32(frame.caustic_texels);
    var count = 0.0;
    for (var tap = 0u; tap < 8u; tap += 1u) {
        let angle = 0.7853982 * f32(tap);
        let there = point_at(place + reach * vec2<f32>(cos(angle), sin(angle)));
        let is_near = abs(there.position.y - here.position.y) < 8.0 * frame.particle_radius;
        count += f32(there.is_water && is_near);
    }
    return smoothstep(0.6, 1.0, count / 8.0);
}

// The share of light that stays in the tank, by the point of the floor at which it would arrive without water: light
// that leaves through a wall is refracted back there, and lands about where it would have landed.
fn staying(floor_place: vec2<f32>, height: f32) -> f32 {
    let inside = min(floor_place - frame.box_low.xz, frame.box_high.xz - floor_place);
    return smoothstep(0.0, 1.0, min(inside.x, inside.y) / max(height, frame.particle_radius));
}

// Length of the light's path in water around a place of the map, m: the mean over the width of two particles, because
// single ones differ.
fn water_around(place: vec2<f32>) -> f32 {
    let reach = 2.0 * frame.particle_radius * frame.light_map_inverse_size;
    var sum = textureSampleLevel(light_map, light_sampler, place, 0.0).a;
    for (var tap = 0u; tap < 4u; tap += 1u) {
        let side = vec2<f32>(select(-1.0, 1.0, (tap & 1u) == 1u), select(-1.0, 1.0, tap > 1u));
        sum += textureSampleLevel(light_map, light_sampler, place + reach * side, 0.0).a;
    }
    return sum / (5.0 * frame.light.y);
}

// How deep the water is that refracts the light, along it and in radii of a particle: as deep as its surface is above
// the floor, where the sum of its particles `column`, m, is not much less. That sum varies from row to row of them, and
// where it decides how much the light is bent, rows become scales of light and shadow. It is needed where something
// else is below the water.
fn depth_of(height: f32, column: f32) -> f32 {
    let radius = frame.particle_radius;
    let above_floor = height / (frame.light.y * radius) - BULGE;
    return min(above_floor, VARIATION.x * column / radius + VARIATION.y);
}

// The normal of the surface at a place of the map, where its point is `position`, without the roughness of particles.
fn without_roughness(place: vec2<f32>, position: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let radius = frame.particle_radius;
    // There is no water behind the walls.
    let inside = min(position - frame.box_low, frame.box_high - position).xz - radius;
    let step = clamp(inside, vec2<f32>(radius), vec2<f32>(WIDTH * radius)) * frame.light_map_inverse_size;
    let right = point_at(place + vec2<f32>(step.x, 0.0));
    let left = point_at(place - vec2<f32>(step.x, 0.0));
    let front = point_at(place + vec2<f32>(0.0, step.y));
    let back = point_at(place - vec2<f32>(0.0, step.y));
    let mean = normalize(cross(front.position - back.position, right.position - left.position));
    let apart = normal - mean;
    let smoothed = normalize(mean + smoothstep(ROUGH.x, ROUGH.y, length(apart)) * apart);
    let is_known = right.is_water && left.is_water && front.is_water && back.is_water;
    return select(normal, smoothed, is_known);
}

// A normal next to a wall of the tank without the part that points out: there the spheres of the particles are round,
// but the surface of water is not. Light that enters through a wall counts as entering from above, because a wall would
// refract it to places far from where the light from above lands, and leave a dark strip between them.
fn within_walls(position: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let reach = max(10.0 * frame.particle_radius, 0.09 * frame.extent);
    let low = 1.0 - smoothstep(vec3<f32>(0.5 * reach), vec3<f32>(reach), position - frame.box_low);
    let high = 1.0 - smoothstep(vec3<f32>(0.5 * reach), vec3<f32>(reach), frame.box_high - position);
    let outward = max(-normal, vec3<f32>(0.0)) * low + max(normal, vec3<f32>(0.0)) * high;
    if max(outward.x, outward.z) > 0.6 {
        return vec3<f32>(0.0, 1.0, 0.0);
    }
    let inward = min(normal, vec3<f32>(0.0)) * (1.0 - low) + max(normal, vec3<f32>(0.0)) * (1.0 - high);
    return normalize(vec3<f32>(inward.x, max(normal.y, 0.2), inward.z));
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

@fragment
fn fragment(corner: ScreenCorner) -> @location(0) vec4<u32> {
    let place = floor(corner.clip.xy) / f32(mesh_edge());
    let here = point_at(place);
    var landing = place;
    // Drops are no part of the surface, but they absorb light.
    let column = water_around(place);
    var light = exp(-frame.absorption * column);
    if here.is_water {
        let height = here.position.y - frame.floor_height;
        let depth = depth_of(height, column);
        let floor_place = frame.light_map_low + place / frame.light_map_inverse_size;
        // The sun is soft: the pattern of water high above the floor is blurred until it is even light.
        var share = smoothstep(REFRACTING.x, REFRACTING.y, depth)
            * (1.0 - smoothstep(0.27, 0.63, height / frame.extent))
            * staying(floor_place, height);
        if share > 0.0 {
            share *= continued(place, here);
        }
        let step = 1.0 / vec2<f32>(textureDimensions(sun_surface));
        let along_x = slope(place, here, vec2<f32>(step.x, 0.0));
        let along_z = slope(place, here, vec2<f32>(0.0, step.y));
        let found = without_roughness(place, here.position, normalize(cross(along_z, along_x)));
        let rough = within_walls(here.position, found);
        let normal = normalize(mix(vec3<f32>(0.0, 1.0, 0.0), rough, smoothstep(SMOOTH.x, SMOOTH.y, depth)));
        let facing = clamp(dot(normal, frame.light), 0.05, 1.0);
        let bent = refract(-frame.light, normal, 0.752);
        let towards = normalize(mix(-frame.light, bent, share));
        let reached = here.position + height / max(-towards.y, 0.2) * towards;
        landing = (reached.xz - frame.light_map_low) * frame.light_map_inverse_size;
        let entering = 1.0 - (0.02 + 0.98 * pow(1.0 - facing, 5.0));
        light *= mix(1.0, entering, share);
    }
    return corner_bits(landing, light);
}
