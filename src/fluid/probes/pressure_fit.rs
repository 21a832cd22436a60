//! The pressure at points beside the particles: the linear function that fits those around a point best.

use glam::{DMat3, DVec3};

use super::{ProbeInput, ProbeScene};
use crate::fluid::Dimensions;

/// A sensor's place on a surface, or in the water.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Its middle, m.
    pub at: DVec3,
    /// Unit vector across the disc; for a surface it points into the fluid.
    pub normal: DVec3,
    /// Whether it is on a solid, behind whose surface the fluid has images and on whose other side nothing counts.
    pub is_on_solid: bool,
}

/// Particles and images around a sensor.
pub(super) struct Neighborhood<'a> {
    input: &'a ProbeInput<'a>,
    /// Positions, m, and pressures, Pa.
    members: Vec<(DVec3, f64)>,
}

impl<'a> Neighborhood<'a> {
    /// Everything that is within a support radius of a point within `reach`, m, of the middle.
    pub(super) fn around(place: Place, reach: f64, input: &'a ProbeInput<'a>) -> Self {
        let radius = f64::from(input.support_radius);
        let mut members = Vec::new();
        for (position, &pressure) in input.positions().zip(&input.frame.pressures) {
            let height = (position - place.at).dot(place.normal);
            // An image is never nearer to a point of the box or of a surface than its original.
            if position.distance(place.at) >= radius + reach || (place.is_on_solid && height <= 0.0) {
                continue;
            }
            let mut both = vec![(position, f64::from(pressure))];
            if place.is_on_solid {
                let image = position - 2.0 * height * place.normal;
                both.push((image, pressure_of_image(position, pressure.into(), image, &input.scene)));
            }
            members
                .extend(both.into_iter().flat_map(|(place, pressure)| images(place, pressure, &input.scene, radius)));
        }
        Self { input, members }
    }

    /// The pressure at a point, Pa.
    pub(super) fn pressure_at(&self, point: DVec3) -> f64 {
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
    all.into_iter().map(|place| (place, pressure_of_image(position, pressure, place, scene))).collect()
}

/// The pressure of a particle's image at another place, Pa: with the hydrostatic difference, which is at most the
/// pressure itself.
fn pressure_of_image(position: DVec3, pressure: f64, image: DVec3, scene: &ProbeScene) -> f64 {
    let density = f64::from(scene.rest_density.unwrap_or(0.0));
    let most = pressure.max(0.0);
    pressure + (density * scene.gravity.as_dvec3().dot(image - position)).clamp(-most, most)
}
