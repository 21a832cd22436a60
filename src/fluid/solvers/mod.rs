//! The registry of solvers, which move the particles, and the selection of solvers and their settings by name.
//!
//! A solver is a folder here and one below `shaders/fluid`, a [`SolverInfo`], and one line in [`SOLVERS`];
//! `docs/ADDING_A_SOLVER.md` shows an example.

mod contract;
mod dfsph;
mod explained;
mod figure;
mod jacobi;
mod pbf;
mod problem;
mod repulsion;
mod setting;
mod solid_pressures;
mod tension;
mod viscosity;
mod viscous_rate;
mod wcsph;

pub use contract::{
    Accuracy, CreateSolver, FluidSolver, Limits, PressureSource, Shape, Solver, SolverInfo, SolverInput,
};
pub use explained::{SOLVER_SYMBOLS, SolverExplanation};
pub use figure::{FigureValues, MOST_FIGURES, SolverFigure};
pub use problem::{Medium, Problem};
pub use setting::{SolverSetting, SolverSettings};
pub(super) use solid_pressures::SOLID_PRESSURES;
pub(super) use viscosity::longest_step as longest_viscous_step;

use super::FluidError;

/// Every solver, in the order of the selector. A new one must be added at the end, because saved states depend on the
/// order.
pub static SOLVERS: &[&SolverInfo] = &[&wcsph::INFO, &pbf::INFO, &repulsion::INFO, &dfsph::INFO];

impl Default for Solver {
    /// The solver of a scene that names none.
    fn default() -> Self {
        Self(SOLVERS[0])
    }
}

impl Solver {
    /// All solvers, in the order of the selector.
    pub fn all() -> impl Iterator<Item = Self> {
        SOLVERS.iter().map(|info| Self(info))
    }

    /// All fluid solvers.
    pub fn fluids() -> impl Iterator<Item = Self> {
        Self::all().filter(|solver| solver.is_fluid())
    }

    /// The solver with this name on the command line.
    ///
    /// # Errors
    /// When there is none; the message names them all.
    pub fn named(name: &str) -> Result<Self, FluidError> {
        let names = || SOLVERS.iter().map(|info| info.name).collect::<Vec<_>>().join(", ");
        Self::all().find(|solver| solver.name() == name).ok_or_else(|| FluidError::UnknownSolver { names: names() })
    }
}

#[cfg(test)]
mod tests {
    use super::SOLVERS;

    #[test]
    fn settings_name_the_solver_that_declares_them() {
        for info in SOLVERS {
            assert!(info.settings.iter().all(|setting| setting.solver == info.name), "{}", info.name);
        }
    }
}
