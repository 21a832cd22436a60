// Particles as lit spheres. Draw 6 vertices an instance, one instance a particle: a square that just covers the
// sphere's outline, on which the fragment finds the sphere's surface exactly. Writes colour and depth.
#import nearwater::render::frame::{frame, light_map_place, is_drawable}
#import nearwater::render::shading::{KEY, ambient, mirrored, toned}

// Position, m; velocity, m/s; (density, kg/m^3, pressure over density squared); neighbors. Length: particle count.
@group(1) @binding(0) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> densities: array<vec2<f32>>;
@group(1) @binding(3) var<storage, read> neighbor_counts: array<u32>;
// The colour map of the field, linear light, evenly spaced from its low to its high end.
@group(0) @binding(1) var<storage, read> palette: array<vec4<f32>>;
// Red: height above the floor up to which water stands in the light's way, m. Alpha: metres of water in its way.
@group(0) @binding(2) var light_map: texture_2d<f32>;
@group(0) @binding(3) var light_sampler: sampler;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    // Place on the square: the outline is the unit circle.
    @location(0) place: vec2<f32>,
    // From the eye to the centre, m, and the squared ratio of radius to distance.
    @location(1) @interpolate(flat) center: vec4<f32>,
    // Linear colour, and the share of the key light that reaches the particle.
    @location(2) @interpolate(flat) color: vec4<f32>,
    // Radius, m, and the outline's radius, pixels.
    @location(3) @interpolate(flat) radius: vec2<f32>,
}

fn hidden() -> Corner {
    // Nearer than the near plane: clipped.
    return Corner(vec4<f32>(0.0, 0.0, 2.0, 1.0), vec2<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0), vec2<f32>(0.0));
}

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

// How much of the key light the water above a particle lets through (Beer and Lambert).
fn light_reaching(position: vec3<f32>) -> f32 {
    let above = textureSampleLevel(light_map, light_sampler, light_map_place(position), 0.0);
    let height = position.y + frame.particle_radius - frame.floor_height;
    // Drops high above the water must not count the air below them.
    let water = min(max(above.r - height, 0.0), above.a) / frame.light.y;
    return exp(-3.0 * water / frame.extent);
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) index: u32) -> Corner {
    let position = positions[index].xyz;
    if !is_drawable(position) {
        return hidden();
    }
    let center = position - frame.eye;
    let distance = length(center);
    // Never thinner than a pixel and a half, or far water would dissolve into dots.
    let radius = max(frame.particle_radius, 0.75 * distance / frame.pixels_at_one);
    let ratio_squared = radius * radius / (distance * distance);
    // Nothing to see from inside a sphere.
    if !(ratio_squared < 0.9) {
        return hidden();
    }
    let towards_eye = -center / distance;
    let right = normalize(cross(frame.up, towards_eye));
    let up = cross(towards_eye, right);
    // The circle in which the cone of tangents from the eye touches the sphere.
    let outline = radius * sqrt(1.0 - ratio_squared);
    let outline_pixels = frame.pixels_at_one * outline / (distance * (1.0 - ratio_squared));
    let corner = vec2<f32>(
        select(-1.0, 1.0, vertex_index == 1u || vertex_index == 4u || vertex_index == 5u),
        select(-1.0, 1.0, vertex_index == 2u || vertex_index == 3u || vertex_index == 5u),
    );
    // Half a pixel more than the outline, for the soft edge.
    let place = corner * (1.0 + 0.5 / outline_pixels);
    let on_square = frame.eye + center * (1.0 - ratio_squared) + outline * (place.x * right + place.y * up);
    return Corner(
        frame.clip_from_world * vec4<f32>(on_square, 1.0),
        place,
        vec4<f32>(center, ratio_squared),
        vec4<f32>(field_color(index, position), light_reaching(position)),
        vec2<f32>(radius, outline_pixels),
    );
}

struct Shaded {
    @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn fragment(corner: Corner) -> Shaded {
    let squared = dot(corner.place, corner.place);
#ifdef SOFT_EDGES
    let coverage = clamp((1.0 - sqrt(squared)) * corner.radius.y + 0.5, 0.0, 1.0);
#else
    let coverage = select(0.0, 1.0, squared <= 1.0);
#endif
    if coverage <= 0.0 {
        discard;
    }
    // The ray through the place p on the square leaves the centre at the angle a with tan a = p r / (d sqrt(1 - s)),
    // where s = (r / d)^2. All terms are of the sphere's own size, so that nothing cancels however far it is.
    let center = corner.center.xyz;
    let s = corner.center.w;
    let radius = corner.radius.x;
    let distance = length(center);
    let inside = min(squared, 1.0);
    let tangent = radius / (distance * sqrt(1.0 - s));
    let cosine_squared = 1.0 / (1.0 + tangent * tangent * inside);
    let half_chord = radius * sqrt((1.0 - s) * (1.0 - inside) / (1.0 - s + s * inside));
    let cosine = sqrt(cosine_squared);
    let across = (distance * cosine - half_chord) * cosine * tangent;
    let towards = distance * (1.0 - cosine_squared) + cosine * half_chord;

    let towards_eye = -center / distance;
    let right = normalize(cross(frame.up, towards_eye));
    let up = cross(towards_eye, right);
    let offset = across * (corner.place.x * right + corner.place.y * up) + towards * towards_eye;
    let normal = normalize(offset);
    let clip = frame.clip_from_world * vec4<f32>(frame.eye + center + offset, 1.0);

    let sun = corner.color.a;
    let albedo = corner.color.rgb;
    // Water scatters the light that enters it: the terminator is soft.
    let wrapped = clamp(dot(normal, frame.light) * 0.6 + 0.4, 0.0, 1.0);
    let lit = albedo * (KEY * wrapped * (0.25 + 0.75 * sun) + ambient(normal) * (0.35 + 0.25 * sun));
    let facing = clamp(dot(normal, towards_eye), 0.0, 1.0);
    let grazing = 1.0 - facing;
    let fresnel = 0.02 + 0.5 * grazing * grazing * grazing * grazing;
    let reflected = mirrored(reflect(-towards_eye, normal));
    let glint = pow(clamp(dot(normal, normalize(frame.light + towards_eye)), 0.0, 1.0), 90.0);
    let color = mix(lit, reflected * (0.4 + 0.6 * sun), fresnel) + KEY * glint * 0.5 * sun;
    return Shaded(vec4<f32>(toned(color), coverage), clip.z / clip.w);
}
