//! Density as a state of its own (WCSPH): a particle's density changes as its neighbors come and go, and diffuses between
//! them. Summed up anew each step it shows every irregularity of the particles' order, and the equation of state makes
//! that a noise in the pressure; diffusion smooths the noise away, and adds up to nothing over all particles.
//!
//! The continuity equation Dρ/Dt = Σ m (vᵢ − vⱼ) · ∇W is integrated exactly along the step's straight ways, as the
//! difference of W after and before: so density does not drift from where the particles are. Walls and solids take part
//! as in the sum: ρ / exp(Ψ) is what is kept, which walls do not change, and pairs with solids change it by the solids'
//! weights. What diffuses between a pair is the difference of densities less that of water at rest,
//!
//! D = 2 δ h c Σ (m / ρ₀) ((ρⱼ − ρᵢ) − ρ₀ g · (rⱼ − rᵢ) / c²) (−∂W/∂r) / r,
//!
//! so that a column at rest stays as it is at the floor and the surface. Pressure follows from density as ever, and
//! forces are as symmetric as ever.
//!
//! A particle without a density takes the sum's, but no less than at rest: what a surface leaves out is air, not thin
//! water, and must not diffuse into the water. So it begins, and so it begins anew where the particles are put elsewhere
//! or search, smoothing kernel or solver change, and where a particle is poured in.
//!
//! Memory per particle: 16 bytes. Bad at: central gravity, which diffusion takes for a difference to even out; and XSPH,
//! whose drift is not in the velocities, so a scene may not have both.
//!
//! Sources: D. Molteni and A. Colagrossi, A simple procedure to improve the pressure evaluation in hydrodynamic context
//! using the SPH, Computer Physics Communications 180 (2009); G. Fourtakas et al., Local uniform stencil (LUST) boundary
//! condition for arbitrary 3-D boundaries in parallel smoothed particle hydrodynamics models, Computers and Fluids 190
//! (2019), whose term for water at rest is here made linear; the exact difference is our own.

use super::parameters::FluidParameters;
use super::{Density, FluidError, Resolution, Scene, SmoothingKernel, Solver};
use crate::gpu::{Gpu, gpu_struct};

gpu_struct! {
    /// What the density's passes know besides `FluidParameters`.
    pub struct ContinuityParameters {
        /// 2 δ h c times the step and m / (ρ₀ R²) of the kernel's normalisation: times shape'(q) / q and a difference of
        /// relative densities it is what that changes in a step.
        pub diffusion: f32,
        /// 1 / c², s²/m².
        pub compressibility: f32,
    }
}

impl ContinuityParameters {
    fn new(scene: &Scene, kernel: SmoothingKernel, resolution: &Resolution, diffusion: f32) -> Self {
        let fluid = FluidParameters::new(scene, kernel, resolution);
        let (sound, h) = (resolution.sound_speed, 0.5 * resolution.support_radius);
        let rate = 2.0 * diffusion * h * sound * fluid.gradient_scale / fluid.rest_density;
        Self { diffusion: fluid.time_step * rate, compressibility: (sound * sound).recip() }
    }
}

/// The densities that are kept from step to step.
pub(super) struct Continuity {
    parameters: wgpu::Buffer,
    /// Relative to the rest density: the density over the walls' factor, and the density; 0 where it is not known. In the
    /// order of the last step; len = `particle_count`.
    pub carried: wgpu::Buffer,
    /// The same in the order of the last build, with the walls' factor of the places there.
    pub sorted: wgpu::Buffer,
}

impl Continuity {
    /// Of a scene that keeps densities, all unknown.
    pub(super) fn new(
        gpu: &Gpu,
        scene: &Scene,
        kernel: SmoothingKernel,
        resolution: &Resolution,
        count: u32,
    ) -> Result<Option<Self>, FluidError> {
        let Some(diffusion) = diffusion(scene) else { return Ok(None) };
        Ok(Some(Self {
            parameters: gpu.uniform("continuity", &ContinuityParameters::new(scene, kernel, resolution, diffusion)),
            carried: gpu.storage::<[f32; 2]>("densities kept", count.into())?,
            sorted: gpu.storage::<[f32; 2]>("densities kept in sorted order", count.into())?,
        }))
    }

    /// Rewrites the numbers of a scene that keeps densities as well.
    pub(super) fn write(&self, gpu: &Gpu, scene: &Scene, kernel: SmoothingKernel, resolution: &Resolution) {
        if let Some(diffusion) = diffusion(scene) {
            let parameters = ContinuityParameters::new(scene, kernel, resolution, diffusion);
            gpu.write_uniform(&self.parameters, &parameters);
        }
    }

    /// Forgets all densities.
    pub(super) fn forget(&self, gpu: &Gpu) {
        gpu.submit(|encoder| encoder.clear_buffer(&self.carried, 0, None));
    }

    /// By the names that shaders know them by.
    pub(super) fn named(&self) -> [(&'static str, &wgpu::Buffer); 3] {
        [("continuity", &self.parameters), ("carried", &self.carried), ("sorted_carried", &self.sorted)]
    }
}

/// δ of a scene that keeps densities.
pub(super) fn diffusion(scene: &Scene) -> Option<f32> {
    match (scene.solver, scene.material.density) {
        (Solver::Wcsph, Density::Continuity { diffusion }) => Some(diffusion),
        (Solver::Wcsph, Density::Summation) | (Solver::Pbf | Solver::Repulsion, _) => None,
    }
}
