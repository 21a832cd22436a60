//! Water at rest: the pressure is the weight above, the floor bears the total weight, and the water is compressed
//! according to its equation of state: Tait's ρ = ρ₀ (1 + p / B)^(1/7) with B = ρ₀ c² / 7, or not at all if the solver
//! has no equation of state.

use glam::Vec3;

use super::watch::with_short_steps;
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Tolerance, Trial, ValidationError,
};
use crate::files::Frame;
use crate::fluid::{Accuracy, Resolution, Scene, Simulation, Size, Solver};

/// Number of rows of the column, from the floor up, over which pressures are averaged: two layers of particles each at
/// 20 across, because near the floor the pressure of one layer is too high and that of the next too low by the same
/// amount.
const ROWS: usize = 9;
/// Fraction of the time, at its end, over which values are averaged.
const LATE: f64 = 0.2;
/// Interval between observations, s.
const EVERY: f64 = 0.02;
/// Fraction of a spacing that water at free-fall speed may cross in a step, of solvers whose steps can be chosen.
const STEP_FRACTION: f64 = 0.25;

/// The case.
pub(super) static CASE: Case = Case {
    name: "hydrostatic",
    title: "Water at rest",
    source: "p = rho g (H - z); floor force = M g; Tait's equation of state",
    unit: "across",
    resolutions: &[20, 40, 80],
    software_resolution: 20,
    range: (10, 200),
    seconds: 10.0,
    measure,
    figure,
};

/// Sums over the late frames.
#[derive(Default)]
struct Rows {
    /// Number of particles, sum of their pressures in Pa and of their heights in m.
    sums: [(f64, f64, f64); ROWS],
    /// Sum of the compressions of the lowest layer, and their number.
    foot: (f64, f64),
    /// Sum of the mean heights, and the number of frames.
    middle: (f64, f64),
}

impl Rows {
    fn take(&mut self, frame: &Frame, depth: f64, spacing: f64, rest_density: f64) {
        let mut heights = 0.0;
        for (index, position) in frame.positions.iter().enumerate() {
            let height = f64::from(position[1]);
            heights += height;
            if height < spacing {
                self.foot = (self.foot.0 + f64::from(frame.densities[index]) / rest_density - 1.0, self.foot.1 + 1.0);
            }
            let Some(row) = self.sums.get_mut((height / depth * ROWS as f64) as usize) else { continue };
            *row = (row.0 + 1.0, row.1 + f64::from(frame.pressures[index]), row.2 + height);
        }
        self.middle = (self.middle.0 + heights / frame.count() as f64, self.middle.1 + 1.0);
    }

    /// Height in m and mean pressure in Pa of each row that contains particles.
    fn pressures(&self) -> Vec<(f64, f64)> {
        let filled = self.sums.iter().filter(|row| row.0 > 0.0);
        filled.map(|&(count, pressure, height)| (height / count, pressure / count)).collect()
    }
}

fn measure(trial: &mut Trial<'_>) -> Result<Measured, ValidationError> {
    let scene = Scene::load("hydrostatic")?;
    let (width, depth) = (scene.blocks[0].high - scene.blocks[0].low).truncate().as_dvec2().into();
    let spacing = width / f64::from(trial.resolution);
    let gravity = -f64::from(scene.gravity.y);
    let scene = with_short_steps(scene, spacing, (2.0 * gravity * depth).sqrt(), STEP_FRACTION);
    let rest_density = f64::from(scene.material.rest_density);
    let size = Size::Radius((spacing * f64::from(scene.material.radius_ratio)) as f32);

    let from = (1.0 - LATE) * trial.seconds;
    let (mut rows, mut kinetic) = (Rows::default(), Vec::new());
    let mut look = |frame: &Frame, _: &Simulation| {
        let squares = frame.velocities.iter().map(|&velocity| Vec3::from(velocity).as_dvec3().length_squared());
        // Relative to M g H.
        let share = 0.5 * squares.sum::<f64>() / frame.count() as f64 / (gravity * depth);
        kinetic.push((frame.time, share));
        if frame.time >= from {
            rows.take(frame, depth, spacing, rest_density);
        }
    };
    let watched = trial.watch(scene, size, EVERY, &mut look)?;

    let resolution = &watched.resolution;
    let theory = Theory::new(trial.solver, resolution, rest_density, gravity, depth);
    let pressures = rows.pressures();
    let weight = |height: f64| rest_density * gravity * (depth - height);
    let (errors, all) = pressures.iter().fold((0.0, 0.0), |(errors, all), &(height, pressure)| {
        (errors + (pressure - weight(height)).powi(2), all + weight(height).powi(2))
    });
    let force = watched.column("floor_force_N_per_m").mean_from(from);
    let whole = f64::from(resolution.particle_mass) * f64::from(resolution.particle_count) * gravity;
    let middle = rows.middle.0 / rows.middle.1;
    // Half of the depth of this water at its rest density; it starts compressed.
    let loss = 1.0 - middle / (0.5 * whole / (gravity * rest_density * width));
    let late: Vec<f64> = kinetic.iter().filter(|(time, _)| *time >= from).map(|(_, share)| *share).collect();
    let kinetic_share = late.iter().sum::<f64>() / late.len() as f64;
    let pressure_tolerance = if trial.solver.accuracy == Accuracy::Damped { 5.0 } else { 3.0 };
    let stretching = Tolerance::stretching;
    let checks = vec![
        Check::at_most(
            "pressure, error over depth",
            "%",
            100.0 * (errors / all).sqrt(),
            stretching(pressure_tolerance, 1.0),
        ),
        Check::near("floor force over weight", "%", 100.0 * force / whole, 100.0, stretching(1.0, 0.2)),
        Check::near("lost height", "% of H", 100.0 * loss, 100.0 * theory.lost_height, stretching(0.5, 0.1)),
        Check::told(
            "compression of the lowest layer",
            "%",
            100.0 * rows.foot.0 / rows.foot.1,
            100.0 * theory.compression(0.5 * spacing),
        ),
        Check::at_most("kinetic energy over M g H", "1e-6", 1e6 * kinetic_share, stretching(100.0, 1.0)),
    ];
    let in_kilopascals = pressures.iter().map(|&(height, pressure)| (1e-3 * pressure, height)).collect();
    let curves =
        vec![Curve { quantity: "pressure", points: in_kilopascals }, Curve { quantity: "kinetic", points: kinetic }];
    Ok(Measured { watched, checks, curves })
}

/// A column at rest according to its equation of state.
struct Theory {
    /// Stiffness B, Pa; infinite for an incompressible fluid.
    stiffness: f64,
    /// Pressure at the floor, Pa.
    foot: f64,
    /// Depth, m.
    depth: f64,
    /// Fraction by which the height of the column's center of mass decreases.
    lost_height: f64,
}

impl Theory {
    fn new(solver: Solver, resolution: &Resolution, rest_density: f64, gravity: f64, depth: f64) -> Self {
        const LAYERS: u32 = 10_000;
        let stiffness = (solver.stiffness)(rest_density, f64::from(resolution.sound_speed));
        let mut theory = Self { stiffness, foot: rest_density * gravity * depth, depth, lost_height: 0.0 };
        // Layers of equal mass, from the floor up; each is compressed by the weight of those above it.
        let (mut height, mut middle) = (0.0, 0.0);
        for layer in 0..LAYERS {
            let place = (f64::from(layer) + 0.5) / f64::from(LAYERS) * depth;
            let thickness = depth / f64::from(LAYERS) / (1.0 + theory.compression(place));
            middle += (height + 0.5 * thickness) / f64::from(LAYERS);
            height += thickness;
        }
        if stiffness.is_finite() {
            theory.lost_height = 1.0 - middle / (0.5 * depth);
        }
        theory
    }

    /// Compression ρ / ρ₀ − 1 at a height.
    fn compression(&self, height: f64) -> f64 {
        let pressure = self.foot * (1.0 - height / self.depth);
        (1.0 + pressure / self.stiffness).powf(1.0 / 7.0) - 1.0
    }
}

fn figure(outcomes: &[Outcome]) -> Result<Figure, ValidationError> {
    let scene = Scene::load("hydrostatic")?;
    let depth = f64::from(scene.blocks[0].high.y);
    let foot = 1e-3 * f64::from(scene.material.rest_density) * -f64::from(scene.gravity.y) * depth;
    let theory = PlottedCurve::new("weight above", vec![(0.0, depth), (foot, 0.0)], Look::Theory);
    let curves = |quantity: &str| PlottedCurve::of_runs(outcomes, quantity);
    let seconds = outcomes.iter().map(|outcome| outcome.seconds).fold(0.1, f64::max);
    let pressure = Panel {
        title: "Pressure, averaged over the last fifth".into(),
        x: Axis::linear("pressure, kPa", 0.0, 1.15 * foot),
        y: Axis::linear("height above the floor, m", 0.0, depth),
        curves: [vec![theory], curves("pressure")].concat(),
    };
    let kinetic = Panel {
        title: "Residual motion".into(),
        x: Axis::linear("time, s", 0.0, seconds),
        y: Axis::logarithmic("kinetic energy / M g H", 1e-10, 1e-2),
        curves: [
            vec![PlottedCurve::new("required", vec![(0.0, 1e-4), (seconds, 1e-4)], Look::Theory)],
            curves("kinetic"),
        ]
        .concat(),
    };
    Ok(Figure { title: CASE.title.to_owned(), columns: 2, panels: vec![pressure, kinetic] })
}

#[cfg(test)]
mod tests {
    use super::{ROWS, Rows, Theory};
    use crate::files::Frame;
    use crate::fluid::{Resolution, Scene, SmoothingKernel, Solver};

    /// The resolution of the scene with the given speed of sound, m/s.
    fn resolution(sound_speed: f32) -> Resolution {
        let scene = Scene::load("hydrostatic").expect("it ships with the program");
        let resolution = Resolution::from_radius(&scene, SmoothingKernel::default(), 0.15).expect("it fits the scene");
        Resolution { sound_speed, ..resolution }
    }

    #[test]
    fn theory_matches_the_published_compression() {
        // c = 10 sqrt(2 g H) compresses the water at the floor by 0.493 %. The center of mass comes down by a third of
        // that in units of the depth, hence by two thirds in units of half the depth.
        for (factor, foot) in [(10.0, 4.93e-3), (20.0, 1.25e-3), (40.0, 0.31e-3)] {
            let sound_speed = (factor * (2.0_f64 * 9.81 * 0.9).sqrt()) as f32;
            let theory =
                Theory::new(Solver::named("wcsph").expect("a solver"), &resolution(sound_speed), 1000.0, 9.81, 0.9);
            assert!((theory.compression(0.0) - foot).abs() < 1e-5, "{}", theory.compression(0.0));
            assert!((theory.lost_height / (foot * 2.0 / 3.0) - 1.0).abs() < 0.02, "{}", theory.lost_height);
        }
        let stiff = Theory::new(Solver::named("pbf").expect("a solver"), &resolution(1.0), 1000.0, 9.81, 0.9);
        assert!(stiff.compression(0.0).abs() < 1e-15 && stiff.lost_height.abs() < 1e-15);
    }

    #[test]
    fn rows_are_averages_over_height_and_time() {
        let frame = |lower: f32, densities: f32| Frame {
            indices: vec![0, 1, 2, 3],
            positions: vec![[0.0, 0.02, 0.0], [0.5, 0.03, 0.0], [0.5, 0.88, 0.0], [0.5, 7.0, 0.0]],
            velocities: vec![[0.0; 3]; 4],
            densities: vec![densities; 4],
            pressures: vec![lower, 3.0 * lower, 50.0, 0.0],
            ..Frame::default()
        };
        let mut rows = Rows::default();
        rows.take(&frame(100.0, 1010.0), 0.9, 0.05, 1000.0);
        rows.take(&frame(300.0, 1030.0), 0.9, 0.05, 1000.0);
        let pressures = rows.pressures();
        assert_eq!(pressures.len(), 2, "the fourth particle is above the column");
        assert!((pressures[0].0 - 0.025).abs() < 1e-8 && (pressures[0].1 - 400.0).abs() < 1e-9, "{pressures:?}");
        assert!((pressures[1].1 - 50.0).abs() < 1e-9);
        assert!((rows.foot.0 / rows.foot.1 - 0.02).abs() < 1e-7, "{:?}", rows.foot);
        assert_eq!(rows.sums.len(), ROWS);
    }
}
