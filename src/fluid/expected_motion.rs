//! Estimates of the speeds and accelerations that a scene's particles will reach. Speed of sound, time step and the
//! limit of pushes follow from them.

use glam::{DVec3, Vec3};

use super::{Block, Dimensions, PointFluid, Scene};

/// Coefficient of the time-step limit by acceleration (Monaghan 1992, section 10.4); dimensionless.
pub(super) const FORCE: f64 = 0.25;

/// Speed that the scene's fluid is expected to reach, m/s: that of a fall from the highest fluid or falling solid to
/// the lowest corner of the box, combined with the initial speed of the fastest block, emitter or falling solid and
/// with the speed of an oscillation through the center of the central gravity. Falling solids are included because
/// the fluid that they hit moves as fast. The lower bound is a tenth of the box's diagonal per second.
pub(super) fn expected_speed(scene: &Scene) -> f64 {
    let down = scene.gravity.as_dvec3();
    let depth_of = |point: DVec3| down.dot(point);
    // gravity · position increases downwards and already contains the factor g of v² = 2 g H.
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
    let solids = || scene.solids.kinds().flat_map(|info| (info.falling)(scene));
    let dropped = solids().map(|(at, _)| depth_of(at.as_dvec3()));
    let top = tops.chain(read).chain(poured).chain(dropped).fold(floor, f64::min);
    let velocities = points().map(|(_, velocity)| velocity);
    let velocities = velocities.chain(emitters().map(|emitter| emitter.velocity));
    let velocities = velocities.chain(solids().map(|(_, velocity)| velocity));
    let of_blocks = scene.blocks.iter().map(|block| f64::from(block.fastest()).powi(2));
    let thrown = velocities.map(|velocity| velocity.as_dvec3().length_squared()).chain(of_blocks).fold(0.0, f64::max);
    let swing = f64::from(scene.central_gravity.strength) * farthest_from_center(scene).powi(2);
    let least = 0.1 * in_space(scene, scene.high - scene.low).length();
    (2.0 * (floor - top) + thrown + swing).sqrt().max(least)
}

/// Largest initial distance of the fluid from the center of the central gravity, m.
fn farthest_from_center(scene: &Scene) -> f64 {
    let from_center = |corner: Vec3| in_space(scene, (corner - scene.central_gravity.center).abs());
    let farthest = |block: &Block| from_center(block.low).max(from_center(block.high)).length();
    let points = scene.points.iter().flat_map(PointFluid::particles).map(|(at, _)| from_center(at).length());
    scene.blocks.iter().map(farthest).chain(points).fold(0.0, f64::max)
}

/// The lengths along the axes of the scene: in two dimensions without z.
fn in_space(scene: &Scene, lengths: Vec3) -> DVec3 {
    let lengths = lengths.as_dvec3();
    if scene.dimensions == Dimensions::Two { lengths.with_z(0.0) } else { lengths }
}

/// Largest acceleration that the push may add, m/s²: the one at which `time_step` is still within the time-step limit
/// by acceleration.
pub(super) fn largest_push(time_step: f64, support_radius: f64) -> f64 {
    0.5 * support_radius * (FORCE / time_step).powi(2)
}

/// The largest initial acceleration of the fluid by uniform and central gravity, m/s².
pub(super) fn strongest_pull(scene: &Scene) -> f64 {
    let pull = f64::from(scene.central_gravity.strength) * farthest_from_center(scene);
    scene.gravity.as_dvec3().length() + pull
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::expected_speed;
    use crate::fluid::Scene;

    #[test]
    fn the_expected_speed_is_that_of_the_longest_fall() {
        let mut scene = Scene::load("dam_break").expect("it ships with the program");
        let fall = (2.0_f64 * 9.81 * 4.0).sqrt();
        assert!((expected_speed(&scene) - fall).abs() < 1e-5);
        scene.blocks[0].velocity = Vec3::new(6.0, 0.0, 0.0);
        assert!((expected_speed(&scene) - (fall * fall + 36.0).sqrt()).abs() < 1e-5);
        // Gravity points along x now, and the block's far face is ten meters from the lowest wall.
        scene.blocks[0].velocity = Vec3::ZERO;
        scene.gravity = Vec3::new(9.81, 0.0, 0.0);
        assert!((expected_speed(&scene) - (2.0_f64 * 9.81 * 10.0).sqrt()).abs() < 1e-5);
        scene.gravity = Vec3::ZERO;
        assert!(expected_speed(&scene) > 0.5, "water without gravity still has a speed of sound");
    }
}
