// Cloth: a grid of points, drawn from the simulation's buffer. Draw 6 vertices per square of the grid, one instance per
// cloth; into the same three targets as `solid.wgsl`.
#import nearwater::render::frame::{frame, is_drawable}
#ifdef SHADOW
#import nearwater::render::solid_light::shadow_clip
#else
#import nearwater::render::matte::{matte, shown}
#endif

// Mirrored by `render::solids::Cloth`.
struct Cloth {
    // Linear color.
    color: vec3<f32>,
    // Index of the first point in the buffer.
    first: u32,
    // Number of columns and rows of the grid.
    columns: u32,
    rows: u32,
    // Number of squares of the pattern along each direction.
    checks: vec2<u32>,
}

// Positions in xyz, m, row by row; len = first + columns * rows at least.
@group(1) @binding(0) var<storage, read> places: array<vec4<f32>>;
// len = number of drawn cloths at least.
@group(1) @binding(1) var<storage, read> cloths: array<Cloth>;

fn place_at(cloth: Cloth, column: u32, row: u32) -> vec3<f32> {
    return places[cloth.first + row * cloth.columns + column].xyz;
}

// Column and row of corner `vertex_index` among the triangles of all squares.
fn grid_place(cloth: Cloth, vertex_index: u32) -> vec2<u32> {
    let square = vertex_index / 6u;
    let corner = vertex_index % 6u;
    let across = cloth.columns - 1u;
    let right = u32(corner == 1u || corner == 4u || corner == 5u);
    let down = u32(corner == 2u || corner == 3u || corner == 5u);
    return vec2<u32>(square % across + right, square / across + down);
}

// Whether all corners of a square are drawable positions; otherwise it is not drawn.
fn is_square_drawable(cloth: Cloth, vertex_index: u32) -> bool {
    let low = grid_place(cloth, vertex_index / 6u * 6u);
    return is_drawable(place_at(cloth, low.x, low.y)) && is_drawable(place_at(cloth, low.x + 1u, low.y))
        && is_drawable(place_at(cloth, low.x, low.y + 1u)) && is_drawable(place_at(cloth, low.x + 1u, low.y + 1u));
}

#ifdef SHADOW
@vertex
fn vertex(
    @builtin(vertex_index) vertex_index: u32,
    @builtin(instance_index) number: u32,
) -> @builtin(position) vec4<f32> {
    let cloth = cloths[number];
    if !is_square_drawable(cloth, vertex_index) {
        return vec4<f32>(0.0, 0.0, 2.0, 1.0);
    }
    let at = grid_place(cloth, vertex_index);
    let position = place_at(cloth, at.x, at.y);
    return shadow_clip(position);
}
#else
struct Corner {
    @builtin(position) clip: vec4<f32>,
    // World position, m.
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    // Position in squares of the pattern.
    @location(2) pattern: vec2<f32>,
    @location(3) @interpolate(flat) color: vec3<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) number: u32) -> Corner {
    let cloth = cloths[number];
    if !is_square_drawable(cloth, vertex_index) {
        let nothing = vec3<f32>(0.0);
        return Corner(vec4<f32>(0.0, 0.0, 2.0, 1.0), nothing, nothing, vec2<f32>(0.0), nothing);
    }
    let at = grid_place(cloth, vertex_index);
    let position = place_at(cloth, at.x, at.y);
    let last = vec2<u32>(cloth.columns, cloth.rows) - 1u;
    let low = max(at, vec2<u32>(1u)) - 1u;
    let high = min(at + 1u, last);
    let across = place_at(cloth, high.x, at.y) - place_at(cloth, low.x, at.y);
    let down = place_at(cloth, at.x, high.y) - place_at(cloth, at.x, low.y);
    let pattern = vec2<f32>(at) / vec2<f32>(last) * vec2<f32>(cloth.checks);
    return Corner(frame.clip_from_world * vec4<f32>(position, 1.0), position, cross(across, down), pattern, cloth.color);
}

// A checkered cloth: the factor by which the pattern scales `color`. Fades to the mean where squares are smaller than
// pixels.
fn check(pattern: vec2<f32>, pixel: vec2<f32>) -> f32 {
    // 1 in every other square, with transitions as wide as a pixel.
    let wave = abs(fract(0.5 * pattern) - 0.5) * 2.0;
    let stripe = clamp((wave - 0.5) / max(pixel, vec2<f32>(1e-6)) + 0.5, vec2<f32>(0.0), vec2<f32>(1.0));
    let fine = clamp(1.5 - 1.5 * max(pixel.x, pixel.y), 0.0, 1.0);
    return 1.0 - 0.4 * mix(0.5, 0.5 * (stripe.x + stripe.y), fine);
}

@fragment
fn fragment(corner: Corner, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let pixel = fwidth(corner.pattern);
    // Both sides look the same: the normal points to the side that is seen.
    let normal = corner.normal / max(length(corner.normal), 1e-20) * select(-1.0, 1.0, front);
    let light = matte(corner.position, normal, corner.color * check(corner.pattern, pixel), corner.clip.xy);
    return shown(light);
}
#endif
