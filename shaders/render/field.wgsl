// The particles' buffers and the parts that compute a color. The program generates the module
// `nearwater::render::color_fields` from its table of color fields; that module computes a particle's color with them.
#define_import_path nearwater::render::field
#import nearwater::grid
#import nearwater::render::cells::cell_grid
#import nearwater::render::frame::frame

// The color map of the field in linear color, evenly spaced from its low to its high end.
@group(0) @binding(1) var<storage, read> palette: array<vec4<f32>>;
// Position, m; velocity, m/s; (density, kg/m^3, pressure over density squared); neighbors; candidates. Length: particle
// count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
@group(1) @binding(3) var<storage, read> neighbor_counts: array<u32>;
@group(1) @binding(4) var<storage, read> candidate_counts: array<u32>;
// The caller's own field; NaN where it has no value. Length: particle count where that field is drawn.
@group(1) @binding(5) var<storage, read> custom_field: array<f32>;

// Color of a particle without a value: stone gray.
const NO_VALUE: vec3<f32> = vec3<f32>(0.26, 0.25, 0.23);
// Color of a field that the shader does not implement; no color map contains it.
const UNKNOWN: vec3<f32> = vec3<f32>(1.0, 0.0, 1.0);

fn palette_at(t: f32) -> vec3<f32> {
    let last = arrayLength(&palette) - 1u;
    let place = clamp(t, 0.0, 1.0) * f32(last);
    let below = min(u32(place), last);
    return mix(palette[below].rgb, palette[min(below + 1u, last)].rgb, place - f32(below));
}

// A color different from those of the 26 cells around. There are 24 colors that step through 8 hues and 3 levels of
// lightness at once; with the weights 1, 4, 7, the level changes across every face, and the hue by at least 90 degrees
// between cells of the same level.
fn cell_color(position: vec3<f32>) -> vec3<f32> {
    let cell = floor((position - frame.cell_origin) * frame.inverse_cell_size);
    let colors = i32(#{CELL_COLORS});
    // Wrapped as floats, because the remainder of a negative integer is undefined in Vulkan and NVIDIA's results
    // differ.
    let wrapped = vec3<i32>(cell - f32(colors) * floor(cell / f32(colors)));
    return palette[(wrapped.x + 4 * wrapped.y + 7 * wrapped.z) % colors].rgb;
}

// Where border and inner particles are not distinguished, all are inner.
fn is_border(position: vec3<f32>) -> bool {
    return grid::is_border(cell_grid(), position);
}

// Whether a particle belongs to a boundary.
fn is_solid(index: u32) -> bool {
    return bitcast<u32>(velocities[index].w) >= frame.fluid_count;
}

// The color of the field's map at a value of the field.
fn scaled(value: f32) -> vec3<f32> {
    return palette_at((value - frame.field_low) * frame.field_inverse_range);
}

// The color of the caller's own value, or of a particle without a value.
fn custom_color(index: u32) -> vec3<f32> {
    let value = custom_field[index];
    // Tested by bits, because compilers may assume that no float is NaN.
    if (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u {
        return NO_VALUE;
    }
    return scaled(value);
}
