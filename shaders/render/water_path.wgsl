// The path of a ray through clear water: bent where it enters, perhaps mirrored once inside, and bent where it leaves.
#define_import_path nearwater::render::water_path

// Refractive index of air divided by that of water.
const AIR_OVER_WATER: f32 = 0.752;

// From where it enters, the path goes `first` along `bent` and then `second` along `mirrored`, and leaves the water
// along `leaving`. Lengths in m, directions of length 1.
struct WaterPath {
    bent: vec3<f32>,
    first: f32,
    mirrored: vec3<f32>,
    second: f32,
    leaving: vec3<f32>,
    // How much rays beside it go elsewhere, 0 to 1: 0 where all of it is water, or none, and 1 where it is half water
    // and half air, or where the surface is rough.
    scatter: f32,
}

// A path of one piece.
fn straight_path(bent: vec3<f32>, length: f32, leaving: vec3<f32>) -> WaterPath {
    return WaterPath(bent, length, bent, 0.0, leaving, 0.0);
}

fn water_along(path: WaterPath) -> f32 {
    return path.first + path.second;
}

// The point of a path from `position` after a way of `along`, m.
fn point_along(path: WaterPath, position: vec3<f32>, along: f32) -> vec3<f32> {
    let second = clamp(along - path.first, 0.0, path.second);
    let beyond = max(along - water_along(path), 0.0);
    return position + min(along, path.first) * path.bent + second * path.mirrored + beyond * path.leaving;
}

// The path of a ray along `view` through the ball of water that it enters where the normal is `normal`. A drop is so
// small that its own water counts for nothing.
fn path_through_ball(view: vec3<f32>, normal: vec3<f32>) -> WaterPath {
    let inside = refract(view, normal, AIR_OVER_WATER);
    // The chord is symmetric, so that the ray leaves at the angle at which it has entered.
    let outward = normal - 2.0 * dot(normal, inside) * inside;
    return straight_path(inside, 0.0, normalize(refract(inside, -outward, 1.0 / AIR_OVER_WATER)));
}
