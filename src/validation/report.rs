//! Outcomes as CSV rows and as Markdown tables.

use std::fmt::Write as _;

use super::{Case, Check, Convergence, Outcome, Verdict};

/// Column headings of [`result_rows`].
const RESULT_COLUMNS: [&str; 15] = [
    "case",
    "solver",
    "resolution",
    "particles",
    "spacing_m",
    "time_step_s",
    "steps",
    "water_s",
    "run_time_s",
    "quantity",
    "unit",
    "measured",
    "reference",
    "tolerance",
    "verdict",
];

/// A row for every check of every outcome, for a CSV file; the first is the header.
pub fn result_rows(outcomes: &[Outcome]) -> Vec<Vec<String>> {
    let header = RESULT_COLUMNS.map(str::to_owned).to_vec();
    let row = |outcome: &Outcome, check: &Check| {
        let resolution = &outcome.resolution;
        vec![
            outcome.case.name.to_owned(),
            outcome.solver.name().to_owned(),
            format!("{} {}", outcome.fineness, outcome.case.unit),
            resolution.particle_count.to_string(),
            resolution.spacing.to_string(),
            resolution.time_step.to_string(),
            outcome.steps.to_string(),
            format!("{:.4}", outcome.seconds),
            format!("{:.2}", outcome.wall.as_secs_f64()),
            check.quantity.to_owned(),
            check.unit.to_owned(),
            check.value.to_string(),
            check.reference.to_string(),
            check.tolerance.map_or_else(String::new, |tolerance| tolerance.pass.to_string()),
            check.verdict().label().to_owned(),
        ]
    };
    let rows = outcomes.iter().flat_map(|outcome| outcome.checks.iter().map(move |check| row(outcome, check)));
    std::iter::once(header).chain(rows).collect()
}

/// A row for every point of every curve, for a CSV file; the first is the header.
pub fn curve_rows(outcomes: &[Outcome]) -> Vec<Vec<String>> {
    let header = ["solver", "resolution", "quantity", "x", "y"].map(str::to_owned).to_vec();
    let mut rows = vec![header];
    for outcome in outcomes {
        for curve in &outcome.curves {
            rows.extend(curve.points.iter().map(|(x, y)| {
                let words = [outcome.solver.name(), &outcome.fineness.to_string(), curve.quantity].map(str::to_owned);
                [words.as_slice(), &[format!("{x:.5}"), format!("{y:.6}")]].concat()
            }));
        }
    }
    rows
}

/// A number with the digits that are significant.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => "not reached".to_owned(),
        0.0 => "0".to_owned(),
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 100.0 => format!("{value:.1}"),
        size if size >= 10.0 => format!("{value:.2}"),
        size if size >= 0.01 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

impl Check {
    /// The requirement: the reference and the required and the tighter tolerance.
    pub fn asked(&self) -> String {
        let Some(tolerance) = self.tolerance else {
            return if self.reference == 0.0 { String::new() } else { format!("({})", number(self.reference)) };
        };
        let stretch = tolerance.stretch.map_or_else(String::new, |stretch| format!(" ({})", number(stretch)));
        if self.reference == 0.0 {
            format!("≤ {}{stretch}", number(tolerance.pass))
        } else {
            format!("{} ± {}{stretch}", number(self.reference), number(tolerance.pass))
        }
    }

    /// The value with its verdict.
    pub fn answered(&self) -> String {
        let value = number(self.value);
        match self.verdict() {
            Verdict::Miss => format!("**{value} MISS**"),
            Verdict::Pass => format!("{value} pass"),
            Verdict::Stretch => format!("{value} stretch"),
            Verdict::Reported => value,
        }
    }

    /// Quantity and unit.
    pub fn name(&self) -> String {
        if self.unit.is_empty() { self.quantity.to_owned() } else { format!("{} [{}]", self.quantity, self.unit) }
    }
}

/// A table of a case's outcomes in Markdown, one column each; `None` if there are none.
pub fn markdown(case: &Case, outcomes: &[Outcome]) -> Option<String> {
    let of_case: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.case.name == case.name).collect();
    let first = of_case.first()?;
    // Writing into a string never fails.
    let mut text = String::new();
    let convergences = Convergence::of(&of_case.iter().map(|&outcome| outcome.clone()).collect::<Vec<_>>());
    let write =
        |text: &mut String, name: &str, asked: &str, cells: Vec<String>, order: &dyn Fn(&Convergence) -> String| {
            let cells = [cells, convergences.iter().map(order).collect()].concat();
            let _ = writeln!(text, "| {name} | {asked} | {} |", cells.join(" | "));
        };
    let row = |text: &mut String, name: &str, asked: &str, cell: &dyn Fn(&Outcome) -> String| {
        write(text, name, asked, of_case.iter().map(|outcome| cell(outcome)).collect(), &|_| String::new());
    };
    let labels = of_case.iter().map(|outcome| outcome.label()).collect();
    write(&mut text, case.unit, "required (goal)", labels, &|found| format!("{}, order", found.solver.label()));
    let _ = writeln!(text, "|---|---|{}", "---|".repeat(of_case.len() + convergences.len()));
    row(&mut text, "particles", "", &|outcome| outcome.resolution.particle_count.to_string());
    row(&mut text, "time step [ms]", "", &|outcome| number(1e3 * f64::from(outcome.resolution.time_step)));
    row(&mut text, "water [s] in run time [s]", "", &|outcome| {
        format!("{} in {}", number(outcome.seconds), number(outcome.wall.as_secs_f64()))
    });
    for check in &first.checks {
        // Tolerances may differ between solvers; in that case each one is listed.
        let same = |outcome: &&Outcome| outcome.checks.iter().find(|other| other.quantity == check.quantity).cloned();
        let mut asked: Vec<String> = of_case.iter().filter_map(same).map(|check| check.asked()).collect();
        asked.dedup();
        let answers = of_case.iter().map(|outcome| same(outcome).map_or_else(String::new, |check| check.answered()));
        write(&mut text, &check.name(), &asked.join("; "), answers.collect(), &|found| {
            found.order(check.quantity).map_or_else(String::new, |order| format!("{order:.1}"))
        });
    }
    Some(text)
}
