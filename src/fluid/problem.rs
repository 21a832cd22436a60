//! Derives the input of solvers from a scene at one resolution.

use super::expected_motion::{expected_speed, strongest_pull};
use super::solvers::{Medium, Problem};
use super::{Scene, SmoothingKernel};

/// The medium of the scene: its material and the settings of solvers.
pub(super) fn medium(scene: &Scene) -> Medium<'_> {
    Medium { material: &scene.material, settings: &scene.solver_settings }
}

/// Mass per area of the lightest cloth in the fluid, kg/m²; `None` without cloth or without fluid.
pub(super) fn lightest_cloth(scene: &Scene) -> Option<f32> {
    scene.solids.kinds().filter_map(|info| (info.lightest_layer)(scene)).min_by(f32::total_cmp)
}

/// The problem that the scene poses to its solver at this spacing and support radius, both in m.
pub(super) fn problem(scene: &Scene, kernel: SmoothingKernel, spacing: f32, support_radius: f32) -> Problem<'_> {
    let expected_speed = expected_speed(scene);
    // The tension of the surface accelerates the water in drops of the smallest size, and compresses it there.
    let of_surface = f64::from(scene.material.surface_tension / (scene.material.rest_density * support_radius));
    let fastest = (expected_speed.powi(2) + of_surface).sqrt();
    Problem {
        medium: medium(scene),
        dimensions: scene.dimensions,
        kernel,
        spacing: f64::from(spacing),
        support_radius: f64::from(support_radius),
        expected_speed,
        sound_speed: f64::from(scene.material.sound_speed_factor) * fastest,
        strongest_pull: strongest_pull(scene),
        lightest_cloth: lightest_cloth(scene),
        lightest_body: scene.solids.kinds().filter_map(|info| (info.lightest_body)(scene)).min_by(f64::total_cmp),
    }
}
