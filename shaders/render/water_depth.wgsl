// First pass over the surface of clear water: the depth of the sphere that each texel of the coarse picture shows,
// along the viewing direction, m, as the bits of a float; zero where there is no water, HIDDEN_BY_DROP where a drop is
// in front, and negative where it is seen through a wall of the tank that it touches, so that the surface above is not
// smoothed together with the wall. Draw 3 vertices.
#import nearwater::render::drops::{is_in_body, water_outline}
#import nearwater::render::frame::frame
#import nearwater::render::names::seen_at
#import nearwater::render::passage::{distance_from, passage_of}
#import nearwater::render::relief::HIDDEN_BY_DROP
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::sphere::{normal_of, place_of, point_of, surface}

// The spheres next to a wall touch it and show their fronts. Between these, those of the second layer are seen: the
// distance from the wall up to which a point belongs to it, in radii of a drawn particle, and the least part of its
// normal towards the wall.
const TOUCHING: f32 = 1.6;
const FRONT: f32 = 0.25;

// Position, m; velocity, m/s; density, kg/m^3, and pressure over density squared. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

@fragment
fn fragment(corner: ScreenCorner) -> @location(0) u32 {
    let texel = vec2<i32>(corner.clip.xy);
    let name = seen_at(texel * i32(frame.relief_scale) + i32(frame.relief_scale / 2u));
    if name == 0u {
        discard;
    }
    let index = min(name, arrayLength(&positions)) - 1u;
    // A drop in front of the water is no part of its surface, which would have a dent around it.
    if is_in_body(densities[index].x) < 0.5 {
        return HIDDEN_BY_DROP;
    }
    let center = positions[index].xyz;
    let outline = water_outline(center, densities[index].x, velocities[index].xyz);
    let local = surface(place_of(outline, corner.ray), outline.tangent, outline.distance / outline.radius);
    let point = center + outline.radius * point_of(outline, local);
    let depth = (frame.clip_from_world * vec4<f32>(point, 1.0)).w;
    let passage = passage_of(corner.ray);
    let is_front = passage.begin > 0.0 && dot(normal_of(outline, local), passage.front) > FRONT;
    let touches = abs(distance_from(passage.front, point)) < TOUCHING;
    return bitcast<u32>(select(depth, -depth, is_front && touches));
}
