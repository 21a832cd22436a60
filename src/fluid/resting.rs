//! Water that is at rest when a scene begins starts in the state of rest.
//!
//! In the lattice of the start every particle has the rest density. Solvers whose pressure follows from a compression
//! have no pressure there: such water falls until it is compressed, by half a percent of its depth or less, and then
//! bounces as a whole, with the period in which sound passes four times through its depth and with twice the pressures
//! of rest. Floating bodies were moved in jerks by that, and little viscosity takes long to end it. So the layers of
//! water at rest are moved together by what bears the water above. Where c is the speed of sound of the solver's water
//! at rest (`SolverInfo::resting_sound`), a layer with the height s of water above it becomes thinner by the factor
//! 1 / (1 + g s / c²), whose integral over the height is a logarithm.
//!
//! Water counts as at rest where gravity points down, no block has a velocity, and every place of the box below the
//! highest one is water or in a solid. Then the height of the water above a place is known without solving for
//! pressures. Everything else, such as a dam that breaks, begins as before, and so does a box that is filled up to its
//! lid, where water at rest has no level, and what is read from files. A solid bears the water above it, so layers
//! are moved towards the surface of the solid below them, and towards the floor otherwise.

use glam::{DVec3, Vec3};

use super::scene::Scene;
use super::solids::SampledSolids;
use super::{Block, BlockShape, Dimensions, Resolution};

/// Rounding of heights and of the edges of blocks, in spacings.
const TOLERANCE: f64 = 1e-3;

/// Places of a scene whose water is at rest, on a grid with the spacing of the particles.
pub(super) struct RestingWater {
    low: DVec3,
    edges: DVec3,
    counts: [usize; 3],
    /// Height of the water's surface, m.
    surface: f64,
    /// g / c², 1/m.
    bend: f64,
    /// Height, m, of what bears the water of a place, the floor or a solid; one for each place. Empty without solids.
    feet: Vec<f32>,
}

impl RestingWater {
    /// The scene's water at the start, if all of it is at rest and pressure compresses it.
    pub(super) fn new(scene: &Scene, resolution: &Resolution, solids: &SampledSolids) -> Option<Self> {
        let (gravity, sound) = (scene.gravity.as_dvec3(), f64::from(resolution.resting_sound));
        let is_pulled_down = gravity.y < 0.0 && gravity.x == 0.0 && gravity.z == 0.0;
        let is_still = |block: &Block| block.velocity == Vec3::ZERO && block.fields.is_empty();
        let pulls_to_center = scene.central_gravity.strength != 0.0;
        let starts_on_lattice = scene.points.is_empty() && scene.blocks.iter().all(is_still);
        if !(sound.is_finite() && is_pulled_down && starts_on_lattice) || pulls_to_center {
            return None;
        }
        let spacing = f64::from(resolution.spacing);
        let low = scene.low.as_dvec3();
        let top = scene.blocks.iter().map(|block| f64::from(block.high.y)).fold(low.y, f64::max);
        let layers = ((top - low.y) / spacing + TOLERANCE).floor();
        if layers < 1.0 || top > f64::from(scene.high.y) - TOLERANCE * spacing {
            return None;
        }
        let extent = scene.high.as_dvec3() - low;
        let mut counts = (extent / spacing).round().max(DVec3::ONE).with_y(layers);
        if scene.dimensions == Dimensions::Two {
            counts.z = 1.0;
        }
        let edges = (extent / counts).with_y(spacing);
        let counts = counts.to_array().map(|count| count as usize);
        let surface = spacing.mul_add(layers, low.y);
        let mut water = Self { low, edges, counts, surface, bend: -gravity.y / sound.powi(2), feet: Vec::new() };
        water.find_feet(scene, solids).then_some(water)
    }

    /// Finds what bears the water; `false` where a place is neither water nor in a solid. The uppermost layer comes
    /// first, so that water which is not at rest is mostly known after a few places.
    fn find_feet(&mut self, scene: &Scene, solids: &SampledSolids) -> bool {
        let slack = TOLERANCE * self.edges.y;
        let is_water = |place: DVec3| {
            scene.blocks.iter().any(|block| {
                let (low, high) = (block.low.as_dvec3() - slack, block.high.as_dvec3() + slack);
                block.shape == BlockShape::Box && place.cmpge(low).all() && place.cmple(high).all()
            })
        };
        let [across, layers, deep] = self.counts;
        let has_solids = solids.takes_room();
        let mut is_solid = vec![false; if has_solids { across * layers * deep } else { 0 }];
        for y in (0..layers).rev() {
            for (x, z) in (0..across).flat_map(|x| (0..deep).map(move |z| (x, z))) {
                let place = self.low + (DVec3::new(x as f64, y as f64, z as f64) + 0.5) * self.edges;
                let solid = has_solids && solids.takes(place);
                if !solid && !is_water(place) {
                    return false;
                }
                if has_solids {
                    is_solid[self.index([x, y, z])] = solid;
                }
            }
        }
        self.feet = vec![self.low.y as f32; is_solid.len()];
        let column = across * deep;
        for place in 0..is_solid.len() {
            if is_solid[place] {
                self.feet[place] = (self.low.y + (place / column + 1) as f64 * self.edges.y) as f32;
            } else if place >= column {
                self.feet[place] = self.feet[place - column];
            }
        }
        true
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (y * self.counts[2] + z) * self.counts[0] + x
    }

    /// Where water of this place of the lattice is at rest, m.
    pub(super) fn settled(&self, place: Vec3) -> Vec3 {
        let height = f64::from(place.y);
        let foot = if self.feet.is_empty() {
            self.low.y
        } else {
            // Casts of negative numbers give 0.
            let cell = ((place.as_dvec3() - self.low) / self.edges).to_array().map(|along| along as usize);
            let within: [usize; 3] = std::array::from_fn(|axis| cell[axis].min(self.counts[axis] - 1));
            f64::from(self.feet[self.index(within)])
        };
        let above = |height: f64| self.bend * (self.surface - height).max(0.0);
        let rise = (above(foot).ln_1p() - above(height).ln_1p()) / self.bend;
        if height > foot && height < self.surface { place.with_y((foot + rise) as f32) } else { place }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::RestingWater;
    use crate::fluid::solids::SampledSolids;
    use crate::fluid::{Block, Boundary, Dimensions, Resolution, Scene, SmoothingKernel, Solver};

    const SPACING: f32 = 0.05;

    /// A tank of 2 m by 1.5 m that is filled to 1 m, in two dimensions.
    fn tank(solver: &str) -> Scene {
        let mut scene = Scene::load("dam_break").expect("it ships with the program");
        scene.solver = Solver::named(solver).expect("a solver");
        (scene.low, scene.high) = (Vec3::ZERO, Vec3::new(2.0, 1.5, 1.0));
        scene.blocks = vec![Block { high: Vec3::new(2.0, 1.0, 1.0), ..Block::default() }];
        scene.dimensions = Dimensions::Two;
        scene
    }

    fn resting(scene: &Scene) -> (Option<RestingWater>, Resolution) {
        let radius = SPACING * scene.radius_ratio();
        let resolution = Resolution::from_radius(scene, SmoothingKernel::default(), radius).expect("it fits");
        let solids = SampledSolids::new(scene, SPACING).expect("they fit");
        (RestingWater::new(scene, &resolution, &solids), resolution)
    }

    #[test]
    fn layers_are_as_thin_as_the_weight_above_makes_them() {
        for solver in ["wcsph", "pbf"] {
            let (water, resolution) = resting(&tank(solver));
            let water = water.expect("it is at rest");
            let height = |y: f32| f64::from(water.settled(Vec3::new(0.7, y, 0.5)).y);
            for y in [0.1, 0.5, 0.9] {
                let thickness = (height(y + 0.05) - height(y - 0.05)) / 0.1;
                let compression = 9.81 * f64::from(1.0 - y) / f64::from(resolution.resting_sound).powi(2);
                assert!(compression > 1e-4, "{solver}: {resolution:?}");
                assert!(
                    (1.0 / thickness - 1.0 - compression).abs() < 2e-5,
                    "{solver}, {y}: {thickness}, {compression}"
                );
            }
            assert!((height(1e-3) - 1e-3).abs() < 1e-4, "{solver}: water at the floor stays there");
        }
    }

    #[test]
    fn a_solid_bears_the_water_above_it() {
        let mut scene = tank("wcsph");
        scene.solids.set(vec![Boundary::Box { low: Vec3::ZERO, high: Vec3::new(1.0, 0.5, 1.0) }]);
        let water = resting(&scene).0.expect("it is at rest");
        let fall = |x: f32| 0.575 - water.settled(Vec3::new(x, 0.575, 0.5)).y;
        assert!((0.0..1e-3).contains(&fall(0.5)), "{}", fall(0.5));
        assert!(fall(1.5) > 2.0 * fall(0.5), "{} beside the solid", fall(1.5));
    }

    #[test]
    fn water_that_is_not_at_rest_starts_as_a_lattice() {
        let moves = |scene: &mut Scene| scene.blocks[0].velocity.x = 1.0;
        let breaks = |scene: &mut Scene| scene.blocks[0].high.x = 1.0;
        let falls = |scene: &mut Scene| scene.blocks[0].low.y = 0.2;
        let is_inclined = |scene: &mut Scene| scene.gravity.x = 1.0;
        let is_full = |scene: &mut Scene| scene.blocks[0].high.y = 1.5;
        let changes: [fn(&mut Scene); 5] = [moves, breaks, falls, is_inclined, is_full];
        for (number, change) in changes.into_iter().enumerate() {
            let mut scene = tank("wcsph");
            change(&mut scene);
            assert!(resting(&scene).0.is_none(), "change {number}");
        }
        assert!(resting(&tank("dfsph")).0.is_none(), "DFSPH starts without compression");
    }
}
