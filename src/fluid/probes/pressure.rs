//! Pressure at a point or on the disc of a sensor.

use glam::{DMat3, DVec3};

use super::{
    ArgumentKind, Probe, ProbeArgument, ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeScene, ProbeUnit,
};
use crate::fluid::Dimensions;

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "Pressure",
    measures: "pressure at a point or on a sensor",
    definition: "Pressure at a point, or the mean over the disc of a sensor: the value there of the linear function \
                 that fits the pressures of the particles within a support radius best, weighted by the smoothing kernel \
                 (least squares). Behind the walls of the box the images of the particles count too, with the \
                 hydrostatic difference to their places, as in the solver's model of walls; so a reading on a wall is one \
                 at its surface. It is never outside the range of the pressures that it is made of; with fewer than six \
                 particles and images (ten in three dimensions) it is their weighted mean (Shepard 1968), and 0 where \
                 there are no particles. The disc lies along the wall of the box that is nearest to its middle; in two \
                 dimensions it is a line. There is no window of time: take a short `--probe-every`, and the median or the \
                 mean of the rows.",
    column: ProbeName::Given,
    unit: ProbeUnit::same("Pa"),
    arguments: &[&AT, &ACROSS],
    check: fault,
    reading: ProbeReading::Scalar(|probe, input| Some(pressure(probe, input))),
};

static AT: ProbeArgument = ProbeArgument {
    name: "at",
    unit: "m",
    meaning: "the point, or the middle of the sensor; its z is ignored in two dimensions",
    kind: ArgumentKind::Vector,
};

static ACROSS: ProbeArgument = ProbeArgument {
    name: "across",
    unit: "m",
    meaning: "diameter of the sensor; 0 for a point",
    kind: ArgumentKind::Number(Some(0.0)),
};

/// Number of points of a disc at which the pressure is evaluated.
const POINTS: u32 = 12;

fn fault(probe: &Probe, scene: &ProbeScene) -> Option<&'static str> {
    let size = scene.high - scene.low;
    let widest = if scene.dimensions == Dimensions::Two { size.truncate().max_element() } else { size.max_element() };
    if !scene.contains(probe.vector(&AT)) {
        Some("must lie in the box, in m")
    } else if !(0.0..=widest).contains(&probe.number(&ACROSS)) {
        Some("must have a diameter `across` from 0 to the longest edge of the box, in m")
    } else {
        None
    }
}

fn pressure(probe: &Probe, input: &ProbeInput<'_>) -> f64 {
    let at = input.scene.projected(probe.vector(&AT)).as_dvec3();
    let across = f64::from(probe.number(&ACROSS));
    let near = Neighborhood::around(at, 0.5 * across, input);
    let points = if across > 0.0 { disc(at, across, &input.scene) } else { vec![at] };
    points.iter().map(|&point| near.pressure_at(point)).sum::<f64>() / points.len() as f64
}

/// Points that are spread evenly over a disc of this diameter, m, along the nearest wall of the box.
fn disc(at: DVec3, across: f64, scene: &ProbeScene) -> Vec<DVec3> {
    let flat = scene.dimensions == Dimensions::Two;
    let (low, high) = (at - scene.low.as_dvec3(), scene.high.as_dvec3() - at);
    let axes = if flat { 0..2 } else { 0..3 };
    let nearest = axes.min_by(|&a, &b| low.min(high)[a].total_cmp(&low.min(high)[b])).unwrap_or(0);
    let [one, other] = if flat { [1 - nearest, 2] } else { [(nearest + 1) % 3, (nearest + 2) % 3] };
    let place = |number: u32| {
        let share = (f64::from(number) + 0.5) / f64::from(POINTS);
        let mut point = at;
        if flat {
            point[one] += (share - 0.5) * across;
        } else {
            // Vogel's spiral: equal areas, each at the golden angle from the last.
            let angle = f64::from(number) * std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
            point[one] += 0.5 * across * share.sqrt() * angle.cos();
            point[other] += 0.5 * across * share.sqrt() * angle.sin();
        }
        point
    };
    (0..POINTS).map(place).collect()
}

/// Particles and images around a sensor.
struct Neighborhood<'a> {
    input: &'a ProbeInput<'a>,
    /// Positions, m, and pressures, Pa.
    members: Vec<(DVec3, f64)>,
}

impl<'a> Neighborhood<'a> {
    /// Everything that is within a support radius of a point within `reach`, m, of the middle.
    fn around(at: DVec3, reach: f64, input: &'a ProbeInput<'a>) -> Self {
        let within = f64::from(input.support_radius) + reach;
        let mut members = Vec::new();
        for (position, &pressure) in input.positions().zip(&input.frame.pressures) {
            // An image is never nearer to a point of the box than its original.
            if position.distance(at) < within {
                members.extend(images(position, pressure.into(), &input.scene, f64::from(input.support_radius)));
            }
        }
        Self { input, members }
    }

    fn pressure_at(&self, point: DVec3) -> f64 {
        let radius = f64::from(self.input.support_radius);
        let weighed = self.members.iter().filter_map(|&(position, pressure)| {
            let weight = self.input.kernel.shape(position.distance(point) / radius);
            (weight > 0.0).then_some((weight, position - point, pressure))
        });
        let near: Vec<_> = weighed.collect();
        let weights: f64 = near.iter().map(|one| one.0).sum();
        if near.is_empty() {
            return 0.0;
        }
        let mean = near.iter().map(|one| one.0 * one.2).sum::<f64>() / weights;
        let flat = self.input.scene.dimensions == Dimensions::Two;
        if near.len() < if flat { 6 } else { 10 } {
            return mean;
        }
        let center = near.iter().map(|one| one.0 * one.1).sum::<DVec3>() / weights;
        let (mut spread, mut slope) = (DMat3::ZERO, DVec3::ZERO);
        for &(weight, offset, pressure) in &near {
            let from_center = offset - center;
            spread += DMat3::from_cols_array_2d(&[0, 1, 2].map(|axis| (from_center * from_center[axis]).to_array()))
                * (weight / weights);
            slope += from_center * (weight / weights * (pressure - mean));
        }
        if flat {
            spread.z_axis.z = 1.0;
        }
        // Particles in a row or a plane do not determine a slope across it.
        let trace = spread.x_axis.x + spread.y_axis.y + if flat { 0.0 } else { spread.z_axis.z };
        let least = 0.02 * trace;
        spread += DMat3::from_diagonal(DVec3::splat(1e-6 * trace));
        let determined = spread.determinant() > least * trace * if flat { 1.0 } else { least };
        if !determined {
            return mean;
        }
        let fitted = mean - (spread.inverse() * slope).dot(center);
        let (low, high) =
            near.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(one.2), high.max(one.2)));
        // Where a pressure is not a number, neither is the reading.
        if mean.is_finite() { fitted.clamp(low, high) } else { mean }
    }
}

/// A particle and its images behind the walls that are nearer than the radius, with the pressures that they have in the
/// solver's model of walls: never less than none, and at most twice that of the particle.
fn images(position: DVec3, pressure: f64, scene: &ProbeScene, radius: f64) -> Vec<(DVec3, f64)> {
    let mut all = vec![position];
    for axis in 0..if scene.dimensions == Dimensions::Two { 2 } else { 3 } {
        let before = all.clone();
        for wall in [f64::from(scene.low[axis]), f64::from(scene.high[axis])] {
            if (position[axis] - wall).abs() < radius {
                all.extend(before.iter().map(|place| {
                    let mut image = *place;
                    image[axis] = 2.0 * wall - position[axis];
                    image
                }));
            }
        }
    }
    let density = f64::from(scene.rest_density.unwrap_or(0.0));
    let most = pressure.max(0.0);
    let deeper = |place: DVec3| (density * scene.gravity.as_dvec3().dot(place - position)).clamp(-most, most);
    all.into_iter().map(|place| (place, pressure + deeper(place))).collect()
}
