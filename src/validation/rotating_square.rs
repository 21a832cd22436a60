//! A square of water that rotates freely: it must stay one piece of its own density, with its angular momentum. Its
//! middle is under tension at first, so that water whose pressure is never negative flies apart (A. Colagrossi, A
//! meshless Lagrangian method for free-surface and interface flows with fragmentation, 2005, introduced the test).
//!
//! Density is computed here from the positions alone, since some solvers integrate theirs in time, and only of
//! particles away from the surface: those at which the gradient of that density is small.

use std::collections::HashMap;

use glam::DVec2;

use super::watch::with_short_steps;
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Tolerance, Trial, ValidationError,
};
use crate::files::Frame;
use crate::fluid::{Simulation, Size, SmoothingKernel};

/// Interval between observations, s.
const EVERY: f64 = 0.05;
/// Fraction of a spacing that the fastest water may cross in a step, of solvers whose steps can be chosen.
const STEP_FRACTION: f64 = 0.25;
/// Particles that are nearer to each other than this are of one piece, spacings.
const LINK: f64 = 1.5;
/// Largest gradient of the density away from the surface, rest density over support radius; at a flat surface it is
/// about 1.
const OPEN: f64 = 0.5;

/// The case.
pub(super) static CASE: Case = Case {
    name: "rotating_square",
    title: "A square of water that rotates freely",
    source: "conservation, until omega t = 2",
    unit: "across",
    resolutions: &[25, 50, 100],
    software_resolution: 25,
    range: (10, 200),
    seconds: 2.0,
    measure,
    figure,
};

fn measure(trial: &mut Trial<'_>) -> Result<Measured, ValidationError> {
    let scene = super::scenes::rotating_square()?;
    let side = f64::from(scene.blocks[0].high.x - scene.blocks[0].low.x);
    let spacing = side / f64::from(trial.resolution);
    let radius = spacing * f64::from(scene.material.radius_ratio);
    // The corners move with half of the diagonal per second.
    let scene = with_short_steps(scene, spacing, side * 0.5_f64.sqrt(), STEP_FRACTION);
    let kernel = trial.settings.kernel;
    let (mut spins, mut densities, mut piece) = (Vec::new(), Vec::new(), f64::NAN);
    let mut look = |frame: &Frame, simulation: &Simulation| {
        let places = Places::new(frame, radius);
        let scale = simulation.resolution().density_scale(simulation.scene(), kernel);
        let mean = places.mean_density(kernel, scale / f64::from(simulation.scene().material.rest_density));
        spins.push((frame.time, angular_momentum(frame)));
        densities.push((frame.time, mean));
        piece = places.largest_piece(LINK * spacing);
    };
    let watched = trial.watch(scene, Size::Radius(radius as f32), EVERY, &mut look)?;
    let is_whole = watched.seconds >= CASE.seconds - 1e-9;
    let last = |series: &[(f64, f64)]| series.last().filter(|_| is_whole).map_or(f64::NAN, |point| point.1);
    let first = |series: &[(f64, f64)]| series.first().map_or(f64::NAN, |point| point.1);
    let lost = 1.0 - last(&spins) / first(&spins);
    let density = last(&densities) / first(&densities);
    let checks = vec![
        Check::at_most("outside of the largest piece", "%", 100.0 * (1.0 - piece), Tolerance::pass(0.5)),
        Check::near("density over that at the start", "", density, 1.0, Tolerance::stretching(0.02, 0.01)),
        Check::near("angular momentum lost", "%", 100.0 * lost, 0.0, Tolerance::stretching(0.1, 0.01)),
    ];
    let over_first =
        |series: &[(f64, f64)]| series.iter().map(|&(time, value)| (time, value / first(series))).collect();
    let curves = vec![
        Curve { quantity: "angular momentum", points: over_first(&spins) },
        Curve { quantity: "density", points: over_first(&densities) },
    ];
    Ok(Measured { watched, checks, curves })
}

/// Angular momentum around the origin divided by the mass of a particle, m²/s.
fn angular_momentum(frame: &Frame) -> f64 {
    let of = |(place, velocity): (&[f32; 3], &[f32; 3])| {
        f64::from(place[0]) * f64::from(velocity[1]) - f64::from(place[1]) * f64::from(velocity[0])
    };
    frame.positions.iter().zip(&frame.velocities).map(of).sum()
}

/// The particles in cells as wide as the support radius.
struct Places {
    points: Vec<DVec2>,
    cells: HashMap<(i64, i64), Vec<usize>>,
    radius: f64,
}

impl Places {
    fn new(frame: &Frame, radius: f64) -> Self {
        let places: Vec<_> = frame.positions.iter().map(|place| DVec2::new(place[0].into(), place[1].into())).collect();
        let mut cells = HashMap::<_, Vec<usize>>::new();
        for (index, place) in places.iter().enumerate() {
            cells.entry(Self::cell(*place, radius)).or_default().push(index);
        }
        Self { points: places, cells, radius }
    }

    fn cell(place: DVec2, radius: f64) -> (i64, i64) {
        ((place.x / radius).floor() as i64, (place.y / radius).floor() as i64)
    }

    /// The particles nearer to one than a distance of at most the support radius, with itself.
    fn near(&self, index: usize, distance: f64) -> impl Iterator<Item = usize> {
        let place = self.points[index];
        let (x, y) = Self::cell(place, self.radius);
        let around = (-1..=1).flat_map(move |i| (-1..=1).map(move |j| (x + i, y + j)));
        let inside = move |&other: &usize| self.points[other].distance(place) < distance;
        around.filter_map(|cell| self.cells.get(&cell)).flatten().copied().filter(inside)
    }

    /// Mean density of the particles away from the surface, where `scale` is the factor on a sum of shapes; NaN where
    /// there are none.
    fn mean_density(&self, kernel: SmoothingKernel, scale: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for index in 0..self.points.len() {
            let (mut shapes, mut gradient) = (0.0, DVec2::ZERO);
            for other in self.near(index, self.radius) {
                let offset = (self.points[index] - self.points[other]) / self.radius;
                shapes += kernel.shape(offset.length());
                gradient += kernel.slope_over_q(offset.length()) * offset;
            }
            if scale * gradient.length() < OPEN {
                (sum, count) = (sum + scale * shapes, count + 1.0);
            }
        }
        sum / count
    }

    /// The share of the particles in the largest set whose members are linked by distances below `link`, m.
    fn largest_piece(&self, link: f64) -> f64 {
        let mut seen = vec![false; self.points.len()];
        let mut largest = 0_usize;
        for start in 0..self.points.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let (mut open, mut size) = (vec![start], 0);
            while let Some(index) = open.pop() {
                size += 1;
                for other in self.near(index, link) {
                    if !std::mem::replace(&mut seen[other], true) {
                        open.push(other);
                    }
                }
            }
            largest = largest.max(size);
        }
        largest as f64 / self.points.len() as f64
    }
}

#[expect(clippy::unnecessary_wraps, reason = "other cases read tables for theirs")]
fn figure(outcomes: &[Outcome]) -> Result<Figure, ValidationError> {
    let panel = |title: &str, quantity: &str, low: f64, high: f64| Panel {
        title: title.to_owned(),
        x: Axis::linear("omega t", 0.0, CASE.seconds),
        y: Axis::linear("over that at the start", low, high),
        curves: [
            vec![PlottedCurve::new("conserved", vec![(0.0, 1.0), (CASE.seconds, 1.0)], Look::Theory)],
            PlottedCurve::of_runs(outcomes, quantity),
        ]
        .concat(),
    };
    let panels =
        vec![panel("Angular momentum", "angular momentum", 0.9, 1.1), panel("Density inside", "density", 0.5, 1.1)];
    Ok(Figure { title: CASE.title.to_owned(), columns: 2, panels })
}

#[cfg(test)]
mod tests {
    use super::{Places, angular_momentum};
    use crate::files::Frame;
    use crate::fluid::{Dimensions, SmoothingKernel};

    /// Two squares of a lattice with this distance between them, in spacings of 0.1, scaled and rotating around the
    /// origin with 3 1/s.
    fn squares(gap: f32, scale: f32) -> Frame {
        let place = |n: u16| {
            let (x, y) = (f32::from(n % 20), f32::from(n / 20));
            let x = if n % 20 < 10 { x } else { x + gap - 1.0 };
            [0.1 * scale * x, 0.1 * scale * y, 0.0]
        };
        let positions: Vec<_> = (0..400).map(place).collect();
        Frame {
            velocities: positions.iter().map(|place| [-3.0 * place[1], 3.0 * place[0], 0.0]).collect(),
            positions,
            ..Frame::default()
        }
    }

    #[test]
    fn pieces_and_densities_are_found() {
        let kernel = SmoothingKernel::default();
        let radius = 0.26;
        let per_shape = kernel.lattice_sum(Dimensions::Two, 2.6).recip();
        let read = |gap: f32, scale: f32| {
            let places = Places::new(&squares(gap, scale), radius);
            (places.largest_piece(0.15), places.mean_density(kernel, per_shape))
        };
        let (piece, density) = read(1.0, 1.0);
        // The particles one layer below the rim are counted as well, and lack a little.
        assert!((piece - 1.0).abs() < 1e-9 && (density - 1.0).abs() < 2e-3, "{piece} {density}");
        let (piece, _) = read(3.0, 1.0);
        assert!((piece - 0.5).abs() < 1e-9, "{piece}");
        // Stretched by a tenth in both directions.
        let (_, density) = read(1.0, 1.1);
        assert!((density - 1.0 / 1.21).abs() < 0.02, "{density}");
    }

    #[test]
    fn the_angular_momentum_is_that_of_the_rotation() {
        let frame = squares(1.0, 1.0);
        let squares: f64 =
            frame.positions.iter().map(|place| f64::from(place[0]).powi(2) + f64::from(place[1]).powi(2)).sum();
        assert!((angular_momentum(&frame) / (3.0 * squares) - 1.0).abs() < 1e-6);
    }
}
