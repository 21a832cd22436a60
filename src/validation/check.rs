//! Checks: measured values, their references and tolerances, and the verdicts that follow.

/// How far a value may be from its reference, in the value's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The required tolerance.
    pub pass: f64,
    /// The tighter tolerance that is the goal, if there is one.
    pub stretch: Option<f64>,
}

impl Tolerance {
    /// A required tolerance without a tighter goal.
    pub fn pass(pass: f64) -> Self {
        Self { pass, stretch: None }
    }

    /// A required tolerance and a tighter one as the goal.
    pub fn stretching(pass: f64, stretch: f64) -> Self {
        Self { pass, stretch: Some(stretch) }
    }
}

/// A measured value and its reference.
///
/// ```
/// use nearwater::validation::{Check, Tolerance, Verdict};
///
/// let check = Check::near("front at 0.5 s", "m", 0.73, 0.72, Tolerance::stretching(0.03, 0.005));
/// assert_eq!(check.verdict(), Verdict::Pass);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The measured quantity.
    pub quantity: &'static str,
    /// The measured value.
    pub value: f64,
    /// The value that it should have.
    pub reference: f64,
    /// The allowed difference; `None` if the value is only reported.
    pub tolerance: Option<Tolerance>,
    /// Unit of all of them; empty if they have none.
    pub unit: &'static str,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The difference is larger than allowed, or the value is NaN.
    Miss,
    /// Within the required tolerance.
    Pass,
    /// Within the tighter tolerance that is the goal.
    Stretch,
    /// The value is only reported.
    Reported,
}

impl Verdict {
    /// The verdict as shown in tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::Miss => "MISS",
            Self::Pass => "pass",
            Self::Stretch => "stretch",
            Self::Reported => "-",
        }
    }
}

impl Check {
    /// A value that must be near its reference.
    pub fn near(quantity: &'static str, unit: &'static str, value: f64, reference: f64, tolerance: Tolerance) -> Self {
        Self { quantity, value, reference, tolerance: Some(tolerance), unit }
    }

    /// A value that must not exceed a limit; negative values count as zero.
    pub fn at_most(quantity: &'static str, unit: &'static str, value: f64, tolerance: Tolerance) -> Self {
        // `max` would turn NaN into a number and hide it.
        let value = if value < 0.0 { 0.0 } else { value };
        Self::near(quantity, unit, value, 0.0, tolerance)
    }

    /// A value that is only reported.
    pub fn told(quantity: &'static str, unit: &'static str, value: f64, reference: f64) -> Self {
        Self { quantity, value, reference, tolerance: None, unit }
    }

    /// The verdict that follows from the value.
    pub fn verdict(&self) -> Verdict {
        let off = (self.value - self.reference).abs();
        match self.tolerance {
            None => Verdict::Reported,
            Some(tolerance) if tolerance.stretch.is_some_and(|stretch| off <= stretch) => Verdict::Stretch,
            Some(tolerance) if off <= tolerance.pass => Verdict::Pass,
            // This includes NaN.
            Some(_) => Verdict::Miss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, Tolerance, Verdict};

    #[test]
    fn verdicts_follow_the_distance_from_the_reference() {
        let verdict = |value| Check::near("slope", "", value, 1.371, Tolerance::stretching(0.11, 0.055)).verdict();
        assert_eq!([1.371, 1.32, 1.42].map(verdict), [Verdict::Stretch; 3]);
        assert_eq!([1.27, 1.48].map(verdict), [Verdict::Pass; 2]);
        assert_eq!([1.2, 1.5, f64::NAN, f64::INFINITY].map(verdict), [Verdict::Miss; 4]);
    }

    #[test]
    fn limits_are_one_sided_and_nan_is_a_miss() {
        let verdict = |value| Check::at_most("energy gained", "%", value, Tolerance::stretching(1.0, 0.1)).verdict();
        assert_eq!([-50.0, 0.0, 0.05].map(verdict), [Verdict::Stretch; 3]);
        assert_eq!([0.5, 1.5, f64::NAN].map(verdict), [Verdict::Pass, Verdict::Miss, Verdict::Miss]);
        let plain = |value| Check::at_most("lost particles", "", value, Tolerance::pass(0.0)).verdict();
        assert_eq!([0.0, 1.0].map(plain), [Verdict::Pass, Verdict::Miss]);
        assert_eq!(Check::told("raw error", "%", f64::NAN, 0.0).verdict(), Verdict::Reported);
    }
}
