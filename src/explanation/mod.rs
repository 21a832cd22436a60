//! What a search or a solver says about itself: its idea, pseudocode in the notation of its paper, and formulas of its
//! cost, as data that the program can evaluate and tests can compare with counters.
//!
//! An [`Explanation`] is written beside the search or the solver that it belongs to. A line of pseudocode carries the
//! passes that it describes ([`PassTag`]), so that the pass that runs is found in it. A formula is an [`Expression`]
//! over named [`Symbol`]s; the values of the symbols ([`Values`]) come from the running search and its counters.

mod expression;
mod pseudocode;
mod slowness;
mod symbol;

pub use expression::Expression;
pub use pseudocode::{PassSource, PassTag, PseudocodeLine};
pub use slowness::{Advice, Slowness, SlownessCause, SlownessCounters, why_slow};
pub use symbol::{Symbol, Unit, Values};

/// A formula of time or memory, or of a number on which these depend.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    /// What it computes, as a noun: "memory of the tables".
    pub title: &'static str,
    /// The formula.
    pub expression: Expression,
    /// Unit of the result.
    pub unit: Unit,
    /// The symbol whose measured value the formula predicts; `None` if nothing measures it.
    pub measured: Option<&'static str>,
    /// Whether the formula is an estimate, for example for an even distribution, and not exact.
    pub is_estimate: bool,
    /// Where it comes from: a section of the paper, or the program's own buffers.
    pub source: &'static str,
}

impl Formula {
    /// A formula whose result equals the measured value of a symbol.
    pub const fn exact(title: &'static str, expression: Expression, unit: Unit, measured: &'static str) -> Self {
        Self { title, expression, unit, measured: Some(measured), is_estimate: false, source: "" }
    }

    /// A formula whose result nothing measures, for example that of a paper for its own data structures.
    pub const fn unmeasured(title: &'static str, expression: Expression, unit: Unit) -> Self {
        Self { title, expression, unit, measured: None, is_estimate: false, source: "" }
    }

    /// A formula that estimates the measured value of a symbol.
    pub const fn estimate(title: &'static str, expression: Expression, unit: Unit, measured: &'static str) -> Self {
        Self { title, expression, unit, measured: Some(measured), is_estimate: true, source: "" }
    }

    /// The expression with today's numbers.
    pub fn filled(&self, values: &Values) -> String {
        self.expression.filled(values)
    }

    /// The same formula with its source.
    #[must_use]
    pub const fn from(self, source: &'static str) -> Self {
        Self { source, ..self }
    }
}

/// What a search or a solver says about itself.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// The idea in three sentences.
    pub sentences: [&'static str; 3],
    /// The pseudocode or the equations, in parts that several searches may share, in the order of the passes.
    pub pseudocode: &'static [&'static [PseudocodeLine]],
    /// Formulas of time and memory.
    pub formulas: &'static [Formula],
    /// Symbols that only this search or solver has.
    pub symbols: &'static [Symbol],
    /// What helps against each cause of slowness, as the second half of a sentence.
    pub advice: &'static [Advice],
}

impl Explanation {
    /// All lines of the pseudocode, in order.
    pub fn lines(&self) -> impl Iterator<Item = &'static PseudocodeLine> + Clone + use<> {
        self.pseudocode.iter().copied().flatten()
    }

    /// Whether some line describes a pass.
    pub fn covers(&self, pass: &PassSource) -> bool {
        self.lines().any(|line| line.describes(pass))
    }
}
