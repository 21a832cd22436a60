//! The accurate mode of WCSPH, for water that is compared with instruments.
//!
//! Density is integrated in time and diffuses, whatever the material says (`continuity.rs`), and the radius ratio is at
//! least 2.6. Pressure may be negative within the water, so that water under tension hangs together: a square of water
//! that rotates freely stays one piece, while it flies apart as dust where pressure is cut at zero. It remains cut at a
//! free surface, where the summed density is low: negative pressures fade out between 0.96 and 0.88 of the rest
//! density. Tension has no limit unless the scene gives an ambient pressure; then it ends at minus that pressure, and
//! fades out only between 0.8 and 0.5 of the rest density: carried densities are right at a surface too, so that thin
//! arms of water and their tips hold together (docs/VALIDATION.md). Where no ambient pressure is given, sheets and
//! splashes come apart as before. (The plain mode refuses an ambient pressure: its summed densities are low at every
//! surface, and it has nothing against clumps.)
//!
//! Under tension, particles attract each other, and more so the nearer they are (the tension instability), so that they
//! would form clumps with gaps between them. A pair under tension therefore loses a part of it that grows with the
//! kernel's value over that at one spacing to the fourth power (J. J. Monaghan, SPH without a tensile instability,
//! Journal of Computational Physics 159, 2000, equation 3.1). Unlike there, this part never exceeds the tension itself:
//! a pair that is very near would otherwise repel, its density would fall, and the tension that causes the repulsion
//! would grow.
//!
//! **Settling.** Integrated densities do not know of gaps between particles that were there at the start, such as those
//! between the lattice of the water and a slope. When the water has filled them its particles lie too loosely there, at
//! the density at rest, and nothing evens this out: forces balance where pressure times the square of the number of
//! particles per volume is right, so that particles beside the slope had 10 % too much pressure, and the water never
//! came to rest. Within the water, the density therefore loses its difference to the summed density, slowly: in the
//! time in which sound travels 500 support radii. Noise of the summed density is evened out by the diffusion, which is
//! a hundred times faster. (The idea of returning to summed densities from time to time is that of A. Colagrossi and M.
//! Landrini, Numerical simulation of interfacial flows by smoothed particle hydrodynamics, Journal of Computational
//! Physics 191, 2003; the slow and constant form of it is our own.)
//!
//! **Settling at a surface with a tension.** Diffusion evens out densities whether or not particles have drifted apart,
//! so a surface that loosens has nothing against it: a drop of 20 particles across that oscillated by its tension was
//! 5.6 % wider after three periods, its outer layers half as dense, its period 5 % (40 across: 15 %) too long, and its
//! pressure 4 (12) % too low. There, densities settle at the number of particles per volume, which follows from two
//! sums: the summed density and the gradient of the color, which the passes of the surface tension have computed
//! (`surface_tension.rs`). Both are proportional to that number, and their quotient tells how far below a flat surface
//! the particle lies, and with it which share of its sum the surface leaves (`covered_share`, our own). Spray and sharp
//! tips, whose summed density is below 0.4 of that at rest, are left alone. Without a tension nothing computes the
//! gradient, and surfaces do not settle.
//!
//! **Corrected gradients.** Let M = −Σ V ∇W ⊗ r be the first moment of the gradients of a particle, divided by that of
//! the lattice of the start. It is the identity in that lattice, but in a lattice that is stretched by a strain ε
//! without a change of volume it is I + c ε, with c = −0.22 at a radius ratio of 2.6 in two dimensions along the rows,
//! and 0.06 at 2.2. A force of pressure with M has the stress p M, so that water under pressure resists a change of its
//! shape (or yields to it) like a crystal whose shear modulus is proportional to its pressure, at every resolution: a
//! tank sloshes 5 % too fast. The pressure terms of a pair are therefore tensors, (p/ρ²)ᵢ Kᵢ + (p/ρ²)ⱼ Kⱼ with K = I −
//! s D, where D is the part of M without trace, so that K is the inverse of M to first order in a change of shape. The
//! trace, which changes with compression only, is left alone: water at rest then loads the floor as before. The share s
//! is that by which tension is allowed, none at a free surface, where M is incomplete; and it is less where D is
//! greater than 0.4. (J. Bonet and T.-S. L. Lok, Variational and momentum preservation aspects of smooth particle
//! hydrodynamic formulations, 1999; G. Oger, M. Doring, B. Alessandrini and P. Ferrant, An improved SPH method: Towards
//! higher order convergence, 2007. They invert M; the linear form in the symmetric force is our own.)
//!
//! The terms of both particles of a pair are opposite, so linear momentum is kept as in the plain mode. The corrected
//! forces are not along the line between two particles, but the sum of their torques is Σ V p times the antisymmetric
//! part of K M, which is zero because K is a polynomial of M. So angular momentum is kept as well, except beside
//! solids, and under tension, where pairs lose different parts of it (a rotating square gains up to 0.004 % until omega
//! t = 2).
//!
//! Limitations: particles are not shifted, and single ones come off at the tips of sheets. The artificial viscosity is
//! the material's: 0.02 is low. Water sticks to walls and solids that recede, as far as its density stays near that at
//! rest.

use super::settings::ACCURATE;
use crate::fluid::material::Material;
use crate::fluid::solvers::contract::SolverInput;
use crate::fluid::solvers::problem::Medium;
use crate::fluid::solvers::tension::{TENSION, bears_tension};
use crate::fluid::{FluidError, Resolution, surface_tension};

/// Smallest ratio of the support radius to the spacing.
const LEAST_RATIO: f32 = 2.6;
/// Coefficient of the diffusion of densities where the material does not choose one.
pub(super) const DIFFUSION: f32 = 0.1;

/// The support radii that sound travels in the time in which densities within the water settle.
pub(super) const SETTLING_RADII: f32 = 500.0;
/// The same at a free surface with a tension: a drop of 20 and 40 particles across has the right period with 25 to 500,
/// and the right pressure the better the faster its densities settle.
pub(super) const SURFACE_SETTLING_RADII: f32 = 25.0;

/// The share of its difference to the density by number that a density loses in a step, if it settles in the time in
/// which sound travels so many support radii.
pub(super) fn settled_share(radii: f32, input: &SolverInput<'_>) -> f32 {
    let Resolution { support_radius, sound_speed, .. } = *input.resolution;
    (input.parameters.time_step * sound_speed / (radii * support_radius)).min(1.0)
}

/// The summed densities over the rest density between which a particle begins to be within the fluid and is:
/// `SURFACE` and `WITHIN` of `equation_of_state.wgsl`.
const WITHIN_FLUID: [f32; 2] = [0.88, 0.96];

/// The summed densities over the rest density between which tension begins and is whole.
pub(super) fn tension_fade(material: &Material) -> [f32; 2] {
    if bears_tension(material) { [0.5, 0.8] } else { WITHIN_FLUID }
}

/// The gradient of the color on a flat free surface, times the support radius over the color there.
pub(super) fn steepest_gradient(input: &SolverInput<'_>) -> f64 {
    let problem = &input.problem;
    surface_tension::steepest_gradient(problem.kernel, problem.dimensions, problem.radius_ratio())
}

/// Whether the density of a particle at a free surface settles too.
pub(super) fn settles_at_surface(medium: Medium<'_>) -> bool {
    is_accurate(medium) && medium.material.surface_tension > 0.0
}

/// Whether the mode is chosen.
pub(super) fn is_accurate(medium: Medium<'_>) -> bool {
    medium.settings.count(&ACCURATE) > 0
}

/// The buffer of the correction of gradients, `array<array<vec2<f32>, 3>>` in sorted order; `None` in the plain mode.
pub(super) fn corrections(input: &SolverInput<'_>) -> Result<Option<wgpu::Buffer>, FluidError> {
    let buffer = || input.gpu.storage::<[u32; 4]>("corrections of gradients", input.particle_count.into());
    Ok(input.shape.has(TENSION).then(buffer).transpose()?)
}

/// The ratio of the support radius to the spacing.
pub(super) fn radius_ratio(medium: Medium<'_>) -> f32 {
    let ratio = medium.material.radius_ratio;
    if is_accurate(medium) { ratio.max(LEAST_RATIO) } else { ratio }
}

#[cfg(test)]
mod tests {
    use crate::fluid::{Density, Scene};
    use crate::gpu::ShaderLibrary;

    #[test]
    fn tension_fades_where_shaders_take_water_for_a_surface() {
        let shader = ShaderLibrary::embedded().source("fluid/equation_of_state.wgsl").expect("an embedded shader");
        for (name, value) in ["SURFACE", "WITHIN"].into_iter().zip(super::WITHIN_FLUID) {
            assert!(shader.contains(&format!("const {name}: f32 = {value};")), "{name} is not {value} there");
        }
    }

    #[test]
    fn the_mode_integrates_densities_over_enough_neighbors() {
        let mut scene = Scene::load("dam_break").expect("it ships with the program");
        assert_eq!((scene.material.density, scene.material.radius_ratio), (Density::Summation, 2.2));
        let has = |scene: &Scene, term: &str| {
            (scene.solver.shape)(super::Medium { material: &scene.material, settings: &scene.solver_settings })
                .has(term)
        };
        assert!(!has(&scene, "CONTINUITY") && !has(&scene, "TENSION"));
        scene.solver_settings.parse("wcsph.accurate=1").expect("a setting");
        assert!((scene.radius_ratio() - 2.6).abs() < 1e-6 && has(&scene, "CONTINUITY") && has(&scene, "TENSION"));
        scene.material.radius_ratio = 3.0;
        assert!((scene.radius_ratio() - 3.0).abs() < 1e-6);
        scene.material.xsph = 0.1;
        assert!(scene.check("mine").expect_err("XSPH does not suit it").to_string().contains("material.xsph"));
    }
}
