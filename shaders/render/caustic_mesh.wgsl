// The mesh of caustics: squares over the light map, and how its corners are stored.
#define_import_path nearwater::render::caustic_mesh
#import nearwater::render::frame::frame

// Squares along each edge; as `caustic_mesh` in frame.rs.
fn mesh_edge() -> u32 {
    return clamp(frame.caustic_texels / 2u, 1u, 256u);
}

// A corner's place on the floor, in coordinates of the light map, and the fraction of the light that arrives, in four
// words.
fn corner_bits(landing: vec2<f32>, light: vec3<f32>) -> vec4<u32> {
    return vec4<u32>(bitcast<vec2<u32>>(landing), pack2x16unorm(light.rg), pack2x16unorm(vec2<f32>(light.b, 0.0)));
}

fn landing_of(bits: vec4<u32>) -> vec2<f32> {
    return bitcast<vec2<f32>>(bits.xy);
}

fn light_of(bits: vec4<u32>) -> vec3<f32> {
    return vec3<f32>(unpack2x16unorm(bits.z), unpack2x16unorm(bits.w).x);
}
