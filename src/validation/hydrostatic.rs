//! Water at rest (PHYSICS V5): pressure is the weight above, the floor bears the whole, and the water is compressed as its
//! equation of state says: by Tait's ρ = ρ₀ (1 + p / B)^(1/7) with B = ρ₀ c² / 7, or, of PBF, not at all.

use glam::Vec3;

use super::watch::with_short_steps;
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Tolerance, Trial, ValidationError,
};
use crate::files::Frame;
use crate::fluid::{Resolution, Scene, Simulation, Size, Solver};

/// Parts of the column, from the floor up, that pressures are averaged over: two layers of particles each at 20 across,
/// since near the floor a layer reads too high and the next as much too low.
const ROWS: usize = 9;
/// Share of the time, at its end, that values are means over.
const LATE: f64 = 0.2;
/// Seconds between looks.
const EVERY: f64 = 0.02;
/// Share of a spacing that the water's fall speed may cross in a step of PBF.
const PBF_SHARE: f64 = 0.25;

/// The case.
pub(super) static CASE: Case = Case {
    name: "hydrostatic",
    title: "Water at rest (V5)",
    source: "p = rho g (H - z); floor force = M g; Tait's equation of state",
    unit: "across",
    resolutions: &[20, 40, 80],
    software_resolution: 20,
    range: (10, 200),
    seconds: 10.0,
    solvers: &Solver::FLUIDS,
    not_for_others: "",
    measure,
    figure,
};

/// Sums over the late frames.
#[derive(Default)]
struct Rows {
    /// Particles, their pressures in Pa and their heights in m.
    sums: [(f64, f64, f64); ROWS],
    /// Compressions of the lowest layer, and how many.
    foot: (f64, f64),
    /// Mean heights, and how many frames.
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

    /// Height in m and mean pressure in Pa of each row that has particles.
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
    let scene = with_short_steps(scene, spacing, (2.0 * gravity * depth).sqrt(), PBF_SHARE);
    let rest_density = f64::from(scene.material.rest_density);
    let size = Size::Radius((spacing * f64::from(scene.material.radius_ratio)) as f32);

    let from = (1.0 - LATE) * trial.seconds;
    let (mut rows, mut kinetic) = (Rows::default(), Vec::new());
    let mut first_middle = None;
    let mut look = |frame: &Frame, _: &Simulation| {
        let middle = frame.positions.iter().map(|position| f64::from(position[1])).sum::<f64>() / frame.count() as f64;
        first_middle.get_or_insert(middle);
        let squares = frame.velocities.iter().map(|&velocity| Vec3::from(velocity).as_dvec3().length_squared());
        // Over M g H.
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
    let loss = 1.0 - middle / first_middle.unwrap_or(f64::NAN);
    let late: Vec<f64> = kinetic.iter().filter(|(time, _)| *time >= from).map(|(_, share)| *share).collect();
    let kinetic_share = late.iter().sum::<f64>() / late.len() as f64;
    let is_pbf = trial.solver == Solver::Pbf;
    let pressure_tolerance = if is_pbf { 5.0 } else { 3.0 };
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

/// A column at rest by its equation of state.
struct Theory {
    /// Pa; infinite of what is not compressed.
    stiffness: f64,
    /// Pa.
    foot: f64,
    /// m.
    depth: f64,
    /// By what share the middle of the column's mass comes down.
    lost_height: f64,
}

impl Theory {
    fn new(solver: Solver, resolution: &Resolution, rest_density: f64, gravity: f64, depth: f64) -> Self {
        const LAYERS: u32 = 10_000;
        let stiffness = match solver {
            Solver::Wcsph => rest_density * f64::from(resolution.sound_speed).powi(2) / 7.0,
            Solver::Pbf | Solver::Repulsion => f64::INFINITY,
        };
        let mut theory = Self { stiffness, foot: rest_density * gravity * depth, depth, lost_height: 0.0 };
        // Layers of equal mass, from the floor up: each stands on those below, as thin as what is above makes it.
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

    /// ρ / ρ₀ − 1 at a height.
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
        title: "Pressure, mean of the last fifth".into(),
        x: Axis::linear("pressure, kPa", 0.0, 1.15 * foot),
        y: Axis::linear("height over the floor, m", 0.0, depth),
        curves: [vec![theory], curves("pressure")].concat(),
    };
    let kinetic = Panel {
        title: "Motion that is left".into(),
        x: Axis::linear("time, s", 0.0, seconds),
        y: Axis::logarithmic("kinetic energy / M g H", 1e-10, 1e-2),
        curves: [
            vec![PlottedCurve::new("asked for", vec![(0.0, 1e-4), (seconds, 1e-4)], Look::Theory)],
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

    /// Of the scene, with that speed of sound, m/s.
    fn resolution(sound_speed: f32) -> Resolution {
        let scene = Scene::load("hydrostatic").expect("it ships with the program");
        let resolution = Resolution::from_radius(&scene, SmoothingKernel::default(), 0.15).expect("it fits the scene");
        Resolution { sound_speed, ..resolution }
    }

    #[test]
    fn theory_is_the_published_compression() {
        // PHYSICS 2a: c = 10 sqrt(2 g H) compresses the foot by 0.493 %, and the height is lost by half of that; its
        // middle by a third, doubled.
        for (factor, foot) in [(10.0, 4.93e-3), (20.0, 1.25e-3), (40.0, 0.31e-3)] {
            let sound_speed = (factor * (2.0_f64 * 9.81 * 0.9).sqrt()) as f32;
            let theory = Theory::new(Solver::Wcsph, &resolution(sound_speed), 1000.0, 9.81, 0.9);
            assert!((theory.compression(0.0) - foot).abs() < 1e-5, "{}", theory.compression(0.0));
            assert!((theory.lost_height / (foot * 2.0 / 3.0) - 1.0).abs() < 0.02, "{}", theory.lost_height);
        }
        let stiff = Theory::new(Solver::Pbf, &resolution(1.0), 1000.0, 9.81, 0.9);
        assert!(stiff.compression(0.0).abs() < 1e-15 && stiff.lost_height.abs() < 1e-15);
    }

    #[test]
    fn rows_are_means_over_height_and_time() {
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
        assert_eq!(pressures.len(), 2, "the fourth flies above the column");
        assert!((pressures[0].0 - 0.025).abs() < 1e-8 && (pressures[0].1 - 400.0).abs() < 1e-9, "{pressures:?}");
        assert!((pressures[1].1 - 50.0).abs() < 1e-9);
        assert!((rows.foot.0 / rows.foot.1 - 0.02).abs() < 1e-7, "{:?}", rows.foot);
        assert_eq!(rows.sums.len(), ROWS);
    }
}
