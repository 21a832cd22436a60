// Rays and the four walls of the tank.
#define_import_path nearwater::render::passage
#import nearwater::render::frame::frame

// The part of a ray between the four walls: where it begins and ends, in units of the ray, and the outward normals of
// the walls there. It ends before it begins if the ray passes beside the tank.
struct Passage {
    begin: f32,
    end: f32,
    front: vec3<f32>,
    back: vec3<f32>,
}

fn passage_of(ray: vec3<f32>) -> Passage {
    // A ray along a wall would divide by zero.
    let across = select(ray.xz, vec2<f32>(1e-9), abs(ray.xz) < vec2<f32>(1e-9));
    let low = (frame.box_low.xz - frame.eye.xz) / across;
    let high = (frame.box_high.xz - frame.eye.xz) / across;
    let begin = min(low, high);
    let end = max(low, high);
    let x = vec3<f32>(sign(across.x), 0.0, 0.0);
    let z = vec3<f32>(0.0, 0.0, sign(across.y));
    return Passage(
        max(begin.x, begin.y),
        min(end.x, end.y),
        -select(z, x, begin.x > begin.y),
        select(z, x, end.x < end.y),
    );
}

// Distance of a point from the wall with the outward normal `wall`, in radii; negative outside.
fn distance_from(wall: vec3<f32>, point: vec3<f32>) -> f32 {
    let corner = select(frame.box_low, frame.box_high, wall > vec3<f32>(0.0));
    return dot(wall, corner - point) / frame.particle_radius;
}
