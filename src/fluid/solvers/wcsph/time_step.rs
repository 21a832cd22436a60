//! The time step of weakly compressible SPH: the smallest of the limits by sound, forces, viscosity, surface tension
//! and the diffusion of densities, reduced further for light cloths and bodies in the fluid.

use super::continuity::diffusion;
use crate::fluid::expected_motion::FORCE;
use crate::fluid::solvers::problem::Problem;

/// Distance that the fastest signal travels in a step, in smoothing lengths (Monaghan 1992, section 10.4; Morris, Fox
/// and Zhu 1997, section 3.3, use 0.25). A dam break remained stable up to 1.0, so there is a safety factor of more
/// than two.
pub(super) const ACOUSTIC: f64 = 0.4;
/// Contribution of viscosity to the fastest signal, in units of α times the speed of sound (Monaghan 1992, section
/// 10.4).
pub(super) const VISCOUS_SIGNAL: f64 = 0.6;
/// Coefficient of the limit by the artificial viscosity and by the diffusion of densities, h² / ν. Morris, Fox and Zhu
/// 1997, section 3.3, use 0.125 for another form of viscosity. With the slope of the kernel as the weight, the velocity
/// of a particle among neighbors at rest decays at the rate 14 ν / h² (Wendland C2 in two dimensions), and among
/// neighbors with the opposite velocity at up to twice that rate, so that steps beyond 0.07 are unstable.
const VISCOUS: f64 = 0.05;
/// The same for the physical viscosity, whose weight decreases more slowly (`viscous_weight.rs`): the rate is 8.3 ν /
/// h², and steps beyond 0.12 are unstable.
const PHYSICALLY_VISCOUS: f64 = 0.085;
/// Smallest mass per area of a cloth that does not reduce the time step, in units of a layer of the fluid: the
/// frequency of pairs is half of the largest stable one, and a cloth particle represents about 0.7 of a fluid
/// particle's mass.
const LIGHTEST: f64 = 0.15;
/// The same for the mass of a free body per area of its surface, all pairs at which move it. With the steps of the
/// water a disc of 0.025 is unstable, and one of 0.125 is not (docs/VALIDATION.md, *Light bodies*).
const LIGHTEST_BODY: f64 = 0.1;

/// The smallest of the acoustic, force, viscous, capillary and density-diffusion limits, s, reduced where the scene
/// has a light cloth or body, which oscillates against the fluid at a higher frequency than the fluid's own layers.
pub(super) fn time_step(problem: &Problem<'_>) -> f64 {
    let h = 0.5 * problem.support_radius;
    let (material, sound_speed) = (problem.medium.material, problem.sound_speed);
    let signal = sound_speed * (1.0 + VISCOUS_SIGNAL * f64::from(material.viscosity));
    let acoustic = ACOUSTIC * h / (signal + problem.expected_speed);
    let force = FORCE * (h / problem.strongest_pull).sqrt();
    let viscous = h * h / weighted_viscosity(problem);
    let diffusive =
        diffusion(problem.medium).map_or(f64::INFINITY, |delta| VISCOUS * h / (f64::from(delta) * sound_speed));
    let of_fluid = acoustic.min(force).min(viscous).min(problem.capillary_step()).min(diffusive);
    let layer = f64::from(material.rest_density) * problem.spacing;
    let cloth = problem.lightest_cloth.map_or(1.0, |density| f64::from(density) / (LIGHTEST * layer));
    let body = problem.lightest_body.map_or(1.0, |density| density / (LIGHTEST_BODY * layer));
    of_fluid * cloth.min(body).min(1.0).sqrt()
}

/// The sum of the physical viscosity and that of the artificial one, α h c / (2 (d + 2)) (Monaghan 2005, section 4),
/// each over its coefficient, m²/s.
fn weighted_viscosity(problem: &Problem<'_>) -> f64 {
    let material = problem.medium.material;
    let artificial = f64::from(material.viscosity) * 0.5 * problem.support_radius * problem.sound_speed;
    let artificial = artificial / (2.0 * (problem.dimensions.count() + 2.0));
    f64::from(material.kinematic_viscosity) / PHYSICALLY_VISCOUS + artificial / VISCOUS
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::time_step;
    use crate::fluid::expected_motion::{expected_speed, largest_push};
    use crate::fluid::problem::problem;
    use crate::fluid::{Scene, SmoothingKernel};

    fn step(scene: &Scene, radius: f64, sound_speed: f64) -> f64 {
        let spacing = radius / f64::from(scene.material.radius_ratio);
        let mut problem = problem(scene, SmoothingKernel::WendlandC2, spacing as f32, radius as f32);
        (problem.support_radius, problem.sound_speed) = (radius, sound_speed);
        time_step(&problem)
    }

    #[test]
    fn light_bodies_shorten_the_step_by_the_root_of_their_mass() {
        let scene = Scene::load("dam_break").expect("it ships with the program");
        let mut problem = problem(&scene, SmoothingKernel::WendlandC2, 0.05, 0.11);
        let usual = time_step(&problem);
        let layer = f64::from(scene.material.rest_density) * problem.spacing;
        for (share, expected) in [(0.2, 1.0), (0.025, 0.5)] {
            problem.lightest_body = Some(share * layer);
            assert!((time_step(&problem) / usual - expected).abs() < 1e-6, "{share} of a layer");
        }
    }

    #[test]
    fn each_limit_holds_and_the_smallest_determines_the_step() {
        let mut scene = Scene::load("dam_break").expect("it ships with the program");
        let (radius, sound) = (0.2, 90.0);
        let usual = step(&scene, radius, sound);
        assert!(usual * (sound + expected_speed(&scene)) < 0.4 * 0.1);
        assert!(
            (step(&scene, 2.0 * radius, sound) / usual - 2.0).abs() < 1e-9,
            "the acoustic limit should determine the step"
        );
        // A push of the largest size alone reaches the force limit 0.25 sqrt(h / f), and no more.
        let push = largest_push(usual, radius);
        assert!((0.25 * (0.1 / push).sqrt() - usual).abs() < 1e-9);
        scene.material.viscosity = 10.0;
        let thick = step(&scene, radius, sound);
        let diffusion = 0.125 * 0.1 * 0.1 / (10.0 * 0.1 * sound / 10.0);
        assert!(thick <= diffusion * (1.0 + 1e-6) && thick < usual, "{thick} s");
        scene.gravity = Vec3::new(0.0, -1e6, 0.0);
        let heavy = step(&scene, radius, sound);
        assert!(heavy <= 0.25 * (0.1_f64 / 1e6).sqrt() * (1.0 + 1e-6), "{heavy} s");
    }
}
