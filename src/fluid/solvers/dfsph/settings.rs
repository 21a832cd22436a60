//! The settings of DFSPH.

use crate::fluid::solvers::setting::SolverSetting;

const SOLVER: &str = "dfsph";

/// Largest number of iterations that can be recorded in a step.
pub(super) const MOST_ITERATIONS: usize = 40;

/// Every setting, in the order of the panel.
pub(super) static ALL: &[&SolverSetting] = &[
    &COURANT,
    &LARGEST_STEP,
    &DENSITY_TOLERANCE,
    &DIVERGENCE_TOLERANCE,
    &LEAST_ITERATIONS,
    &ITERATIONS,
    &WARM_START,
    &CORRECTED,
    &EVENNESS,
];

/// The CFL condition with the speed that the scene's fluid is expected to reach (Bender and Koschier 2015, section 3.1,
/// use 0.4 particle diameters).
pub(super) static COURANT: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "courant",
    title: "Courant number",
    hover: "distance that the fastest water moves in a step: shorter steps need fewer iterations and lose less energy",
    unit: "spacings per step",
    least: 0.02,
    most: 1.0,
    default: 0.4,
    whole: false,
    dial: Some(0.002),
};

/// Limits the step where water moves slowly.
pub(super) static LARGEST_STEP: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "largest_step",
    title: "Largest step",
    hover: "steps are never longer than this, however slow the water is",
    unit: "s",
    least: 1e-5,
    most: 0.05,
    default: 0.02,
    whole: false,
    dial: None,
};

/// Mean error of the density above which steps have more iterations.
pub(super) static DENSITY_TOLERANCE: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "density_error",
    title: "Density error",
    hover: "where the mean excess of the density is above this share of the rest density, steps have more iterations in \
            proportion",
    unit: "%",
    least: 0.001,
    most: 10.0,
    default: 0.2,
    whole: false,
    dial: Some(0.001),
};

/// Mean error of the divergence at which iterations end. Errors of many steps add up in deep water, so that it is far
/// below that of the density.
pub(super) static DIVERGENCE_TOLERANCE: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "divergence_error",
    title: "Divergence error",
    hover: "iterations end when the velocities increase the density in a step by at most this share of the rest density on \
            average, and decrease it under pressure by at most three times as much",
    unit: "%",
    least: 0.0001,
    most: 10.0,
    default: 0.005,
    whole: false,
    dial: Some(0.0001),
};

/// Smallest number of iterations: the pressure of deep water changes by errors below every tolerance.
pub(super) static LEAST_ITERATIONS: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "least_iterations",
    title: "Least iterations",
    hover: "smallest number of iterations per step, also where the errors are below their limits",
    unit: "iterations per step",
    least: 1.0,
    most: MOST_ITERATIONS as f32,
    default: 2.0,
    whole: true,
    dial: Some(0.05),
};

/// Largest number of iterations.
pub(super) static ITERATIONS: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "iterations",
    title: "Most iterations",
    hover: "largest number of iterations per step, if the errors stay above their limits",
    unit: "iterations per step",
    least: 1.0,
    most: MOST_ITERATIONS as f32,
    default: 12.0,
    whole: true,
    dial: Some(0.05),
};

/// Share of the last step's pressures with which the iterations start.
pub(super) static WARM_START: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "warm_start",
    title: "Warm start",
    hover: "share of the last step's pressure with which the iterations start",
    unit: SolverSetting::NO_UNIT,
    least: 0.0,
    most: 1.0,
    default: 1.0,
    whole: false,
    dial: Some(0.002),
};

/// Whether gradients of pressure are corrected, as `dfsph/mod.rs` describes.
pub(super) static CORRECTED: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "corrected",
    title: "Corrected gradients",
    hover: "1: gradients of pressure are corrected for the order of the particles, so that water under pressure does not \
            resist a change of its shape, and tanks slosh as slowly as they should",
    unit: SolverSetting::NO_UNIT,
    least: 0.0,
    most: 1.0,
    default: 1.0,
    whole: true,
    dial: Some(0.02),
};

/// How much of the unevenness of pressures a correction takes away, as `dfsph/mod.rs` describes. At the default and
/// with the factor on the first correction, the largest response of a wave in a lattice is 1.00 to 1.09 at radius
/// ratios from 2 to 4; the factors of the iterations are made for at most 1.15.
pub(super) static EVENNESS: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "evenness",
    title: "Even pressures",
    hover: "share of the differences to the pressures of neighbors, beyond those that their gradients explain, that an \
            iteration takes away: without any, pressures alternate from layer to layer",
    unit: SolverSetting::NO_UNIT,
    least: 0.0,
    most: 0.5,
    default: 0.4,
    whole: false,
    dial: Some(0.002),
};
