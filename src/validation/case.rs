//! Validation cases: what each one runs, measures and compares, and the outcome of a run.

use std::time::Duration;

use super::{
    Check, Figure, Trial, ValidationError, Verdict, Watched, buoyancy, corners, drop, hydrostatic, lobovsky,
    martin_moyce, rotating_square, shear_box, sloshing, spheric,
};
use crate::fluid::{Resolution, Solver};
use crate::gpu::{AdapterClass, nearest_names};

/// A published or derived result that the simulation is compared with.
///
/// ```
/// use nearwater::validation::CASES;
///
/// for case in CASES {
///     println!("{:20} {}", case.name, case.source);
/// }
/// ```
#[derive(Debug)]
pub struct Case {
    /// Name on the command line.
    pub name: &'static str,
    /// A short description.
    pub title: &'static str,
    /// The reference that it is compared with, and its source.
    pub source: &'static str,
    /// The unit of the resolution.
    pub unit: &'static str,
    /// Resolutions on a graphics card, ascending.
    pub resolutions: &'static [u32],
    /// The resolution on a software adapter.
    pub software_resolution: u32,
    /// Smallest and largest resolution that can be requested.
    pub range: (u32, u32),
    /// Simulated time, s.
    pub seconds: f64,
    pub(super) measure: fn(&mut Trial<'_>) -> Result<Measured, ValidationError>,
    pub(super) figure: fn(&[Outcome]) -> Result<Figure, ValidationError>,
}

/// Every case, in the order in which `all` runs them.
pub static CASES: [&Case; 12] = [
    &hydrostatic::CASE,
    &corners::CASE,
    &corners::IN_SPACE,
    &sloshing::CASE,
    &martin_moyce::CASE,
    &martin_moyce::SLAB,
    &spheric::CASE,
    &lobovsky::CASE,
    &rotating_square::CASE,
    &drop::CASE,
    &buoyancy::CASE,
    &shear_box::CASE,
];

/// A curve for a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The quantity that it shows.
    pub quantity: &'static str,
    /// Pairs of abscissa and value.
    pub points: Vec<(f64, f64)>,
}

/// The measurements of a run.
pub struct Measured {
    pub(super) watched: Watched,
    pub(super) checks: Vec<Check>,
    pub(super) curves: Vec<Curve>,
}

/// A case that was run once, and its results.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The case.
    pub case: &'static Case,
    /// The solver.
    pub solver: Solver,
    /// The resolution, in the case's unit.
    pub fineness: u32,
    /// The particle resolution that follows from it.
    pub resolution: Resolution,
    /// Number of steps.
    pub steps: u64,
    /// Simulated time, s.
    pub seconds: f64,
    /// Wall-clock time of the steps.
    pub wall: Duration,
    /// The measured values and their references.
    pub checks: Vec<Check>,
    /// The curves for figures.
    pub curves: Vec<Curve>,
}

impl Outcome {
    /// The worst verdict of all checks.
    pub fn verdict(&self) -> Verdict {
        self.checks.iter().map(Check::verdict).min().unwrap_or(Verdict::Reported)
    }

    /// The curve of a quantity.
    pub fn curve(&self, quantity: &str) -> &[(f64, f64)] {
        self.curves.iter().find(|curve| curve.quantity == quantity).map_or(&[], |curve| &curve.points)
    }

    /// Solver and resolution, for legends and tables.
    pub fn label(&self) -> String {
        format!("{} {}", self.solver.label(), self.fineness)
    }
}

impl Case {
    /// The cases with that name, or all of them for `all`.
    ///
    /// # Errors
    /// When there is none; the message contains the nearest names.
    pub fn named(wanted: &str) -> Result<Vec<&'static Self>, ValidationError> {
        let found: Vec<_> = CASES.into_iter().filter(|case| wanted == "all" || case.name == wanted).collect();
        if found.is_empty() {
            let nearest = nearest_names(wanted, CASES.map(|case| case.name)).join(", ");
            return Err(ValidationError::UnknownCase { name: wanted.to_owned(), nearest });
        }
        Ok(found)
    }

    /// Default resolutions on an adapter of that class.
    pub fn usual_resolutions(&self, class: AdapterClass) -> Vec<u32> {
        if class == AdapterClass::Software { vec![self.software_resolution] } else { self.resolutions.to_vec() }
    }

    /// Rejects parameters that the case cannot be run with.
    ///
    /// # Errors
    /// When the resolution or the time in s is out of range, or the solver does not simulate a fluid.
    pub fn check(&self, solver: Solver, resolution: u32, seconds: f64) -> Result<(), ValidationError> {
        /// A longer run is taken for a typing error, s.
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
        if !solver.is_fluid() {
            return Err(ValidationError::Solver { solver: solver.label(), name: solver.name() });
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

    /// The reference and the runs in one picture.
    ///
    /// # Errors
    /// Only if a table in the program is damaged.
    pub fn figure(&self, outcomes: &[Outcome]) -> Result<Figure, ValidationError> {
        (self.figure)(outcomes)
    }
}

#[cfg(test)]
mod tests {
    use super::{CASES, Case};
    use crate::gpu::AdapterClass;

    #[test]
    fn cases_are_found_by_name_and_misspelled_ones_suggest_the_nearest() {
        assert_eq!(Case::named("all").expect("there are some").len(), CASES.len());
        for case in CASES {
            let found = Case::named(case.name).expect("it is one of them");
            assert!(found.len() == 1 && found[0].name == case.name);
            let (least, most) = case.range;
            let usual = [case.resolutions, &[case.software_resolution]].concat();
            assert!(usual.iter().all(|resolution| (least..=most).contains(resolution)), "{}", case.name);
            assert_eq!(case.usual_resolutions(AdapterClass::Software), [case.software_resolution]);
        }
        let error = Case::named("sferic").expect_err("no such case").to_string();
        assert!(error.contains("\"sferic\"") && error.contains("spheric_2") && error.contains("all"), "{error}");
    }
}
