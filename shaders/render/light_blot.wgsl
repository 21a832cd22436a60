// The blot that a particle leaves in the light map. With CLEAR every particle leaves one of its own size, because the
// light behind clear water is drawn from the map; otherwise blots are soft, and where particles are many, some stand
// for others.
#define_import_path nearwater::render::light_blot
#import nearwater::render::frame::frame

// How many particles a blot stands for.
fn blot_share() -> f32 {
#ifdef CLEAR
    return 1.0;
#else
    return f32(frame.particles_per_blot);
#endif
}

// Whether the particle with this original index leaves a blot. The choice is the same in every frame however the search
// sorts the particles. The index is scrambled by the PCG hash (O'Neill 2014, in the form of Jarzynski and Olano, "Hash
// functions for GPU rendering", 2020).
fn leaves_blot(original: u32) -> bool {
#ifdef CLEAR
    return true;
#else
    var bits = original * 747796405u + 2891336453u;
    bits = ((bits >> ((bits >> 28u) + 4u)) ^ bits) * 277803737u;
    return ((bits >> 22u) ^ bits) % frame.particles_per_blot == 0u;
#endif
}

// Radius of the blot of a particle on the floor along x and z, m.
fn blot_radius(position: vec3<f32>) -> vec2<f32> {
#ifdef CLEAR
    let softness = frame.particle_radius;
    let least = 1.0;
#else
    // The lamp is wide: the higher a drop, the softer its shadow. A blot narrower than two texels would flicker.
    let softness = 1.6 * frame.particle_radius + frame.lamp * max(position.y - frame.floor_height, 0.0);
    let least = 2.0;
#endif
    return max(vec2<f32>(softness), least / (frame.light_map_inverse_size * f32(frame.light_map_texels)));
}

// Length of the light's path in water at the center of a blot with this radius, m; at `q` radii from there it is 1 -
// q^2 of that. The integral of 1 - q^2 over a disk is pi/2 times its squared radius.
fn blot_water(radius: vec2<f32>) -> f32 {
    return frame.particle_volume * blot_share() / (1.5707963 * radius.x * radius.y);
}

// Height above the floor up to which a particle counts as in the path of the light, m.
fn blot_height(position: vec3<f32>) -> f32 {
    return position.y + frame.particle_radius - frame.floor_height;
}
