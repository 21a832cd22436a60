// Which particle is seen where. Draw 3 vertices an instance, one instance a particle: a triangle that just covers the
// sphere's outline. Writes the particle's number plus one, in two halves of 16 bits, and the exact depth of its
// surface. Colour is left to `water.wgsl`, once a pixel: here spheres may lie a hundred deep.
#import nearwater::render::frame::{frame, is_drawable, is_left_out, triangle_corner}
#import nearwater::render::sphere::{outline_of, surface}

// Position, m. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
// Velocity, m/s, with the bits of the particle's first index in w. Length: particle count.
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // Place on the square: the outline is the unit circle.
    @location(0) place: vec2<f32>,
    // Distance from the eye along the direction of view: at the centre, and one radius to the right, up and towards
    // the eye of it. All m.
    @location(1) @interpolate(flat) ahead: vec4<f32>,
    // Tangent of the outline, and the centre's distance in radii.
    @location(2) @interpolate(flat) shape: vec2<f32>,
    @location(3) @interpolate(flat) name: u32,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) index: u32) -> Corner {
    // Nearer than the near plane: clipped.
    let nothing = Corner(vec4<f32>(0.0, 0.0, 2.0, 1.0), vec2<f32>(0.0), vec4<f32>(0.0), vec2<f32>(0.0), 0u);
    let position = positions[index].xyz;
    // Without boundaries nothing is left out, and no velocity need be read.
    let left_out = frame.drawn_below < frame.particle_count && is_left_out(bitcast<u32>(velocities[index].w));
    if left_out || !is_drawable(position) {
        return nothing;
    }
    let outline = outline_of(position);
    if outline.tangent <= 0.0 {
        return nothing;
    }
    let corner = triangle_corner(vertex_index);
    // Samples of a pixel lie up to half a pixel outside its middle.
    let place = corner * (1.0 + 0.5 / (frame.pixels_at_one * outline.tangent));
    // The outline's circle lies nearer to the eye than the centre, by the square of the cosine of its angle.
    let nearer = outline.distance / (1.0 + outline.tangent * outline.tangent);
    let across = nearer * outline.tangent * (place.x * outline.right + place.y * outline.up);
    let ahead = vec3<f32>(frame.clip_from_world[0].w, frame.clip_from_world[1].w, frame.clip_from_world[2].w);
    return Corner(
        frame.clip_from_world * vec4<f32>(frame.eye - nearer * outline.towards_eye + across, 1.0),
        place,
        vec4<f32>(
            -outline.distance * dot(ahead, outline.towards_eye),
            outline.radius * dot(ahead, outline.right),
            outline.radius * dot(ahead, outline.up),
            outline.radius * dot(ahead, outline.towards_eye),
        ),
        vec2<f32>(outline.tangent, outline.distance / outline.radius),
        index + 1u,
    );
}

struct Seen {
    @location(0) name: vec2<u32>,
    @builtin(frag_depth) depth: f32,
#ifdef MULTISAMPLED
    @builtin(sample_mask) samples: u32,
#endif
}

@fragment
fn fragment(corner: Corner) -> Seen {
    var seen: Seen;
#ifdef MULTISAMPLED
    // The four places where graphics hardware looks in a pixel (Vulkan specification, standard sample locations).
    let along_x = dpdx(corner.place) / 16.0;
    let along_y = dpdy(corner.place) / 16.0;
    let first = corner.place - 2.0 * along_x - 6.0 * along_y;
    let second = corner.place + 6.0 * along_x - 2.0 * along_y;
    let third = corner.place - 6.0 * along_x + 2.0 * along_y;
    let fourth = corner.place + 2.0 * along_x + 6.0 * along_y;
    let squared = vec4<f32>(dot(first, first), dot(second, second), dot(third, third), dot(fourth, fourth));
    seen.samples = dot(select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), squared <= vec4<f32>(1.0)), vec4<u32>(1u));
    if seen.samples == 0u {
        discard;
    }
#else
    if dot(corner.place, corner.place) > 1.0 {
        discard;
    }
#endif
    let place = surface(corner.place, corner.shape.x, corner.shape.y);
    seen.depth = frame.near / (corner.ahead.x + dot(corner.ahead.yzw, place));
    seen.name = vec2<u32>(corner.name & 0xffffu, corner.name >> 16u);
    return seen;
}
