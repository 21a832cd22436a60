//! A vortex that viscosity brings to rest. In a filled box with smooth walls, u = sin(k x) cos(k y), v = −cos(k x)
//! sin(k y) with k = π / L decays as exp(−2 ν k² t): an exact solution (G. I. Taylor and A. E. Green, Mechanism of the
//! production of small eddies from large ones, Proceedings of the Royal Society A 158, 1937), of which the walls
//! enclose one vortex. ν follows from the component of the velocities that has this form.

use std::f64::consts::PI;

use super::series::slope;
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Tolerance, Trial, ValidationError,
};
use crate::files::Frame;
use crate::fluid::{Scene, Simulation, Size};

/// Interval between observations, s.
const EVERY: f64 = 0.02;
/// Time range in which the decay is measured, in units of 1 / (2 ν k²): after sound and the smaller vortices of the
/// start, which transfer energy to this one, have decayed.
const WINDOW: (f64, f64) = (1.4, 2.8);

/// The case.
pub(super) static CASE: Case = Case {
    name: "shear_box",
    title: "Viscosity of a sheared box",
    source: "Taylor and Green 1937: exp(-2 nu k² t)",
    unit: "across a quarter",
    resolutions: &[12, 25, 50],
    software_resolution: 12,
    range: (5, 150),
    seconds: 3.0,
    measure,
    figure,
};

/// Amplitude of the vortex in the velocities, m/s: their component along it.
fn roll(frame: &Frame, edge: f64) -> f64 {
    let wave = PI / edge;
    let (mut along, mut own) = (0.0, 0.0);
    for (position, velocity) in frame.positions.iter().zip(&frame.velocities) {
        let ((sin_x, cos_x), (sin_y, cos_y)) =
            ((wave * f64::from(position[0])).sin_cos(), (wave * f64::from(position[1])).sin_cos());
        let (u, v) = (sin_x * cos_y, -cos_x * sin_y);
        along += u * f64::from(velocity[0]) + v * f64::from(velocity[1]);
        own += u * u + v * v;
    }
    along / own
}

/// ν, m²/s, from the amplitude of the vortex over time, s.
fn viscosity(rolls: &[(f64, f64)], edge: f64, expected: f64) -> f64 {
    let squared = 2.0 * (PI / edge).powi(2);
    let time = (squared * expected).recip();
    let inside = rolls.iter().filter(|(at, roll)| (WINDOW.0 * time..=WINDOW.1 * time).contains(at) && *roll > 0.0);
    let decay = slope(&inside.map(|(at, roll)| (*at, roll.ln())).collect::<Vec<_>>());
    decay.map_or(f64::NAN, |decay| -decay / squared)
}

fn measure(trial: &mut Trial<'_>) -> Result<Measured, ValidationError> {
    let scene = Scene::load("shear_box")?;
    let edge = f64::from(scene.high.x - scene.low.x);
    let spacing = 0.5 * edge / f64::from(trial.resolution);
    let expected = f64::from(scene.material.kinematic_viscosity);
    let size = Size::Radius((spacing * f64::from(scene.material.radius_ratio)) as f32);
    let mut rolls = Vec::new();
    let mut look = |frame: &Frame, _: &Simulation| rolls.push((frame.time, roll(frame, edge)));
    let watched = trial.watch(scene, size, EVERY, &mut look)?;
    let found = viscosity(&rolls, edge, expected);
    let tolerance = Tolerance::stretching(0.1 * expected, 0.05 * expected);
    let checks = vec![Check::near("kinematic viscosity", "m²/s", found, expected, tolerance)];
    Ok(Measured { watched, checks, curves: vec![Curve { quantity: "roll", points: rolls }] })
}

fn figure(outcomes: &[Outcome]) -> Result<Figure, ValidationError> {
    let scene = Scene::load("shear_box")?;
    let edge = f64::from(scene.high.x - scene.low.x);
    let rate = 2.0 * f64::from(scene.material.kinematic_viscosity) * (PI / edge).powi(2);
    // Through the finest run at the beginning of the time range, because the initial flow is a sum of vortices.
    let start = outcomes.last().and_then(|finest| {
        let begin = WINDOW.0 / rate;
        finest.curve("roll").iter().find(|(time, _)| *time >= begin).map(|(time, roll)| roll * (rate * time).exp())
    });
    let start = start.unwrap_or(0.5);
    let theory = (0..=150_u32).map(|n| 0.02 * f64::from(n)).map(|time| (time, start * (-rate * time).exp())).collect();
    let panel = Panel {
        title: "Speed of the vortex".into(),
        x: Axis::linear("time, s", 0.0, 3.0),
        y: Axis::logarithmic("amplitude, m/s", 0.01, 1.0),
        curves: [
            vec![PlottedCurve::new("exp(-2 nu k² t)", theory, Look::Theory)],
            PlottedCurve::of_runs(outcomes, "roll"),
        ]
        .concat(),
    };
    Ok(Figure { title: CASE.title.to_owned(), columns: 1, panels: vec![panel] })
}

#[cfg(test)]
mod tests {
    use super::{PI, roll, viscosity};
    use crate::files::Frame;

    #[test]
    fn a_vortex_is_found_and_its_decay_gives_the_viscosity() {
        let frame = |amplitude: f64| {
            let place = |n: u32| ([n % 40, n / 40].map(|n| (f64::from(n) + 0.5) / 20.0), n);
            let places = (0..1600).map(place).map(|(place, _)| place);
            let wave = PI / 2.0;
            let speed = |[x, y]: [f64; 2]| {
                let (u, v) = ((wave * x).sin() * (wave * y).cos(), -(wave * x).cos() * (wave * y).sin());
                // A vortex of twice the wave number and a uniform drift do not have this form.
                let other = (2.0 * wave * x).sin() * (2.0 * wave * y).cos();
                [(amplitude * u + 0.3 * other + 0.1) as f32, (amplitude * v) as f32, 0.0]
            };
            Frame {
                positions: places.clone().map(|[x, y]| [x as f32, y as f32, 0.0]).collect(),
                velocities: places.map(speed).collect(),
                ..Frame::default()
            }
        };
        for amplitude in [0.5, -0.2] {
            let found = roll(&frame(amplitude), 2.0);
            assert!((found - amplitude).abs() < 1e-6, "{found}, not {amplitude}");
        }
        let decay = |viscosity: f64| move |time: f64| 0.4 * (-2.0 * viscosity * (PI / 2.0).powi(2) * time).exp();
        let rolls = |viscosity: f64| -> Vec<_> {
            (0..500_u32).map(|n| 0.02 * f64::from(n)).map(|time| (time, decay(viscosity)(time))).collect()
        };
        assert!((viscosity(&rolls(0.05), 2.0, 0.05) - 0.05).abs() < 1e-9);
        assert!(
            (viscosity(&rolls(0.07), 2.0, 0.05) - 0.07).abs() < 1e-9,
            "the measured viscosity, not the expected one"
        );
        assert!(viscosity(&rolls(0.05)[..10], 2.0, 0.05).is_nan());
    }
}
