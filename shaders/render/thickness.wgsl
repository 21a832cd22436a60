// The amount of water behind each texel of the coarse picture: every sphere adds the length of the ray inside it. Draw
// 3 vertices per particle, with additive blending. With CLEAR, water behind solids does not count.
#import nearwater::render::frame::{frame, is_drawable, triangle_corner}
#ifdef CLEAR
#import nearwater::render::drops::{water_in, covering_outline}
#import nearwater::render::sphere::{on_square, path_through}
#else
#import nearwater::render::sphere::{on_square, outline_of, path_through}
#endif

// Position, m. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
// Velocity, m/s, with the bits of the particle's original index in w. Length: particle count.
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;

#ifdef CLEAR
// Density, kg/m^3, and pressure over density squared. Length: particle count.
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
// Depth of the scene without water.
@group(0) @binding(10) var solid_depths: texture_depth_2d;
#endif

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // Position on the square, on which the outline is the unit circle.
    @location(0) place: vec2<f32>,
    // Length of the ray through the center in water, m.
    @location(1) @interpolate(flat) water: f32,
    // Depth of the center.
    @location(2) @interpolate(flat) depth: f32,
}

@vertex
fn vertex(@builtin(vertex_index) vertex: u32) -> Corner {
    let index = vertex / 3u;
    let vertex_index = vertex % 3u;
    let nothing = Corner(vec4<f32>(0.0, 0.0, 2.0, 1.0), vec2<f32>(0.0), 0.0, 0.0);
    let position = positions[index].xyz;
    if !is_drawable(position) || bitcast<u32>(velocities[index].w) >= frame.fluid_count {
        return nothing;
    }
#ifdef CLEAR
    let outline = covering_outline(position, densities[index].x, velocities[index].xyz);
    let volume = water_in(outline);
#else
    let outline = outline_of(position);
    let volume = frame.particle_volume;
#endif
    if outline.tangent <= 0.0 {
        return nothing;
    }
    let place = triangle_corner(vertex_index);
    // At least one texel wide, because small spheres could otherwise fall between texels.
    let texel = f32(frame.relief_scale) / frame.pixels_at_one;
    let radius = outline.distance * max(outline.tangent, 0.75 * texel);
    let corner = position + radius * on_square(outline, place);
    let water = path_through(outline, radius, volume);
    let clip = frame.clip_from_world * vec4<f32>(position, 1.0);
    return Corner(frame.clip_from_world * vec4<f32>(corner, 1.0), place, water, clip.z / clip.w);
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    let inside = 1.0 - dot(corner.place, corner.place);
    if inside <= 0.0 {
        discard;
    }
#ifdef CLEAR
    let pixel = vec2<i32>(corner.clip.xy * f32(frame.relief_scale));
    let last = vec2<i32>(textureDimensions(solid_depths)) - 1;
    if textureLoad(solid_depths, min(pixel, last), 0) > corner.depth {
        discard;
    }
#endif
    return vec4<f32>(corner.water * sqrt(inside), 0.0, 0.0, 0.0);
}
