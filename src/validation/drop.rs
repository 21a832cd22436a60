//! A drop that oscillates by its surface tension, in two dimensions and without gravity. The pressure inside
//! exceeds that outside by σ / R (Young and Laplace), and its mode n = 2 has the angular frequency ω² = n (n² − 1)
//! σ / (ρ R³) = 6 σ / (ρ R³) (Lord Rayleigh, On the capillary phenomena of jets, Proceedings of the Royal Society
//! 29, 1879).
//!
//! The drop starts round, with a flow that stretches it by a tenth. The oscillation is that of the difference of
//! its mean squares along both axes; frequency and decay are those of the damped oscillation that fits it best.

use std::f64::consts::{PI, TAU};

use super::oscillation::Oscillation;
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Tolerance, Trial, ValidationError,
};
use crate::files::Frame;
use crate::fluid::{Scene, Simulation, Size};

/// Observations in a period.
const LOOKS: f64 = 50.0;
/// The time from which the pressure is averaged, periods: sound from the start has died away.
const SETTLED: f64 = 1.0;

/// The case.
pub(super) static CASE: Case = Case {
    name: "drop",
    title: "A drop that oscillates by its surface tension",
    source: "pressure by Young and Laplace; period by Rayleigh 1879",
    unit: "across",
    resolutions: &[20, 40, 80],
    software_resolution: 20,
    range: (10, 200),
    // Three periods.
    seconds: 0.9,
    measure,
    figure,
};

/// A round drop.
#[derive(Clone, Copy)]
struct Drop {
    /// Radius, m.
    radius: f64,
    /// Surface tension, N/m.
    tension: f64,
    /// kg/m³.
    density: f64,
}

impl Drop {
    /// The drop of this area, m².
    fn of(scene: &Scene, area: f64) -> Self {
        let tension = f64::from(scene.material.surface_tension);
        Self { radius: (area / PI).sqrt(), tension, density: scene.material.rest_density.into() }
    }

    /// The drop of the scene's block.
    fn of_block(scene: &Scene) -> Self {
        let block = &scene.blocks[0];
        let half = 0.5 * f64::from(block.high.x - block.low.x);
        Self::of(scene, PI * half * half)
    }

    /// The pressure inside, Pa.
    fn pressure(self) -> f64 {
        self.tension / self.radius
    }

    /// The angular frequency of the mode that stretches it, 1/s.
    fn frequency(self) -> f64 {
        (6.0 * self.tension / (self.density * self.radius.powi(3))).sqrt()
    }

    /// The perimeter of the ellipse with the area of the drop and this `stretch`, m (S. Ramanujan's approximation).
    fn perimeter(self, stretch: f64) -> f64 {
        // The squares of the half axes over that of the radius, whose product is 1.
        let longer = 0.5 * stretch + (0.25 * stretch * stretch + 1.0).sqrt();
        let (a, b) = (longer.sqrt(), longer.sqrt().recip());
        let h = ((a - b) / (a + b)).powi(2);
        PI * self.radius * (a + b) * (1.0 + 3.0 * h / (10.0 + (4.0 - 3.0 * h).sqrt()))
    }

    /// The rate, 1/s, at which a low kinematic viscosity, m²/s, damps this mode: 2 n (n − 1) ν / R², from the flow
    /// without viscosity as in H. Lamb, Hydrodynamics, 6th edition (1932), article 355 on spheres.
    fn decay(self, viscosity: f64) -> f64 {
        4.0 * viscosity / self.radius.powi(2)
    }
}

fn measure(trial: &mut Trial<'_>) -> Result<Measured, ValidationError> {
    let scene = super::scenes::drop()?;
    let width = f64::from(scene.blocks[0].high.x - scene.blocks[0].low.x);
    let radius = width / f64::from(trial.resolution) * f64::from(scene.material.radius_ratio);
    let nominal = Drop::of_block(&scene);
    let mut stretched = Vec::new();
    let mut look = |frame: &Frame, _: &Simulation| stretched.push((frame.time, stretch(frame, nominal.radius)));
    let every = TAU / nominal.frequency() / LOOKS;
    let watched = trial.watch(scene.clone(), Size::Radius(radius as f32), every, &mut look)?;

    let of = &watched.resolution;
    let drop = Drop::of(&scene, f64::from(of.particle_count) * f64::from(of.spacing).powi(2));
    let fit = Oscillation::fitted(&stretched, drop.frequency());
    // A damped oscillator is slower than an undamped one.
    let undamped = fit.frequency.hypot(fit.rate);
    let period = TAU / drop.frequency();
    let read = watched.column("middle_Pa").points().to_vec();
    let settled: Vec<f64> = read.iter().filter(|(time, _)| *time > SETTLED * period).map(|point| point.1).collect();
    let pressure = settled.iter().sum::<f64>() / settled.len() as f64;
    // What the drop would be thrown away with by the forces on half of its surface.
    let half = 2.0 * drop.tension * watched.seconds;
    let pushed = |axis| watched.column(axis).points().last().map_or(f64::NAN, |point| point.1);
    let momentum = pushed("momentum_x_kg_per_s").hypot(pushed("momentum_y_kg_per_s"));
    let mut checks = vec![
        Check::near(
            "pressure inside over that of the tension",
            "",
            pressure / drop.pressure(),
            1.0,
            Tolerance::stretching(0.1, 0.05),
        ),
        Check::near("period", "s", TAU / undamped, period, Tolerance::stretching(0.05 * period, 0.02 * period)),
        Check::told("rate of decay", "1/s", fit.rate, drop.decay(scene.material.kinematic_viscosity.into())),
        Check::at_most(
            "momentum gained over that by half of the surface",
            "%",
            100.0 * momentum / half,
            Tolerance::pass(1.0),
        ),
    ];
    let moving = watched.column("kinetic_energy_J_per_m");
    let of_surface = |stretch: f64| drop.tension * (drop.perimeter(stretch) - drop.perimeter(0.0));
    let energies = moving.points().iter().zip(&stretched).map(|(moving, stretched)| moving.1 + of_surface(stretched.1));
    let energies: Vec<f64> = energies.collect();
    let highest = energies.iter().copied().fold(0.0, f64::max);
    checks.push(Check::told("energy gained over that at the start", "%", 100.0 * (highest / energies[0] - 1.0), 0.0));
    let relative = |points: &[(f64, f64)], whole: f64| points.iter().map(|&(time, y)| (time, y / whole)).collect();
    let curves = vec![
        Curve { quantity: "stretch", points: stretched },
        Curve { quantity: "pressure", points: relative(&read, drop.pressure()) },
    ];
    Ok(Measured { watched, checks, curves })
}

/// The difference of the mean squares along both axes, over that of a half axis with this radius, m.
fn stretch(frame: &Frame, radius: f64) -> f64 {
    let count = frame.positions.len() as f64;
    let mean = |axis: usize| frame.positions.iter().map(|place| f64::from(place[axis])).sum::<f64>() / count;
    let middle = [mean(0), mean(1)];
    let squares = |axis: usize| {
        let of = |place: &[f32; 3]| (f64::from(place[axis]) - middle[axis]).powi(2);
        frame.positions.iter().map(of).sum::<f64>() / count
    };
    (squares(0) - squares(1)) / (0.25 * radius * radius)
}

fn figure(outcomes: &[Outcome]) -> Result<Figure, ValidationError> {
    let scene = super::scenes::drop()?;
    let frequency = Drop::of_block(&scene).frequency();
    // A stretch by a tenth lengthens the square of one axis by a fifth and shortens that of the other one.
    let theory =
        (0..=450_u32).map(|n| 0.002 * f64::from(n)).map(|time| (time, 0.4 * (frequency * time).sin())).collect();
    let panel = |title: &str, quantity: &str, unit: &str, (low, high), theory: Vec<(f64, f64)>| Panel {
        title: title.to_owned(),
        x: Axis::linear("time, s", 0.0, CASE.seconds),
        y: Axis::linear(unit, low, high),
        curves: [vec![PlottedCurve::new("theory", theory, Look::Theory)], PlottedCurve::of_runs(outcomes, quantity)]
            .concat(),
    };
    let level = vec![(0.0, 1.0), (CASE.seconds, 1.0)];
    let panels = vec![
        panel("Stretch of the drop", "stretch", "difference of the mean squares over R² / 4", (-0.6, 0.6), theory),
        panel("Pressure inside", "pressure", "over that of the tension", (0.0, 2.0), level),
    ];
    Ok(Figure { title: CASE.title.to_owned(), columns: 1, panels })
}

#[cfg(test)]
mod tests {
    use super::{Drop, stretch};
    use crate::files::Frame;
    use crate::fluid::VelocityField;

    #[test]
    fn period_and_pressure_are_those_of_theory() {
        let scene = super::super::scenes::drop().expect("it ships with the program");
        let drop = Drop::of_block(&scene);
        // 6 · 0.073 / (1000 · 1e-6) = 438 1/s².
        assert!((drop.frequency() - 438.0_f64.sqrt()).abs() < 1e-4 && (drop.pressure() - 7.3).abs() < 1e-5);
        // A circle, and an ellipse with half axes of 1.1 and 1 / 1.1 by numerical integration outside of this
        // program.
        assert!((drop.perimeter(0.0) / (0.02 * std::f64::consts::PI) - 1.0).abs() < 1e-6);
        assert!((drop.perimeter(1.21 - 1.21_f64.recip()) / 0.01 - 6.326_00).abs() < 1e-4);
        // The flow stretches it by a tenth of its radius.
        let [VelocityField::Strain { rate, .. }] = scene.blocks[0].fields[..] else { panic!("one field") };
        assert!((f64::from(rate.x) / (0.1 * drop.frequency()) - 1.0).abs() < 2e-3);
        assert!((rate.x + rate.y).abs() < f32::EPSILON);
    }

    #[test]
    fn the_stretch_of_an_ellipse_is_that_of_its_axes() {
        // Points of a lattice in an ellipse with half axes of 1.1 and 1 / 1.1.
        let points = (-60..=60).flat_map(|x| (-60..=60).map(move |y| [0.02 * x as f32, 0.02 * y as f32, 0.0]));
        let inside = |place: &[f32; 3]| (place[0] / 1.1).powi(2) + (place[1] * 1.1).powi(2) < 1.0;
        let frame = Frame { positions: points.filter(inside).collect(), ..Frame::default() };
        let expected = 1.1_f64.powi(2) - 1.1_f64.powi(-2);
        assert!((stretch(&frame, 1.0) - expected).abs() < 5e-3, "{}", stretch(&frame, 1.0));
    }
}
