// First pass over the surface of clear water: the depth of the sphere that each texel of the coarse picture shows,
// along the viewing direction, m, as the bits of a float; zero where there is no water. Draw 3 vertices.
#import nearwater::render::drops::water_outline
#import nearwater::render::frame::frame
#import nearwater::render::names::seen_at
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::sphere::{place_of, point_of, surface}

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
    let center = positions[index].xyz;
    let outline = water_outline(center, densities[index].x, velocities[index].xyz);
    let local = surface(place_of(outline, corner.ray), outline.tangent, outline.distance / outline.radius);
    let offset = point_of(outline, local);
    return bitcast<u32>((frame.clip_from_world * vec4<f32>(center + outline.radius * offset, 1.0)).w);
}
