//! What is chosen from on a class of devices, and the time of a frame that is aimed at.

use crate::fluid::{Solver, SolverSettings};
use crate::gpu::AdapterClass;
use crate::search::{SEARCHES, SearchInfo};

/// Time of a frame on a software adapter, s. Such an adapter never reaches the display's rate, so that a longer frame
/// with more time steps is the better compromise; twenty frames a second still look like motion.
const SOFTWARE_FRAME: f64 = 0.05;

/// The searches from which one is chosen for a scene that opens. Without a graphics device every search counts.
pub fn leading_searches(class: AdapterClass) -> Vec<&'static SearchInfo> {
    if class == AdapterClass::Software { SEARCHES.to_vec() } else { SearchInfo::leading().to_vec() }
}

/// Chooses settings of solvers for a scene that is to show what such a device can do: where no solver comes near real
/// time, the longest steps that the solvers offer.
pub fn choose_steps(class: AdapterClass, settings: &mut SolverSettings) {
    if class == AdapterClass::Software {
        Solver::fluids().filter_map(|solver| solver.lengthen_steps).for_each(|lengthen| lengthen(settings));
    }
}

/// The time that a frame may take at 60 frames a second, or longer on a software adapter, s.
pub fn usual_budget(class: AdapterClass) -> f64 {
    budget_at(class, 1.0 / 60.0)
}

/// The time that a frame may take on a display with this interval between frames, s.
pub fn budget_at(class: AdapterClass, refresh: f64) -> f64 {
    if class == AdapterClass::Software { SOFTWARE_FRAME } else { refresh }
}

impl AdapterClass {
    /// The fewest particles that are chosen for a scene on such an adapter.
    pub fn least_chosen_count(self) -> u32 {
        4_096
    }

    /// The most particles that are chosen for a scene on such an adapter; more can be selected by hand.
    pub fn most_chosen_count(self) -> u32 {
        match self {
            Self::Discrete => 4_194_304,
            Self::Integrated => 524_288,
            Self::Software => 16_384,
        }
    }
}
