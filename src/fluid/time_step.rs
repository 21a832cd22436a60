//! The time step: one value for a resolution, so that the water never takes larger steps because a frame was late.

use std::f64::consts::PI;

use glam::{DVec3, Vec2, Vec3};

use super::continuity::diffusion;
use super::jacobi::Jacobi;
use super::{Block, Cloth, Dimensions, PointFluid, Scene, SmoothingKernel};

/// Share of a smoothing length that the fastest signal crosses in a step (Monaghan 1992, section 10.4; Morris, Fox and
/// Zhu 1997, section 3.3, take 0.25). A dam break kept its energy up to 1.0, so more than half is in reserve.
const ACOUSTIC: f64 = 0.4;
/// What viscosity adds to the fastest signal, in α times the speed of sound (Monaghan 1992, section 10.4).
const VISCOUS_SIGNAL: f64 = 0.6;
/// Share of a step that an acceleration may bend (Monaghan 1992, section 10.4).
const FORCE: f64 = 0.25;
/// Share of a smoothing length that momentum diffuses in a step. Morris, Fox and Zhu 1997, section 3.3, take 0.125, for
/// another form of viscosity; with ours a particle among neighbors at rest is braked at 14 ν / h² (Wendland C2 in a plane), and
/// one among neighbors that go the other way at up to twice that, so that steps beyond 0.07 swing ever farther.
const VISCOUS: f64 = 0.05;
/// Share of the time that the shortest capillary wave takes (Brackbill, Kothe and Zemach 1992, equation 61; Morris
/// 2000, section 4.2).
const CAPILLARY: f64 = 0.25;
/// Speed of sound over the speed that is expected, with which a column of PBF is compressed by 1 % in the mean: half its
/// height times g over the speed's square, and a quarter more since what is not compressed is not in the mean (columns of
/// 10 to 48 layers).
const SOUND_OF_PBF: f64 = 5.6;
/// Corrections a step that it is reckoned with.
const CORRECTIONS: f64 = 2.0;

/// Speed that the scene's water is expected to reach, m/s: a fall from the highest fluid to the lowest corner of the
/// box, with the velocity of the fastest block, emitter, cloth or free body and the swing through the central gravity's
/// point on top. Free bodies and cloths fall as well, and what they fall into moves as fast. A scene with none of them takes
/// a tenth of its box a second.
pub(super) fn expected_speed(scene: &Scene) -> f64 {
    let down = scene.gravity.as_dvec3();
    let depth_of = |point: DVec3| down.dot(point);
    // gravity · position grows downwards and already holds the factor g of v² = 2 g H.
    let extreme = |low: Vec3, high: Vec3, deepest: bool| {
        let (low, high) = (low.as_dvec3(), high.as_dvec3());
        let towards_high = if deepest { down.cmpgt(DVec3::ZERO) } else { down.cmplt(DVec3::ZERO) };
        depth_of(DVec3::select(towards_high, high, low))
    };
    let floor = extreme(scene.low, scene.high, true);
    let points = || scene.points.iter().flat_map(PointFluid::particles);
    let emitters = || scene.emitters.iter();
    let tops = scene.blocks.iter().map(|block| extreme(block.low, block.high, false));
    let read = points().map(|(at, _)| depth_of(at.as_dvec3()));
    let poured = emitters().map(|emitter| depth_of(emitter.center.as_dvec3()));
    let free = || scene.bodies.iter().filter(|body| body.is_free());
    let dropped = free().map(|body| depth_of(body.position.as_dvec3()));
    let corners = |cloth: &Cloth| [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE].map(|share| cloth.place(share));
    let draped = scene.cloths.iter().flat_map(corners).map(|at| depth_of(at.as_dvec3()));
    let top = tops.chain(read).chain(poured).chain(dropped).chain(draped).fold(floor, f64::min);
    let velocities = scene.blocks.iter().map(|block| block.velocity).chain(points().map(|(_, velocity)| velocity));
    let velocities = velocities.chain(emitters().map(|emitter| emitter.velocity));
    let velocities = velocities.chain(free().map(|body| body.velocity));
    let velocities = velocities.chain(scene.cloths.iter().map(|cloth| cloth.velocity));
    let thrown = velocities.map(|velocity| velocity.as_dvec3().length_squared()).fold(0.0, f64::max);
    let swing = f64::from(scene.central_gravity.strength) * farthest_from_center(scene).powi(2);
    let least = 0.1 * in_space(scene, scene.high - scene.low).length();
    (2.0 * (floor - top) + thrown + swing).sqrt().max(least)
}

/// Farthest distance of the fluid at the start from the central gravity's point, m.
fn farthest_from_center(scene: &Scene) -> f64 {
    let from_center = |corner: Vec3| in_space(scene, (corner - scene.central_gravity.center).abs());
    let farthest = |block: &Block| from_center(block.low).max(from_center(block.high)).length();
    let points = scene.points.iter().flat_map(PointFluid::particles).map(|(at, _)| from_center(at).length());
    scene.blocks.iter().map(farthest).chain(points).fold(0.0, f64::max)
}

/// A length of each axis that there is.
fn in_space(scene: &Scene, lengths: Vec3) -> DVec3 {
    let lengths = lengths.as_dvec3();
    if scene.dimensions == Dimensions::Two { lengths.with_z(0.0) } else { lengths }
}

/// Largest acceleration that the push may add, m/s²: what bends a step of that length by no more than the force limit.
pub(super) fn largest_push(time_step: f64, support_radius: f64) -> f64 {
    0.5 * support_radius * (FORCE / time_step).powi(2)
}

/// The smallest of the acoustic, the force, the viscous, the capillary and density diffusion's limit, s.
pub(super) fn time_step(scene: &Scene, support_radius: f64, sound_speed: f64) -> f64 {
    let h = 0.5 * support_radius;
    let material = &scene.material;
    let signal = sound_speed * (1.0 + VISCOUS_SIGNAL * f64::from(material.viscosity));
    let acoustic = ACOUSTIC * h / (signal + expected_speed(scene));
    let pull = f64::from(scene.central_gravity.strength) * farthest_from_center(scene);
    let force = FORCE * (h / (scene.gravity.as_dvec3().length() + pull)).sqrt();
    let viscous = VISCOUS * h * h / kinematic_viscosity(scene, support_radius, sound_speed);
    let wave = f64::from(material.rest_density) * h.powi(3) / (2.0 * PI * f64::from(material.surface_tension));
    let capillary = CAPILLARY * wave.sqrt();
    let diffusive = diffusion(scene).map_or(f64::INFINITY, |delta| VISCOUS * h / (f64::from(delta) * sound_speed));
    acoustic.min(force).min(viscous).min(capillary).min(diffusive)
}

/// A substep of PBF, s: the scene's, or where it leaves that open, the longest that divides the frame and compresses the
/// water by no more than 1 % in the mean, with two corrections.
pub(super) fn substep(scene: &Scene, kernel: SmoothingKernel, support_radius: f64) -> f64 {
    let (pbf, ratio) = (&scene.pbf, f64::from(scene.material.radius_ratio));
    let substeps = || {
        let sound = CORRECTIONS.sqrt() * Jacobi::new(kernel, scene.dimensions, ratio).sound * support_radius;
        (f64::from(pbf.frame) * SOUND_OF_PBF * expected_speed(scene) / sound).ceil()
    };
    f64::from(pbf.frame) / if pbf.substeps == 0 { substeps() } else { pbf.substeps.into() }
}

/// m²/s, the real and what the artificial viscosity amounts to: α h c / (2 (d + 2)) (Monaghan 2005, section 4).
fn kinematic_viscosity(scene: &Scene, support_radius: f64, sound_speed: f64) -> f64 {
    let artificial = f64::from(scene.material.viscosity) * 0.5 * support_radius * sound_speed;
    f64::from(scene.material.kinematic_viscosity) + artificial / (2.0 * (scene.dimensions.count() + 2.0))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{expected_speed, largest_push, time_step};
    use crate::fluid::Scene;

    fn scene() -> Scene {
        Scene::load("dam_break").expect("it ships with the program")
    }

    #[test]
    fn the_expected_speed_is_that_of_the_longest_fall() {
        let mut scene = scene();
        let fall = (2.0_f64 * 9.81 * 4.0).sqrt();
        assert!((expected_speed(&scene) - fall).abs() < 1e-5);
        scene.blocks[0].velocity = Vec3::new(6.0, 0.0, 0.0);
        assert!((expected_speed(&scene) - (fall * fall + 36.0).sqrt()).abs() < 1e-5);
        // Down is along x now, and the block's far face is ten metres from the lowest wall.
        scene.blocks[0].velocity = Vec3::ZERO;
        scene.gravity = Vec3::new(9.81, 0.0, 0.0);
        assert!((expected_speed(&scene) - (2.0_f64 * 9.81 * 10.0).sqrt()).abs() < 1e-5);
        scene.gravity = Vec3::ZERO;
        assert!(expected_speed(&scene) > 0.5, "water without gravity still has a speed of sound");
    }

    #[test]
    fn each_limit_holds_and_the_tightest_decides() {
        let mut scene = scene();
        let (radius, sound) = (0.2, 90.0);
        let usual = time_step(&scene, radius, sound);
        assert!(usual * (sound + expected_speed(&scene)) < 0.4 * 0.1);
        assert!((time_step(&scene, 2.0 * radius, sound) / usual - 2.0).abs() < 1e-9, "sound decides");
        // A push of the largest size alone reaches the force limit 0.25 sqrt(h / f), and no more.
        let push = largest_push(usual, radius);
        assert!((0.25 * (0.1 / push).sqrt() - usual).abs() < 1e-9);
        scene.material.viscosity = 10.0;
        let thick = time_step(&scene, radius, sound);
        let diffusion = 0.125 * 0.1 * 0.1 / (10.0 * 0.1 * sound / 10.0);
        assert!(thick <= diffusion * (1.0 + 1e-6) && thick < usual, "{thick} s");
        scene.gravity = Vec3::new(0.0, -1e6, 0.0);
        let heavy = time_step(&scene, radius, sound);
        assert!(heavy <= 0.25 * (0.1_f64 / 1e6).sqrt() * (1.0 + 1e-6), "{heavy} s");
    }
}
