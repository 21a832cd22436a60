// The path of a ray in the water of the tank. Where it meets a wall or the surface at a small angle it is totally
// reflected and goes on inside: the side of an aquarium is a mirror to those who look in at its front, and so is the
// water's surface to those who look up from below it. The pictures of thickness and depth know only straight rays, so
// the share of the straight ray that lies in water tells how much of the bent one does.
#define_import_path nearwater::render::tank_path
#import nearwater::render::frame::frame
#import nearwater::render::light::light_sampler
#import nearwater::render::passage::passage_of
#import nearwater::render::refracted::{has_solids, scene_depth, seen_where}
#import nearwater::render::underside::{underside, water_over}
#import nearwater::render::water_path::{AIR_OVER_WATER, WaterPath, straight_path, water_along}
#import nearwater::render::water_surface::surface_depths

// Length of the ray in water, m.
@group(0) @binding(6) var thickness: texture_2d<f32>;

// A ray with this share of its length in spheres of water has all of it in water, because their sum varies.
const FULL: f32 = 0.9;
// Between these shares of the straight ray in water, the length of the bent ray in the tank comes to count.
const FILLED: vec2<f32> = vec2<f32>(0.5, 0.9);
// Between these shares the water comes to reach the wall behind it, which mirrors then.
const REACHES: vec2<f32> = vec2<f32>(0.5, 0.9);
// Distance from a wall at which water beside it is looked for, in radii of a particle.
const INSIDE: f32 = 2.0;
// Spheres of water in the tank reach no farther outside, in radii of a particle.
const OUTSIDE: f32 = 3.0;
// How much thicker than it is water counts, in radii of a particle: the thickness of little water varies from sphere to
// sphere, and next to the far wall there is little of it along the straight ray.
const UNEVEN: f32 = 3.0;
// Squared cosines of the angle at which light meets a wall or the surface from inside: up to the first one all of it is
// reflected, and from the second one on it leaves. The critical angle is in between. Real water changes as fast as
// between two pixels there, but the normals of particles would give that border teeth.
const TOTAL: vec2<f32> = vec2<f32>(0.40, 0.47);
// Length of the path behind a mirror, in radii of a particle, from which on nothing is seen of the edge at which the
// mirror ends.
const EDGE: f32 = 8.0;
// Below every length that matters, m.
const TINY: f32 = 1e-6;

fn thickness_at(pixel: vec2<f32>) -> f32 {
    let pixels = vec2<f32>(textureDimensions(thickness) * frame.relief_scale);
    return textureSampleLevel(thickness, light_sampler, pixel / pixels, 0.0).r;
}

// Where a ray from inside leaves the tank.
struct Exit {
    // Length of the ray up to there, m.
    length: f32,
    // The outward normal of the wall; zero where it leaves through the floor or the lid.
    wall: vec3<f32>,
}

// `lid` is the height up to which it holds water, m.
fn exit_of(position: vec3<f32>, direction: vec3<f32>, lid: f32) -> Exit {
    // A ray along a face would divide by zero.
    let across = select(direction, vec3<f32>(1e-9), abs(direction) < vec3<f32>(1e-9));
    let high = vec3<f32>(frame.box_high.x, lid, frame.box_high.z);
    let faces = select(frame.box_low, high, across > vec3<f32>(0.0));
    let lengths = max((faces - position) / across, vec3<f32>(0.0));
    let x = vec3<f32>(sign(across.x), 0.0, 0.0);
    let z = vec3<f32>(0.0, 0.0, sign(across.z));
    let sides = min(lengths.x, lengths.z);
    let wall = select(z, x, lengths.x < lengths.z);
    return Exit(min(sides, lengths.y), select(vec3<f32>(0.0), wall, sides < lengths.y));
}

// The share of a ray's length that lies in water, 0 to 1.
fn filled_of(thick: f32, length: f32) -> f32 {
    return clamp(thick / max(FULL * length, TINY), 0.0, 1.0);
}

// Of the straight ray through a point of the tank, which holds water up to `lid`, the share between the surface and its
// end that lies in water, 0 to 1; zero where the point is in front of the surface.
fn filled_at(point: vec3<f32>, lid: f32) -> f32 {
    let seen = seen_where(point);
    let pixel = clamp(seen.xy, vec2<f32>(0.0), frame.size);
    let last = vec2<i32>(textureDimensions(surface_depths)) - 1;
    let texel = min(vec2<i32>(pixel) / i32(frame.relief_scale), last);
    let depth = abs(bitcast<f32>(textureLoad(surface_depths, texel, 0).x));
    // In units of the ray, which ends at the point.
    let ray = point - frame.eye;
    let ahead = max(seen.z, TINY);
    let begin = depth / ahead;
    let face = select(lid, frame.box_low.y, ray.y < 0.0);
    let vertical = (face - frame.eye.y) / select(ray.y, TINY, abs(ray.y) < TINY);
    let end = min(passage_of(ray).end, scene_depth(pixel) / ahead);
    let room = (select(end, min(end, vertical), vertical > 0.0) - begin) * length(ray);
    return select(0.0, filled_of(thickness_at(pixel), room), depth > 0.0 && begin < 1.0);
}

// Whether something solid is in front of a point, or around it.
fn is_behind_solid(point: vec3<f32>) -> bool {
    let seen = seen_where(point);
    return has_solids() && seen.z > scene_depth(seen.xy);
}

// The path of a ray in the tank: one that a wall mirrors, or one that it does not. Which of them is not quite known: 0
// where it is, and 1 where both are as likely.
struct TankPath {
    path: WaterPath,
    doubt: f32,
    // How much higher than where the ray enters the water is, m, as far as is known.
    over: f32,
    // 1 where the path is mirrored right beside the upright edge of a wall that is no mirror, and 0 farther away: over
    // that way what is seen straight ahead changes into what the mirror shows.
    at_edge: f32,
}

// The path of a ray along `view` that enters the water at `position`, where the normal is `normal`. There are `thick`
// m of water along the straight ray, and `straight` m to the scene. If it begins `within` the water, it is not bent
// there, and the water goes on to where a surface or the tank ends it.
fn path_in_tank(
    position: vec3<f32>,
    view: vec3<f32>,
    normal: vec3<f32>,
    thick: f32,
    straight: f32,
    within: bool,
) -> TankPath {
    let bent = select(refract(view, normal, AIR_OVER_WATER), view, within);
    // Between parallel surfaces the bent path is shorter than the straight one, by the ratio of the cosines of their
    // angles to the normal.
    let shorter = clamp(dot(view, normal) / dot(bent, normal), 0.1, 1.0);
    let short = straight_path(bent, min(thick, straight) * shorter, view);
    let beside = max(frame.box_low - position, position - frame.box_high) / frame.particle_radius;
    if max(max(beside.x, beside.y), beside.z) > OUTSIDE {
        return TankPath(short, 0.0, frame.extent, 0.0);
    }
    // The straight ray comes out of level water at the height at which the bent one does.
    let to_wall = exit_of(position, bent, frame.box_high.y);
    let is_cut = straight < thick;
    let outside = select(thick * view.y / max(bent.y, TINY), to_wall.length, is_cut);
    let guess = select(outside, water_over(position) / max(view.y, TINY), within);
    let above = underside(position, bent, guess, to_wall.length);
    // Where an eye in the water finds no surface, as under a jet, it counts as level: water ends somewhere.
    let is_level = within && above.met <= 0.5 && bent.y > 0.0 && above.over < to_wall.length * bent.y;
    let is_above = above.met > 0.5 || is_level;
    let met = select(above.met, 1.0, within);
    var exit = to_wall;
    var lid = frame.box_high.y;
    if is_above {
        exit = Exit(above.along, above.normal);
        if is_level {
            exit = Exit(above.over / bent.y, vec3<f32>(0.0, 1.0, 0.0));
        }
        lid = position.y + exit.length * bent.y;
    }
    let room = exit_of(position, view, lid).length;
    // Light that meets a surface from inside at more than the critical angle is totally reflected.
    let towards = dot(bent, exit.wall);
    let is_total = towards > 0.0 && towards * towards < 1.0 - AIR_OVER_WATER * AIR_OVER_WATER;
    let reflected = f32(towards > 0.0) * (1.0 - smoothstep(TOTAL.x, TOTAL.y, towards * towards));
    let mirrored = reflect(bent, exit.wall);
    let at_wall = position + exit.length * bent;
    let after = exit_of(at_wall, mirrored, lid);
    let next = after.length;
    // Light that one side of a sheet of water mirrors is mirrored by the other one as well. So it goes on beside the
    // wall, and the water there tells how far. Below the surface there is no such sheet.
    let along_wall = select(bent - towards * exit.wall, mirrored, is_above);
    let begin = at_wall - select(INSIDE * frame.particle_radius, 0.0, is_above) * exit.wall;
    let beyond = begin + 0.5 * next * along_wall;
    let on_the_way = filled_at(position + 0.5 * exit.length * bent, lid);
    // Water does not go on inside of solids, but it may well reach up to them.
    let goes_on = select(filled_at(beyond, lid), 1.0, is_behind_solid(beyond));
    let read = select(on_the_way, goes_on, reflected > 0.0);
    let unknown = select(read, 1.0, within);
    // A straight ray that ends at something solid in the tank tells nothing about what is beyond.
    let is_blocked = straight < 0.98 * room;
    let slack = select(UNEVEN * frame.particle_radius, 0.0, is_blocked && !is_above);
    // Right before a far wall the straight ray goes through the uppermost particles only, whose sum differs from pixel
    // to pixel. The bent one goes deeper.
    let deeper = select(on_the_way, 0.0, is_above || is_blocked);
    let seen = max(filled_of(thick + slack, min(straight, room)), deeper);
    let filled = select(select(seen, min(seen, unknown), is_blocked), 1.0, within);
    let scatter = 4.0 * filled * (1.0 - filled);
    let length = mix(water_along(short), filled * exit.length, smoothstep(FILLED.x, FILLED.y, filled));
    let certain = select(1.0, met, is_above);
    let share = reflected * certain * smoothstep(REACHES.x, REACHES.y, filled);
    let doubt = max(1.0 - abs(2.0 * share - 1.0), 1.0 - abs(2.0 * met - 1.0));
    if share > 0.5 {
        let path = WaterPath(bent, exit.length, mirrored, next * unknown, reflect(view, exit.wall), scatter);
        let leaves = dot(mirrored, after.wall);
        let at_edge = smoothstep(TOTAL.x, TOTAL.y, leaves * leaves)
            * (1.0 - smoothstep(0.0, EDGE * frame.particle_radius, next));
        return TankPath(path, doubt, above.over, at_edge);
    }
    // Through the surface one sees the world above, within Snell's window; from within the water, through walls, too.
    let window = refract(bent, -exit.wall, 1.0 / AIR_OVER_WATER);
    let is_bent = is_above || (within && any(exit.wall != vec3<f32>(0.0)));
    let leaving = select(view, window, is_bent && !is_total);
    return TankPath(WaterPath(bent, length, bent, 0.0, leaving, scatter), doubt, above.over, 0.0);
}
