// Tait's equation of state as weakly compressible SPH uses it (Monaghan 1994, section 3; Becker and Teschner 2007).
#define_import_path nearwater::equation_of_state

// p = B ((rho / rho0)^7 - 1), and never below zero: at a free surface the sum over neighbors underestimates the
// density, and the resulting suction would pull the surface into clumps.
fn pressure(density: f32, rest_density: f32, stiffness: f32) -> f32 {
    let ratio = density / rest_density;
    let ratio_cubed = ratio * ratio * ratio;
    return max(stiffness * (ratio_cubed * ratio_cubed * ratio - 1.0), 0.0);
}
