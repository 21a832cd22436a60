//! How fast viscosity changes velocities: from this and the length of a step follows how many stages solvers with long
//! steps divide it into (`viscosity.rs`), and how long a step may be.

use super::problem::Problem;
use crate::fluid::viscous_weight::{FLOOR, approach_strength, viscous_strength, viscous_weight};

/// Rate of a layer of water at the surface of a solid, in units of the rate of the lattice.
const AT_SURFACES: f64 = 3.0;

/// The rate, 1/s, at which a particle and neighbors that all have the opposite velocity lose it, which no wave in the
/// lattice exceeds. Times the length of a step it is the change in an explicit step: above 1 the velocities oscillate,
/// and above 2 without bound.
pub(super) fn viscous_rate(problem: &Problem<'_>) -> f64 {
    let (material, dimensions, radius) = (problem.medium.material, problem.dimensions, problem.support_radius);
    let (ratio, mass) = (problem.radius_ratio(), f64::from(problem.mass_of_cell()));
    let floor = FLOOR * ratio * ratio;
    let (mut approaching, mut all) = (0.0, 0.0);
    for ([x, y, z], slope) in problem.kernel.lattice_gradients(dimensions, ratio) {
        let squared = f64::from(x * x + y * y + z * z);
        approaching -= slope * f64::from(x * x) / (squared + floor);
        all += viscous_weight(squared.sqrt() / ratio) * f64::from(x * x) / squared;
    }
    let gradient_scale = mass * problem.kernel.lattice_normalization(dimensions, radius, ratio) / (radius * radius);
    let artificial = gradient_scale * approach_strength(material, problem.sound_speed, radius) * approaching;
    let physical = viscous_strength(dimensions, mass, radius) * f64::from(material.kinematic_viscosity) * all;
    (artificial + physical) / f64::from(material.rest_density)
}

/// The factor on that rate with which no solid that moves freely is faster, at least 1. All water at its surface brakes
/// a solid, which may be lighter than that water. A layer of water as thick as the spacing would lose its velocity to
/// the water beside it at up to half of the rate of the lattice where it moves along the layer, at up to three times
/// that where it moves across it, and a rotation is slowed down up to twice as fast as a motion.
pub(super) fn factor_of_solids(problem: &Problem<'_>) -> f64 {
    let material = problem.medium.material;
    let layer = f64::from(material.rest_density) * problem.spacing;
    problem
        .lightest_body
        .map_or(1.0, |lightest| (AT_SURFACES * f64::from(material.no_slip) * layer / lightest).max(1.0))
}
