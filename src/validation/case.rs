use std::time::Duration;

use super::{
    Check, Figure, Trial, ValidationError, Verdict, Watched, buoyancy, hydrostatic, martin_moyce, shear_box, spheric,
};
use crate::fluid::{Resolution, Solver};
use crate::gpu::{AdapterClass, nearest_names};

/// Something published or derived that the water is held against.
#[derive(Debug)]
pub struct Case {
    /// As on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What it is compared with, and where that is from.
    pub source: &'static str,
    /// What a resolution counts.
    pub unit: &'static str,
    /// Resolutions on a graphics card, rising.
    pub resolutions: &'static [u32],
    /// The one on a program that plays a graphics card.
    pub software_resolution: u32,
    /// Smallest and largest resolution that can be asked for.
    pub range: (u32, u32),
    /// Seconds of water.
    pub seconds: f64,
    /// The solvers that it is for.
    pub solvers: &'static [Solver],
    /// Why it is not for the others.
    pub not_for_others: &'static str,
    pub(super) measure: fn(&mut Trial<'_>) -> Result<Measured, ValidationError>,
    pub(super) figure: fn(&[Outcome]) -> Result<Figure, ValidationError>,
}

/// Every case, in the order of `all`.
pub static CASES: [&Case; 6] =
    [&hydrostatic::CASE, &martin_moyce::CASE, &martin_moyce::SLAB, &spheric::CASE, &buoyancy::CASE, &shear_box::CASE];

/// A curve for a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is of.
    pub quantity: &'static str,
    /// Abscissa and value.
    pub points: Vec<(f64, f64)>,
}

/// What a case reads off a run.
pub struct Measured {
    pub(super) watched: Watched,
    pub(super) checks: Vec<Check>,
    pub(super) curves: Vec<Curve>,
}

/// A case run once, and what came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Which case.
    pub case: &'static Case,
    /// By which solver.
    pub solver: Solver,
    /// How finely, in the case's unit.
    pub fineness: u32,
    /// What that came to.
    pub resolution: Resolution,
    /// Steps made.
    pub steps: u64,
    /// Seconds of water.
    pub seconds: f64,
    /// Time of the user's that the steps took.
    pub wall: Duration,
    /// What was measured, with what it should be.
    pub checks: Vec<Check>,
    /// What figures are drawn from.
    pub curves: Vec<Curve>,
}

impl Outcome {
    /// The worst verdict.
    pub fn verdict(&self) -> Verdict {
        self.checks.iter().map(Check::verdict).min().unwrap_or(Verdict::Told)
    }

    /// The curve of a quantity.
    pub fn curve(&self, quantity: &str) -> &[(f64, f64)] {
        self.curves.iter().find(|curve| curve.quantity == quantity).map_or(&[], |curve| &curve.points)
    }

    /// Solver and resolution in words.
    pub fn label(&self) -> String {
        format!("{} {}", self.solver.label(), self.fineness)
    }
}

impl Case {
    /// The cases of that name, or all of them for `all`.
    ///
    /// # Errors
    /// When there is none; the message names the nearest.
    pub fn named(wanted: &str) -> Result<Vec<&'static Self>, ValidationError> {
        let found: Vec<_> = CASES.into_iter().filter(|case| wanted == "all" || case.name == wanted).collect();
        if found.is_empty() {
            let nearest = nearest_names(wanted, CASES.map(|case| case.name)).join(", ");
            return Err(ValidationError::UnknownCase { name: wanted.to_owned(), nearest });
        }
        Ok(found)
    }

    /// Resolutions on an adapter of that class.
    pub fn usual_resolutions(&self, class: AdapterClass) -> Vec<u32> {
        if class == AdapterClass::Software { vec![self.software_resolution] } else { self.resolutions.to_vec() }
    }

    /// Refuses what it cannot be run with.
    ///
    /// # Errors
    /// When resolution or time, s, make no sense for it, or the solver is none of its own.
    pub fn check(&self, solver: Solver, resolution: u32, seconds: f64) -> Result<(), ValidationError> {
        /// A run longer than this is a slip of the keyboard.
        const LONGEST: f64 = 600.0;
        let (least, most) = self.range;
        if !(least..=most).contains(&resolution) {
            let (asked, case, unit) = (resolution, self.name, self.unit);
            return Err(ValidationError::Resolution { asked, case, least, most, unit });
        }
        let shortest = 0.01 * self.seconds;
        if !(shortest..=LONGEST).contains(&seconds) {
            let (asked, case) = (seconds, self.name);
            return Err(ValidationError::Seconds { asked, case, least: shortest, most: LONGEST });
        }
        if !self.solvers.contains(&solver) {
            let (case, solver, reason) = (self.name, solver.label(), self.not_for_others);
            return Err(ValidationError::Solver { case, solver, reason });
        }
        Ok(())
    }

    /// Runs the case.
    ///
    /// # Errors
    /// As [`Case::check`], or when the device fails.
    pub fn run(&'static self, mut trial: Trial<'_>) -> Result<Outcome, ValidationError> {
        self.check(trial.solver, trial.resolution, trial.seconds)?;
        let Measured { watched, mut checks, curves } = (self.measure)(&mut trial)?;
        checks.extend(watched.health.checks());
        Ok(Outcome {
            case: self,
            solver: trial.solver,
            fineness: trial.resolution,
            resolution: watched.resolution,
            steps: watched.steps,
            seconds: watched.seconds,
            wall: watched.wall,
            checks,
            curves,
        })
    }

    /// Reference and runs in one picture.
    ///
    /// # Errors
    /// Only if a table of the program were damaged.
    pub fn figure(&self, outcomes: &[Outcome]) -> Result<Figure, ValidationError> {
        (self.figure)(outcomes)
    }
}

#[cfg(test)]
mod tests {
    use super::{CASES, Case};
    use crate::gpu::AdapterClass;

    #[test]
    fn cases_are_found_by_name_and_misspelt_ones_bring_the_nearest() {
        assert_eq!(Case::named("all").expect("there are some").len(), CASES.len());
        for case in CASES {
            let found = Case::named(case.name).expect("it is one of them");
            assert!(found.len() == 1 && found[0].name == case.name);
            let (least, most) = case.range;
            let usual = [case.resolutions, &[case.software_resolution]].concat();
            assert!(usual.iter().all(|resolution| (least..=most).contains(resolution)), "{}", case.name);
            assert_eq!(case.usual_resolutions(AdapterClass::Software), [case.software_resolution]);
            assert!(case.solvers.len() == 2 || !case.not_for_others.is_empty(), "{}", case.name);
        }
        let error = Case::named("sferic").expect_err("no such case").to_string();
        assert!(error.contains("\"sferic\"") && error.contains("spheric_2") && error.contains("all"), "{error}");
    }
}
