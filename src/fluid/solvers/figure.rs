//! Figures of a solver: numbers that its passes compute on the device while they run, such as the iterations that a
//! step took and the error that remained. Overlay and reports show them with name and unit.

/// Largest number of figures of a solver.
pub const MOST_FIGURES: usize = 8;

/// A number that a solver writes in each step.
#[derive(Debug)]
pub struct SolverFigure {
    /// Name on screen, lower case.
    pub name: &'static str,
    /// The unit, which follows the value.
    pub unit: &'static str,
    /// Its meaning, for hover texts.
    pub hover: &'static str,
    /// Whether the overlay shows it; reports show every figure.
    pub is_live: bool,
    /// The value above which it is shown as a warning; `None` where no value is a warning.
    pub warns_above: Option<f32>,
}

impl SolverFigure {
    /// Whether a value is to be shown as a warning.
    pub fn is_warning(&self, value: f32) -> bool {
        self.warns_above.is_some_and(|limit| value > limit)
    }
}

/// The values of a solver's figures after the last step, in the order of its declaration.
pub type FigureValues = [f32; MOST_FIGURES];
