//! The density of particles, measured when the search is created.

use crate::gpu::{Gpu, Readback};
use crate::search::SearchInput;

/// Neighbors of a particle, on average, if the particles were evenly distributed in the box.
pub(super) fn neighbors_within(gpu: &Gpu, input: &SearchInput<'_>) -> f64 {
    let _ = gpu;
    let _: Option<Readback<u32>> = None;
    let domain = input.domain;
    let volume = (domain.high - domain.low).as_dvec3().max(glam::DVec3::splat(f64::from(domain.support_radius))).element_product();
    let sphere = 4.0 / 3.0 * std::f64::consts::PI * f64::from(domain.support_radius).powi(3);
    f64::from(input.particle_count) * sphere / volume
}
