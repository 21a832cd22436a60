// What is seen through clear water: the picture of the scene without water, at the point that the refracted ray
// reaches. The ray is bent where it enters; where the water ends along the straight ray it leaves again, and continues
// in a direction that the caller knows: behind a pane of water its first one. It is followed in the picture of depths,
// so it finds what that picture shows, and nothing that is hidden there.
#define_import_path nearwater::render::refracted
#import nearwater::render::frame::frame
#import nearwater::render::ground::ground_at
#import nearwater::render::light::light_sampler
#ifdef DROPS
#import nearwater::render::shading::{backdrop, untoned}
#else
#import nearwater::render::shading::backdrop
#endif
#import nearwater::render::sky::blurred_sky
#import nearwater::render::water_path::{WaterPath, point_along, water_along}

// The scene without water: linear light, and depth.
@group(0) @binding(9) var solids_behind: texture_2d<f32>;
@group(0) @binding(10) var solid_depths: texture_depth_2d;

#ifdef DROPS
// The layer of the water's surface in front of it, premultiplied, and its depths.
@group(1) @binding(3) var water_layer: texture_2d<f32>;
@group(1) @binding(4) var water_depths: texture_depth_2d;
#endif

// Longest way to the floor from which what a wall mirrors is looked for, in halves of the box's longer edge: near the
// horizon the floor is so far away that a solid in front of it would not be found from there.
const FARTHEST: f32 = 8.0;
// The depth of the backdrop, m.
const FAR: f32 = 1e4;
// How far in front of a ray's point the scene may be without hiding it, in lengths of the ray.
const HIDING: f32 = 0.15;

// In so many steps a path is followed through water with solids in it, and by so many halvings its end is found.
const STEPS: i32 = 16;
const HALVINGS: i32 = 4;
// Length of the first step divided by the mean one.
const FIRST: f32 = 0.4;
// Least thickness of solids, in radii of a particle.
const THICK: f32 = 2.0;
// So many times as far a path may come out behind a surface that is seen along itself.
const STEEPEST: f32 = 20.0;

#ifndef DROPS
// Heights over the horizon, as parts of a direction, between which the sky comes to be seen in a lens.
const HORIZON: vec2<f32> = vec2<f32>(0.0, 0.6);
// What a path meets whose neighbors go elsewhere is blurred: by up to this part of the way, in the picture, by which
// the path is bent, and at most so many pixels; up to the last number of pixels it is sharp.
const SCATTERED: f32 = 0.5;
const WIDEST: f32 = 24.0;
const SHARP: f32 = 0.5;
// Places on each of two circles around a point which a blur reads, and how much one of them counts.
const AROUND: i32 = 6;
const INNER: f32 = 0.8;
const OUTER: f32 = 0.4;
#endif

struct Through {
    light: vec3<f32>,
    // Length of the path in water, m.
    water: f32,
}

// Depth of the scene without water in a pixel, m.
fn scene_depth(pixel: vec2<f32>) -> f32 {
    let last = vec2<i32>(textureDimensions(solid_depths)) - 1;
    let depth = textureLoad(solid_depths, clamp(vec2<i32>(pixel), vec2<i32>(0), last), 0);
    return select(FAR, frame.near / depth, depth > frame.near / FAR);
}

// How far the scene is from a point on the ray through the center of a pixel, m.
fn length_to_scene(position: vec3<f32>, view: vec3<f32>, pixel: vec2<f32>) -> f32 {
    let advance = (frame.clip_from_world * vec4<f32>(view, 0.0)).w;
    return max(scene_depth(pixel) - seen_where(position).z, 0.0) / advance;
}

// Light of the scene at a point of the picture; with DROPS, through the surface of the water.
fn light_behind(at: vec2<f32>) -> vec3<f32> {
    let light = textureSampleLevel(solids_behind, light_sampler, at / frame.size, 0.0).rgb;
#ifdef DROPS
    let water = textureSampleLevel(water_layer, light_sampler, at / frame.size, 0.0);
    let pixel = clamp(vec2<i32>(at), vec2<i32>(0), vec2<i32>(frame.size) - 1);
    let is_seen = textureLoad(water_depths, pixel, 0) >= textureLoad(solid_depths, pixel, 0);
    // More than the whole of a pixel says what the pixels beside it have to do with it.
    let share = min(water.a, 1.0);
    let over = mix(light, untoned(water.rgb / max(share, 1e-3)), share);
    return select(light, over, is_seen && water.a > 0.0);
#else
    return light;
#endif
}

#ifndef DROPS
// Light of what a path meets at a point of the picture, at this depth. At the rim of a solid, what is beside that point
// in the picture is not what the path meets.
fn light_of_met(at: vec2<f32>, depth: f32) -> vec3<f32> {
    let last = vec2<i32>(textureDimensions(solid_depths)) - 1;
    let corner = floor(at - 0.5);
    let part = at - 0.5 - corner;
    var light = vec3<f32>(0.0);
    var weights = 0.0;
    for (var tap = 0; tap < 4; tap += 1) {
        let side = vec2<i32>(tap & 1, tap >> 1u);
        let pixel = clamp(vec2<i32>(corner) + side, vec2<i32>(0), last);
        let shares = select(1.0 - part, part, side == vec2<i32>(1));
        let apart = abs(scene_depth(vec2<f32>(pixel) + 0.5) - depth) / frame.particle_radius;
        let weight = (shares.x * shares.y + 1e-4) / (1.0 + apart * apart);
        light += weight * textureLoad(solids_behind, pixel, 0).rgb;
        weights += weight;
    }
    return light / weights;
}

// The mean of `light` at a point of the picture and of what is seen up to `radius` pixels around it, apart from what is
// nearer than `depth`, in front of the water.
fn blurred_behind(light: vec3<f32>, at: vec2<f32>, radius: f32, depth: f32) -> vec3<f32> {
    var sum = light;
    var weights = 1.0;
    // Loops end early on devices that execute both sides of every branch.
    let taps = select(0, 2 * AROUND, radius > SHARP);
    for (var tap = 0; tap < taps; tap += 1) {
        let is_outer = tap >= AROUND;
        // Those of the outer circle are between those of the inner one.
        let angle = 6.2831853 / f32(AROUND) * (f32(tap) + 0.5 * f32(is_outer));
        let place = at + select(0.5, 1.0, is_outer) * radius * vec2<f32>(cos(angle), sin(angle));
        let weight = select(INNER, OUTER, is_outer) * f32(scene_depth(place) > depth);
        sum += weight * textureSampleLevel(solids_behind, light_sampler, place / frame.size, 0.0).rgb;
        weights += weight;
    }
    return sum / weights;
}
#endif

// Pixel and depth of a point.
fn seen_where(point: vec3<f32>) -> vec3<f32> {
    let clip = frame.clip_from_world * vec4<f32>(point, 1.0);
    return vec3<f32>((clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5) * frame.size, clip.w);
}

// A point of a path: the way up to it, its depth, and that of the scene in its place of the picture, m.
struct Sample {
    along: f32,
    depth: f32,
    scene: f32,
}

fn sample_of(path: WaterPath, position: vec3<f32>, along: f32) -> Sample {
    let seen = seen_where(point_along(path, position, along));
    return Sample(along, seen.z, scene_depth(seen.xy));
}

// How much the depth of the scene in a place of the picture changes from pixel to pixel, m. At the rim of a solid it
// jumps on one side only.
fn slope_at(pixel: vec2<f32>) -> f32 {
    let here = scene_depth(pixel);
    let left = abs(scene_depth(pixel - vec2<f32>(1.0, 0.0)) - here);
    let right = abs(scene_depth(pixel + vec2<f32>(1.0, 0.0)) - here);
    let above = abs(scene_depth(pixel - vec2<f32>(0.0, 1.0)) - here);
    let below = abs(scene_depth(pixel + vec2<f32>(0.0, 1.0)) - here);
    return max(min(left, right), min(above, below));
}

// Whether the picture may show anything but floor and sky.
fn has_solids() -> bool {
    return frame.solid_count > 0u || frame.in_picture != 0u;
}

// Ways along a path, m: where it meets something in the water, and where it last passes beside something; negative if
// there is no such place.
struct Met {
    along: f32,
    beside: f32,
}

// What a path meets in the water. The picture does not tell how thick things are, so that a path which comes out far
// behind one has passed beside it, unless it meets it at so small an angle to the view that one pixel is that much
// farther than the next. `start` is where the path begins.
fn met_in_water(path: WaterPath, position: vec3<f32>, advance: f32, start: Sample) -> Met {
    let water = water_along(path);
    let has_obstacles = water > frame.particle_radius && has_solids();
    if has_obstacles && start.depth >= start.scene {
        return Met(0.0, -1.0);
    }
    var beside = -1.0;
    var last = start;
    let steps = select(0, STEPS, has_obstacles);
    for (var turn = 1; turn <= steps; turn += 1) {
        // Shorter steps near the surface, where things are seen most clearly.
        let share = f32(turn) / f32(STEPS);
        let next = sample_of(path, position, water * share * mix(FIRST, 1.0, share));
        // A step may end behind what it meets, or beside it.
        let ends_behind = next.depth >= next.scene;
        let is_candidate = last.depth < last.scene && (ends_behind || next.depth >= last.scene);
        var low = last;
        var high = next;
        let halvings = select(0, HALVINGS, is_candidate);
        for (var halving = 0; halving < halvings; halving += 1) {
            let middle = sample_of(path, position, 0.5 * (low.along + high.along));
            let is_before = middle.depth < select(min(middle.scene, low.scene), middle.scene, ends_behind);
            if is_before {
                low = middle;
            } else {
                high = middle;
            }
        }
        let before = low.scene - low.depth;
        let behind = high.depth - high.scene;
        let most = 2.0 * (high.along - low.along) * advance + THICK * frame.particle_radius;
        let is_near = is_candidate && behind >= 0.0 && behind < STEEPEST * most;
        var slope = 0.0;
        // Loops end early on devices that execute both sides of every branch.
        for (var reading = select(1, 0, is_near && behind >= most); reading < 1; reading += 1) {
            slope = slope_at(seen_where(point_along(path, position, high.along)).xy);
        }
        if is_near && behind < most + 2.0 * slope {
            // Between both the scene is taken for flat, unless one of them is beside what the other one meets.
            return Met(mix(low.along, high.along, before / max(before + behind, 1e-9)), beside);
        }
        beside = select(beside, low.along, is_candidate && ends_behind);
        last = next;
    }
    return Met(-1.0, beside);
}

// The way along a path that leads down at its end, up to the floor, m.
fn way_to_floor(path: WaterPath, position: vec3<f32>) -> f32 {
    let water = water_along(path);
    let turn = point_along(path, position, path.first).y - frame.floor_height;
    let inside = turn / max(-path.mirrored.y, 1e-6);
    let end = point_along(path, position, water).y - frame.floor_height;
    let outside = water + min(end / max(-path.leaving.y, 1e-6), FAR);
    return select(outside, path.first + inside, end <= 0.0);
}

// What is seen along a path from `position`, where a ray along `view` through the center of the pixel enters, which
// meets the scene after `straight` m. `rough` is how much the sky is blurred, 0 to 1.
fn refracted_light(
    position: vec3<f32>,
    view: vec3<f32>,
    path: WaterPath,
    pixel: vec2<f32>,
    straight: f32,
    rough: f32,
) -> Through {
    let here = seen_where(position).z;
    let advance = (frame.clip_from_world * vec4<f32>(view, 0.0)).w;
    let water = water_along(path);
    let met = met_in_water(path, position, advance, Sample(0.0, here, here + straight * advance));
    let is_met = met.along >= 0.0;
    // What is mirrored overhead is far from what is straight ahead; mostly it is the floor. So is what walls mirror,
    // unless a solid is straight ahead, which may be in front of the wall, or the floor is none that is known.
    let leads_down = path.second > 0.0 && path.leaving.y < 0.0;
    let floor_ahead = max(position.y - frame.floor_height, 0.0) / max(-view.y, 1e-6);
    let is_open = frame.in_picture == 0u && straight > 0.98 * min(floor_ahead, FAR);
    let is_aside = leads_down && path.bent.y <= 0.0 && is_open;
    let to_floor = min(way_to_floor(path, position), FARTHEST * frame.extent);
    let ahead = select(straight, to_floor, is_aside || (leads_down && path.bent.y > 0.0));
    // What a thing hides that the path passes looks like what is seen right beside that thing.
    let end = sample_of(path, position, ahead);
    let is_passed = !is_met && met.beside >= 0.0 && end.depth > end.scene + frame.particle_radius;
    let is_known = is_met || is_passed;
    var along = select(ahead, select(met.beside, met.along, is_met), is_known);
    var reached = select(along, ahead, is_passed);
    var at = select(pixel, seen_where(point_along(path, position, along)).xy, is_known);
    // Loops end early on devices that execute both sides of every branch.
    let turns = select(4, 0, is_known);
    for (var turn = 0; turn < turns; turn += 1) {
        let seen = seen_where(point_along(path, position, along));
        let gap = (scene_depth(seen.xy) - seen.z) / advance;
        // What is far in front of the ray's point hides it: the edge of something else, or a thing in front of the
        // water. It is not what the ray meets.
        let is_hidden = gap < -HIDING * along - frame.particle_radius;
        along = max(along + gap, 0.0);
        at = select(seen.xy, at, is_hidden);
        reached = select(along, reached, is_hidden);
    }
    if frame.in_picture != 0u {
        // Nothing is known beside the picture; its border stands for it.
        at = clamp(at, vec2<f32>(0.5), frame.size - 0.5);
    }
    let is_in_picture = all(at >= vec2<f32>(0.0)) && all(at < frame.size);
    // Beside the picture the ray stays in the water, if there is any.
    let aside = select(path.leaving, path.mirrored, water > 0.0);
    let down = -aside.y;
    if !is_in_picture && down > 0.05 {
        // The floor beside the picture.
        let turn = point_along(path, position, path.first);
        let place = turn + max(turn.y - frame.floor_height, 0.0) / down * aside;
        let width = distance(place, frame.eye) / (frame.pixels_at_one * down);
        let ground = ground_at(place.xz, vec2<f32>(width), pixel);
        return Through(mix(backdrop(aside), ground.rgb, ground.a), water);
    }
    // Things in front of the water are not seen through it, but what a wall mirrors may be nearer than the wall.
    let there = scene_depth(at);
    let is_behind = is_in_picture && (is_aside || there > here - 0.5 * frame.particle_radius);
    at = select(pixel, at, is_behind);
    reached = select(straight, reached, is_behind);
#ifdef DROPS
    var light = light_behind(at);
#else
    var light = vec3<f32>(0.0);
    if has_solids() && is_behind {
        light = light_of_met(at, select(there, seen_where(point_along(path, position, along)).z, is_met));
    } else {
        light = light_behind(at);
    }
    let radius = min(path.scatter * SCATTERED * distance(at, pixel), WIDEST);
    light = blurred_behind(light, at, radius, here - 0.5 * frame.particle_radius);
#endif
    // The backdrop shows the sky as it is right behind the scene; a ray that is bent far aside meets the rest of it.
    let turned = 1.0 - dot(view, path.leaving);
    let is_sky = !is_in_picture || there >= FAR;
    // Through the wall behind a mirror one sees what is behind the scene elsewhere, too.
    let is_mirrored = any(path.mirrored != path.bent) && frame.in_picture == 0u;
    let beyond = select(blurred_sky(path.leaving, rough), backdrop(path.leaving), is_mirrored);
#ifdef DROPS
    let high = 1.0;
#else
    // In a lens the horizon would be a hard border, since the sky is lighter there than the backdrop, and so would be the
    // edge of the picture.
    let high = mix(1.0, smoothstep(HORIZON.x, HORIZON.y, path.leaving.y), rough);
    light = mix(light, backdrop(path.leaving), select(rough, 0.0, is_in_picture));
#endif
    light = mix(light, beyond, select(0.0, high * smoothstep(0.0, 0.3, turned), is_sky));
    return Through(light, min(water, reached));
}
