//! The accurate mode of WCSPH, for water that is compared with instruments.
//!
//! Density is integrated in time and diffuses, whatever the material says (`continuity.rs`), and the radius ratio is at
//! least 2.6. Pressure may be negative within the water, so that water under tension hangs together: a square of water
//! that rotates freely stays one piece, while it flies apart as dust where pressure is cut at zero. It remains cut at a
//! free surface, where the summed density is low: negative pressures fade out between 0.96 and 0.88 of the rest density.
//!
//! Under tension, particles attract each other, and more so the nearer they are (the tension instability), so that they
//! would form clumps with gaps between them. A pair under tension therefore loses a part of it that grows with the kernel's
//! value over that at one spacing to the fourth power (J. J. Monaghan, SPH without a tensile instability, Journal of
//! Computational Physics 159, 2000, equation 3.1). Unlike there, this part never exceeds the tension itself: a pair that is
//! very near would otherwise repel, its density would fall, and the tension that causes the repulsion would grow.
//!
//! All terms are the same for both particles of a pair, so linear and angular momentum are kept as in the plain mode.
//!
//! Limitations: particles are not shifted, and single ones come off at the tips of sheets. The artificial viscosity is the
//! material's: 0.02 is low. Water sticks to walls and solids that recede, as far as its density stays near that at rest.

use super::settings::ACCURATE;
use crate::fluid::solvers::problem::Medium;

/// Definition of the shaders.
pub(super) const TENSION: &str = "TENSION";
/// Smallest ratio of the support radius to the spacing.
const LEAST_RATIO: f32 = 2.6;
/// Coefficient of the diffusion of densities where the material does not choose one.
pub(super) const DIFFUSION: f32 = 0.1;

/// Whether the mode is chosen.
pub(super) fn is_accurate(medium: Medium<'_>) -> bool {
    medium.settings.count(&ACCURATE) > 0
}

/// The ratio of the support radius to the spacing.
pub(super) fn radius_ratio(medium: Medium<'_>) -> f32 {
    let ratio = medium.material.radius_ratio;
    if is_accurate(medium) { ratio.max(LEAST_RATIO) } else { ratio }
}

#[cfg(test)]
mod tests {
    use crate::fluid::{Density, Scene};

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
