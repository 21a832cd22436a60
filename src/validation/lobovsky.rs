//! The pressure of a dam break on a wall: L. Lobovsky, E. Botia-Vera, F. Castellana, J. Mas-Soler and A.
//! Souto-Iglesias, Experimental investigation of dynamic pressure loads during dam break, Journal of Fluids and
//! Structures 48 (2014), with H = 300 mm and their second sensor, 15 mm above the floor of the far wall. Their
//! percentiles are over repeated runs.
//!
//! The thin layer of water that runs along the floor is braked by it, which published computations of this dam break
//! leave out; they find more pressure near the floor than was measured (docs/VALIDATION.md). So there are two runs. One
//! has the skin friction of smooth walls and is compared with the experiment. The other has none, and its impulses at
//! four sensors are compared with such a computation: J. J. De Courcy, T. C. S. Rendall, L. Constantin, B. Titurus and
//! J. E. Cooper, Incompressible δ-SPH via artificial compressibility, Computer Methods in Applied Mechanics and
//! Engineering 420 (2024), as the repository TrixiParticles.jl has digitized it.
//!
//! Times are in units of √(H / g) and pressures in units of ρ g H; there is no shift of time. Pressures are medians
//! over 5 ms of the probe `Pressure` over a sensor's diameter.

use super::experiment::LOBOVSKY_SENSOR;
use super::watch::{Watched, with_short_steps};
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Series, Tolerance, Trial,
    ValidationError,
};
use crate::fluid::Size;

/// Interval between observations, s, and width of a median, s.
const EVERY: f64 = 0.001;
const MEDIAN: f64 = 0.005;
/// Fraction of a spacing that the fastest water may cross in a step, of solvers whose steps can be chosen.
const STEP_FRACTION: f64 = 0.25;
/// Pressure at which the wave has arrived.
const ARRIVED: f64 = 0.1;
/// Times between which the impulse is taken.
const IMPULSE: (f64, f64) = (2.4, 5.0);
/// Times between which pressures are compared with the measured band, how many are compared, and what is added to the
/// band on both sides.
const BAND: (f64, f64) = (3.0, 5.0);
const COMPARED: u32 = 200;
const BESIDE: f64 = 0.1;

/// Coefficient of the skin friction of smooth walls at the Reynolds number 4 u d / ν = 2e5 of a layer of d = 25 mm at
/// 2 m/s: 0.0791 / Re^(1/4) = 0.0037 (H. Blasius 1913, for the hydraulic diameter), and the two side walls, which a run
/// in two dimensions lacks, have a third of the floor's area.
const FRICTION: f32 = 0.005;

/// A sensor: its column, and the impulse there in the computation of De Courcy et al. without friction.
struct Sensor {
    column: &'static str,
    check: &'static str,
    impulse: f64,
}

const SENSORS: [Sensor; 4] = [
    Sensor { column: "P1_Pa", check: "impulse without friction, 3 mm", impulse: 3.189 },
    Sensor { column: "P2_Pa", check: "impulse without friction, 15 mm", impulse: 2.807 },
    Sensor { column: "P3_Pa", check: "impulse without friction, 30 mm", impulse: 2.237 },
    Sensor { column: "P4_Pa", check: "impulse without friction, 80 mm", impulse: 0.693 },
];

/// The case.
pub(super) static CASE: Case = Case {
    name: "lobovsky",
    title: "Pressure of a dam break on a wall",
    source: "Lobovsky et al. 2014, sensor 2, H = 300 mm",
    unit: "layers",
    resolutions: &[40, 80, 160],
    software_resolution: 20,
    range: (15, 320),
    // Until 6 √(H / g).
    seconds: 1.05,
    measure,
    figure,
};

fn measure(trial: &mut Trial<'_>) -> Result<Measured, ValidationError> {
    let Trial { gpu, settings, solver, resolution, seconds, ref mut progress } = *trial;
    let scene = super::scenes::lobovsky()?;
    let depth = f64::from(scene.blocks[0].high.y);
    let gravity = -f64::from(scene.gravity.y);
    let spacing = depth / f64::from(resolution);
    let unit = f64::from(scene.material.rest_density) * gravity * depth;
    let scene = with_short_steps(scene, spacing, 2.0 * (gravity * depth).sqrt(), STEP_FRACTION);
    let size = Size::Radius((spacing * f64::from(scene.material.radius_ratio)) as f32);
    let mut run = |friction: f32, part: f64| {
        let mut scene = scene.clone();
        scene.material.skin_friction = friction;
        let progress = &mut |done: f64| progress(0.5 * (part + done));
        Trial { gpu, settings, solver, resolution, seconds, progress }.watch(scene, size, EVERY, &mut |_, _| {})
    };
    let (smooth, rubbed) = (run(0.0, 0.0)?, run(FRICTION, 1.0)?);
    let read = |watched: &Watched, column: &str| {
        watched.column(column).medians(MEDIAN).scaled((gravity / depth).sqrt(), unit.recip())
    };
    let measured = [LOBOVSKY_SENSOR.column(1)?, LOBOVSKY_SENSOR.column(3)?];
    let (with, without) = (read(&rubbed, "P2_Pa"), read(&smooth, "P2_Pa"));
    let mut checks = checks(&with, measured, &LOBOVSKY_SENSOR.column(2)?);
    checks.extend(SENSORS.iter().map(|Sensor { column, check, impulse }| {
        let tolerance = Tolerance::stretching(0.15 * impulse, 0.05 * impulse);
        Check::near(check, "", Loads::of(&read(&smooth, column)).impulse, *impulse, tolerance)
    }));
    let curve = |quantity, series: &Series| Curve { quantity, points: series.points().to_vec() };
    let curves = vec![curve("P2", &with), curve("P2 without friction", &without)];
    Ok(Measured { watched: rubbed.and(&smooth), checks, curves })
}

/// Compares a series of pressures with the median of the measured ones and the band around it.
fn checks(read: &Series, [low, high]: [Series; 2], median: &Series) -> Vec<Check> {
    let stretching = Tolerance::stretching;
    let [found, expected] = [read, median].map(Loads::of);
    let inside = (0..COMPARED).filter(|&number| {
        let time = BAND.0 + (BAND.1 - BAND.0) * (f64::from(number) + 0.5) / f64::from(COMPARED);
        (low.at(time) - BESIDE..=high.at(time) + BESIDE).contains(&read.at(time))
    });
    let is_whole = read.end().is_some_and(|end| end >= BAND.1);
    let share = if is_whole { 100.0 * inside.count() as f64 / f64::from(COMPARED) } else { f64::NAN };
    let (arrival, peak, impulse) = (expected.arrival, expected.peak, expected.impulse);
    vec![
        Check::near("arrival", "t sqrt(g / H)", found.arrival, arrival, Tolerance::pass(0.03 * arrival)),
        // The goal is the measured band of peaks, 1.77 to 2.03.
        Check::near("peak", "rho g H", found.peak, peak, stretching(0.4 * peak, 0.1)),
        Check::near("impulse, 2.4 to 5", "", found.impulse, impulse, stretching(0.15 * impulse, 0.1 * impulse)),
        Check::at_most("share outside the band ± 0.1, 3 to 5", "%", 100.0 - share, Tolerance::pass(20.0)),
    ]
}

/// What a sensor feels.
struct Loads {
    arrival: f64,
    peak: f64,
    impulse: f64,
}

impl Loads {
    /// NaN where the series ends too early.
    fn of(series: &Series) -> Self {
        let points = series.points();
        let arrival = points.iter().find(|point| point.1 > ARRIVED).map_or(f64::NAN, |point| point.0);
        if series.end().is_none_or(|end| end < IMPULSE.1) {
            return Self { arrival, peak: f64::NAN, impulse: f64::NAN };
        }
        let within = points.iter().filter(|point| (IMPULSE.0..=IMPULSE.1).contains(&point.0));
        let peak = within.map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
        let steps = 2000_u32;
        let width = (IMPULSE.1 - IMPULSE.0) / f64::from(steps);
        let middle = |number: u32| series.at(IMPULSE.0 + (f64::from(number) + 0.5) * width);
        Self { arrival, peak, impulse: (0..steps).map(middle).sum::<f64>() * width }
    }
}

fn figure(outcomes: &[Outcome]) -> Result<Figure, ValidationError> {
    let column = |number: usize| Ok::<_, ValidationError>(LOBOVSKY_SENSOR.column(number)?.points().to_vec());
    let panel = |quantity: &str, note: &str| {
        Ok::<_, ValidationError>(Panel {
            title: format!("Sensor 2, 15 mm above the floor{note}"),
            x: Axis::linear("t sqrt(g / H)", 2.0, 6.0),
            y: Axis::linear("pressure / rho g H", -0.5, 3.0),
            curves: [
                vec![
                    PlottedCurve::new("measured, 2.5 %", column(1)?, Look::Theory),
                    PlottedCurve::new("97.5 %", column(3)?, Look::Theory),
                    PlottedCurve::new("median", column(2)?, Look::OtherMeasured),
                ],
                PlottedCurve::of_runs(outcomes, quantity),
            ]
            .concat(),
        })
    };
    let panels = vec![panel("P2", ", smooth walls")?, panel("P2 without friction", ", walls without friction")?];
    Ok(Figure { title: CASE.title.to_owned(), columns: 1, panels })
}

#[cfg(test)]
mod tests {
    use super::{LOBOVSKY_SENSOR, Series, checks};
    use crate::validation::Verdict;

    fn verdicts(read: &Series) -> Vec<Verdict> {
        let column = |number: usize| LOBOVSKY_SENSOR.column(number).expect("it ships with the program");
        checks(read, [column(1), column(3)], &column(2)).iter().map(super::Check::verdict).collect()
    }

    #[test]
    fn the_measured_median_passes_and_wrong_pressures_miss() {
        let median = LOBOVSKY_SENSOR.column(2).expect("it ships with the program");
        assert!(!verdicts(&median).contains(&Verdict::Miss), "{:?}", verdicts(&median));
        assert_eq!(verdicts(&median.scaled(1.0, 1.5)), [Verdict::Pass, Verdict::Miss, Verdict::Miss, Verdict::Miss]);
        assert_eq!(verdicts(&median.scaled(1.05, 1.0))[0], Verdict::Miss, "a wave that is late");
        let short = Series::new(median.points()[..60].to_vec());
        assert_eq!(verdicts(&short)[1..], [Verdict::Miss; 3]);
    }

    #[test]
    fn the_loads_of_the_median_are_those_that_were_published() {
        let median = LOBOVSKY_SENSOR.column(2).expect("it ships with the program");
        let loads = super::Loads::of(&median);
        // The table is in steps of 0.01.
        assert!((loads.arrival - 2.461).abs() < 0.011, "{}", loads.arrival);
        assert!(
            (loads.peak - 1.871).abs() < 0.01 && (loads.impulse - 2.01).abs() < 0.02,
            "{} {}",
            loads.peak,
            loads.impulse
        );
    }
}
