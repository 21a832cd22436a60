// Solids as meshes. Draw 3 vertices per triangle, one instance per solid; into the picture, behind the water (BEHIND:
// light that is not yet tone-mapped) or into the map of what is in the path of the light (SHADOW).
#import nearwater::render::frame::frame
#ifdef SHADOW
#import nearwater::render::solid_light::shadow_clip
#else
#import nearwater::render::matte::{matte, shown}
#endif

// Mirrored by `render::solids::Solid`.
struct Solid {
    world_from_body: mat4x4<f32>,
    // Linear color; w is unused.
    color: vec4<f32>,
}

// Bits of a corner's position in its body's frame, m, and of its normal, as packed by `render::surface`. Three corners
// per triangle.
@group(1) @binding(0) var<storage, read> corners: array<vec4<u32>>;
// len = number of drawn solids at least.
@group(1) @binding(1) var<storage, read> solids: array<Solid>;

fn place_in_world(vertex_index: u32, solid: u32) -> vec3<f32> {
    let place = bitcast<vec3<f32>>(corners[vertex_index].xyz);
    return (solids[solid].world_from_body * vec4<f32>(place, 1.0)).xyz;
}

#ifdef SHADOW
@vertex
fn vertex(
    @builtin(vertex_index) vertex_index: u32,
    @builtin(instance_index) solid: u32,
) -> @builtin(position) vec4<f32> {
    let position = place_in_world(vertex_index, solid);
    return shadow_clip(position);
}
#else
struct Corner {
    @builtin(position) clip: vec4<f32>,
    // World position, m.
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) @interpolate(flat) color: vec3<f32>,
}

fn unpacked(bits: u32) -> vec3<f32> {
    let square = unpack2x16snorm(bits);
    let z = 1.0 - abs(square.x) - abs(square.y);
    let folded = max(-z, 0.0) * select(vec2<f32>(-1.0), vec2<f32>(1.0), square >= vec2<f32>(0.0));
    return normalize(vec3<f32>(square - folded, z));
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) solid: u32) -> Corner {
    let position = place_in_world(vertex_index, solid);
    let normal = solids[solid].world_from_body * vec4<f32>(unpacked(corners[vertex_index].w), 0.0);
    return Corner(frame.clip_from_world * vec4<f32>(position, 1.0), position, normal.xyz, solids[solid].color.rgb);
}

@fragment
fn fragment(corner: Corner, @builtin(front_facing) outside: bool) -> @location(0) vec4<f32> {
    // An eye inside a solid sees its inner side.
    let normal = normalize(corner.normal) * select(-1.0, 1.0, outside);
    let light = matte(corner.position, normal, corner.color, corner.clip.xy);
    return shown(light);
}
#endif
