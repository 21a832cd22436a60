// The parameters that every pass of the fluid reads; the struct of the same name in parameters.rs documents the
// fields.
#define_import_path nearwater::fluid

struct FluidParameters {
    box_low: vec3<f32>,
    inverse_radius: f32,
    box_high: vec3<f32>,
    time_step: f32,
    gravity: vec3<f32>,
    particle_count: u32,
    center: vec3<f32>,
    center_strength: f32,
    density_scale: f32,
    gradient_scale: f32,
    rest_density: f32,
    stiffness: f32,
    approach_viscosity: f32,
    viscosity: f32,
    viscosity_floor: f32,
    xsph: f32,
    surface_term: f32,
    inverse_spacing: f32,
    pressure_scale: f32,
    fluid_count: u32,
    velocity_low: vec3<f32>,
    no_slip: f32,
    velocity_high: vec3<f32>,
    skin_friction: f32,
    near_walls: f32,
    most_tension: f32,
    inverse_core: f32,
    held_far: f32,
    held_near: f32,
    least_surface: f32,
    surface_viscosity: f32,
    first_cloth: u32,
    layers_over_cloth: f32,
    contact_change: f32,
    padding_x: u32,
    padding_y: u32,
}

@group(1) @binding(0) var<uniform> fluid: FluidParameters;

// Whether a particle is in the reservoir (flow.rs), which lies beside the box, where no other particle can be.
fn is_parked(position: vec3<f32>) -> bool {
    return (position.x - fluid.box_high.x) * fluid.inverse_radius > 1.0;
}

// Acceleration that does not depend on neighbors, m/s²: uniform and central gravity.
fn gravity_at(position: vec3<f32>) -> vec3<f32> {
    return fluid.gravity + fluid.center_strength * (fluid.center - position);
}
