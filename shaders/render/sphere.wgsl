// A particle's sphere as seen by the camera, with every quantity in units of the sphere's own size, so that no
// precision is lost however far away it is.
#define_import_path nearwater::render::sphere
#import nearwater::render::frame::frame

// A sphere's outline: the circle in which the cone of tangents from the eye touches it.
struct Outline {
    // Unit vectors: from the center to the eye, and perpendicular to that.
    towards_eye: vec3<f32>,
    right: vec3<f32>,
    up: vec3<f32>,
    // From the eye to the center, m.
    distance: f32,
    // Radius of the sphere, m.
    radius: f32,
    // Tangent of the angle under which the outline's radius is seen; 0 if the eye is inside.
    tangent: f32,
    // How much longer than wide the outline is along `right`: 1 for a sphere.
    stretch: f32,
}

fn outline_of(center: vec3<f32>) -> Outline {
    // Never thinner than a pixel and a half, because distant water would otherwise dissolve into dots.
    return outline_of_radius(center, frame.particle_radius, 0.75);
}

// Like `outline_of`, for a sphere of the given radius in m, whose radius on screen is at least `least_pixels`.
fn outline_of_radius(center: vec3<f32>, wanted: f32, least_pixels: f32) -> Outline {
    let from_eye = center - frame.eye;
    let distance = max(length(from_eye), 1e-9);
    let radius = max(wanted, least_pixels * distance / frame.pixels_at_one);
    let ratio_squared = radius * radius / (distance * distance);
    let towards_eye = -from_eye / distance;
    let right = normalize(cross(frame.up, towards_eye));
    var tangent = 0.0;
    if ratio_squared < 0.9 {
        tangent = sqrt(ratio_squared / (1.0 - ratio_squared));
    }
    return Outline(towards_eye, right, cross(towards_eye, right), distance, radius, tangent, 1.0);
}

// The first intersection of the ray through `place` with the sphere, relative to its center, in radii along (right, up,
// towards the eye). The outline is the unit circle of `place`; outside it, the nearest point of the outline.
//
// With t the outline's tangent, m = distance / radius, q = |place|^2 and g = sqrt(1 - q), the angle between the ray and
// the direction to the center has the tangent t |place|; solving the quadratic equation of ray and sphere there gives,
// with k = 1 / (1 + t^2 q): across = t k (m - g) place and towards = k (m t^2 q + g).
fn surface(place: vec2<f32>, tangent: f32, radii_away: f32) -> vec3<f32> {
    let squared = dot(place, place);
    let inside = min(squared, 1.0);
    let depth = sqrt(1.0 - inside);
    let tangent_squared = tangent * tangent * inside;
    let shrink = 1.0 / (1.0 + tangent_squared);
    let across = tangent * shrink * (radii_away - depth) * inverseSqrt(max(squared, 1.0));
    return vec3<f32>(across * place, shrink * (radii_away * tangent_squared + depth));
}

// The point where the ray `ray` from the eye crosses the square on which the outline is the unit circle.
fn place_of(outline: Outline, ray: vec3<f32>) -> vec2<f32> {
    let along = -dot(ray, outline.towards_eye);
    return vec2<f32>(dot(ray, outline.right) / outline.stretch, dot(ray, outline.up)) / (along * outline.tangent);
}

// A point of the square, relative to the center, in radii of the outline.
fn on_square(outline: Outline, place: vec2<f32>) -> vec3<f32> {
    return place.x * outline.stretch * outline.right + place.y * outline.up;
}

// A point of the surface, relative to the center, in radii of the sphere, from what `surface` returns.
fn point_of(outline: Outline, local: vec3<f32>) -> vec3<f32> {
    return on_square(outline, local.xy) + local.z * outline.towards_eye;
}

// The normal there.
fn normal_of(outline: Outline, local: vec3<f32>) -> vec3<f32> {
    let axes = mat3x3<f32>(outline.right, outline.up, outline.towards_eye);
    return normalize(axes * vec3<f32>(local.x / outline.stretch, local.yz));
}

// Length of the path through the middle of an outline that is drawn with the given radius, m, and holds `volume` m^3.
// From there it falls to the rim as sqrt(1 - q^2), whose integral over a disk is 2 pi / 3 times its squared radius.
fn path_through(outline: Outline, radius: f32, volume: f32) -> f32 {
    return volume / (2.0943951 * radius * radius * outline.stretch);
}
