//! The dam break of J. C. Martin and W. J. Moyce, An experimental study of the collapse of liquid columns on a rigid
//! horizontal plane, Philosophical Transactions A 244 (1952). Their clock started with the gate's opening, so the front
//! is compared after fitting one shift of its time; the errors without a shift and the slope, which a shift does not
//! change, are reported as well.

use super::experiment::{
    KOSHIZUKA_OKA, MARTIN_MOYCE_FRONT, MARTIN_MOYCE_HEIGHT, MARTIN_MOYCE_LONG_RUN, MARTIN_MOYCE_SMALLER, VIOLEAU_SPH,
};
use super::watch::with_short_steps;
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Series, ShiftFit, Tolerance, Trial,
    ValidationError,
};
use crate::fluid::{Accuracy, Dimensions, Scene, Size, Solver};

/// Fronts between which the slope is determined, in widths of the column.
const SLOPE_RANGE: (f64, f64) = (2.0, 3.9);
/// Number of observations per time unit of the front.
const LOOKS: f64 = 50.0;
/// Fraction of a spacing that the fastest water may cross in a step, of solvers whose steps can be chosen.
const STEP_FRACTION: f64 = 0.25;

/// The case in two dimensions.
pub(super) static CASE: Case = Case {
    name: "martin_moyce",
    title: "Martin and Moyce's dam break in two dimensions",
    source: "Martin and Moyce 1952, tables 2 and 6, n² = 2",
    unit: "across",
    resolutions: &[20, 40, 80],
    software_resolution: 20,
    range: (8, 200),
    seconds: 2.4,
    measure: |trial| measure(trial, Dimensions::Two),
    figure: |outcomes| figure(outcomes, CASE.title),
};

/// The same in three dimensions: a slab half as thick as the column is wide.
pub(super) static SLAB: Case = Case {
    name: "martin_moyce_slab",
    title: "Martin and Moyce's dam break in three dimensions",
    resolutions: &[40],
    software_resolution: 10,
    range: (8, 80),
    measure: |trial| measure(trial, Dimensions::Three),
    figure: |outcomes| figure(outcomes, SLAB.title),
    ..CASE
};

fn measure(trial: &mut Trial<'_>, dimensions: Dimensions) -> Result<Measured, ValidationError> {
    let mut scene = Scene::load("martin_moyce")?;
    scene.dimensions = dimensions;
    let width = f64::from(scene.blocks[0].high.x - scene.blocks[0].low.x);
    let gravity = -f64::from(scene.gravity.y);
    let spacing = width / f64::from(trial.resolution);
    let scene = with_short_steps(scene, spacing, (4.0 * gravity * width).sqrt(), STEP_FRACTION);
    let size = Size::Radius((spacing * f64::from(scene.material.radius_ratio)) as f32);
    let (front_clock, height_clock) = ((2.0 * gravity / width).sqrt(), (gravity / width).sqrt());
    let watched = trial.watch(scene, size, (LOOKS * front_clock).recip(), &mut |_, _| {})?;

    let front = watched.column("front_m").scaled(front_clock, width.recip());
    let foremost = watched.column("foremost_m").scaled(front_clock, width.recip());
    let height = watched.column("column_m").scaled(height_clock, (2.0 * width).recip());
    let measured = MARTIN_MOYCE_FRONT.column(1)?;
    let mut checks = front_checks(trial.solver, &front, &measured);
    let raw = ShiftFit::new(&foremost, &measured);
    checks.push(Check::told("foremost particle, mean error after its shift", "%", 100.0 * raw.mean, 0.0));
    let limit = if trial.solver.accuracy == Accuracy::Damped { 0.06 } else { 0.04 };
    let error = largest_difference(&height, &MARTIN_MOYCE_HEIGHT.column(1)?);
    checks.push(Check::at_most("height, largest error", "of 2a", error, Tolerance::stretching(limit, 0.02)));
    let curves = vec![
        Curve { quantity: "front", points: front.points().to_vec() },
        Curve { quantity: "height", points: height.points().to_vec() },
    ];
    Ok(Measured { watched, checks, curves })
}

fn front_checks(solver: Solver, front: &Series, measured: &Series) -> Vec<Check> {
    let fit = ShiftFit::new(front, measured);
    let (mean, largest) = if solver.accuracy == Accuracy::Damped { (8.0, 12.0) } else { (5.0, 10.0) };
    let slope_of = |series: &Series| series.slope_between(SLOPE_RANGE.0, SLOPE_RANGE.1).unwrap_or(f64::NAN);
    let slope = slope_of(measured);
    let stretching = Tolerance::stretching;
    vec![
        Check::near("front, fitted shift of time", "T", fit.shift, 0.15, Tolerance::pass(0.15)),
        Check::at_most("front, mean error after the shift", "%", 100.0 * fit.mean, stretching(mean, 3.0)),
        Check::at_most("front, largest error after the shift", "%", 100.0 * fit.largest, Tolerance::pass(largest)),
        Check::told("front, mean error as it is", "%", 100.0 * fit.raw_mean, 0.0),
        Check::told("front, largest error as it is", "%", 100.0 * fit.raw_largest, 0.0),
        Check::near("front, slope dZ/dT", "", slope_of(front), slope, stretching(0.08 * slope, 0.04 * slope)),
    ]
}

/// Largest absolute difference; NaN if the simulated series ends before the measured one.
fn largest_difference(simulated: &Series, measured: &Series) -> f64 {
    if simulated.end().zip(measured.end()).is_none_or(|(simulated, measured)| simulated < measured) {
        return f64::NAN;
    }
    measured.points().iter().map(|&(x, y)| (simulated.at(x) - y).abs()).fold(0.0, f64::max)
}

fn figure(outcomes: &[Outcome], title: &str) -> Result<Figure, ValidationError> {
    let curve = |label, series: Series, look| PlottedCurve::new(label, series.points().to_vec(), look);
    let fronts = vec![
        curve("Violeau 2012, SPH", VIOLEAU_SPH.column(1)?, Look::Theory),
        curve("Koshizuka and Oka 1996", KOSHIZUKA_OKA.column(1)?, Look::OtherMeasured),
        curve("Martin and Moyce 1952, a = 1.125 in", MARTIN_MOYCE_SMALLER.column(1)?, Look::OtherMeasured),
        curve("a = 2.25 in, to Z = 14", MARTIN_MOYCE_LONG_RUN.column(1)?, Look::OtherMeasured),
        curve("a = 2.25 in, table 2", MARTIN_MOYCE_FRONT.column(1)?, Look::Measured),
    ];
    let heights = vec![curve("Martin and Moyce 1952, table 6", MARTIN_MOYCE_HEIGHT.column(1)?, Look::Measured)];
    let front = Panel {
        title: "Front, without a shift of time".into(),
        x: Axis::linear("T = t sqrt(2 g / a)", 0.0, 5.0),
        y: Axis::linear("Z = x / a", 1.0, 7.0),
        curves: [fronts, PlottedCurve::of_runs(outcomes, "front")].concat(),
    };
    let height = Panel {
        title: "Height at the wall".into(),
        x: Axis::linear("t sqrt(g / a)", 0.0, 7.5),
        y: Axis::linear("H = height / 2a", 0.0, 1.0),
        curves: [heights, PlottedCurve::of_runs(outcomes, "height")].concat(),
    };
    Ok(Figure { title: title.to_owned(), columns: 2, panels: vec![front, height] })
}

#[cfg(test)]
mod tests {
    use super::{MARTIN_MOYCE_FRONT, MARTIN_MOYCE_HEIGHT, Series, front_checks, largest_difference};
    use crate::fluid::Solver;
    use crate::validation::{Check, Verdict};

    /// The measured front with its clock advanced, accelerated by that factor, and with a start at rest.
    fn front(shift: f64, faster: f64) -> Series {
        let measured = MARTIN_MOYCE_FRONT.column(1).expect("it ships with the program");
        let begun = std::iter::once((0.0, 1.0)).chain(measured.points().iter().copied()).collect();
        let begun = Series::new(begun);
        let z = |t: f64| 1.0 + faster * (begun.at(t + shift) - begun.at(shift));
        Series::new((0..=400_u32).map(|n| 0.01 * f64::from(n)).map(|t| (t, z(t))).collect())
    }

    fn verdicts(front: &Series) -> Vec<Verdict> {
        let measured = MARTIN_MOYCE_FRONT.column(1).expect("it ships with the program");
        front_checks(Solver::named("wcsph").expect("a solver"), front, &measured).iter().map(Check::verdict).collect()
    }

    #[test]
    fn the_experiment_itself_passes_and_wrong_fronts_miss() {
        let good = verdicts(&front(0.15, 1.0));
        assert!(!good.contains(&Verdict::Miss), "{good:?}");
        // A front that is a third too fast; no shift corrects its slope.
        let fast = verdicts(&front(0.15, 1.35));
        assert_eq!(fast[5], Verdict::Miss, "{fast:?}");
        // A clock that is off by half a unit.
        let late = verdicts(&front(0.5, 1.0));
        assert_eq!(late[0], Verdict::Miss, "{late:?}");
        // A run that ended early has no measurement.
        let short = Series::new(front(0.15, 1.0).points()[..200].to_vec());
        let short = verdicts(&short);
        assert!([0, 1, 2, 5].iter().all(|&check| short[check] == Verdict::Miss), "{short:?}");
    }

    #[test]
    fn heights_are_compared_at_every_measured_time() {
        let measured = MARTIN_MOYCE_HEIGHT.column(1).expect("it ships with the program");
        assert!(largest_difference(&measured, &measured).abs() < 1e-12);
        let mut wrong = measured.points().to_vec();
        wrong[4].1 -= 0.1;
        assert!((largest_difference(&Series::new(wrong.clone()), &measured) - 0.1).abs() < 1e-12);
        assert!(largest_difference(&Series::new(wrong[..5].to_vec()), &measured).is_nan());
    }
}
