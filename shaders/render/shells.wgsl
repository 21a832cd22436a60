// Support spheres: a faint fill, a sharp outline, and lines of latitude and longitude on both sides. Draw 3 vertices
// per instance, one instance per sphere; blended, in one pass where the sphere is visible and one where something hides
// it. A sphere is not drawn while the eye is inside it.
#import nearwater::render::frame::{frame, triangle_corner}
#import nearwater::render::sphere::{outline_of_radius, surface}

// Mirrored by `render::overlay::ShellRecord`.
struct ShellRecord {
    // Center, m.
    center: vec3<f32>,
    radius: f32,
    // Linear color, and opacity of the outline.
    color: vec4<f32>,
}

@group(1) @binding(0) var<storage, read> shells: array<ShellRecord>;

// Opacity where something hides it, relative to the opacity where it is visible.
const HIDDEN: f32 = 0.40;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // Position on the square, on which the outline is the unit circle.
    @location(0) place: vec2<f32>,
    @location(1) @interpolate(flat) number: u32,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) number: u32) -> Corner {
    let outline = outline_of_radius(shells[number].center, shells[number].radius, 1.0);
    if outline.tangent <= 0.0 {
        return Corner(vec4<f32>(0.0, 0.0, 2.0, 1.0), vec2<f32>(0.0), 0u);
    }
    // The outline is two pixels wide.
    let place = triangle_corner(vertex_index) * (1.0 + 2.0 / (frame.pixels_at_one * outline.tangent));
    let nearer = outline.distance / (1.0 + outline.tangent * outline.tangent);
    let across = nearer * outline.tangent * (place.x * outline.right + place.y * outline.up);
    let position = frame.eye - nearer * outline.towards_eye + across;
    return Corner(frame.clip_from_world * vec4<f32>(position, 1.0), place, number);
}

struct Seen {
    @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

// The fraction of a pixel that the lines of a globe cover where its surface has the given unit normal.
fn globe_lines(normal: vec3<f32>) -> f32 {
    // Circles of latitude every 30 degrees and of longitude every 45 degrees; each lies in a plane.
    let levels = vec4<f32>(normal.y, abs(normal.y) - 0.5, normal.x, normal.z);
    let diagonals = 0.70710678 * vec2<f32>(normal.x - normal.z, normal.x + normal.z);
    let wide = abs(levels) / max(fwidth(levels), vec4<f32>(1e-6));
    let other = abs(diagonals) / max(fwidth(diagonals), vec2<f32>(1e-6));
    let nearest = min(min(min(wide.x, wide.y), min(wide.z, wide.w)), min(other.x, other.y));
    return clamp(1.1 - nearest, 0.0, 1.0);
}

fn drawn(corner: Corner, share: f32) -> Seen {
    let shell = shells[corner.number];
    let outline = outline_of_radius(shell.center, shell.radius, 1.0);
    let axes = mat3x3<f32>(outline.right, outline.up, outline.towards_eye);
    let radii_away = outline.distance / outline.radius;
    let front = surface(corner.place, outline.tangent, radii_away);
    // The point where the ray leaves the sphere: the midpoint of both intersections is nearest to the center.
    let squared = min(dot(corner.place, corner.place), 1.0);
    let ray = normalize(vec3<f32>(outline.tangent * corner.place, -1.0));
    let back = front - 2.0 * dot(front, ray) * ray;
    let front_lines = globe_lines(axes * front);
    let back_lines = globe_lines(axes * back);
    // Distance inward from the outline, pixels.
    let inward = (1.0 - length(corner.place)) * frame.pixels_at_one * outline.tangent;
    let rim = clamp(1.5 - abs(inward), 0.0, 1.0);
    let inside = clamp(inward + 0.5, 0.0, 1.0);
    let fill = 0.07 + 0.22 * pow(1.0 - sqrt(1.0 - squared), 2.0);
    let opacity = max(rim, inside * max(fill, max(0.38 * front_lines, 0.16 * back_lines)));
    if opacity <= 0.0 {
        discard;
    }
    let clip = frame.clip_from_world * vec4<f32>(shell.center + outline.radius * (axes * front), 1.0);
    return Seen(vec4<f32>(shell.color.rgb, share * shell.color.a * opacity), frame.near / clip.w);
}

@fragment
fn fragment_seen(corner: Corner) -> Seen {
    return drawn(corner, 1.0);
}

@fragment
fn fragment_hidden(corner: Corner) -> Seen {
    return drawn(corner, HIDDEN);
}
