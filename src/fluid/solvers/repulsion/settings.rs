//! The settings of repelling particles, which do not depend on the material. The defaults are those of the paper's
//! section 6.

use crate::fluid::solvers::setting::SolverSetting;

const SOLVER: &str = "repulsion";

/// Every setting, in the order of the panel.
pub(super) static ALL: &[&SolverSetting] = &[&MASS, &STIFFNESS, &DAMPING, &TIME_STEP, &RADIUS_RATIO];

/// Mass of a particle.
pub(super) static MASS: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "mass",
    title: "Mass",
    hover: "mass of a particle",
    unit: "kg",
    least: 1e-9,
    most: 1e6,
    default: 3e-4,
    whole: false,
    dial: None,
};

/// k: the force between two particles is k times the difference between the influence radius and their distance.
pub(super) static STIFFNESS: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "stiffness",
    title: "Stiffness",
    hover: "force between two particles per length by which they are closer than the influence radius; the paper has \
            3600",
    unit: "N/m",
    least: 0.0,
    most: 1e9,
    default: 3600.0,
    whole: false,
    dial: Some(10.0),
};

/// Damping force between two neighbors per speed at which they approach or separate. The paper has none.
pub(super) static DAMPING: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "damping",
    title: "Damping",
    hover: "damps the approach and separation of particles; the paper has none, and its particles bounce for a long \
            time",
    unit: "kg/s",
    least: 0.0,
    most: 1e6,
    default: 0.0,
    whole: false,
    dial: Some(0.0005),
};

/// Length of a step.
pub(super) static TIME_STEP: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "time_step",
    title: "Time step",
    hover: "stiffer particles need shorter steps; the paper has 0.0002",
    unit: "s",
    least: 1e-6,
    most: 0.1,
    default: 2e-4,
    whole: false,
    dial: Some(0.00001),
};

/// Influence radius over the initial spacing. Above 1 a block flies apart at the start, unless it fills its box.
pub(super) static RADIUS_RATIO: SolverSetting = SolverSetting {
    solver: SOLVER,
    name: "radius_ratio",
    title: "Radius ratio",
    hover: "influence radius over the initial spacing; above 1 a block flies apart at the start, unless it fills its \
            box",
    unit: "spacings",
    least: 0.5,
    most: 4.0,
    default: 1.0,
    whole: false,
    dial: None,
};
