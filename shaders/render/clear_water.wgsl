// Clear water: one smooth surface that refracts what is behind it, absorbs light by Beer's law, and mirrors the sky by
// Fresnel's. Its color, how much of each pixel it covers, and its depths are drawn into a layer, which
// `water_over.wgsl` puts over the finished picture. With DROPS, what is in front of that surface is drawn into a layer
// of its own: single drops and lumps of few particles, through which the surface and the picture are seen. Draw 3
// vertices, with DROPS where `drop_mask.wgsl` has left depths.
#import nearwater::render::eye_in_water::is_eye_in_water
#import nearwater::render::environment::{has_environment, received_from_all_sides}
#import nearwater::render::frame::frame
#import nearwater::render::light::light_sampler
#import nearwater::render::names::sample_at
#import nearwater::render::refracted::{length_to_scene, light_behind, refracted_light, scene_depth}
#import nearwater::render::scene_light::{lamps_at, lamps_glint, scene_sun_along}
#import nearwater::render::screen::screen_corner
#ifdef DROPS
#import nearwater::render::drops::opacity
#import nearwater::render::shading::{LAMP_COLOR, ambient, key, toned}
#else
#import nearwater::render::roughness::evened
#import nearwater::render::shading::{LAMP_COLOR, toned}
#endif
#import nearwater::render::sky::{blurred_sky, filtered_lobe, sun_glint}
#import nearwater::render::solid_light::solid_light
#import nearwater::render::tank_walls::between_walls
#ifdef DROPS
#import nearwater::render::water_path::path_through_ball
#import nearwater::render::water_surface::{alone, ball_at, covered, drop_at, roundness}
#else
#import nearwater::render::lens::lens_at
#import nearwater::render::tank_path::{path_in_tank, thickness_at}
#import nearwater::render::water_surface::{ball_at, covered, smooth_at}
#endif

// How much is seen past the balls of which a drop consists, if the drop is a few pixels wide, and if it is wide. The
// image of the surroundings in a drop of few pixels would differ from one pixel to the next without being an image.
const BETWEEN_DROPS: vec2<f32> = vec2<f32>(0.85, 0.35);
// Radii of a drop, pixels, between which one changes into the other.
const IMAGED: vec2<f32> = vec2<f32>(2.0, 7.0);
// Pixels in which the normal of a drop turns by a radian: up to the first number a pixel mirrors and refracts the whole
// of a lamp or of a cloud, and from the second one on a part of its image. The least cosine of the angle between the
// normal and the direction to the eye that counts for it.
const BLURRED: vec2<f32> = vec2<f32>(2.0, 8.0);
const RIM: f32 = 0.1;
// Radii of a drop, pixels, up to which it is soft towards its rim, and from which on it is a ball with a clear outline.
// With an outline drops of few pixels look like flakes of paper.
const SOFT: vec2<f32> = vec2<f32>(5.0, 14.0);
// Cosines of the angle between the ray and the normal of the surface: from the first one on the surface comes to face
// away, and from the second one on it cannot be seen. Spheres at its edge are seen from below, but no water is there.
const AWAY: vec2<f32> = vec2<f32>(-0.03, 0.03);
// Distances between the directions of a ray and of its mirror image: up to the first one the ray is mirrored at so
// small an angle that it meets what is seen straight ahead, and from the second one on it does not.
const FLAT: vec2<f32> = vec2<f32>(0.05, 0.3);

#ifndef DROPS
// Where the surface meets a wall behind it, water climbs the wall by a few millimeters, and this meniscus gathers light
// from above. It is far narrower than a particle, and without it the water ends there without a visible border, since
// the path of the light in it ends: pixels up to which it is seen and from which on it is not, the upward parts of the
// normal of a surface that has none and of one that has, sines of the angles at which the eye looks down on it between
// which it appears, since along the surface the rim is as rough as particles are, the light that it shows as a part of
// that from above, and how much of a pixel it covers.
const MENISCUS: vec2<f32> = vec2<f32>(0.8, 2.2);
const LEVEL: vec2<f32> = vec2<f32>(0.2, 0.6);
const LOOKED_DOWN_ON: vec2<f32> = vec2<f32>(0.05, 0.14);
const BRIGHTNESS: f32 = 0.6;
const SHOWN: f32 = 0.35;
#endif

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // From the eye to the near plane, m.
    @location(0) ray: vec3<f32>,
    // 1 if the eye is in the water, which is found out here and not in every pixel.
    @location(1) @interpolate(flat) within: u32,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Corner {
    let corner = screen_corner(index);
    return Corner(corner.clip, corner.ray, u32(is_eye_in_water()));
}

struct Shown {
    @location(0) color: vec4<f32>,
#ifndef DROPS
    @builtin(frag_depth) depth: f32,
#endif
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
fn fragment(corner: Corner) -> Shown {
    let pixel = vec2<i32>(corner.clip.xy);
    let name = sample_at(pixel, 0);
    let within = corner.within != 0u;
#ifdef DROPS
    if within {
        discard;
    }
    // The depth test lets only pixels through that `drop_mask.wgsl` has found, unless a fragment is discarded.
    let ball = ball_at(name, corner.ray);
    let surface = drop_at(ball, pixel);
    let rough = 0.0;
#else
    if name == 0u && !within {
        discard;
    }
    let ball = ball_at(name, corner.ray);
    let smooth_surface = smooth_at(ball, corner.clip.xy);
    if !smooth_surface.is_known && !within {
        discard;
    }
    let even = evened(smooth_surface, corner.clip.xy, normalize(corner.ray));
    let surface = even.surface;
    let rough = even.rough * (1.0 - surface.at_wall);
#endif
    let view = normalize(corner.ray);
#ifdef DROPS
    let tank = between_walls(surface, corner.ray, 0.0, 0.0);
#else
    let thickness = thickness_at(corner.clip.xy);
    let tank = between_walls(surface, corner.ray, thickness, scene_depth(corner.clip.xy) / frame.near);
    if tank.room <= 0.0 && !within {
        discard;
    }
#endif
    let found = tank.surface;
    // To an eye in the water it begins where everything does that is seen.
    let position = frame.eye + corner.ray * select(found.depth / frame.near, 1.0, within);
    let normal = facing(found.normal, view);
#ifdef DROPS
    // Across a ball the normal turns by a radian in so many pixels, and towards its rim in fewer.
    let radian = ball.outline * max(-dot(normal, view), RIM);
    // The mirrored direction turns twice as much; the standard deviation of a place in a pixel is half a pixel.
    let variance = 1.0 / (radian * radian);
    let blur = 1.0 - smoothstep(BLURRED.x, BLURRED.y, radian);
#else
    let variance = 0.0;
    let blur = rough;
#endif
    let sun = solid_light(position, vec3<f32>(0.0, 1.0, 0.0), 2.0 * frame.particle_radius, corner.clip.xy);
    let lamps = lamps_at(position);
    let straight = length_to_scene(position, view, corner.clip.xy);

#ifdef DROPS
    let through = refracted_light(position, view, path_through_ball(view, normal), corner.clip.xy, straight, blur);
    let level = light_behind(corner.clip.xy);
    // Its ball stands for several smaller ones, between which one sees straight ahead.
    let past = mix(BETWEEN_DROPS.x, BETWEEN_DROPS.y, smoothstep(IMAGED.x, IMAGED.y, ball.outline));
    let body = mix(through.light, level, past);
#else
    let thick = min(thickness, tank.room);
    let tank_path = path_in_tank(position, view, normal, thick, straight, within);
    var path = tank_path.path;
    path.scatter = max(path.scatter, rough);
    var lens_share = 0.0;
    if !within && all(path.leaving == view) {
        let lens = lens_at(corner.clip.xy, found.depth, view, normal, thick, min(straight, tank.room));
        path.leaving = lens.leaving;
        lens_share = lens.share;
    }
    // The surface of a lens is known too coarsely for a sharp image of lamps and clouds.
    let through = refracted_light(position, view, path, corner.clip.xy, straight, lens_share);
    // Scattering back along the way adds up as absorption does.
    let sun_in_water = scene_sun_along(position, path.bent, min(path.first, through.water));
    let received = frame.key_light * sun_in_water + from_above() + lamps;
    let scattered = frame.scattered * received;
    let ahead = light_behind(corner.clip.xy);
    // What would be seen if all water in the pixel had level surfaces.
    let level = in_water(ahead, scattered, exp(-frame.absorption * thick));
    let beyond = mix(through.light, ahead, tank_path.at_edge);
    // Between a mirror and none it stands for both, which would take a second path.
    let body = mix(in_water(beyond, scattered, exp(-frame.absorption * through.water)), level, tank_path.doubt);
#endif

    let mirrored = reflect(view, normal);
    // Their lobes are around the vector halfway between both directions, which turns half as much as the mirrored one.
    let sharp = filtered_lobe(9.0, 3600.0, 0.25 * variance);
    let soft = filtered_lobe(0.9, 360.0, 0.25 * variance);
    let glints = sharp.x * lamps_glint(position, normal, -view, sharp.y)
        + soft.x * lamps_glint(position, normal, -view, soft.y);
    // At a grazing angle the mirrored ray continues almost straight ahead; the ground that it meets is in the picture.
    let grazing = 1.0 - smoothstep(0.1, 0.7, distance(mirrored, view));
    let flat = 1.0 - smoothstep(FLAT.x, FLAT.y, distance(mirrored, view));
    let around = mix(blurred_sky(mirrored, blur), level, max(flat, grazing * (1.0 - smoothstep(-0.12, 0.06, mirrored.y))));
    let lights = sun * sun_glint(mirrored, variance) + LAMP_COLOR * glints;
    let share_mirrored = select(fresnel(normal, view), 0.0, within);
    var whole = mix(body, around + (1.0 - rough) * lights, share_mirrored);
#ifndef DROPS
    let line = (1.0 - smoothstep(MENISCUS.x, MENISCUS.y, tank.before_wall))
        * f32(!within)
        * smoothstep(LEVEL.x, LEVEL.y, normal.y)
        * smoothstep(LOOKED_DOWN_ON.x, LOOKED_DOWN_ON.y, -view.y);
    whole = mix(whole, BRIGHTNESS * from_above(), SHOWN * line);
#endif

#ifdef DROPS
    // A drop of few pixels stands for a spray of finer ones, which scatter the light.
    let spray = 0.55 * ambient(vec3<f32>(0.0, 1.0, 0.0)) + 0.60 * (key() * sun + LAMP_COLOR * lamps);
    let white = mix(0.35, 0.03, smoothstep(1.0, 2.2, ball.outline));
    let softness = (1.0 - smoothstep(SOFT.x, SOFT.y, ball.outline)) * alone(name, ball, pixel);
    let rim = mix(1.0, roundness(ball), softness);
    let share = rim * opacity(ball.outline, ball.stretch) * covered(ball, pixel, 1.0) * f32(tank.room > 0.0);
    return Shown(vec4<f32>(share * toned(mix(whole, spray, white)), share));
#else
    // The rims of the spheres at the water's outline hold next to no water; fading them smooths the outline. A drop in
    // front of the surface, behind which it is continued, holds some itself.
    let radii = thickness / frame.particle_radius;
    let is_hidden = smooth_surface.is_hidden;
    let shown = smoothstep(0.1, 1.0, radii) * covered(ball, pixel, smooth_surface.inclined);
    let fade = select(shown, smoothstep(0.5, 2.0, radii), is_hidden);
    let seen = mix(1.0 - smoothstep(AWAY.x, AWAY.y, dot(surface.normal, view)), 1.0, found.at_wall);
    // To an eye below the surface the wall shows water up to its level and not up to the tops of spheres.
    let below = clamp(0.5 + tank_path.over * frame.pixels_at_one / found.depth, 0.0, 1.0);
    let share = select(fade * seen * min(tank.before_wall, 1.0) * mix(1.0, below, found.at_wall), 1.0, within);
    let borrowed = select(0.0, tank.borrowed, share >= 1.0 && !within);
    return Shown(vec4<f32>(share * toned(whole), share + borrowed), select(frame.near / found.depth, 1.0, within));
#endif
}
