//! The pressures that samples of solids have of their own in nearly inviscid water, computed in double precision.

use glam::{DVec3, Vec3};

use super::run::{Run, largest, scattered};
use super::water::{Method, SPACING, Tank};
use super::{Measure, Property};
use crate::fluid::{Resolution, Scene, SmoothingKernel};

const KERNEL: SmoothingKernel = SmoothingKernel::WendlandC2;
/// The least pressure / density² of a sample with a pressure of its own, m⁵/(kg s²).
const LEAST_TERM: f64 = 1e-30;

/// Compressed water around a ball, whose samples have pressures, and around a plate that is so thin that those of its
/// samples mirror the water's. Every force on a sample follows from the places before the step.
pub(super) const SOLID_PRESSURES: Property = Property {
    name: "samples of solids are compressed by the water around them",
    is_quick: true,
    scenes: |water| {
        // No other method gives samples pressures.
        if water.method != Method::EquationOfState || !water.sums_densities() {
            return Ok(Vec::new());
        }
        let half = Vec3::splat(7.0 * SPACING);
        let tank = Tank {
            material: "viscosity: 0.0",
            solids: "boundaries: [
                Sphere(center: (-0.2, 0.0, 0.0), radius: 0.3),
                Box(low: (0.3, -0.3, -0.3), high: (0.36, 0.3, 0.3)),
            ],",
            ..Tank::still(Vec3::splat(-2.0), Vec3::splat(2.0), [-half, half])
        };
        Ok(vec![water.scene(&tank)?])
    },
    measure: |gpu, _, scenes| {
        let scene = &scenes[0];
        let mut run = Run::new(gpu, scene)?;
        let water: Vec<Vec3> = scattered(&run.frame()?, 0.3).iter().map(|place| 0.95 * *place).collect();
        run.gained(&water, &vec![Vec3::ZERO; water.len()], 1)?;
        let (solids, found) = (run.solid_places()?, run.forces_on_solids()?);
        let samples: Vec<Sample> = (solids.into_iter().zip(run.solid_arrays()?))
            .map(|(place, [weight, share])| Sample { place, weight: -f64::from(weight), share: share.into() })
            .collect();
        let expected = Compressed { water: &water, samples: &samples }.forces(scene, run.simulation.resolution());
        let whole = largest(expected.iter().copied());
        let error = largest(found.iter().zip(&expected).map(|(found, expected)| *found - *expected)) / whole;
        let [own, mirrored] = [true, false].map(|has_own| {
            let pressed = samples.iter().zip(&expected).filter(|(sample, _)| (sample.share > 0.0) == has_own);
            largest(pressed.map(|(_, force)| *force))
        });
        Ok(vec![
            Measure::new("the error of a force relative to the largest", error, 1e-3),
            Measure::new("1 / the largest force on a sample with a pressure, s²/m", 1.0 / own, 0.1),
            Measure::new("1 / the largest force on one without, s²/m", 1.0 / mirrored, 0.1),
        ])
    },
};

/// A sample of a solid.
struct Sample {
    /// m.
    place: DVec3,
    /// What it weighs over what a particle of the water weighs.
    weight: f64,
    /// The share of the rest density that water at rest around the solid gives to it; 0 where it mirrors pressures.
    share: f64,
}

struct Compressed<'a> {
    water: &'a [Vec3],
    samples: &'a [Sample],
}

impl Compressed<'_> {
    /// The force of the water on each sample over the mass of a particle, m/s² (`fluid/solvers/solid_pressures.rs`).
    fn forces(&self, scene: &Scene, resolution: &Resolution) -> Vec<DVec3> {
        let radius = f64::from(resolution.support_radius);
        let rest = f64::from(scene.material.rest_density);
        let scale = resolution.density_scale(scene, KERNEL);
        let stiffness = rest * f64::from(resolution.sound_speed).powi(2) / 7.0;
        let pressure = |density: f64| (stiffness * ((density / rest).powi(7) - 1.0)).max(0.0);
        let shape = |a: DVec3, b: DVec3| KERNEL.shape(a.distance(b) / radius);
        let places = || self.water.iter().map(|place| place.as_dvec3());
        let density = |place: DVec3| {
            let of_water: f64 = places().map(|other| shape(place, other)).sum();
            let of_solids: f64 = self.samples.iter().map(|sample| sample.weight * shape(place, sample.place)).sum();
            scale * (of_water + of_solids)
        };
        let densities: Vec<f64> = places().map(density).collect();
        let moment = KERNEL.lattice_moment(scene.dimensions, radius / f64::from(resolution.spacing));
        let force = |sample: &Sample| {
            let sum: f64 = places().map(|place| shape(place, sample.place)).sum();
            let own = (1.0 - sample.share) * rest + scale * sum;
            let own_term = (pressure(own) / (own * own)).max(LEAST_TERM);
            let of_pair = |(place, &density): (DVec3, &f64)| {
                let offset = sample.place - place;
                let term = pressure(density) / (density * density);
                let mirrored = term * (density / rest).powi(2);
                let both = term + if sample.share > 0.0 { own_term } else { mirrored };
                let slope = KERNEL.slope_over_q(offset.length() / radius) * scale / (radius * radius * moment);
                -sample.weight * slope * both * offset
            };
            places().zip(&densities).map(of_pair).sum()
        };
        self.samples.iter().map(force).collect()
    }
}
