// Water drawn as beads: each particle's sphere, shaded together with the large shape of the water that it belongs to.
#define_import_path nearwater::render::beads
#import nearwater::render::color_fields::field_color
#import nearwater::render::field::positions
#import nearwater::render::frame::frame
#import nearwater::render::light::light_reaching
#import nearwater::render::scene_light::{lamps_glint, lamps_wrapped}
#import nearwater::render::shading::{LAMP_COLOR, ambient, key, mirrored, toned}
#import nearwater::render::shape::shape_at
#import nearwater::render::solid_light::solid_light
#import nearwater::render::sphere::{normal_of, outline_of, place_of, surface}

// The color of the particle `index` in a pixel with center `pixel` and ray `ray`.
fn lit(index: u32, ray: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let shape = shape_at(pixel);
    let position = positions[index].xyz;
    let outline = outline_of(position);
    let local = surface(place_of(outline, ray), outline.tangent, outline.distance / outline.radius);
    let bead = normal_of(outline, local);
    // Beads of only a few pixels would sparkle; a single drop has no larger shape than its bead.
    let beads = frame.beads * smoothstep(1.0, 6.0, outline.tangent * frame.pixels_at_one);
    let normal = normalize(bead * (1.0 - shape.a * (1.0 - beads)) + shape.xyz * (1.0 - beads));

    let above = solid_light(position, vec3<f32>(0.0, 1.0, 0.0), 2.0 * frame.particle_radius, pixel);
    let sun = light_reaching(position) * above;
    let albedo = field_color(index, position);
    // Water scatters the light that enters it, so the terminator is soft. Little light enters between beads.
    let crease = 0.72 + 0.28 * local.z;
    let wrapped = clamp(dot(normal, frame.light) * 0.6 + 0.4, 0.0, 1.0);
    let lamps = LAMP_COLOR * lamps_wrapped(position, normal);
    let light = key() * wrapped * (0.2 + 0.8 * sun) + ambient(normal) * (0.50 + 0.15 * sun) + lamps;
    let scattered = albedo * crease * mix(light, vec3<f32>(1.0), frame.evenness);
    let grazing = 1.0 - clamp(dot(normal, outline.towards_eye), 0.0, 1.0);
    let fresnel = 0.02 + 0.6 * grazing * grazing * grazing * grazing;
    let reflected = mirrored(reflect(-outline.towards_eye, normal));
    let glint = pow(clamp(dot(normal, normalize(frame.light + outline.towards_eye)), 0.0, 1.0), 60.0);
    // Specular highlights show the light and not the measured field, so they fade with the evenness.
    let glints = key() * glint * sun + LAMP_COLOR * lamps_glint(position, normal, outline.towards_eye, 60.0);
    let glinting = glints * 0.4 * (1.0 - frame.evenness);
    return toned(mix(scattered, reflected * (0.4 + 0.6 * sun), fresnel) + glinting);
}
