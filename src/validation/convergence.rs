//! The order of convergence: the power of the resolution with which the errors of a case decrease.

use super::series::slope;
use super::{Check, Outcome};
use crate::fluid::Solver;

/// Number of resolutions from which an order can be determined.
const LEAST: usize = 3;

/// A solver's order of convergence in each quantity of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Convergence {
    /// The solver.
    pub solver: Solver,
    /// Each quantity that has a tolerance, and the order in which its error decreases: 1 where it halves at twice the
    /// resolution, 2 where it becomes a quarter, and negative where it grows. NaN where an error is 0 or not known.
    pub orders: Vec<(&'static str, f64)>,
}

impl Convergence {
    /// The orders of all solvers that ran with at least three resolutions: slopes of the least-squares lines through
    /// the logarithms of error and resolution.
    pub fn of(outcomes: &[Outcome]) -> Vec<Self> {
        let mut solvers: Vec<Solver> = Vec::new();
        for outcome in outcomes {
            if !solvers.contains(&outcome.solver) {
                solvers.push(outcome.solver);
            }
        }
        let of_solver = |solver: Solver| {
            let runs: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.solver == solver).collect();
            let mut resolutions: Vec<u32> = runs.iter().map(|run| run.fineness).collect();
            resolutions.sort_unstable();
            resolutions.dedup();
            (resolutions.len() >= LEAST).then(|| Self { solver, orders: orders(&runs) })
        };
        solvers.into_iter().filter_map(of_solver).collect()
    }

    /// The order in a quantity, if it has one.
    pub fn order(&self, quantity: &str) -> Option<f64> {
        self.orders
            .iter()
            .find(|(known, _)| *known == quantity)
            .map(|(_, order)| *order)
            .filter(|order| order.is_finite())
    }
}

fn orders(runs: &[&Outcome]) -> Vec<(&'static str, f64)> {
    let Some(first) = runs.first() else { return Vec::new() };
    let order = |quantity: &'static str| {
        let same = |run: &&Outcome| run.checks.iter().find(|check| check.quantity == quantity).map(error);
        let points = runs.iter().map(|run| (f64::from(run.fineness).ln(), same(run).unwrap_or(f64::NAN).ln()));
        (quantity, slope(&points.collect::<Vec<_>>()).map_or(f64::NAN, |slope| -slope))
    };
    first.checks.iter().filter(|check| check.tolerance.is_some()).map(|check| order(check.quantity)).collect()
}

fn error(check: &Check) -> f64 {
    (check.value - check.reference).abs()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Convergence;
    use crate::fluid::{Resolution, Scene, SmoothingKernel, Solver};
    use crate::validation::{CASES, Check, Outcome, Tolerance};

    fn outcome(fineness: u32, error: f64) -> Outcome {
        let scene = Scene::load("dam_break").expect("it ships with the program");
        let checks = vec![
            Check::near("second", "", 3.0 - error, 3.0, Tolerance::pass(1.0)),
            Check::at_most("none", "", 0.0, Tolerance::pass(1.0)),
            Check::told("told", "", 1.0, 3.0),
        ];
        Outcome {
            case: CASES[0],
            solver: Solver::default(),
            fineness,
            resolution: Resolution::from_radius(&scene, SmoothingKernel::default(), 0.2).expect("it fits"),
            steps: 1,
            seconds: 1.0,
            wall: Duration::ZERO,
            checks,
            curves: Vec::new(),
        }
    }

    #[test]
    fn errors_that_become_a_quarter_at_twice_the_resolution_are_of_second_order() {
        let runs = [(20, 0.16), (40, 0.04), (80, 0.01)].map(|(fineness, error)| outcome(fineness, error));
        let [found] = &Convergence::of(&runs)[..] else { panic!("one solver") };
        assert!((found.order("second").expect("an order") - 2.0).abs() < 1e-9, "{found:?}");
        assert_eq!((found.order("none"), found.order("told")), (None, None));
        assert!(Convergence::of(&runs[..2]).is_empty(), "two resolutions show no order");
    }
}
