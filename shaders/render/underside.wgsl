// The surface of the water as light meets it from below. No picture from the eye shows it: that of particles shows
// where rays enter the water, and that of thickness how far they go in it. But the sun sees the same surface from above
// (`sun_surface.wgsl`), so a path of light is followed in its picture, from about where the straight ray comes out.
#define_import_path nearwater::render::underside
#import nearwater::render::frame::{frame, light_map_place}
#import nearwater::render::sunlit::{Point, lit_towards, point_at}

// So many times the part of a path in which it meets the surface is divided.
const TURNS: i32 = 5;
// Least upward part of a path that meets it.
const UPWARDS: f32 = 0.01;
// All lengths are in radii of a particle. What is higher or lower than this may be something else, such as spray, and
// how far it is says nothing about where the surface is.
const HIGHEST: f32 = 4.0;
// How far from the surface the last point may be.
const NEAR: f32 = 1.5;
// Next to a wall the spheres of particles are round and seen from the side; from this distance on the surface is
// continued to it.
const INSIDE: f32 = 5.0;
// How far the tops of spheres are above the surface of the water that they stand for: the sun sees them.
const TOPS: f32 = 0.64;
// Half of the width over which the inclination of the surface is measured.
const WIDTH: f32 = 4.0;
// Upward parts of a path: up to the first one it meets a level surface, because which waves hide others is not known,
// and single spheres would be seen; from the second one on it meets that of the water.
const GRAZING: vec2<f32> = vec2<f32>(0.0, 0.3);
// Tangents of inclinations: up to the first one the surface is a mirror, and from the second one on it counts as a wall
// of water, the far side of which the sun may see.
const STEEP: vec2<f32> = vec2<f32>(0.6, 1.2);

// How far the surface is from the middle of what is around it, from where on it comes to be no surface but an edge of
// the water, and from where on it is one.
const BENT: vec2<f32> = vec2<f32>(0.5, 1.1);

struct Underside {
    // The way along the path up to the surface, m.
    along: f32,
    // Points up.
    normal: vec3<f32>,
    // How much higher the water is where the path begins, m.
    over: f32,
    // Whether the path meets the surface, 0 to 1.
    met: f32,
}

// Where the light meets the water above a point, or where it would if walls were farther away.
fn lit_above(point: vec3<f32>) -> Point {
    // In a narrow tank no farther than to its middle.
    let widest = vec3<f32>(0.5, 0.0, 0.5) * (frame.box_high - frame.box_low);
    let inside = min(vec3<f32>(INSIDE * frame.particle_radius), widest);
    return lit_towards(clamp(point, frame.box_low + inside, frame.box_high - inside));
}

// How far below the surface a point is, m.
fn depth_of(point: vec3<f32>) -> f32 {
    let most = HIGHEST * frame.particle_radius;
    let lit = lit_above(point);
    let depth = lit.position.y - TOPS * frame.particle_radius - point.y;
    return select(-most, clamp(depth, -most, most), lit.is_water);
}

// How much higher the water is that the sun sees above a point, m.
fn water_over(point: vec3<f32>) -> f32 {
    return lit_towards(point).position.y - TOPS * frame.particle_radius - point.y;
}

// Where a path along `direction` from `position` meets the surface from below, before it leaves the tank after
// `farthest` m; `guess` is about how far that is.
fn underside(position: vec3<f32>, direction: vec3<f32>, guess: f32, farthest: f32) -> Underside {
    let level = vec3<f32>(0.0, 1.0, 0.0);
    if direction.y <= UPWARDS {
        return Underside(farthest, level, frame.extent, 0.0);
    }
    // Lengths of the path and depths there, at a point below the surface and at one above it.
    let below = depth_of(position);
    // A film of water on the wall is higher than what is behind it.
    let over = max(below, water_over(position));
    let first = clamp(guess, 0.0, farthest);
    let there = depth_of(position + first * direction);
    var low = vec2<f32>(0.0, max(below, 1e-6));
    var high = vec2<f32>(first, there);
    if there > 0.0 {
        low = high;
        high = vec2<f32>(farthest, depth_of(position + farthest * direction));
    }
    let leaves = high.y > 0.0;
    // Loops end early on devices that execute both sides of every branch.
    let turns = select(TURNS, 0, leaves || direction.y <= UPWARDS);
    for (var turn = 0; turn < turns; turn += 1) {
        // Where a plane would be met, but not too near to an end, because the surface is none.
        let share = clamp(low.y / max(low.y - high.y, 1e-6), 0.15, 0.85);
        let along = mix(low.x, high.x, share);
        let middle = vec2<f32>(along, depth_of(position + along * direction));
        if middle.y > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    if leaves {
        return Underside(farthest, level, over, 0.0);
    }
    let along = mix(low.x, high.x, low.y / max(low.y - high.y, 1e-6));
    let met_at = position + along * direction;
    let is_near = abs(depth_of(met_at)) < NEAR * frame.particle_radius;
    let here = lit_above(met_at).position;
    let place = light_map_place(here);
    let step = WIDTH * frame.particle_radius * frame.light_map_inverse_size;
    let x = vec2<f32>(step.x, 0.0);
    let z = vec2<f32>(0.0, step.y);
    let right = point_at(place + x).position;
    let left = point_at(place - x).position;
    let front = point_at(place + z).position;
    let back = point_at(place - z).position;
    let rough = normalize(cross(front - back, right - left));
    let bulge = abs(dot(rough, 0.25 * (right + left + front + back) - here)) / frame.particle_radius;
    let steepness = length(rough.xz) / max(rough.y, 1e-6);
    let smooth_part = 1.0 - smoothstep(BENT.x, BENT.y, bulge);
    let met = f32(is_near) * smooth_part * (1.0 - smoothstep(STEEP.x, STEEP.y, steepness));
    let normal = normalize(mix(level, rough, smoothstep(GRAZING.x, GRAZING.y, direction.y)));
    return Underside(along, normal, over, met);
}
