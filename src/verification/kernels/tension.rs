//! The force of surface tension, computed in double precision: gradients of the color, normals, curvatures, and the
//! viscosity of the surface.

use glam::{DVec3, Vec3};

use super::run::{Run, largest, random_velocities, scattered};
use super::water::{Method, SPACING, Tank};
use super::{Measure, Property};
use crate::fluid::{Resolution, Scene, SmoothingKernel, SurfaceScale, viscous_normalization, viscous_weight};

/// Water that is too loose for pressure, far from every wall, with random velocities. The kernels are the same for
/// every solver, and the plain mode of WCSPH adds nothing to what they do.
pub(super) const TENSION: Property = Property {
    name: "surface tension is that of the curvature",
    is_quick: true,
    scenes: |water| {
        if water.method != Method::EquationOfState || !water.sums_densities() {
            return Ok(Vec::new());
        }
        let half = Vec3::splat(3.0 * SPACING);
        let tank = Tank {
            material: "viscosity: 0.0, surface_tension: 5.0",
            ..Tank::still(Vec3::splat(-2.0), Vec3::splat(2.0), [-half, half])
        };
        Ok(vec![water.scene(&tank)?])
    },
    measure: |gpu, _, scenes| {
        let scene = &scenes[0];
        let mut run = Run::new(gpu, scene)?;
        let places: Vec<Vec3> = scattered(&run.frame()?, 0.3).iter().map(|place| 1.15 * *place).collect();
        let velocities: Vec<Vec3> = random_velocities(places.len()).iter().map(|velocity| 0.1 * *velocity).collect();
        let found = run.gained(&places, &velocities, 1)?;
        let cluster =
            Cluster { places: &places, velocities: &velocities, scene, resolution: run.simulation.resolution() };
        let expected = cluster.gained();
        let whole = largest(expected.iter().copied());
        let error = largest(found.iter().zip(&expected).map(|(found, expected)| *found - *expected)) / whole;
        Ok(vec![
            Measure::new("the error of a force relative to the largest", error, 1e-3),
            Measure::new("1 / the largest change of velocity, s/m", 1.0 / whole, 1e3),
        ])
    },
};

struct Cluster<'a> {
    places: &'a [Vec3],
    velocities: &'a [Vec3],
    scene: &'a Scene,
    resolution: &'a Resolution,
}

const KERNEL: SmoothingKernel = SmoothingKernel::WendlandC2;
/// Largest curvature, 1 / spacings.
const MOST_CURVED: f64 = 0.5;

impl Cluster<'_> {
    /// The offsets of a particle from the others within the radius, m, with their numbers and q.
    fn neighbors(&self, particle: usize) -> impl Iterator<Item = (usize, DVec3, f64)> {
        let radius = f64::from(self.resolution.support_radius);
        let offset = move |other: usize| (self.places[particle].as_dvec3()) - self.places[other].as_dvec3();
        let all = (0..self.places.len()).filter(move |other| *other != particle);
        all.map(move |other| (other, offset(other), offset(other).length() / radius)).filter(|(_, _, q)| *q < 1.0)
    }

    /// The changes of the velocities in a step, m/s.
    fn gained(&self) -> Vec<DVec3> {
        let (radius, rest) = (f64::from(self.resolution.support_radius), f64::from(self.scene.material.rest_density));
        let spacing = f64::from(self.resolution.spacing);
        let scale = self.resolution.density_scale(self.scene, KERNEL) / rest;
        let surface = SurfaceScale::of(self.scene, KERNEL, self.resolution);
        let count = self.places.len();
        let gradient = |it: usize| {
            scale / radius * self.neighbors(it).map(|(_, offset, q)| KERNEL.slope_over_q(q) * offset).sum::<DVec3>()
        };
        let gradients: Vec<DVec3> = (0..count).map(gradient).collect();
        let smoothed = |it: usize| {
            let others = self.neighbors(it).map(|(other, _, q)| KERNEL.shape(q) * gradients[other]).sum::<DVec3>();
            scale * (KERNEL.shape(0.0) * gradients[it] + others)
        };
        let normals: Vec<DVec3> = (0..count).map(smoothed).collect();
        let share = |it: usize| normals[it].length_squared();
        let pull = |it: usize| {
            let normal = normals[it].normalize_or_zero();
            let (mut bend, mut squares, mut weights) = (0.0, 0.0, share(it));
            for (other, offset, _) in self.neighbors(it) {
                let other_normal = normals[other].normalize_or_zero();
                let across = 0.5 * (normal + other_normal).dot(offset);
                let along = (offset.length_squared() - across * across).max(0.0);
                let weight = share(other) * KERNEL.shape(along.sqrt() / radius);
                bend -= weight * (normal - other_normal).dot(offset);
                squares += weight * along;
                weights += weight;
            }
            let least = 0.01 * share(it) * spacing * spacing;
            let curvature = (bend / squares.max(least)).clamp(-MOST_CURVED / spacing, MOST_CURVED / spacing);
            surface.term * curvature * share(it) / weights.max(surface.least) * normal
        };
        let factor = 2.0 * (self.scene.dimensions.count() + 2.0) * surface.viscosity / rest
            * f64::from(self.resolution.particle_mass)
            * viscous_normalization(self.scene.dimensions, radius);
        let drag = |it: usize| {
            let of_pair = |(other, offset, q): (usize, DVec3, f64)| {
                let velocity = (self.velocities[it] - self.velocities[other]).as_dvec3();
                let both = (0.5 * (gradients[it].length() + gradients[other].length())).min(1.0);
                -both * factor * viscous_weight(q) * velocity.dot(offset) / offset.length_squared() * offset
            };
            self.neighbors(it).map(of_pair).sum::<DVec3>()
        };
        (0..count).map(|it| f64::from(self.resolution.time_step) * (pull(it) + drag(it))).collect()
    }
}
