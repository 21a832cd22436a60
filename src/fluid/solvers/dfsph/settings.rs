//! The settings of DFSPH.

use crate::fluid::solvers::setting::SolverSetting;

const SOLVER: &str = "dfsph";

/// Largest number of iterations of a solver that can be recorded in a step.
pub(super) const MOST_ITERATIONS: usize = 40;

/// Every setting, in the order of the panel.
pub(super) static ALL: &[&SolverSetting] = &[
    &COURANT,
    &LARGEST_STEP,
    &DENSITY_TOLERANCE,
    &DENSITY_ITERATIONS,
    &DIVERGENCE_TOLERANCE,
    &DIVERGENCE_ITERATIONS,
    &WARM_START,
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

/// Mean error of the density at which the constant-density solver ends.
pub(super) static DENSITY_TOLERANCE: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "density_error",
    title: "Density error",
    hover: "iterations end when the mean excess of the predicted density is at most this share of the rest density",
    unit: "%",
    least: 0.001,
    most: 10.0,
    default: 0.1,
    whole: false,
    dial: Some(0.001),
};

/// Largest number of iterations of the constant-density solver.
pub(super) static DENSITY_ITERATIONS: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "density_iterations",
    title: "Density iterations",
    hover: "largest number of iterations per step for a constant density",
    unit: "iterations per step",
    least: 1.0,
    most: MOST_ITERATIONS as f32,
    default: 12.0,
    whole: true,
    dial: Some(0.05),
};

/// Mean error of the divergence at which the divergence-free solver ends.
pub(super) static DIVERGENCE_TOLERANCE: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "divergence_error",
    title: "Divergence error",
    hover: "iterations end when the velocities increase the density in a step by at most this share of the rest density \
            on average",
    unit: "%",
    least: 0.001,
    most: 10.0,
    default: 0.1,
    whole: false,
    dial: Some(0.001),
};

/// Largest number of iterations of the divergence-free solver.
pub(super) static DIVERGENCE_ITERATIONS: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "divergence_iterations",
    title: "Divergence iterations",
    hover: "largest number of iterations per step for velocities without divergence; 0 leaves them as they are",
    unit: "iterations per step",
    least: 0.0,
    most: MOST_ITERATIONS as f32,
    default: 4.0,
    whole: true,
    dial: Some(0.05),
};

/// Share of the last step's pressures with which the iterations start. With the whole pressure, long waves grow in a
/// step that has too few iterations to resolve them; at a half they decay (see `mod.rs`).
pub(super) static WARM_START: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "warm_start",
    title: "Warm start",
    hover: "share of the last step's pressure with which the iterations start",
    unit: SolverSetting::NO_UNIT,
    least: 0.0,
    most: 1.0,
    default: 0.5,
    whole: false,
    dial: Some(0.002),
};
