// Colour and light of the particles that `spheres.wgsl` found, once a pixel. Draw 3 vertices.
#import nearwater::render::frame::{frame, light_map_place}
#import nearwater::render::names::sample_at
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::shading::{KEY, ambient, mirrored, toned}
#import nearwater::render::sphere::{outline_of, surface}

// The colour map of the field, linear light, evenly spaced from its low to its high end.
@group(0) @binding(1) var<storage, read> palette: array<vec4<f32>>;
// Red: height above the floor up to which water stands in the light's way, m. Alpha: metres of water in its way.
@group(0) @binding(2) var light_map: texture_2d<f32>;
@group(0) @binding(3) var light_sampler: sampler;
// Normal of the water's large shape, world space, times its alpha; alpha is 0 where there is no water.
@group(0) @binding(5) var relief: texture_2d<f32>;
// Position, m; velocity, m/s; (density, kg/m^3, pressure over density squared); neighbors. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
@group(1) @binding(3) var<storage, read> neighbor_counts: array<u32>;

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
    let cell = vec3<i32>(floor((position - frame.cell_origin) * frame.inverse_cell_size));
    let colors = i32(#{CELL_COLORS});
    let wrapped = ((cell % colors) + colors) % colors;
    return palette[(wrapped.x + 4 * wrapped.y + 7 * wrapped.z) % colors].rgb;
}

fn field_color(index: u32, position: vec3<f32>) -> vec3<f32> {
    var value = f32(index);
    switch frame.field {
        case #{FIELD_SPEED}u: { value = length(velocities[index].xyz); }
        case #{FIELD_DENSITY}u: { value = densities[index].x; }
        case #{FIELD_PRESSURE}u: { value = densities[index].y * densities[index].x * densities[index].x; }
        case #{FIELD_NEIGHBOR_COUNT}u: { value = f32(neighbor_counts[index]); }
        case #{FIELD_CELL}u: { return cell_color(position); }
        default: {}
    }
    return palette_at((value - frame.field_low) * frame.field_inverse_range);
}

// How much of the key light the water above a place lets through (Beer and Lambert).
fn light_reaching(position: vec3<f32>) -> f32 {
    let above = textureSampleLevel(light_map, light_sampler, light_map_place(position), 0.0);
    let height = position.y + frame.particle_radius - frame.floor_height;
    // Drops high above the water must not count the air below them.
    let water = min(max(above.r - height, 0.0), above.a) / frame.light.y;
    return exp(-3.0 * water / frame.extent);
}

fn lit(index: u32, ray: vec3<f32>, shape: vec4<f32>) -> vec3<f32> {
    let position = positions[index].xyz;
    let outline = outline_of(position);
    let place = vec2<f32>(dot(ray, outline.right), dot(ray, outline.up)) / (-dot(ray, outline.towards_eye) * outline.tangent);
    let local = surface(place, outline.tangent, outline.distance / outline.radius);
    let bead = mat3x3<f32>(outline.right, outline.up, outline.towards_eye) * local;
    // Beads of a few pixels only sparkle; a drop of its own has no larger shape than its bead.
    let beads = frame.beads * smoothstep(1.0, 6.0, outline.tangent * frame.pixels_at_one);
    let normal = normalize(bead * (1.0 - shape.a * (1.0 - beads)) + shape.xyz * (1.0 - beads));

    let sun = light_reaching(position);
    let albedo = field_color(index, position);
    // Water scatters the light that enters it: the terminator is soft. Between beads little light comes in.
    let crease = 0.72 + 0.28 * local.z;
    let wrapped = clamp(dot(normal, frame.light) * 0.6 + 0.4, 0.0, 1.0);
    let light = KEY * wrapped * (0.2 + 0.8 * sun) + ambient(normal) * (0.50 + 0.15 * sun);
    let scattered = albedo * crease * mix(light, vec3<f32>(1.0), frame.evenness);
    let grazing = 1.0 - clamp(dot(normal, outline.towards_eye), 0.0, 1.0);
    let fresnel = 0.02 + 0.6 * grazing * grazing * grazing * grazing;
    let reflected = mirrored(reflect(-outline.towards_eye, normal));
    let glint = pow(clamp(dot(normal, normalize(frame.light + outline.towards_eye)), 0.0, 1.0), 60.0);
    return toned(mix(scattered, reflected * (0.4 + 0.6 * sun), fresnel) + KEY * glint * 0.4 * sun);
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

// Drawn infinitely far away where that lies behind something: at exactly the samples that spheres cover.
@fragment
fn fragment(corner: ScreenCorner) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(corner.clip.xy);
    let count = arrayLength(&positions);
    let shape = textureSampleLevel(relief, light_sampler, corner.clip.xy / frame.size, 0.0);
#ifdef MULTISAMPLED
    // Most pixels see one particle with all their samples: each particle is shaded once and weighs its samples.
    var sum = vec4<f32>(0.0);
    var left = vec4<u32>(sample_at(pixel, 0), sample_at(pixel, 1), sample_at(pixel, 2), sample_at(pixel, 3));
    for (var turn = 0u; turn < 4u; turn += 1u) {
        let name = max(max(left.x, left.y), max(left.z, left.w));
        if name == 0u {
            break;
        }
        let mine = left == vec4<u32>(name);
        let weight = dot(select(vec4<f32>(0.0), vec4<f32>(1.0), mine), vec4<f32>(1.0));
        sum += weight * vec4<f32>(lit(min(name, count) - 1u, corner.ray, shape), 1.0);
        left = select(left, vec4<u32>(0u), mine);
    }
    return vec4<f32>(sum.rgb / max(sum.a, 1.0), 1.0);
#else
    let name = max(sample_at(pixel, 0), 1u);
    return vec4<f32>(lit(min(name, count) - 1u, corner.ray, shape), 1.0);
#endif
}
