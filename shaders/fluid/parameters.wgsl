// What every pass of the fluid knows; the struct of the same name in parameters.rs says what the fields mean.
#define_import_path nearwater::fluid

struct FluidParameters {
    box_low: vec3<f32>,
    inverse_radius: f32,
    box_high: vec3<f32>,
    time_step: f32,
    gravity: vec3<f32>,
    particle_count: u32,
    density_scale: f32,
    gradient_scale: f32,
    rest_density: f32,
    stiffness: f32,
    viscosity_scale: f32,
    viscosity_floor: f32,
    wall_factor: f32,
    padding: u32,
}

@group(1) @binding(0) var<uniform> fluid: FluidParameters;
