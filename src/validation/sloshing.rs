//! Sloshing: the first mode of a tank of length L and depth H with smooth walls. In linear theory its angular frequency
//! is ω² = g k tanh(k H) with k = π / L, and it decays as the viscous wave of H. Lamb, Hydrodynamics, 6th edition
//! (1932), article 349, here for a finite depth. With exp(s t), the motion is a potential flow and a vortical one,
//! sinh(m (y + H)) with m² = k² + s / ν, neither of which the floor resists; that no stress acts on the surface
//! requires
//!
//! (s + 2 ν k²)² + ω² = 4 ν² k³ m tanh(k H) coth(m H).
//!
//! To first order in ν the velocities decay with 2 ν k², and their energy with 4 ν k² (A. Souto-Iglesias, L. M.
//! González and R. Zamora, Simulation of anti-roll tanks and sloshing type problems with SPH, 2012, as the project's
//! notes quote it). The layer beneath the surface reduces this by the share tanh(k H) √(ν k² / 2 ω), 10 % at the
//! viscosity of this case.
//!
//! The water starts level, with the velocities of theory for a small amplitude. Frequency and decay are those of the
//! damped oscillation that fits the horizontal momentum best. One run has the scene's artificial viscosity only, which
//! stands for ν = α h c / 8, and one a physical viscosity in addition.

use std::f64::consts::{PI, TAU};

use glam::Vec3;

use super::oscillation::Oscillation;
use super::watch::with_short_steps;
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Tolerance, Trial, ValidationError,
};
use crate::fluid::{Scene, Simulation, Size};

/// Amplitude at the walls, m.
const AMPLITUDE: f64 = 0.025;
/// Observations in a period.
const LOOKS: f64 = 50.0;
/// Fraction of a spacing that the fastest water may cross in a step, of solvers whose steps can be chosen.
const STEP_FRACTION: f64 = 0.25;

/// The case.
pub(super) static CASE: Case = Case {
    name: "sloshing",
    title: "Sloshing in a tank",
    source: "linear theory: omega² = g k tanh(k H); decay of a viscous wave (Lamb 1932, article 349)",
    unit: "across",
    resolutions: &[25, 50, 100],
    software_resolution: 25,
    range: (16, 200),
    // Six periods.
    seconds: 7.1,
    measure,
    figure,
};

/// The first mode of a tank.
#[derive(Clone, Copy)]
struct Mode {
    /// 1/m.
    wave: f64,
    /// 1/s.
    frequency: f64,
    /// m.
    depth: f64,
}

impl Mode {
    fn of(scene: &Scene) -> Self {
        Self::of_depth(scene, f64::from(scene.blocks[0].high.y - scene.low.y))
    }

    fn of_depth(scene: &Scene, depth: f64) -> Self {
        let wave = PI / f64::from(scene.high.x - scene.low.x);
        let frequency = (-f64::from(scene.gravity.y) * wave * (wave * depth).tanh()).sqrt();
        Self { wave, frequency, depth }
    }

    fn period(self) -> f64 {
        TAU / self.frequency
    }

    /// The rate, 1/s, at which velocities decay with this kinematic viscosity, m²/s. The factor coth(m H) is 1 where
    /// the layer beneath the surface is thin against the depth, as it is here.
    fn decay(self, viscosity: f64) -> f64 {
        let Self { wave: k, frequency, depth } = self;
        let slowing = 2.0 * viscosity * k * k;
        let strength = 4.0 * viscosity.powi(2) * k.powi(3) * (k * depth).tanh();
        let mut s = (-slowing, frequency);
        for _ in 0..40 {
            let m = square_root((k * k + s.0 / viscosity, s.1 / viscosity));
            let sum = square_root((strength * m.0 - frequency.powi(2), strength * m.1));
            s = (sum.0 - slowing, sum.1);
        }
        -s.0
    }

    /// The kinematic viscosity, m²/s, with which velocities decay at this rate, 1/s; a rate that is not positive counts
    /// as it does to first order.
    fn viscosity(self, rate: f64) -> f64 {
        let first = rate / (2.0 * self.wave.powi(2));
        if first.is_nan() || first <= 0.0 {
            return first;
        }
        (0..40).fold(first, |viscosity, _| viscosity * rate / self.decay(viscosity))
    }

    /// Velocity at a place relative to the tank's low corner when the water is level, m/s.
    fn velocity(self, x: f64, y: f64) -> Vec3 {
        let (kx, ky) = (self.wave * x, self.wave * y);
        let scale = AMPLITUDE * self.frequency / (self.wave * self.depth).sinh();
        Vec3::new((scale * ky.cosh() * kx.sin()) as f32, (-scale * ky.sinh() * kx.cos()) as f32, 0.0)
    }
}

/// The square root of a complex number, real and imaginary part, in the upper half of the plane.
fn square_root((re, im): (f64, f64)) -> (f64, f64) {
    let (length, angle) = (re.hypot(im).sqrt(), 0.5 * im.atan2(re));
    (length * angle.cos(), length * angle.sin())
}

fn measure(trial: &mut Trial<'_>) -> Result<Measured, ValidationError> {
    let Trial { gpu, settings, solver, resolution, seconds, ref mut progress } = *trial;
    let scene = super::scenes::sloshing()?;
    let mode = Mode::of(&scene);
    let length = f64::from(scene.high.x - scene.low.x);
    let gravity = -f64::from(scene.gravity.y);
    let spacing = length / f64::from(resolution);
    let scene = with_short_steps(scene, spacing, (2.0 * gravity * mode.depth).sqrt(), STEP_FRACTION);
    let size = Size::Radius((spacing * f64::from(scene.material.radius_ratio)) as f32);
    let real = length * (gravity * length).sqrt() / 250.0;
    let start = |simulation: &mut Simulation| {
        let frame = simulation.observe()?;
        let positions: Vec<Vec3> = frame.positions.iter().map(|&place| place.into()).collect();
        let velocities: Vec<Vec3> = positions.iter().map(|at| mode.velocity(at.x.into(), at.y.into())).collect();
        simulation.set_particles(&positions, &velocities)
    };
    let mut run = |viscosity: f64, part: f64| {
        let mut scene = scene.clone();
        scene.material.kinematic_viscosity = viscosity as f32;
        let progress = &mut |done: f64| progress(0.5 * (part + done));
        let mut trial = Trial { gpu, settings, solver, resolution, seconds, progress };
        let every = mode.period() / LOOKS;
        let watched = trial.watch_from(scene, size, every, &start, &mut |_, _| {})?;
        let momentum = watched.column("momentum_x_kg_per_s").points().to_vec();
        let fit = Oscillation::fitted(&momentum, mode.frequency);
        Ok::<_, ValidationError>((watched, momentum, fit))
    };
    let (watched, low_curve, low) = run(0.0, 0.0)?;
    let (viscous, real_curve, damped) = run(real, 1.0)?;

    let of = &watched.resolution;
    let sound = f64::from(of.sound_speed);
    let artificial = f64::from(scene.material.viscosity) * 0.5 * f64::from(of.support_radius) * sound / 8.0;
    // Whole layers of particles may be a little less than the depth of the scene.
    let volume = f64::from(of.particle_count) * f64::from(of.spacing).powi(2);
    let mode = Mode::of_depth(&scene, volume / length);
    // A damped oscillator is slower than an undamped one.
    let undamped = (low.frequency.powi(2) + low.rate.powi(2)).sqrt();
    let period = mode.period();
    let checks = vec![
        Check::near("period", "s", TAU / undamped, period, Tolerance::stretching(0.01 * period, 0.003 * period)),
        Check::near(
            "viscosity by the decay over the given one",
            "",
            mode.viscosity(damped.rate) / (real + artificial),
            1.0,
            Tolerance::stretching(0.2, 0.1),
        ),
        Check::at_most(
            "low viscosity by the decay over the declared one",
            "",
            mode.viscosity(low.rate) / artificial,
            Tolerance::pass(1.5),
        ),
    ];
    let curves = vec![
        Curve { quantity: "low viscosity", points: low_curve },
        Curve { quantity: "real viscosity", points: real_curve },
    ];
    Ok(Measured { watched: watched.and(&viscous), checks, curves })
}

fn figure(outcomes: &[Outcome]) -> Result<Figure, ValidationError> {
    let scene = super::scenes::sloshing()?;
    let mode = Mode::of(&scene);
    // The momentum at the start in theory, from the integral of the velocities.
    let density = f64::from(scene.material.rest_density);
    let start = density * AMPLITUDE * mode.frequency * 2.0 / mode.wave.powi(2);
    let length = f64::from(scene.high.x - scene.low.x);
    let real = length * (-f64::from(scene.gravity.y) * length).sqrt() / 250.0;
    let decay = |viscosity: f64| if viscosity > 0.0 { mode.decay(viscosity) } else { 0.0 };
    let panel = |quantity: &str, viscosity: f64| {
        let momentum = |time: f64| start * (-decay(viscosity) * time).exp() * (mode.frequency * time).cos();
        let theory = (0..=700_u32).map(|n| 0.01 * f64::from(n)).map(|time| (time, momentum(time))).collect();
        Panel {
            title: format!("Horizontal momentum, {quantity}"),
            x: Axis::linear("time, s", 0.0, 7.1),
            y: Axis::linear("kg / s", -1.2 * start, 1.2 * start),
            curves: [
                vec![PlottedCurve::new("linear theory", theory, Look::Theory)],
                PlottedCurve::of_runs(outcomes, quantity),
            ]
            .concat(),
        }
    };
    let panels = vec![panel("low viscosity", 0.0), panel("real viscosity", real)];
    Ok(Figure { title: CASE.title.to_owned(), columns: 1, panels })
}

#[cfg(test)]
mod tests {
    use super::Mode;

    #[test]
    fn the_period_is_that_of_theory_and_the_flow_slips_along_the_walls() {
        let mode = Mode::of(&super::super::scenes::sloshing().expect("it ships with the program"));
        assert!((mode.period() - 1.18182).abs() < 1e-5, "{} s", mode.period());
        assert!(mode.velocity(0.0, 0.3).x.abs() < 1e-7 && mode.velocity(1.0, 0.3).x.abs() < 1e-7);
        assert!(mode.velocity(0.3, 0.0).y.abs() < 1e-7);
        // The surface at the wall begins to move with amplitude times frequency.
        let rise = f64::from(mode.velocity(1.0, 0.5).y);
        assert!((rise / (0.025 * mode.frequency) - 1.0).abs() < 1e-6, "{rise}");
    }

    #[test]
    fn viscous_waves_decay_as_in_theory() {
        let mode = Mode::of(&super::super::scenes::sloshing().expect("it ships with the program"));
        let first_order = |viscosity: f64| 2.0 * viscosity * mode.wave.powi(2);
        // The share by which the layer beneath the surface reduces the decay.
        for viscosity in [1e-6, 1e-4, 1e-3] {
            let layer = (0.5 * viscosity * mode.wave.powi(2) / mode.frequency).sqrt();
            let reduced = (mode.wave * mode.depth).tanh() * layer;
            let share = mode.decay(viscosity) / first_order(viscosity);
            assert!((share - (1.0 - reduced)).abs() < 0.5 * layer.powi(2) + 1e-6, "{viscosity}: {share}, {reduced}");
        }
        // Newton's method on the whole equation, coth included, outside of this program: 0.89994 at √g / 250 m²/s.
        let viscosity = 9.81_f64.sqrt() / 250.0;
        assert!((mode.decay(viscosity) / first_order(viscosity) - 0.89994).abs() < 1e-4);
        for viscosity in [1e-6, 1e-3, viscosity] {
            assert!((mode.viscosity(mode.decay(viscosity)) / viscosity - 1.0).abs() < 1e-9);
        }
        assert!(mode.viscosity(-0.1) < 0.0);
    }
}
