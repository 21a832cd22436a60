//! The explanations of solvers: what they share, and the symbols that every solver has.

use super::problem::Problem;
use crate::explanation::{Explanation, Symbol, Unit};
use crate::fluid::resolution::Resolution;

/// The explanation of a solver, with the values of its own symbols.
#[derive(Clone, Copy)]
pub struct SolverExplanation {
    /// Idea, equations and cost.
    pub explanation: Explanation,
    /// Values of the symbols in [`Explanation::symbols`] for a problem at a resolution.
    pub values: fn(&Problem<'_>, &Resolution) -> Vec<(&'static str, f64)>,
}

/// The symbols that every solver has.
pub static SOLVER_SYMBOLS: &[Symbol] = &[
    Symbol::new("n", "particles", Unit::Count),
    Symbol::new("k", "neighbors of a particle, on average", Unit::Number),
    Symbol::new("R", "support radius of the kernel W", Unit::Meters),
    Symbol::new("h", "smoothing length, half the support radius", Unit::Meters),
    Symbol::new("Δx", "spacing of the particles at rest", Unit::Meters),
    Symbol::new("m", "mass of a particle", Unit::Other("kg")),
    Symbol::new("ρ₀", "rest density", Unit::Other("kg/m³")),
    Symbol::new("Δt", "time step", Unit::Other("s")),
    Symbol::new("A", "traversals of the search in a step", Unit::Count),
];
