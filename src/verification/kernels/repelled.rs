//! The repulsion by solids where kernels are wide (`src/fluid/solids/core.rs`), as computed in double precision.

use glam::{DVec3, Vec3};

use super::drops::{WIDE, nearest};
use super::run::{Run, largest, scatter};
use super::water::{Method, SPACING, Tank, Water};
use super::{Measure, Property};
use crate::fluid::solids::boundary_weights;
use crate::fluid::{Dimensions, Resolution, SmoothingKernel};

/// Drops over the floor, each isolated from all others.
const OVER: usize = 24;
/// Pairs of drops far from it.
const PAIRS: usize = 4;
/// Height of the floor's layer of particles, m.
const LAYER: f32 = 0.25;

/// The acceleration of a particle that coincides with one of a solid, over the square of the speed of sound and per
/// spacing: with it, the middle of four particles takes three times the energy of the water's depth (core.rs).
const STRENGTH: f64 = 0.3;

/// Single drops over a floor at rest, where nothing else acts on them.
pub(super) const REPELLED: Property = Property {
    name: "solids repel water where kernels are wide",
    is_quick: true,
    scenes: |water| {
        let block = [Vec3::new(-0.2, 0.5, -0.2), Vec3::new(0.2, 0.7, 0.2)];
        Ok(vec![water.scene(&Tank {
            solids: "boundaries: [Box(low: (-2.0, -1.0, -2.0), high: (2.0, 0.3, 2.0))],",
            material: "viscosity: 0.0",
            ratio: WIDE,
            ..Tank::still(Vec3::new(-1.7, 0.0, -1.7), Vec3::new(1.7, 1.2, 1.7), block)
        })?])
    },
    measure: |gpu, water, scenes| {
        let mut run = Run::new(gpu, &scenes[0])?;
        let resolution = *run.simulation.resolution();
        let floor = run.solid_places()?;
        let points: Vec<Vec3> = floor.iter().map(|place| place.as_vec3()).collect();
        let weights = boundary_weights(&points, SmoothingKernel::WendlandC2, Dimensions::Three, &resolution);
        let column = |number: usize| Vec3::new((number % 6) as f32 - 2.5, 0.0, (number / 6) as f32 - 1.5) * 0.47;
        let over = |number: usize| {
            let height = SPACING * (0.4 + 0.5 * number as f32 / OVER as f32);
            column(number) + SPACING * scatter(number).with_y(0.0) + (LAYER + height) * Vec3::Y
        };
        let pair = |number: usize| {
            let apart = SPACING * (0.2 + 0.15 * number as f32) * scatter(number + 100).normalize();
            let middle = column(5 * number) + Vec3::Y;
            [middle + 0.5 * apart, middle - 0.5 * apart]
        };
        let places: Vec<Vec3> = (0..OVER).map(over).chain((0..PAIRS).flat_map(pair)).collect();
        let gained = run.gained(&places, &vec![Vec3::ZERO; places.len()], 1)?;
        let expected = |place: &Vec3| -> DVec3 {
            let by = |(particle, weight): (&DVec3, &f32)| {
                let offset = place.as_dvec3() - *particle;
                f64::from(-weight)
                    * STRENGTH
                    * (1.0 - offset.length() / nearest()).max(0.0)
                    * offset.normalize_or_zero()
            };
            floor.iter().zip(&weights).map(by).sum()
        };
        let unit = unit(water, &resolution);
        let whole = largest(places[..OVER].iter().map(|place| unit * expected(place)));
        let off = largest(places[..OVER].iter().zip(&gained).map(|(place, gained)| *gained - unit * expected(place)));
        let apart = largest(gained[OVER..].iter().copied());
        let coincident: Vec<Vec3> =
            points.iter().copied().filter(|place| is_inner(*place)).take(places.len()).collect();
        let thrown = largest(run.gained(&coincident, &vec![Vec3::ZERO; places.len()], 1)?);
        Ok(vec![
            Measure::new("the error of a repulsion relative to the largest", off / whole, 1e-4),
            Measure::new("the speed of drops apart relative to the largest by a solid", apart / whole, 1e-6),
            Measure::new(
                "the speed from the place of a particle relative to the largest repulsion",
                thrown / whole,
                1e3,
            ),
        ])
    },
};

/// What a sum of repulsions is multiplied by for the change of velocity in a step, m/s.
fn unit(water: &Water, resolution: &Resolution) -> f64 {
    let (spacing, step) = (f64::from(SPACING), f64::from(resolution.time_step));
    match water.method {
        Method::EquationOfState => step * f64::from(resolution.sound_speed).powi(2) / spacing,
        // Displacements, up to the strength in spacings.
        Method::Positions | Method::Projection => spacing / step,
    }
}

/// Whether a particle of the floor's layer is far from all walls.
fn is_inner(place: Vec3) -> bool {
    (place.y - LAYER).abs() < 1e-3 && place.with_y(0.0).abs().max_element() < 1.2
}
