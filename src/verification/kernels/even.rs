//! The pressures that PBF shows to files and probes (`shaders/fluid/pbf/even.wgsl`) as means in double precision.

use glam::{DVec3, Vec3};

use super::run::{Run, larger, random_velocities, scattered};
use super::sums::with_images;
use super::visiting::{ONCE, ONCE_IN_WORKGROUPS, TWICE, Visiting};
use super::water::{Method, SPACING, Tank};
use super::{Measure, Property};
use crate::files::Frame;
use crate::fluid::{Resolution, Scene, SmoothingKernel};

/// Water without order in a tank with a solid: walls, edges and corners have images.
pub(super) const EVEN: Property = Property {
    name: "shown pressures are means of what the surroundings say",
    is_quick: true,
    scenes: |water| {
        if water.method != Method::Positions {
            return Ok(Vec::new());
        }
        let high = Vec3::new(7.0, 6.0, 7.0) * SPACING;
        Ok(vec![water.scene(&Tank {
            gravity: -9.81,
            solids: "boundaries: [Sphere(center: (0.4, 0.2, 0.3), radius: 0.15)],",
            ..Tank::still(Vec3::ZERO, high + 3.0 * SPACING * Vec3::Y, [Vec3::ZERO, high])
        })?])
    },
    measure: |gpu, _, scenes| {
        let mut measures = Vec::new();
        for visiting in [TWICE, ONCE, ONCE_IN_WORKGROUPS] {
            let mut run = Run::with(gpu, &scenes[0], &visiting.settings(&scenes[0])?)?;
            let places = scattered(&run.frame()?, 0.3);
            run.gained(&places, &random_velocities(places.len()), 5)?;
            let frame = run.frame()?;
            let acting = run.simulation.acting_pressures()?;
            let expected = means(&frame, &acting, &scenes[0], run.simulation.resolution());
            let whole = acting.iter().fold(0.0, |most, pressure| larger(most, f64::from(pressure.abs())));
            let pairs = || frame.pressures.iter().zip(&expected);
            let off = pairs().fold(0.0, |most, (found, expected)| larger(most, (f64::from(*found) - expected).abs()));
            let moved = expected
                .iter()
                .zip(&acting)
                .fold(0.0, |most, (mean, own)| larger(most, (mean - f64::from(*own)).abs()));
            let Visiting { words, .. } = visiting;
            measures.push(Measure::new(
                format!("the error of a mean relative to the largest pressure with pairs visited {words}"),
                off / whole,
                1e-5,
            ));
            // Otherwise nothing would have been tested.
            measures.push(Measure::new("the largest pressure over the largest change by the mean", whole / moved, 1e2));
        }
        Ok(measures)
    },
};

/// The mean, weighted by the kernel, of what all particles under pressure, their images and the particle itself say of
/// the pressure at its place: their own and the hydrostatic difference between the places, of which an image has that
/// of its particle.
fn means(frame: &Frame, acting: &[f32], scene: &Scene, resolution: &Resolution) -> Vec<f64> {
    let radius = f64::from(resolution.support_radius);
    let kernel = SmoothingKernel::WendlandC2;
    let pull = f64::from(scene.material.rest_density) * scene.gravity.as_dvec3();
    let places: Vec<DVec3> = frame.positions.iter().map(|place| Vec3::from(*place).as_dvec3()).collect();
    let pressed = || places.iter().zip(acting).filter(|(_, pressure)| **pressure != 0.0);
    let mean = |(place, own): (&DVec3, &f32)| {
        if *own == 0.0 {
            return 0.0;
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (other, pressure) in pressed() {
            let here = f64::from(*pressure) + pull.dot(*place - *other);
            let weight: f64 =
                with_images(*other, scene).map(|image| kernel.shape(image.distance(*place) / radius)).sum();
            (sum, weights) = (sum + weight * here, weights + weight);
        }
        sum / weights
    };
    places.iter().zip(acting).map(mean).collect()
}
