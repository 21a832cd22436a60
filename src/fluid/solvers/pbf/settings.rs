//! The settings of PBF. The defaults are small steps (Macklin et al. 2019) of two corrections; with a single
//! correction the pressures oscillate from step to step.

use crate::fluid::solvers::setting::SolverSetting;

const SOLVER: &str = "pbf";

/// Largest number of corrections per step, more than is practical; each consists of two passes with labels of their
/// own.
pub(super) const MOST_ITERATIONS: usize = 16;
/// Largest number of steps per frame.
pub(super) const MOST_SUBSTEPS: u32 = 64;

/// Every setting, in the order of the panel.
pub(super) static ALL: &[&SolverSetting] =
    &[&FRAME, &SUBSTEPS, &ITERATIONS, &RELAXATION, &TENSILE, &TENSILE_DISTANCE, &TENSILE_POWER, &VORTICITY, &CORRECTED];

/// Simulated time per frame.
pub(super) static FRAME: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "frame",
    title: "Frame",
    hover: "simulated time per frame",
    unit: "s",
    least: 1e-5,
    most: 0.1,
    default: 0.016,
    whole: false,
    dial: None,
};

/// Number of steps per frame, each with its own prediction, search and corrections. 0 selects the number that keeps
/// the mean compression with two corrections below 1 %, which increases with the depth and the resolution of the
/// fluid. Light bodies raise any number to the one that they need.
pub(super) static SUBSTEPS: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "substeps",
    title: "Substeps",
    hover: "number of steps per frame: shorter steps compress the water less and dissipate less energy; 0 selects the \
            number that keeps the compression below 1 %; light bodies need more, and get them",
    unit: "steps per frame",
    least: 0.0,
    most: MOST_SUBSTEPS as f32,
    default: 0.0,
    whole: true,
    dial: Some(0.05),
};

/// Number of corrections per step. More corrections reduce the compression, but shorter steps do so with less work.
pub(super) static ITERATIONS: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "iterations",
    title: "Iterations",
    hover: "number of corrections per step: more corrections compress the water less",
    unit: "corrections per step",
    least: 1.0,
    most: MOST_ITERATIONS as f32,
    default: 2.0,
    whole: true,
    dial: Some(0.05),
};

/// ε of the paper's equation 11, multiplied by the support radius squared, so that it means the same at every
/// resolution: it softens the constraint of particles with few neighbors. The sum that it is added to is about 2
/// inside the fluid.
pub(super) static RELAXATION: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "relaxation",
    title: "Relaxation",
    hover: "softens the corrections of particles with few neighbors",
    unit: SolverSetting::NO_UNIT,
    least: 0.0,
    most: 1e3,
    default: 0.05,
    whole: false,
    dial: Some(0.005),
};

/// k of the artificial pressure, equation 13, which keeps particles from clumping: the fraction by which the pressure
/// between two particles is increased at the tensile distance.
pub(super) static TENSILE: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "tensile",
    title: "Tensile pressure",
    hover: "keeps particles from clumping",
    unit: SolverSetting::NO_UNIT,
    least: 0.0,
    most: 1.0,
    default: 0.1,
    whole: false,
    dial: Some(0.002),
};

/// |Δq| of equation 13 in support radii.
pub(super) static TENSILE_DISTANCE: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "tensile_distance",
    title: "Tensile distance",
    hover: "distance at which the tensile pressure has its given fraction of the pressure",
    unit: "support radii",
    least: 0.0,
    most: 0.9,
    default: 0.2,
    whole: false,
    dial: None,
};

/// n of equation 13.
pub(super) static TENSILE_POWER: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "tensile_power",
    title: "Tensile power",
    hover: "how steeply the tensile pressure decreases with the distance",
    unit: SolverSetting::NO_UNIT,
    least: 1.0,
    most: 8.0,
    default: 4.0,
    whole: false,
    dial: None,
};

/// ε of equation 16: strength of the vorticity confinement, which restores rotation that was damped; 0 disables it.
pub(super) static VORTICITY: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "vorticity",
    title: "Vorticity",
    hover: "restores vortices that were damped",
    unit: "m/s",
    least: 0.0,
    most: 100.0,
    default: 0.0,
    whole: false,
    dial: Some(0.005),
};

/// Whether gradients of pressure are corrected, as `pbf/mod.rs` describes.
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
