// Tait's equation of state as weakly compressible SPH uses it (Monaghan 1994, section 3; Becker and Teschner 2007).
#define_import_path nearwater::equation_of_state

// p = B ((rho / rho0)^7 - 1).
fn tait(density: f32, rest_density: f32, stiffness: f32) -> f32 {
    let ratio = density / rest_density;
    let ratio_cubed = ratio * ratio * ratio;
    return stiffness * (ratio_cubed * ratio_cubed * ratio - 1.0);
}

// The same, and never below zero: at a free surface the sum over neighbors underestimates the density, and the
// resulting suction would pull the surface into clumps.
fn pressure(density: f32, rest_density: f32, stiffness: f32) -> f32 {
    return max(tait(density, rest_density, stiffness), 0.0);
}

// Densities, relative to the rest density, between which negative pressures fade out towards a free surface. At a flat
// one the sum is about 0.7 in the first layer and 0.97 in the second.
const SURFACE: f32 = 0.88;
const WITHIN: f32 = 0.96;

// The share by which a particle with this density by summation counts as within the fluid: none at a free surface.
fn share_within(summed: f32, rest_density: f32) -> f32 {
    return share_between(summed / rest_density, SURFACE, WITHIN);
}

// The same with other densities relative to the rest density, from none at `none` to all at `whole`.
fn share_between(ratio: f32, none: f32, whole: f32) -> f32 {
    return clamp((ratio - none) / (whole - none), 0.0, 1.0);
}

// A pressure, or another measure of it, as far as a particle with this share can bear it: values below zero fade out
// towards a free surface, and are at least minus `most_tension`.
fn bearable(whole: f32, within: f32, most_tension: f32) -> f32 {
    return max(max(whole, within * whole), -most_tension);
}
