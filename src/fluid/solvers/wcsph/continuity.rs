//! Density integrated in time (WCSPH): a particle's density changes with the motion of its neighbors, and diffuses
//! between them. A density that is summed up anew in each step contains every irregularity of the particles'
//! arrangement, which the equation of state turns into noise of the pressure. Diffusion removes this noise, and its
//! sum over all particles is zero.
//!
//! The continuity equation Dρ/Dt = Σ m (vᵢ − vⱼ) · ∇W is integrated exactly along the straight paths of a step, as
//! the difference of W after and before, so that the density stays consistent with the particles' positions. The images
//! behind walls and the particles of solids contribute as in the summation. The diffusion between a pair is
//! proportional to the difference of their densities minus the hydrostatic difference,
//!
//! D = 2 δ h c Σ (m / ρ₀) ((ρⱼ − ρᵢ) − ρ₀ g · (rⱼ − rᵢ) / c²) (−∂W/∂r) / r,
//!
//! so that a column at rest does not change at the floor and the surface. Pressure follows from density as with
//! summation, and forces are symmetric in the same way.
//!
//! A particle without a carried density takes the density by summation, but at least the rest density: the low sum at
//! a surface is due to air, not to expanded fluid, and must not diffuse into the fluid. This is the case at the
//! start, after particles are placed anew, after a change of search, smoothing kernel or solver, and for emitted
//! particles.
//!
//! Memory per particle: 8 bytes. Limitations: diffusion does not subtract the hydrostatic difference of a central
//! gravity; and XSPH moves particles by more than their velocities, so a scene may not combine the two.
//!
//! Sources: D. Molteni and A. Colagrossi, A simple procedure to improve the pressure evaluation in hydrodynamic
//! context using the SPH, Computer Physics Communications 180 (2009); G. Fourtakas et al., Local uniform stencil
//! (LUST) boundary condition for arbitrary 3-D boundaries in parallel smoothed particle hydrodynamics models,
//! Computers and Fluids 190 (2019), whose hydrostatic term is linearized here; the exact difference is our own.

use super::accurate::{
    DIFFUSION, SETTLING_RADII, SURFACE_SETTLING_RADII, is_accurate, settled_share, steepest_gradient, tension_fade,
};
use crate::explanation::PassTag;
use crate::fluid::context::CarriedArray;
use crate::fluid::density::DENSITY_FILE;
use crate::fluid::material::Density;
use crate::fluid::shader::FluidShader;
use crate::fluid::solvers::contract::SolverInput;
use crate::fluid::solvers::problem::Medium;
use crate::gpu::gpu_struct;

/// The carried density. Its pair kernel does not vanish at the radius, because a pair that has just moved beyond the
/// radius contributed before the step.
pub(super) const CHANGED_DENSITY: FluidShader = FluidShader::pair_with_images(DENSITY_FILE, false);
/// Brings carried densities into the order of the search's build.
pub(super) const CARRY: FluidShader = FluidShader::single(CARRY_FILE, "carry_densities");
/// The pass of [`CARRY`], for the explanation.
pub(super) const CARRY_PASS: PassTag = PassTag::EntryPoint(CARRY_FILE, "carry_densities");
const CARRY_FILE: &str = "fluid/wcsph/carry_densities.wgsl";

/// The density relative to the rest density; 0 where it is not known.
pub(super) static CARRIED: &[CarriedArray] = &[CarriedArray {
    label: "densities kept",
    sorted_label: "densities kept in sorted order",
    name: "carried",
    sorted_name: "sorted_carried",
    words: 1,
}];

gpu_struct! {
    /// Parameters of the density's passes besides `FluidParameters`.
    pub struct ContinuityParameters {
        /// 2 δ h c · time step · m / (ρ₀ R²) · normalization of the kernel: multiplied by shape'(q) / q and a
        /// difference of relative densities it gives the change of the relative density in a step.
        pub diffusion: f32,
        /// 1 / c², s²/m².
        pub compressibility: f32,
        /// In the accurate mode, the summed density over the rest density from which a particle bears tension, and that
        /// from which it bears all.
        pub tension_from: f32,
        /// See `tension_from`.
        pub tension_whole: f32,
        /// In the accurate mode, the share of its difference to the summed density that the density of a particle within
        /// the water loses in a step.
        pub settling: f32,
        /// The same of a particle at a free surface with a tension, to the density by its number per volume there.
        pub surface_settling: f32,
        /// The gradient of the color on a flat free surface, times the support radius over the color there.
        pub steepest: f32,
        /// Padding.
        pub padding_x: u32,
    }
}

impl ContinuityParameters {
    fn new(input: &SolverInput<'_>, diffusion: f32) -> Self {
        let fluid = input.parameters;
        let (sound, h) = (input.resolution.sound_speed, 0.5 * input.resolution.support_radius);
        let rate = 2.0 * diffusion * h * sound * fluid.gradient_scale / fluid.rest_density;
        let [tension_from, tension_whole] = tension_fade(input.problem.medium.material);
        Self {
            diffusion: fluid.time_step * rate,
            compressibility: (sound * sound).recip(),
            tension_from,
            tension_whole,
            settling: settled_share(SETTLING_RADII, input),
            surface_settling: settled_share(SURFACE_SETTLING_RADII, input),
            steepest: steepest_gradient(input) as f32,
            padding_x: 0,
        }
    }
}

/// The parameters of densities that are integrated in time.
pub(super) struct Continuity {
    parameters: wgpu::Buffer,
}

impl Continuity {
    /// Creates the parameters; `None` where densities are summed up.
    pub(super) fn new(input: &SolverInput<'_>) -> Option<Self> {
        let diffusion = diffusion(input.problem.medium)?;
        let parameters = ContinuityParameters::new(input, diffusion);
        Some(Self { parameters: input.gpu.uniform("continuity", &parameters) })
    }

    /// Rewrites the parameters for another scene that integrates densities.
    pub(super) fn write(&self, input: &SolverInput<'_>) {
        if let Some(diffusion) = diffusion(input.problem.medium) {
            input.gpu.write_uniform(&self.parameters, &ContinuityParameters::new(input, diffusion));
        }
    }

    /// The buffer with the name of the shaders' variable.
    pub(super) fn named(&self) -> (&'static str, &wgpu::Buffer) {
        ("continuity", &self.parameters)
    }
}

/// δ of the diffusion; `None` where densities are summed up.
pub(super) fn diffusion(medium: Medium<'_>) -> Option<f32> {
    match medium.material.density {
        Density::Continuity { diffusion } => Some(diffusion),
        Density::Summation => is_accurate(medium).then_some(DIFFUSION),
    }
}

#[cfg(test)]
mod tests {
    use super::ContinuityParameters;
    use crate::fluid::solvers::wcsph::CONTINUITY;
    use crate::fluid::tests::assert_pair_layout;

    #[test]
    fn parameters_have_the_layout_of_the_shader() {
        assert_pair_layout::<ContinuityParameters>(&super::CHANGED_DENSITY.with(&[CONTINUITY]));
    }
}
