//! Water at rest in a tank: the pressure beside floor, walls, edges and in corners divided by that of the depth, and
//! the forces on the floor and on two walls, at several ratios of the support radius to the spacing.
//!
//! The depth is measured from twice the height of the center of mass, since the highest particles do not form a level.
//! A particle is beside a wall if it is nearer to it than a spacing. Means are over all particles of a region that are
//! at least a fifth of the depth below the surface, and over the last fifth of the time; the worst particle is the one
//! within four spacings of a wall whose mean over that time is farthest from its depth.

use glam::DVec3;

use super::watch::with_short_steps;
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Tolerance, Trial, ValidationError,
    Watched,
};
use crate::files::Frame;
use crate::fluid::{Density, Dimensions, Simulation, Size};

/// Fraction of the time, at its end, over which values are averaged.
const LATE: f64 = 0.2;
/// Interval between observations, s.
const EVERY: f64 = 0.02;
/// Fraction of a spacing that water at free-fall speed may cross in a step, of solvers whose steps can be chosen.
const STEP_FRACTION: f64 = 0.25;
/// Distance from a wall up to which single particles are compared, spacings.
const NEAR: f64 = 4.0;
/// Smallest depth of a particle that is compared, as a share of the water's: above it, half a spacing is much.
const SHALLOW: f64 = 0.2;

/// Smallest ratio of support radius to spacing of the accurate mode of WCSPH; below it, densities are integrated all
/// the same.
const ACCURATE_FROM: f32 = 2.6;

/// Ratios of support radius to spacing, and the names of the values with each.
const RATIOS: [(f32, Names); 3] = [
    (
        2.2,
        Names {
            regions: [
                "ratio 2.2: interior",
                "ratio 2.2: floor",
                "ratio 2.2: walls",
                "ratio 2.2: floor edges and corners",
                "ratio 2.2: upright edges",
                "ratio 2.2: corners of three walls",
            ],
            worst: "ratio 2.2: worst particle near a wall",
            floor: "ratio 2.2: floor force",
            sides: "ratio 2.2: side force",
            curve: "ratio 2.2",
        },
    ),
    (
        2.6,
        Names {
            regions: [
                "ratio 2.6: interior",
                "ratio 2.6: floor",
                "ratio 2.6: walls",
                "ratio 2.6: floor edges and corners",
                "ratio 2.6: upright edges",
                "ratio 2.6: corners of three walls",
            ],
            worst: "ratio 2.6: worst particle near a wall",
            floor: "ratio 2.6: floor force",
            sides: "ratio 2.6: side force",
            curve: "ratio 2.6",
        },
    ),
    (
        3.0,
        Names {
            regions: [
                "ratio 3: interior",
                "ratio 3: floor",
                "ratio 3: walls",
                "ratio 3: floor edges and corners",
                "ratio 3: upright edges",
                "ratio 3: corners of three walls",
            ],
            worst: "ratio 3: worst particle near a wall",
            floor: "ratio 3: floor force",
            sides: "ratio 3: side force",
            curve: "ratio 3",
        },
    ),
];

/// The names of the values with one ratio.
struct Names {
    /// As in [`Region`].
    regions: [&'static str; 6],
    worst: &'static str,
    floor: &'static str,
    sides: &'static str,
    curve: &'static str,
}

/// The case in two dimensions.
pub(super) static CASE: Case = Case {
    name: "corners",
    title: "Pressure beside walls and in corners",
    source: "p = rho g depth; floor force = M g; side force = M g H / (2 L)",
    unit: "across",
    resolutions: &[20, 40, 80],
    software_resolution: 20,
    range: (10, 160),
    seconds: 5.0,
    measure: |trial| measure(trial, Dimensions::Two),
    figure: |outcomes| figure(outcomes, CASE.title),
};

/// The same in three dimensions, half as thick as long.
pub(super) static IN_SPACE: Case = Case {
    name: "corners_in_space",
    title: "Pressure beside walls and in corners, in three dimensions",
    resolutions: &[10, 20, 30],
    software_resolution: 10,
    range: (8, 60),
    seconds: 4.0,
    measure: |trial| measure(trial, Dimensions::Three),
    figure: |outcomes| figure(outcomes, IN_SPACE.title),
    ..CASE
};

/// Where a particle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    Interior,
    Floor,
    Wall,
    FloorAndWall,
    TwoWalls,
    FloorAndTwoWalls,
}

impl Region {
    fn of(is_at_floor: bool, walls: usize) -> Self {
        match (is_at_floor, walls) {
            (false, 0) => Self::Interior,
            (true, 0) => Self::Floor,
            (false, 1) => Self::Wall,
            (true, 1) => Self::FloorAndWall,
            (false, _) => Self::TwoWalls,
            (true, _) => Self::FloorAndTwoWalls,
        }
    }
}

/// Sums of pressure over that of the depth, and their numbers.
#[derive(Clone, Default)]
struct Sums {
    regions: [(f64, f64); 6],
    /// By index of the particle: of those near a wall.
    particles: Vec<(f64, f64)>,
}

/// The tank.
struct Tank {
    low: DVec3,
    high: DVec3,
    dimensions: Dimensions,
    spacing: f64,
    /// Pressure over depth, Pa/m.
    gradient: f64,
}

impl Tank {
    fn take(&self, frame: &Frame, sums: &mut Sums) {
        let places = || frame.positions.iter().map(|&[x, y, z]| DVec3::new(x.into(), y.into(), z.into()));
        // The heights are those of layers of equal mass.
        let surface = 2.0 * places().map(|place| place.y - self.low.y).sum::<f64>() / frame.count() as f64;
        sums.particles.resize(frame.count(), (0.0, 0.0));
        for (index, place) in places().enumerate() {
            let (over_low, under_high) = (place - self.low, self.high - place);
            let depth = surface - over_low.y;
            if depth < SHALLOW * surface {
                continue;
            }
            let ratio = f64::from(frame.pressures[index]) / (self.gradient * depth);
            let axes: &[usize] = if self.dimensions == Dimensions::Two { &[0] } else { &[0, 2] };
            let nearest = |axis: &usize| over_low[*axis].min(under_high[*axis]);
            let walls = axes.iter().filter(|axis| nearest(axis) < self.spacing).count();
            let region = &mut sums.regions[Region::of(over_low.y < self.spacing, walls) as usize];
            *region = (region.0 + ratio, region.1 + 1.0);
            let is_near = axes.iter().map(nearest).fold(over_low.y, f64::min) < NEAR * self.spacing;
            if is_near {
                let particle = &mut sums.particles[index];
                *particle = (particle.0 + ratio, particle.1 + 1.0);
            }
        }
    }
}

impl Sums {
    fn mean(&self, region: Region) -> f64 {
        let (sum, count) = self.regions[region as usize];
        sum / count
    }

    /// The mean ratio of the particle that is farthest from 1, of those that were near a wall half of the time.
    fn worst(&self) -> f64 {
        let most = self.particles.iter().map(|particle| particle.1).fold(0.0, f64::max);
        let means =
            self.particles.iter().filter(|particle| 2.0 * particle.1 > most).map(|particle| particle.0 / particle.1);
        means.fold(f64::NAN, |worst, mean| if (mean - 1.0).abs() <= (worst - 1.0).abs() { worst } else { mean })
    }
}

fn measure(trial: &mut Trial<'_>, dimensions: Dimensions) -> Result<Measured, ValidationError> {
    let Trial { gpu, settings, solver, resolution, seconds, ref mut progress } = *trial;
    let (mut checks, mut curves, mut first) = (Vec::new(), Vec::new(), None::<Watched>);
    for (part, (ratio, names)) in (0_u32..).zip(&RATIOS) {
        let mut scene = super::scenes::corners()?;
        scene.dimensions = dimensions;
        scene.material.radius_ratio = *ratio;
        // The accurate mode of WCSPH would raise the ratio.
        if *ratio < ACCURATE_FROM {
            scene.solver_settings.parse("wcsph.accurate=0")?;
            scene.material.density = Density::Continuity { diffusion: 0.1 };
        }
        let block = &scene.blocks[0];
        let (width, depth) = (f64::from(block.high.x), f64::from(block.high.y));
        let spacing = width / f64::from(resolution);
        let gravity = -f64::from(scene.gravity.y);
        let scene = with_short_steps(scene, spacing, (2.0 * gravity * depth).sqrt(), STEP_FRACTION);
        let tank = Tank {
            low: scene.low.as_dvec3(),
            high: scene.high.as_dvec3(),
            dimensions,
            spacing,
            gradient: f64::from(scene.material.rest_density) * gravity,
        };
        let thickness = if dimensions == Dimensions::Two { 1.0 } else { tank.high.z - tank.low.z };
        let from = (1.0 - LATE) * seconds;
        let mut sums = Sums::default();
        let mut heights = (0.0, 0.0);
        let mut look = |frame: &Frame, _: &Simulation| {
            if frame.time >= from {
                tank.take(frame, &mut sums);
                let sum: f64 = frame.positions.iter().map(|place| f64::from(place[1])).sum();
                heights = (heights.0 + 2.0 * sum / frame.count() as f64, heights.1 + 1.0);
            }
        };
        let progress = &mut |done: f64| progress((f64::from(part) + done) / RATIOS.len() as f64);
        let mut one = Trial { gpu, settings, solver, resolution, seconds, progress };
        let size = Size::Radius((spacing * f64::from(*ratio)) as f32);
        let watched = one.watch(scene, size, EVERY, &mut look)?;

        let beside = Tolerance::stretching(3.0, 1.0);
        checks.push(Check::told(names.regions[0], "% of depth", 100.0 * sums.mean(Region::Interior), 100.0));
        let regions = [Region::Floor, Region::Wall, Region::FloorAndWall, Region::TwoWalls, Region::FloorAndTwoWalls];
        // In two dimensions there are no edges of two walls.
        let count = if dimensions == Dimensions::Two { 3 } else { 5 };
        for region in &regions[..count] {
            let name = names.regions[*region as usize];
            checks.push(Check::near(name, "% of depth", 100.0 * sums.mean(*region), 100.0, beside));
        }
        checks.push(Check::near(names.worst, "% of depth", 100.0 * sums.worst(), 100.0, beside));
        let unit = if dimensions == Dimensions::Two { "N_per_m" } else { "N" };
        let force = |name: &str| watched.column(&format!("{name}_{unit}")).mean_from(from);
        let of = &watched.resolution;
        let weight = f64::from(of.particle_mass) * f64::from(of.particle_count) * gravity;
        let surface = heights.0 / heights.1;
        let side = 0.5 * tank.gradient * surface * surface * thickness;
        let tolerance = Tolerance::stretching(1.0, 0.2);
        checks.push(Check::near(names.floor, "% of weight", 100.0 * force("floor_force") / weight, 100.0, tolerance));
        let sides = 0.5 * (force("left") + force("right"));
        checks.push(Check::near(names.sides, "% of theory", 100.0 * sides / side, 100.0, tolerance));
        let points = (0_u32..).zip(regions).map(|(place, region)| (f64::from(place + 1), sums.mean(region)));
        curves.push(Curve { quantity: names.curve, points: points.take(count).collect() });
        first = Some(match first {
            None => watched,
            Some(earlier) => earlier.and(&watched),
        });
    }
    let watched = first.ok_or(ValidationError::Data { table: CASE.name, reason: "no ratio was run".into() })?;
    Ok(Measured { watched, checks, curves })
}

#[expect(clippy::unnecessary_wraps, reason = "other cases read tables for theirs")]
fn figure(outcomes: &[Outcome], title: &str) -> Result<Figure, ValidationError> {
    let panel = |names: &Names| Panel {
        title: format!("Support radius over spacing: {}", names.curve.trim_start_matches("ratio ")),
        x: Axis::linear("1 floor, 2 walls, 3 floor and wall, 4 two walls, 5 all three", 0.5, 5.5),
        y: Axis::linear("pressure / that of the depth", 0.9, 1.1),
        curves: [
            vec![PlottedCurve::new("right", vec![(0.5, 1.0), (5.5, 1.0)], Look::Theory)],
            PlottedCurve::of_runs(outcomes, names.curve),
        ]
        .concat(),
    };
    Ok(Figure { title: title.to_owned(), columns: 3, panels: RATIOS.iter().map(|(_, names)| panel(names)).collect() })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::{Region, Sums, Tank};
    use crate::files::Frame;
    use crate::fluid::Dimensions;

    #[test]
    fn regions_are_those_of_the_nearest_faces_and_the_worst_particle_is_found() {
        // A lattice of 20 by 18 spacings of 5 cm, whose pressure is right but for one particle in the corner.
        let spacing = 0.05_f32;
        let positions: Vec<[f32; 3]> = (0..360_u16)
            .map(|n| [(f32::from(n % 20) + 0.5) * spacing, (f32::from(n / 20) + 0.5) * spacing, 0.0])
            .collect();
        let mut pressures: Vec<f32> = positions.iter().map(|place| 9810.0 * (0.9 - place[1])).collect();
        pressures[0] *= 1.2;
        let frame = Frame {
            velocities: vec![[0.0; 3]; 360],
            densities: vec![1000.0; 360],
            indices: (0..360).collect(),
            positions,
            pressures,
            ..Frame::default()
        };
        let tank = Tank {
            low: DVec3::ZERO,
            high: DVec3::new(1.0, 1.2, 0.5),
            dimensions: Dimensions::Two,
            spacing: spacing.into(),
            gradient: 9810.0,
        };
        let mut sums = Sums::default();
        tank.take(&frame, &mut sums);
        assert!((sums.regions[Region::FloorAndWall as usize].1 - 2.0).abs() < 1e-9, "two corners");
        assert!((sums.mean(Region::FloorAndWall) - 1.1).abs() < 1e-5);
        assert!((sums.mean(Region::Floor) - 1.0).abs() < 1e-5 && (sums.mean(Region::Wall) - 1.0).abs() < 1e-5);
        assert!((sums.mean(Region::Interior) - 1.0).abs() < 1e-5);
        assert!((sums.worst() - 1.2).abs() < 1e-5, "{}", sums.worst());
        assert!(Sums::default().worst().is_nan());
    }
}
