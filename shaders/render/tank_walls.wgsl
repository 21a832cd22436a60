// The surface of clear water at the walls of the tank. Particles lie about half a spacing from a wall, and their
// spheres reach through it and round the edge between the wall and the surface above. So the surface is drawn as it is
// farther inside, continued to the walls, and ends there: what is seen through a wall lies on the wall, which is flat.
#define_import_path nearwater::render::tank_walls
#import nearwater::render::frame::frame
#import nearwater::render::light::light_sampler
#import nearwater::render::passage::{Passage, distance_from, passage_of}
#import nearwater::render::water_surface::{Surface, surface_depths, surface_normals}

// All lengths are in radii of a drawn particle. How far from a wall the surface is read that is continued to it.
const READ_AT: f32 = 6.0;
// Up to the first distance from a wall the continued surface replaces the found one, and from the second on it does
// not.
const CONTINUED: vec2<f32> = vec2<f32>(2.5, 5.0);
// Surfaces that are this far apart are not the same one: a drop, or a wave in front of another.
const APART: vec2<f32> = vec2<f32>(2.0, 4.0);
// How far from the plane that continues a surface the spheres at a wall may lie.
const AGAINST: vec2<f32> = vec2<f32>(1.5, 2.5);
// Few particles on the wall over the edge of the water are a film that is too thin to be seen, through which one sees
// the surface behind it; a wave that stands against the wall is no such film, but has water behind it. How far over the
// edge they are at least; and shares of air in the way to the surface behind, up to which they are a wave and from
// which on they are a film. The length of the way in water is known to a few radii only.
const FILM: f32 = 1.0;
const AIR: vec2<f32> = vec2<f32>(0.35, 0.65);
// Spheres of water between the walls reach no farther outside; what lies beyond is not held by the walls.
const OUTSIDE: f32 = 3.0;
// Sines of the angles at which a surface is seen up to which no plane continues it, because there the picture does not
// tell how it is inclined, and from which on one does.
const GRAZING: vec2<f32> = vec2<f32>(0.03, 0.08);
// Longer than every path in water, m.
const ENDLESS: f32 = 1e9;

// The surface in a ray's way: the place on the ray, in units of the ray, and the normal.
struct Met {
    along: f32,
    normal: vec3<f32>,
}

fn mixed(first: Met, second: Met, share: f32) -> Met {
    return Met(mix(first.along, second.along, share), normalize(mix(first.normal, second.normal, share)));
}

// A plane that continues the surface to a wall.
struct Continuation {
    met: Met,
    point: vec3<f32>,
    // Whether there is one, 0 to 1, and whether it continues what the pixel shows.
    known: f32,
    same: f32,
}

// The plane that touches the surface where the picture shows the point `inside`, as `ray` meets it.
fn continued(found: Met, ray: vec3<f32>, wall: vec3<f32>, inside: vec3<f32>) -> Continuation {
    let clip = frame.clip_from_world * vec4<f32>(inside, 1.0);
    // Clamped before the conversion, because large floats do not fit into an integer.
    let pixel = clamp((clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5) * frame.size, vec2<f32>(0.0), frame.size);
    let texels = vec2<i32>(textureDimensions(surface_depths));
    let texel = min(vec2<i32>(pixel) / i32(frame.relief_scale), texels - 1);
    let depth = bitcast<f32>(textureLoad(surface_depths, texel, 0).x);
    let pixels = vec2<f32>(texels * i32(frame.relief_scale));
    let read = textureSampleLevel(surface_normals, light_sampler, pixel / pixels, 0.0);

    let place = (vec2<f32>(texel) + 0.5) / vec2<f32>(texels) * vec2<f32>(2.0, -2.0) + vec2<f32>(-1.0, 1.0);
    let near = frame.world_from_clip * vec4<f32>(place, 1.0, 1.0);
    let point = frame.eye + (near.xyz / near.w - frame.eye) * (depth / frame.near);
    // What is left of the rounded edge leans towards the wall; the surface of water does not.
    let smoothed = read.xyz / max(length(read.xyz), 1e-6);
    let level = smoothed - max(dot(smoothed, wall), 0.0) * wall;
    let normal = level / max(length(level), 1e-6);
    let facing = -dot(normal, ray);
    let along = dot(normal, frame.eye - point) / max(facing, 1e-9);

    // What faces the wall is seen through it, and what faces away from it is another surface.
    let is_above = length(level) > 0.4 && dot(normal, wall) > -0.6;
    let is_seen = depth > 0.0 && read.a > 0.3;
    let certain = smoothstep(GRAZING.x, GRAZING.y, facing / length(ray));
    let apart = abs(dot(normal, frame.eye + found.along * ray - point)) / frame.particle_radius;
    let same = 1.0 - smoothstep(APART.x, APART.y, apart);
    return Continuation(Met(along, normal), point, f32(is_above && is_seen) * certain, same);
}

// How much the continued surface counts at a distance from a wall.
fn nearness(radii: f32) -> f32 {
    return 1.0 - smoothstep(CONTINUED.x, CONTINUED.y, radii);
}

// By how much the logarithm of the distance at which a ray meets a plane falls with the ray. A ray along the plane
// meets it nowhere; the bound keeps the result finite.
fn change_along(normal: vec3<f32>, ray: vec3<f32>) -> vec3<f32> {
    let facing = dot(normal, ray);
    return normal / select(facing, 1e-9, abs(facing) < 1e-9);
}

// How far the line in which the surface meets the wall behind it is from the pixel, in pixels; negative behind it.
// Surface and wall count as planes: the ray meets one with the normal n after dot(n, point - eye) / dot(n, ray), which
// changes with the ray by the gradients that are subtracted here.
fn pixels_to_wall(met: Met, ray: vec3<f32>, passage: Passage) -> f32 {
    let gradient = change_along(met.normal, ray) - change_along(passage.back, ray);
    let pixel = frame.near / frame.pixels_at_one;
    return (passage.end - met.along) / max(met.along * length(gradient) * pixel, 1e-9);
}

struct Bounded {
    // Its normal is that of the surface or of the wall, and nowhere between both.
    surface: Surface,
    // Length of the ray from the surface to the wall behind it, m; not positive if no water is in its way.
    room: f32,
    // How far the line in which the surface meets the wall behind it is from the pixel, in pixels.
    before_wall: f32,
    // How much of what the four pixels beside it show belongs into the pixel, 0 to 1: at the edge between the front wall
    // and the surface it would show one of them, and the edge would be steps.
    borrowed: f32,
}

// The surface `found` in the way of a ray, which is in water over a length of `water` m and meets the scene after
// `scene`, in units of the ray.
fn between_walls(found: Surface, ray: vec3<f32>, water: f32, scene: f32) -> Bounded {
    let passage = passage_of(ray);
    var met = Met(found.depth / frame.near, found.normal);
    let place = frame.eye + met.along * ray;
    let behind = distance_from(passage.back, place);
    let before = distance_from(passage.front, place);
    if min(behind, before) < -OUTSIDE {
        return Bounded(found, ENDLESS, ENDLESS, 0.0);
    }
    // An eye between the walls sees through none of them.
    let has_front = passage.begin > 0.0;
    let body = 1.0 - found.drop;

    let read_at = READ_AT * frame.particle_radius;
    // A lump in front of a wall may hide it from a flat view, hence twice the distance.
    if behind < 2.0 * READ_AT {
        let beside = place + (behind * frame.particle_radius - read_at) * passage.back;
        let plane = continued(met, ray, passage.back, beside);
        let within = distance_from(passage.back, frame.eye + plane.met.along * ray);
        met = mixed(met, plane.met, body * plane.known * plane.same * nearness(min(within, behind)));
    }
    var borrowed = 0.0;
    var film = 0.0;
    if has_front && before < 2.0 * READ_AT {
        let entry = frame.eye + passage.begin * ray;
        let plane = continued(met, ray, passage.front, entry - read_at * passage.front);
        let within = distance_from(passage.front, frame.eye + plane.met.along * ray);
        // Spheres tell only roughly where the wall ends and the surface is seen over its edge. The plane tells it
        // exactly, by whether the ray crosses the wall above it; unless a steep wave bends away from the plane.
        let above = dot(plane.met.normal, entry - plane.point);
        let against = mix(max(-above, 0.0), max(above, 0.0), found.at_wall) / frame.particle_radius;
        let near_plane = plane.same * (1.0 - smoothstep(AGAINST.x, AGAINST.y, against));
        // The part of the way from the wall to the plane that is air, if the rest of the ray is in water.
        let gap = plane.met.along - passage.begin;
        let air = min(passage.end, scene) - passage.begin - water / length(ray);
        let is_over = above > FILM * frame.particle_radius && gap > 0.0;
        film = found.at_wall * plane.known * f32(is_over) * smoothstep(AIR.x, AIR.y, air / max(gap, 1e-9));
        let known = plane.known * max(near_plane, film);
        met = mixed(met, plane.met, body * known * max(nearness(min(within, before)), film));
        // Over the width of two pixels one changes into the other.
        let pixel = passage.begin * frame.near / frame.pixels_at_one;
        let on_wall = mix(found.at_wall, clamp(0.5 - 0.5 * above / pixel, 0.0, 1.0), known);
        borrowed = body * known * max(1.0 - 2.0 * abs(above) / pixel, 0.0);
        met.along = max(mix(met.along, passage.begin, body * on_wall), passage.begin);
        // What a normal between both mirrors, and where it bends light to, would be seen as a dotted line.
        met.normal = select(met.normal, passage.front, body * on_wall > 0.5);
    }
    let room = (passage.end - met.along) * length(ray);
    var surface = found;
    surface.depth = met.along * frame.near;
    surface.normal = met.normal;
    surface.at_wall = found.at_wall * (1.0 - film);
    return Bounded(surface, room, pixels_to_wall(met, ray, passage), borrowed);
}
