/// How far a value may be from its reference, in the value's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// What is asked for.
    pub pass: f64,
    /// What is aimed at, where that is more.
    pub stretch: Option<f64>,
}

impl Tolerance {
    /// Asked for, and nothing beyond.
    pub fn pass(pass: f64) -> Self {
        Self { pass, stretch: None }
    }

    /// Asked for, and aimed at.
    pub fn stretching(pass: f64, stretch: f64) -> Self {
        Self { pass, stretch: Some(stretch) }
    }
}

/// A value held against its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What was measured.
    pub quantity: &'static str,
    /// As measured.
    pub value: f64,
    /// What it should be.
    pub reference: f64,
    /// By how much it may be off; `None` where the value is only told.
    pub tolerance: Option<Tolerance>,
    /// Unit of all of them; empty where they have none.
    pub unit: &'static str,
}

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Off by more than is allowed, or no number at all.
    Miss,
    /// Within what is asked for.
    Pass,
    /// Within what is aimed at.
    Stretch,
    /// Nothing is asked for.
    Told,
}

impl Verdict {
    /// In a word.
    pub fn label(self) -> &'static str {
        match self {
            Self::Miss => "MISS",
            Self::Pass => "pass",
            Self::Stretch => "stretch",
            Self::Told => "-",
        }
    }
}

impl Check {
    /// A value that must be near its reference.
    pub fn near(quantity: &'static str, unit: &'static str, value: f64, reference: f64, tolerance: Tolerance) -> Self {
        Self { quantity, value, reference, tolerance: Some(tolerance), unit }
    }

    /// A value that must not be above a limit; below zero it is as good as zero.
    pub fn at_most(quantity: &'static str, unit: &'static str, value: f64, tolerance: Tolerance) -> Self {
        // Not `max`, which would turn NaN into a number and hide it.
        let value = if value < 0.0 { 0.0 } else { value };
        Self::near(quantity, unit, value, 0.0, tolerance)
    }

    /// A value of which nothing is asked.
    pub fn told(quantity: &'static str, unit: &'static str, value: f64, reference: f64) -> Self {
        Self { quantity, value, reference, tolerance: None, unit }
    }

    /// What comes of it.
    pub fn verdict(&self) -> Verdict {
        let off = (self.value - self.reference).abs();
        match self.tolerance {
            None => Verdict::Told,
            Some(tolerance) if tolerance.stretch.is_some_and(|stretch| off <= stretch) => Verdict::Stretch,
            Some(tolerance) if off <= tolerance.pass => Verdict::Pass,
            // NaN too.
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
    fn limits_hold_upwards_only_and_numbers_that_are_none_miss() {
        let verdict = |value| Check::at_most("energy gained", "%", value, Tolerance::stretching(1.0, 0.1)).verdict();
        assert_eq!([-50.0, 0.0, 0.05].map(verdict), [Verdict::Stretch; 3]);
        assert_eq!([0.5, 1.5, f64::NAN].map(verdict), [Verdict::Pass, Verdict::Miss, Verdict::Miss]);
        let plain = |value| Check::at_most("lost particles", "", value, Tolerance::pass(0.0)).verdict();
        assert_eq!([0.0, 1.0].map(plain), [Verdict::Pass, Verdict::Miss]);
        assert_eq!(Check::told("raw error", "%", f64::NAN, 0.0).verdict(), Verdict::Told);
    }
}
