// Bodies of water in the air, such as large drops and jets: light leaves them through a side of which no picture tells.
// A sheet has parallel sides and shows what is straight behind it. The other side of a body that is about as narrow as
// it is thick is taken to be as round as the one that is seen, which makes it a lens.
#define_import_path nearwater::render::lens
#import nearwater::render::frame::frame
#import nearwater::render::tank_path::thickness_at
#import nearwater::render::water_path::path_through_ball

// The length of the ray in the air behind the water, in lengths in the water, up to which the water counts as part of
// what fills the tank, and from which on it does not.
const FREE: vec2<f32> = vec2<f32>(1.0, 2.0);
// Lengths in water, in radii of a particle, between which the surface comes to be that of a body.
const BODY: vec2<f32> = vec2<f32>(3.0, 7.0);
// The narrowest width that is looked for, in radii of a particle; each of the others is twice as large as the one
// before.
const NARROWEST: f32 = 24.0;
const WIDTHS: i32 = 3;
// How thick the water is at such a distance on either side, relative to the middle: up to the first number it has ended
// there, and from the second one on it goes on.
const ENDED: vec2<f32> = vec2<f32>(0.05, 0.25);
// How thick a body is, relative to that width: up to the first number it is a sheet.
const ROUND: vec2<f32> = vec2<f32>(0.1, 0.2);
// Below every length that matters, m.
const TINY: f32 = 1e-6;

// How much a lens bends the light, 0 to 1, and the direction along which the light leaves.
struct Lens {
    share: f32,
    leaving: vec3<f32>,
}

// Whether the water ends on both sides of a pixel, `aside` pixels away, which is `width` m, 0 to 1, and is about as
// thick as that between them.
fn is_narrow(pixel: vec2<f32>, aside: vec2<f32>, width: f32, thick: f32) -> f32 {
    let most = max(thick, max(thickness_at(pixel - 0.5 * aside), thickness_at(pixel + 0.5 * aside)));
    let beside = max(thickness_at(pixel - aside), thickness_at(pixel + aside));
    return (1.0 - smoothstep(ENDED.x, ENDED.y, beside / most)) * smoothstep(ROUND.x, ROUND.y, most / width);
}

// The lens that a ray along `view` enters at the depth `depth`, where the normal is `normal`: `thick` m of its `room` m
// up to what is behind are in water.
fn lens_at(pixel: vec2<f32>, depth: f32, view: vec3<f32>, normal: vec3<f32>, thick: f32, room: f32) -> Lens {
    let free = smoothstep(FREE.x, FREE.y, room / max(thick, TINY) - 1.0)
        * smoothstep(BODY.x, BODY.y, thick / frame.particle_radius);
    if free <= 0.0 {
        return Lens(0.0, view);
    }
    var narrow = 0.0;
    var width = NARROWEST * frame.particle_radius;
    for (var turn = 0; turn < WIDTHS; turn += 1) {
        let pixels = width * frame.pixels_at_one / depth;
        narrow = max(narrow, is_narrow(pixel, vec2<f32>(pixels, 0.0), width, thick));
        narrow = max(narrow, is_narrow(pixel, vec2<f32>(0.0, pixels), width, thick));
        width *= 2.0;
    }
    let share = free * narrow;
    return Lens(share, normalize(mix(view, path_through_ball(view, normal).leaving, share)));
}
