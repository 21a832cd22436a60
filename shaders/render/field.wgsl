// The colour that a particle's field gives it, and the particles' buffers.
#define_import_path nearwater::render::field
#import nearwater::grid
#import nearwater::render::cells::cell_grid
#import nearwater::render::frame::frame

// The colour map of the field, linear light, evenly spaced from its low to its high end.
@group(0) @binding(1) var<storage, read> palette: array<vec4<f32>>;
// Position, m; velocity, m/s; (density, kg/m^3, pressure over density squared); neighbors; candidates. Length: particle
// count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
@group(1) @binding(3) var<storage, read> neighbor_counts: array<u32>;
@group(1) @binding(4) var<storage, read> candidate_counts: array<u32>;

fn palette_at(t: f32) -> vec3<f32> {
    let last = arrayLength(&palette) - 1u;
    let place = clamp(t, 0.0, 1.0) * f32(last);
    let below = min(u32(place), last);
    return mix(palette[below].rgb, palette[min(below + 1u, last)].rgb, place - f32(below));
}

// A colour that no cell shares with any of the 26 around it. With 24 colours that step through 8 hues and 3 levels
// of lightness at once, the weights 1, 4, 7 change the level across every face, and the hue by at least 90 degrees
// between cells of the same level.
fn cell_color(position: vec3<f32>) -> vec3<f32> {
    let cell = floor((position - frame.cell_origin) * frame.inverse_cell_size);
    let colors = i32(#{CELL_COLORS});
    // Wrapped as floats: what is left of a negative integer is undefined in Vulkan, and NVIDIA's cards differ.
    let wrapped = vec3<i32>(cell - f32(colors) * floor(cell / f32(colors)));
    return palette[(wrapped.x + 4 * wrapped.y + 7 * wrapped.z) % colors].rgb;
}

// Where no classes are told apart, all are inner.
fn is_border(position: vec3<f32>) -> bool {
    return frame.cell_border > 0.0 && grid::is_border(cell_grid(), position);
}

// Whether a particle is of a boundary.
fn is_solid(index: u32) -> bool {
    return bitcast<u32>(velocities[index].w) >= frame.fluid_count;
}

fn field_color(index: u32, position: vec3<f32>) -> vec3<f32> {
    if is_solid(index) {
        // Of no field: the grey of stone.
        return vec3<f32>(0.26, 0.25, 0.23);
    }
    var value = f32(index);
    switch frame.field {
        case #{FIELD_SPEED}u: { value = length(velocities[index].xyz); }
        case #{FIELD_DENSITY}u: { value = densities[index].x; }
        case #{FIELD_PRESSURE}u: { value = densities[index].y * densities[index].x * densities[index].x; }
        case #{FIELD_NEIGHBOR_COUNT}u: { value = f32(neighbor_counts[index]); }
        case #{FIELD_CANDIDATE_COUNT}u: { value = f32(candidate_counts[index]); }
        case #{FIELD_CELL}u: { return cell_color(position); }
        case #{FIELD_CLASS}u: { return palette_at(f32(is_border(position))); }
        default: {}
    }
    return palette_at((value - frame.field_low) * frame.field_inverse_range);
}
