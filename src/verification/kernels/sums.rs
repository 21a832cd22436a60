//! Sums over pairs and mirror images in double precision, straight from their definitions, for comparison with the
//! device.

use glam::{DVec3, Vec3};

use crate::fluid::{Dimensions, Resolution, Scene, SmoothingKernel, viscous_normalization, viscous_weight};

/// What the device multiplies sums of kernel values by in place of the mass of a particle, kg, so that a particle in
/// the lattice of the start has exactly the rest density.
fn weight(scene: &Scene, resolution: &Resolution, kernel: SmoothingKernel) -> f64 {
    let normalization = kernel.normalization(scene.dimensions, f64::from(resolution.support_radius));
    resolution.density_scale(scene, kernel) / normalization
}

/// Density of each particle in the box of a scene, kg/m³: the sum over all particles and all their images behind the
/// walls.
pub(super) fn densities(
    places: &[Vec3],
    scene: &Scene,
    (resolution, kernel): (&Resolution, SmoothingKernel),
) -> Vec<f64> {
    let radius = f64::from(resolution.support_radius);
    let images: Vec<DVec3> = places.iter().flat_map(|place| with_images(place.as_dvec3(), scene)).collect();
    let density = |place: &Vec3| {
        let shapes = images.iter().map(|image| kernel.shape(image.distance(place.as_dvec3()) / radius));
        let normalization = kernel.normalization(scene.dimensions, radius);
        weight(scene, resolution, kernel) * normalization * shapes.sum::<f64>()
    };
    places.iter().map(density).collect()
}

/// A place and its 26 images: mirrored by the low face, by the high one or by none along each axis. In two dimensions
/// there are none along z.
pub(super) fn with_images(place: DVec3, scene: &Scene) -> impl Iterator<Item = DVec3> {
    let axes = if scene.dimensions == Dimensions::Two { 2 } else { 3 };
    let along = |axis: usize| {
        let (low, high) = (f64::from(scene.low[axis]), f64::from(scene.high[axis]));
        let places = [place[axis], 2.0 * low - place[axis], 2.0 * high - place[axis]];
        places.into_iter().take(if axis < axes { 3 } else { 1 })
    };
    let (xs, ys, zs) = (along(0), along(1), along(2));
    xs.flat_map(move |x| {
        let zs = zs.clone();
        ys.clone().flat_map(move |y| zs.clone().map(move |z| DVec3::new(x, y, z)))
    })
}

/// Acceleration of the first of two isolated particles without pressure, m/s²: artificial viscosity (Monaghan 1992,
/// equations 3.3 and 4.1) and physical viscosity (Monaghan 2005, section 4, with the weight of `viscous_weight.rs`).
pub(super) fn pair_acceleration(
    (offset, velocity): (DVec3, DVec3),
    scene: &Scene,
    (resolution, kernel, density): (&Resolution, SmoothingKernel, f64),
) -> DVec3 {
    let radius = f64::from(resolution.support_radius);
    let (distance, h) = (offset.length(), 0.5 * radius);
    let material = &scene.material;
    let parting = velocity.dot(offset);
    let mu = h * parting.min(0.0) / (distance * distance + 0.01 * h * h);
    let artificial = -f64::from(material.viscosity) * f64::from(resolution.sound_speed) * mu / density;
    let braked =
        -weight(scene, resolution, kernel) * artificial * kernel.derivative(scene.dimensions, radius, distance);
    let factor = 2.0 * (scene.dimensions.count() + 2.0) * f64::from(material.kinematic_viscosity);
    let viscous = viscous_normalization(scene.dimensions, radius) * viscous_weight(distance / radius);
    let held = f64::from(resolution.particle_mass) * viscous * factor * parting / (distance * density);
    (braked - held) * offset.normalize_or_zero()
}

/// Displacement of the first of two isolated particles in a step by XSPH, m (Monaghan 1989, equation 2.6).
pub(super) fn pair_drift(
    (offset, velocity): (DVec3, DVec3),
    scene: &Scene,
    (resolution, kernel, density): (&Resolution, SmoothingKernel, f64),
) -> DVec3 {
    let value = kernel.value(scene.dimensions, f64::from(resolution.support_radius), offset.length());
    let share = f64::from(scene.material.xsph) * weight(scene, resolution, kernel) * value / density;
    -share * f64::from(resolution.time_step) * velocity
}

/// Density of two isolated particles at a distance, kg/m³.
pub(super) fn pair_density(distance: f64, scene: &Scene, (resolution, kernel): (&Resolution, SmoothingKernel)) -> f64 {
    let value = |distance| kernel.value(scene.dimensions, f64::from(resolution.support_radius), distance);
    weight(scene, resolution, kernel) * (value(0.0) + value(distance))
}
