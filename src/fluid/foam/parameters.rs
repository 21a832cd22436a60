//! The parameters that the passes of foam read, in the layout of the shaders.

use std::f64::consts::PI;

use super::settings::{
    BUOYANCY, CAPACITY, CREST_LEAST, CREST_MOST, DRAG, INTERVAL, KINETIC_LEAST, KINETIC_MOST, LONGEST_LIFE,
    SHORTEST_LIFE, TRAPPED_AIR, TRAPPED_LEAST, TRAPPED_MOST, WAVE_CRESTS,
};
use crate::fluid::flow::Parking;
use crate::fluid::solvers::SolverSetting;
use crate::fluid::{Dimensions, Resolution, Scene};
use crate::gpu::gpu_struct;

/// Distance over which the paper sums, in particle spacings: its support is twice the smoothing length, which is the
/// spacing.
const PAPER_RATIO: f64 = 2.0;
/// Largest distance of a step of diffuse particles where there are solids, in support radii: a solid is noticed from
/// one support radius away.
const LONGEST_MOVE: f32 = 0.9;
/// The distance that the fastest expected water moves in an interval where there are solids, in support radii.
const USUAL_MOVE: f32 = 0.8;
/// Distance that diffuse particles keep from the particles of solids, in spacings. These lie half a spacing below the
/// surface.
const SOLID_MARGIN: f32 = 0.8;

gpu_struct! {
    /// The parameters of foam.
    pub struct FoamParameters {
        /// The first parking place, m.
        pub parking_low: [f32; 3],
        /// Distance between parking places, m.
        pub parking_step: f32,
        /// Number of parking places along y and z.
        pub parking_rows: [u32; 2],
        /// Number of particles of the simulation, which precede the diffuse ones.
        pub particle_count: u32,
        /// Largest number of diffuse particles.
        pub capacity: u32,
        /// s.
        pub time_step: f32,
        /// The number of neighbors in full water of the paper's support divided by that of this one.
        pub neighbor_scale: f32,
        /// Number of diffuse particles that share a parking place.
        pub parked_together: u32,
        /// 1 in a scene of two dimensions, else 0.
        pub is_planar: u32,
        /// Sum of approaching speeds from which air is trapped, m/s.
        pub trapped_least: f32,
        /// Reciprocal of the span up to the most, s/m.
        pub trapped_scale: f32,
        /// Curvature from which a wave has a crest.
        pub crest_least: f32,
        /// Reciprocal of the span up to the most.
        pub crest_scale: f32,
        /// Kinetic energy from which foam arises, J/kg.
        pub kinetic_least: f32,
        /// Reciprocal of the span up to the most, kg/J.
        pub kinetic_scale: f32,
        /// Particles by trapped air per fluid particle, 1/s.
        pub trapped_rate: f32,
        /// Particles by wave crests per fluid particle, 1/s.
        pub crest_rate: f32,
        /// s.
        pub shortest_life: f32,
        /// s.
        pub longest_life: f32,
        /// Acceleration of bubbles against gravity, in multiples of it.
        pub buoyancy: f32,
        /// Fraction of the difference to the water's velocity that a bubble loses in a step.
        pub drag: f32,
        /// Radius of the cylinder in which particles arise, m.
        pub cylinder_radius: f32,
        /// Largest distance that a particle moves in a step, m.
        pub longest_move: f32,
        /// Distance to the particles of solids that diffuse particles keep, m.
        pub solid_margin: f32,
        /// Padding.
        pub spare: u32,
    }
}

/// Number of diffuse particles that wait in the same place. They are tested against each other, but alone they would
/// need many times the cells of the water.
pub(super) const PARKED_TOGETHER: u32 = 32;

impl FoamParameters {
    /// The parameters of a scene whose foam advances every `every` steps and is parked in `parking`.
    pub(super) fn new(scene: &Scene, resolution: &Resolution, parking: &Parking, every: u64) -> Self {
        let value = |setting: &SolverSetting| scene.solver_settings.value(setting);
        let inverse_span = |least, most| (value(most) - value(least)).recip();
        let has_solids = resolution.boundary_count > 0;
        let reach = LONGEST_MOVE * resolution.support_radius;
        Self {
            parking_low: parking.low().to_array(),
            parking_step: parking.step(),
            parking_rows: parking.rows(),
            particle_count: resolution.particle_count + resolution.boundary_count,
            capacity: scene.solver_settings.count(&CAPACITY),
            time_step: every as f32 * resolution.time_step,
            neighbor_scale: neighbor_scale(scene.dimensions, resolution) as f32,
            parked_together: PARKED_TOGETHER,
            is_planar: u32::from(scene.dimensions == Dimensions::Two),
            trapped_least: value(&TRAPPED_LEAST),
            trapped_scale: inverse_span(&TRAPPED_LEAST, &TRAPPED_MOST),
            crest_least: value(&CREST_LEAST),
            crest_scale: inverse_span(&CREST_LEAST, &CREST_MOST),
            kinetic_least: value(&KINETIC_LEAST),
            kinetic_scale: inverse_span(&KINETIC_LEAST, &KINETIC_MOST),
            trapped_rate: value(&TRAPPED_AIR),
            crest_rate: value(&WAVE_CRESTS),
            shortest_life: value(&SHORTEST_LIFE),
            longest_life: value(&LONGEST_LIFE),
            buoyancy: value(&BUOYANCY),
            drag: value(&DRAG),
            cylinder_radius: 0.5 * resolution.spacing,
            longest_move: if has_solids { reach } else { f32::MAX },
            solid_margin: SOLID_MARGIN * resolution.spacing,
            spare: 0,
        }
    }
}

/// Number of neighbors in full water of the paper's support divided by that of this resolution. In two dimensions the
/// paper's number is still that of three, so that the thresholds keep their meaning as shares of it.
fn neighbor_scale(dimensions: Dimensions, resolution: &Resolution) -> f64 {
    let ratio = f64::from(resolution.support_radius / resolution.spacing);
    let sphere = |radius: f64| 4.0 / 3.0 * PI * radius.powi(3);
    let full = match dimensions {
        Dimensions::Two => PI * ratio * ratio,
        Dimensions::Three => sphere(ratio),
    };
    sphere(PAPER_RATIO) / full
}

/// Number of steps of the water between two steps of foam.
pub(super) fn steps_of_interval(scene: &Scene, resolution: &Resolution) -> u64 {
    let mut interval = scene.solver_settings.value(&INTERVAL);
    if resolution.boundary_count > 0 {
        let fastest = resolution.sound_speed / scene.material.sound_speed_factor;
        interval = interval.min(USUAL_MOVE * resolution.support_radius / fastest.max(f32::MIN_POSITIVE));
    }
    ((interval / resolution.time_step).round() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::{FoamParameters, neighbor_scale};
    use crate::fluid::{Dimensions, Scene, SmoothingKernel};
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};

    #[test]
    fn the_shader_reads_the_parameters_at_the_same_offsets() {
        let shader = ShaderVariant::new(super::super::FILE);
        let (module, _) = ShaderLibrary::embedded().compose(&shader).expect("it composes");
        assert_same_layout::<FoamParameters>(&module);
    }

    #[test]
    fn full_water_has_as_many_scaled_neighbors_at_every_radius_ratio() {
        for ratio in [2.0, 2.2, 3.0] {
            let mut scene = Scene::load("dam_break").expect("a scene");
            scene.material.radius_ratio = ratio;
            let kernel = SmoothingKernel::default();
            let resolution = super::Resolution::from_count(&scene, kernel, 4096).expect("a resolution");
            let own = 4.0 / 3.0 * std::f64::consts::PI * f64::from(ratio).powi(3);
            let scaled = own * neighbor_scale(Dimensions::Three, &resolution);
            assert!((scaled - 33.51).abs() < 0.01, "{ratio}: {scaled}");
        }
    }
}
