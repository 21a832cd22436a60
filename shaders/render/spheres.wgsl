// Finds which particle is visible where. Draw 3 vertices per particle, all in one instance: a triangle that just
// covers the sphere's outline. Writes the particle's number plus one, in two halves of 16 bits, and the exact depth of
// its surface. `water.wgsl` computes the color once per pixel, because here up to a hundred spheres may overlap. With
// MARKED only particles with a role of their own are drawn, each in the shape of its role; with FADED only faded ones,
// in the shape of plain particles. Both are indirect draws with the vertex counts of `partition_roles.wgsl`. With
// CLEAR the radius of a particle depends on its density.
#import nearwater::render::frame::{frame, is_drawable, is_left_out, triangle_corner}
#import nearwater::render::marks::{covers, form_of, is_on_ring, marked_outline, marks, reach_of}
#ifdef CLEAR
#import nearwater::render::drops::covering_outline
#import nearwater::render::sphere::{on_square, surface}
#else
#import nearwater::render::sphere::{on_square, outline_of, surface}
#endif

// Position, m. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
// Velocity, m/s, with the bits of the particle's original index in w. Length: particle count.
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
// Density, kg/m^3, and pressure over density squared. Length: particle count.
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// Indices as written by `partition_roles.wgsl`. Length: particle count.
@group(1) @binding(7) var<storage, read> by_role: array<u32>;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // Position on the square, on which the outline is the unit circle.
    @location(0) place: vec2<f32>,
    // Distance from the eye along the viewing direction: at the center, and one radius from it to the right, up, and
    // towards the eye. All in m.
    @location(1) @interpolate(flat) ahead: vec4<f32>,
    // Tangent of the outline, and the center's distance in radii.
    @location(2) @interpolate(flat) shape: vec2<f32>,
    @location(3) @interpolate(flat) name: u32,
#ifdef MARKED
    @location(4) @interpolate(flat) mark: u32,
#endif
}

@vertex
fn vertex(@builtin(vertex_index) vertex: u32) -> Corner {
    let vertex_index = vertex % 3u;
#ifdef MARKED
    let index = by_role[vertex / 3u];
#else
#ifdef FADED
    let index = by_role[frame.particle_count - 1u - vertex / 3u];
#else
    let index = vertex / 3u;
#endif
#endif
    // In front of the near plane, so that it is clipped.
    var nothing: Corner;
    nothing.clip = vec4<f32>(0.0, 0.0, 2.0, 1.0);
    let position = positions[index].xyz;
    // Without boundaries no particle is omitted, and the velocity need not be read.
    let left_out = frame.drawn_below < frame.particle_count && is_left_out(bitcast<u32>(velocities[index].w));
    if left_out || !is_drawable(position) {
        return nothing;
    }
#ifdef MARKED
    let mark = marks[index];
    let form = form_of(mark);
    let outline = marked_outline(position, form);
    let reach = reach_of(form);
#else
#ifdef CLEAR
    let outline = covering_outline(position, densities[index].x, velocities[index].xyz);
#else
    let outline = outline_of(position);
#endif
    let reach = 1.0;
#endif
    if outline.tangent <= 0.0 {
        return nothing;
    }
    let corner = triangle_corner(vertex_index);
    // Samples of a pixel lie up to half a pixel from its center.
    let place = corner * (reach + 0.5 / (frame.pixels_at_one * outline.tangent));
    // The outline's circle is nearer to the eye than the center, by the squared cosine of its angle.
    let nearer = outline.distance / (1.0 + outline.tangent * outline.tangent);
    let across = nearer * outline.tangent * on_square(outline, place);
    let ahead = vec3<f32>(frame.clip_from_world[0].w, frame.clip_from_world[1].w, frame.clip_from_world[2].w);
    return Corner(
        frame.clip_from_world * vec4<f32>(frame.eye - nearer * outline.towards_eye + across, 1.0),
        place,
        vec4<f32>(
            -outline.distance * dot(ahead, outline.towards_eye),
            outline.radius * outline.stretch * dot(ahead, outline.right),
            outline.radius * dot(ahead, outline.up),
            outline.radius * dot(ahead, outline.towards_eye),
        ),
        vec2<f32>(outline.tangent, outline.distance / outline.radius),
        index + 1u,
#ifdef MARKED
        mark,
#endif
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
    // The four sample positions of graphics hardware in a pixel (Vulkan specification, standard sample locations).
    let along_x = dpdx(corner.place) / 16.0;
    let along_y = dpdy(corner.place) / 16.0;
    let first = corner.place - 2.0 * along_x - 6.0 * along_y;
    let second = corner.place + 6.0 * along_x - 2.0 * along_y;
    let third = corner.place - 6.0 * along_x + 2.0 * along_y;
    let fourth = corner.place + 2.0 * along_x + 6.0 * along_y;
    let squared = vec4<f32>(dot(first, first), dot(second, second), dot(third, third), dot(fourth, fourth));
#ifdef MARKED
    let covered = covers(form_of(corner.mark), squared);
#else
    let covered = squared <= vec4<f32>(1.0);
#endif
    seen.samples = dot(select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), covered), vec4<u32>(1u));
    if seen.samples == 0u {
        discard;
    }
#else
#ifdef MARKED
    let covered = covers(form_of(corner.mark), vec4<f32>(dot(corner.place, corner.place))).x;
#else
    let covered = dot(corner.place, corner.place) <= 1.0;
#endif
    if !covered {
        discard;
    }
#endif
    let place = surface(corner.place, corner.shape.x, corner.shape.y);
    seen.depth = frame.near / (corner.ahead.x + dot(corner.ahead.yzw, place));
#ifdef MARKED
    let form = form_of(corner.mark);
    if is_on_ring(form, dot(corner.place, corner.place)) {
        // A ring is flat, at the distance of its particle's center. A ring around a sphere is drawn in front of
        // everything.
        let nearer = select(1.0, 0.05, form.filled > 0.0);
        seen.depth = min(frame.near / (nearer * corner.ahead.x), 1.0);
    }
#endif
    seen.name = vec2<u32>(corner.name & 0xffffu, corner.name >> 16u);
    return seen;
}
