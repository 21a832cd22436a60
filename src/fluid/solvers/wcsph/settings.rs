//! The settings of WCSPH besides those of the material.

use crate::fluid::solvers::setting::SolverSetting;

/// Every setting, in the order of the panel.
pub(super) static ALL: &[&SolverSetting] = &[&ACCURATE];

/// The accurate mode, described in `accurate.rs`.
pub(super) static ACCURATE: SolverSetting = SolverSetting {
    solver: "wcsph",
    name: "accurate",
    title: "Accurate mode",
    hover: "1: density is integrated and diffuses (0.1 unless the material chooses a coefficient), the radius ratio is at \
            least 2.6, gradients of pressure are corrected, and pressure may be negative within the water, which then \
            hangs together; about half as fast at the same number of particles",
    unit: SolverSetting::NO_UNIT,
    least: 0.0,
    most: 1.0,
    default: 0.0,
    whole: true,
    dial: Some(0.02),
};
