// Caustics: a mesh over the surface that the sun sees, each corner of which is moved to where the refracted light
// reaches the floor. A triangle becomes brighter as it shrinks, and folded ones add up (the method of E. Wallace,
// "WebGL Water", 2011). Draw 6 vertices per square of the mesh, with additive blending.
#import nearwater::render::caustic_mesh::{landing_of, light_of, mesh_edge}
#import nearwater::render::frame::frame

// As written by `caustic_corners.wgsl`.
@group(1) @binding(25) var caustic_corners: texture_2d<u32>;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // Where the light would reach the floor without water, in texels of the map of caustics.
    @location(0) before: vec2<f32>,
    // The fraction of the light that arrives.
    @location(1) light: vec3<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32) -> Corner {
    let edge = mesh_edge();
    let square = vertex_index / 6u;
    let corner = vertex_index % 6u;
    let across = u32(corner == 1u || corner == 4u || corner == 5u);
    let down = u32(corner == 2u || corner == 3u || corner == 5u);
    let number = vec2<u32>(square % edge + across, square / edge + down);
    let bits = textureLoad(caustic_corners, number, 0);
    let clip = landing_of(bits) * vec2<f32>(2.0, -2.0) + vec2<f32>(-1.0, 1.0);
    let before = vec2<f32>(number) * (f32(frame.caustic_texels) / f32(edge));
    return Corner(vec4<f32>(clip, 0.5, 1.0), before, light_of(bits));
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    // Area of the triangle without water, in units of its area on the floor.
    let right = dpdx(corner.before);
    let down = dpdy(corner.before);
    let gathered = min(abs(right.x * down.y - right.y * down.x), 8.0);
    return vec4<f32>(corner.light * gathered, 1.0);
}
