// Clear water: one smooth surface that refracts what is behind it, absorbs light by Beer's law, and mirrors the sky by
// Fresnel's. It is drawn over the finished picture, with the depth of its surface. Draw 3 vertices.
#import nearwater::render::environment::{has_environment, received_from_all_sides}
#import nearwater::render::frame::frame
#import nearwater::render::light::light_sampler
#import nearwater::render::names::{sample_at, seen_at}
#import nearwater::render::refracted::{AIR_OVER_WATER, behind_ball, light_behind, refracted_light}
#import nearwater::render::scene_light::{lamps_at, lamps_glint, scene_sun_along}
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::shading::{LAMP_COLOR, ambient, dithered, key, toned}
#import nearwater::render::sky::{sky, sun_glint}
#import nearwater::render::solid_light::solid_light
#import nearwater::render::tank_walls::between_walls
#import nearwater::render::water_surface::surface_at

// Length of the ray in water, m.
@group(0) @binding(6) var thickness: texture_2d<f32>;

// How much is seen past the balls of which a drop consists.
const BETWEEN_DROPS: f32 = 0.35;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

struct Shown {
    @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

fn thickness_at(pixel: vec2<f32>) -> f32 {
    let pixels = vec2<f32>(textureDimensions(thickness) * frame.relief_scale);
    return textureSampleLevel(thickness, light_sampler, pixel / pixels, 0.0).r;
}

// The share of a pixel with water that it covers, as far as the four pixels beside it tell: 1 inside, less at an edge.
fn covered(pixel: vec2<i32>) -> f32 {
    var count = 0.0;
    for (var tap = 0; tap < 4; tap += 1) {
        let side = 2 * (tap & 1) - 1;
        count += f32(seen_at(pixel + select(vec2<i32>(side, 0), vec2<i32>(0, side), tap > 1)) != 0u);
    }
    return smoothstep(0.0, 1.0, count / 4.0);
}

// Light from all sides that falls into the water.
fn from_above() -> vec3<f32> {
    if has_environment() {
        return received_from_all_sides(vec3<f32>(0.0, 1.0, 0.0));
    }
    return frame.room_light;
}

// Schlick's approximation (1994) of Fresnel's reflection for a refractive index of 1.33.
fn fresnel(normal: vec3<f32>, view: vec3<f32>) -> f32 {
    return 0.02 + 0.98 * pow(1.0 - clamp(-dot(normal, view), 0.0, 1.0), 5.0);
}

// Light that has come through water which transmits a share of it, and scatters `scattered` instead of what it absorbs.
fn in_water(light: vec3<f32>, scattered: vec3<f32>, transmitted: vec3<f32>) -> vec3<f32> {
    return mix(scattered, light, transmitted);
}

// The normal of a surface that is seen, which cannot face away; at silhouettes it is turned until it does not.
fn facing(normal: vec3<f32>, view: vec3<f32>) -> vec3<f32> {
    let away = max(dot(normal, view) + 0.04, 0.0);
    return normalize(normal - away * view);
}

@fragment
fn fragment(corner: ScreenCorner) -> Shown {
    let pixel = vec2<i32>(corner.clip.xy);
    let name = sample_at(pixel, 0);
    if name == 0u {
        discard;
    }
    let view = normalize(corner.ray);
    let tank = between_walls(surface_at(name, corner.ray, corner.clip.xy), corner.ray);
    if tank.room <= 0.0 {
        discard;
    }
    let found = tank.surface;
    // The rims of the spheres at the water's outline hold next to no water; fading them smooths the outline. The
    // picture of particles has one sample in a pixel, so that its edges are steps; they are softened by the pixels
    // around. A drop's own outline is known.
    let thick = min(thickness_at(corner.clip.xy), tank.room);
    let radii = thick / frame.particle_radius;
    let in_drop = mix(1.0, clamp(found.inward, 0.0, 1.0), found.drop);
    let fade = mix(smoothstep(0.1, 1.0, radii) * covered(pixel), max(in_drop, smoothstep(1.2, 2.4, radii)), found.drop);
    let position = frame.eye + corner.ray * (found.depth / frame.near);
    let normal = facing(found.normal, view);
    let mirror = facing(tank.mirror, view);

    // A drop's ball is so small that its own water counts for nothing; what is counted is the water behind it.
    let leaving = normalize(mix(view, behind_ball(view, normal), found.drop));
    let through = refracted_light(position, view, normal, leaving, corner.clip.xy, thick * (1.0 - found.drop));
    let water = mix(through.water, thick, found.drop);
    let transmitted = exp(-frame.absorption * water);
    // Scattering back along the way adds up as absorption does.
    let bent = refract(view, normal, AIR_OVER_WATER);
    let lamps = lamps_at(position);
    let received = frame.key_light * scene_sun_along(position, bent, water) + from_above() + lamps;
    let scattered = frame.scattered * received;
    // What would be seen if all water in the pixel had level surfaces.
    let level = in_water(light_behind(pixel), scattered, exp(-frame.absorption * thick));
    // A drop's ball stands for several smaller ones, between which one sees straight ahead.
    let body = mix(in_water(through.light, scattered, transmitted), level, BETWEEN_DROPS * found.drop);

    let mirrored = reflect(view, mirror);
    let sun = solid_light(position, vec3<f32>(0.0, 1.0, 0.0), 2.0 * frame.particle_radius, corner.clip.xy);
    let glints = 9.0 * lamps_glint(position, mirror, -view, 3600.0) + 0.9 * lamps_glint(position, mirror, -view, 360.0);
    // At a grazing angle the mirrored ray continues almost straight ahead; the ground that it meets is in the picture.
    let grazing = 1.0 - smoothstep(0.1, 0.7, distance(mirrored, view));
    let around = mix(sky(mirrored), level, grazing * (1.0 - smoothstep(-0.12, 0.06, mirrored.y)));
    let reflection = around + sun * sun_glint(mirrored) + LAMP_COLOR * glints;
    // A drop of few pixels stands for a spray of finer ones, which scatter the light.
    let spray = 0.55 * ambient(vec3<f32>(0.0, 1.0, 0.0)) + 0.60 * (key() * sun + LAMP_COLOR * lamps);
    let white = found.drop * mix(0.35, 0.03, smoothstep(1.0, 3.0, found.outline));
    let whole = mix(mix(body, reflection, fresnel(mirror, view)), spray, white);
    // At the rim of a drop in front of other water, that water is seen.
    let color = mix(level, whole, in_drop);
    return Shown(vec4<f32>(dithered(toned(color), corner.clip.xy), fade), frame.near / found.depth);
}
