//! SPHERIC's test case 2: a dam break with a box in its path, measured at MARIN. K. M. T. Kleefsman et al., A
//! volume-of-fluid based simulation method for wave impact problems, Journal of Computational Physics 206 (2005).
//!
//! Gauges were upright wires, and are read as such (the probe `WettedLength`), as medians over 50 ms.

use super::experiment::KLEEFSMAN;
use super::watch::with_short_steps;
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Series, Tolerance, Trial,
    ValidationError,
};
use crate::fluid::{Scene, Size};

/// Gauges, in the order of the table's columns.
const GAUGES: [&str; 4] = ["H1", "H2", "H3", "H4"];
/// Number of layers over the depth that the test case prescribes; they give the particle count of the scene.
const LAYERS: u32 = 30;
/// Interval between observations, s, and width of a median, s.
const EVERY: f64 = 0.01;
const MEDIAN: f64 = 0.05;
/// Time until which the gauge in the reservoir is compared, s; then the wave has returned.
const RESERVOIR_UNTIL: f64 = 2.0;
/// Fraction of a spacing that the fastest water may cross in a step, of solvers whose steps can be chosen.
const STEP_FRACTION: f64 = 0.25;

/// The case.
pub(super) static CASE: Case = Case {
    name: "spheric_2",
    title: "SPHERIC test case 2: dam break with a box",
    source: "Kleefsman et al. 2005, water heights",
    unit: "layers",
    resolutions: &[LAYERS],
    software_resolution: 8,
    range: (8, 120),
    seconds: 6.0,
    measure,
    figure,
};

fn measure(trial: &mut Trial<'_>) -> Result<Measured, ValidationError> {
    let scene = Scene::load("spheric_2")?;
    let depth = f64::from(scene.blocks[0].high.y);
    let spacing = depth / f64::from(trial.resolution);
    let fineness = f64::from(trial.resolution) / f64::from(LAYERS);
    let count = (f64::from(scene.particles.unwrap_or_default()) * fineness.powi(3)).round() as u32;
    let speed = (2.0 * -f64::from(scene.gravity.y) * depth).sqrt();
    let scene = with_short_steps(scene, spacing, speed, STEP_FRACTION);
    let watched = trial.watch(scene, Size::Count(count), EVERY, &mut |_, _| {})?;

    let mut curves = Vec::new();
    let mut errors = Vec::new();
    for (number, gauge) in (1..).zip(GAUGES) {
        let read = watched.column(&format!("{gauge}_m")).medians(MEDIAN);
        let measured = KLEEFSMAN.column(number)?;
        errors.push([RESERVOIR_UNTIL, 6.0].map(|until| root_mean_square(&read, &measured, until)));
        curves.push(Curve { quantity: gauge, points: read.points().to_vec() });
    }
    let stretching = Tolerance::stretching;
    let checks = vec![
        Check::at_most("H4 to 2 s, rms error", "m", errors[3][0], stretching(0.02, 0.01)),
        Check::at_most("H2 to 6 s, rms error", "m", errors[1][1], stretching(0.05, 0.03)),
        Check::told("H1 to 6 s, rms error", "m", errors[0][1], 0.0),
        Check::told("H3 to 6 s, rms error", "m", errors[2][1], 0.0),
        Check::told("H4 to 6 s, rms error", "m", errors[3][1], 0.0),
    ];
    Ok(Measured { watched, checks, curves })
}

/// Root mean square difference over the measured points up to that time, s; NaN if the simulated series ends earlier.
fn root_mean_square(simulated: &Series, measured: &Series, until: f64) -> f64 {
    if simulated.end().is_none_or(|end| end < until) {
        return f64::NAN;
    }
    let points = measured.points().iter().filter(|point| point.0 <= until);
    let add = |(sum, count): (f64, f64), &(x, y): &(f64, f64)| (sum + (simulated.at(x) - y).powi(2), count + 1.0);
    let (sum, count) = points.fold((0.0, 0.0), add);
    (sum / count).sqrt()
}

fn figure(outcomes: &[Outcome]) -> Result<Figure, ValidationError> {
    let places = ["behind the box", "before the box", "on the way to it", "in the reservoir"];
    let panel = |number: usize| {
        let measured = KLEEFSMAN.column(number + 1)?.points().to_vec();
        let curves = vec![PlottedCurve::new("measured", measured, Look::Measured)];
        Ok(Panel {
            title: format!("{}, {}", GAUGES[number], places[number]),
            x: Axis::linear("time, s", 0.0, 6.0),
            y: Axis::linear("water, m", 0.0, 0.6),
            curves: [curves, PlottedCurve::of_runs(outcomes, GAUGES[number])].concat(),
        })
    };
    let panels = [3, 2, 1, 0].into_iter().map(panel).collect::<Result<_, ValidationError>>()?;
    Ok(Figure { title: CASE.title.to_owned(), columns: 2, panels })
}

#[cfg(test)]
mod tests {
    use super::{KLEEFSMAN, LAYERS, Series, root_mean_square};
    use crate::fluid::{Resolution, Scene, SmoothingKernel};

    #[test]
    fn the_test_case_has_its_published_count() {
        let scene = Scene::load("spheric_2").expect("it ships with the program");
        let count = scene.particles.expect("the scene says how many");
        let resolution = Resolution::from_count(&scene, SmoothingKernel::default(), count);
        let resolution = resolution.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(resolution.particle_count, 108_540);
        let spacing = 0.55 / LAYERS as f32;
        assert!((resolution.spacing / spacing - 1.0).abs() < 1e-3, "{} m", resolution.spacing);
    }

    #[test]
    fn errors_are_those_of_the_requested_time() {
        let measured = KLEEFSMAN.column(4).expect("it ships with the program");
        assert!(root_mean_square(&measured, &measured, 6.0).abs() < 1e-12);
        let late = |(x, y): &(f64, f64)| (*x, if *x > 3.0 { y + 0.1 } else { *y });
        let wrong = Series::new(measured.points().iter().map(late).collect());
        assert!(root_mean_square(&wrong, &measured, 2.0).abs() < 1e-12);
        // 60 of the 121 points are off.
        let expected = 0.1 * (60.0_f64 / 121.0).sqrt();
        assert!((root_mean_square(&wrong, &measured, 6.0) - expected).abs() < 1e-9);
        let short = Series::new(measured.points()[..30].to_vec());
        assert!(root_mean_square(&short, &measured, 2.0).is_nan());
    }
}
