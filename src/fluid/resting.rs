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
//! A body of water, which is all that is connected, counts as at rest where gravity points down, nothing in it has a
//! velocity, every place below and beside it is in a solid or beyond a wall, and its surface is level. Then the height
//! of the water above a place is known without solving for pressures. Everything else, such as a dam that breaks or a
//! drop in the air, begins as before; so does a box that is filled up to its lid, where water at rest has no level, and
//! what is read from files. A solid bears the water above it, so layers are moved towards the surface of the solid
//! below them, and towards the floor otherwise.

use glam::{DVec3, Vec3};

use super::scene::Scene;
use super::solids::SampledSolids;
use super::{Block, BlockShape, Dimensions, Resolution};

/// Rounding of the edges of blocks, in spacings.
const TOLERANCE: f64 = 1e-3;

/// The largest number of places that are looked at. More of them would delay the start of a scene noticeably, and a box
/// that is far larger than its water would have any number.
const MOST_PLACES: f64 = 4_194_304.0;

/// The part of a body of water at rest around a place.
#[derive(Clone, Copy)]
struct Column {
    /// Height of what bears the water, the floor or a solid, m.
    foot: f32,
    /// Height of the water's surface, m.
    surface: f32,
}

/// Places of a scene on a grid with the spacing of the particles, and which of them are in water at rest.
pub(super) struct RestingWater {
    low: DVec3,
    edges: DVec3,
    counts: [usize; 3],
    /// g / c², 1/m.
    bend: f64,
    columns: Vec<Option<Column>>,
}

impl RestingWater {
    /// The scene's water that is at rest at the start; `None` without any, and where pressure does not compress it.
    pub(super) fn new(scene: &Scene, resolution: &Resolution, solids: &SampledSolids) -> Option<Self> {
        let (gravity, sound) = (scene.gravity.as_dvec3(), f64::from(resolution.resting_sound));
        let is_pulled_down = gravity.y < 0.0 && gravity.x == 0.0 && gravity.z == 0.0;
        let is_pulled_to_center = scene.central_gravity.strength != 0.0;
        if !sound.is_finite() || !is_pulled_down || is_pulled_to_center || !scene.points.is_empty() {
            return None;
        }
        let (spacing, low) = (f64::from(resolution.spacing), scene.low.as_dvec3());
        let top = scene.blocks.iter().map(|block| f64::from(block.high.y)).fold(low.y, f64::max);
        let extent = scene.high.as_dvec3() - low;
        let layers = (top.min(scene.high.y.into()) - low.y) / spacing + TOLERANCE;
        let mut counts = (extent / spacing).round().max(DVec3::ONE).with_y(layers.floor());
        if scene.dimensions == Dimensions::Two {
            counts.z = 1.0;
        }
        if !(1.0..=MOST_PLACES).contains(&counts.element_product()) {
            return None;
        }
        let edges = (extent / counts).with_y(spacing);
        let counts = counts.to_array().map(|count| count as usize);
        let columns = vec![None; counts.iter().product()];
        let mut water = Self { low, edges, counts, bend: -gravity.y / sound.powi(2), columns };
        // The uppermost places are open to the air, unless the water reaches to the lid.
        let has_lid = f64::from(scene.high.y) - top < 0.5 * spacing;
        let mut wet = water.wet(scene, solids);
        let mut any = false;
        for start in 0..wet.len() {
            if std::mem::take(&mut wet[start]) {
                let body = water.body(start, &mut wet);
                if let Some(surface) = water.level(&body, has_lid, solids) {
                    water.settle(body, surface);
                    any = true;
                }
            }
        }
        any.then_some(water)
    }

    /// Which places are in a block of water without velocity and not in a solid.
    fn wet(&self, scene: &Scene, solids: &SampledSolids) -> Vec<bool> {
        let mut wet = vec![false; self.columns.len()];
        let is_still =
            |block: &&Block| block.shape == BlockShape::Box && block.velocity == Vec3::ZERO && block.fields.is_empty();
        for block in scene.blocks.iter().filter(is_still) {
            let place = |corner: Vec3| ((corner.as_dvec3() - self.low) / self.edges - 0.5).to_array();
            let (from, to) = (place(block.low), place(block.high));
            let within: [_; 3] = std::array::from_fn(|axis| {
                if axis == 2 && scene.dimensions == Dimensions::Two {
                    return 0..1;
                }
                // Casts of negative numbers give 0.
                let last = (to[axis] + TOLERANCE).floor() + 1.0;
                (from[axis] - TOLERANCE).ceil() as usize..(last as usize).min(self.counts[axis])
            });
            let [across, up, deep] = within;
            for (y, z) in up.flat_map(|y| deep.clone().map(move |z| (y, z))) {
                across.clone().for_each(|x| wet[self.index([x, y, z])] = true);
            }
        }
        if solids.takes_room() {
            let places: Vec<_> = (0..wet.len()).filter(|place| wet[*place]).collect();
            let taken = solids.taken(places.len(), |number| self.middle(places[number]));
            places.into_iter().zip(taken).for_each(|(place, taken)| wet[place] = !taken);
        }
        wet
    }

    /// The places of a body of water, which are then no longer `wet`.
    fn body(&self, start: usize, wet: &mut [bool]) -> Vec<usize> {
        let mut body = vec![start];
        let mut next = 0;
        while let Some(&place) = body.get(next) {
            for neighbor in self.neighbors(place).into_iter().flatten() {
                if std::mem::take(&mut wet[neighbor]) {
                    body.push(neighbor);
                }
            }
            next += 1;
        }
        body.sort_unstable();
        body
    }

    /// The height of the surface of a body of water, m, if the water is at rest. Its places are in ascending order.
    fn level(&self, body: &[usize], has_lid: bool, solids: &SampledSolids) -> Option<f32> {
        let is_solid = |place: usize| solids.takes_room() && solids.takes(self.middle(place));
        let is_water = |place: &usize| body.binary_search(place).is_ok();
        let layer = |place: usize| self.cell(place)[1];
        let mut surface = None;
        for &place in body {
            let [above, others @ ..] = self.neighbors(place);
            if others.into_iter().flatten().any(|other| !is_water(&other) && !is_solid(other)) {
                return None;
            }
            let is_open = above.map_or(!has_lid, |above| !is_water(&above) && !is_solid(above));
            if is_open && *surface.get_or_insert(layer(place)) != layer(place) {
                return None;
            }
        }
        let highest = body.last().map(|&place| layer(place));
        let surface = surface.filter(|_| surface == highest)?;
        Some((self.low.y + (surface + 1) as f64 * self.edges.y) as f32)
    }

    /// Notes what bears the water of a body at rest; its places are in ascending order, and so from the floor upwards.
    fn settle(&mut self, body: Vec<usize>, surface: f32) {
        let layer = self.counts[0] * self.counts[2];
        for place in body {
            let below = place.checked_sub(layer).and_then(|below| self.columns[below]);
            let own = (self.middle(place).y - 0.5 * self.edges.y) as f32;
            self.columns[place] = Some(Column { foot: below.map_or(own, |below| below.foot), surface });
        }
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (y * self.counts[2] + z) * self.counts[0] + x
    }

    fn cell(&self, place: usize) -> [usize; 3] {
        let [across, _, deep] = self.counts;
        [place % across, place / (across * deep), place / across % deep]
    }

    /// The middle of a place, m.
    fn middle(&self, place: usize) -> DVec3 {
        self.low + (DVec3::from_array(self.cell(place).map(|along| along as f64)) + 0.5) * self.edges
    }

    /// The places above, below and beside one, as far as there are any.
    fn neighbors(&self, place: usize) -> [Option<usize>; 6] {
        [(1, 1), (1, -1), (0, 1), (0, -1), (2, 1), (2, -1)].map(|(axis, way)| {
            let mut cell = self.cell(place);
            cell[axis] = cell[axis].checked_add_signed(way).filter(|along| *along < self.counts[axis])?;
            Some(self.index(cell))
        })
    }

    /// Where water that the lattice has at this place is at rest, m.
    pub(super) fn settled(&self, place: Vec3) -> Vec3 {
        // Casts of negative numbers give 0.
        let cell = ((place.as_dvec3() - self.low) / self.edges).to_array().map(|along| along as usize);
        let is_inside = (0..3).all(|axis| cell[axis] < self.counts[axis]);
        let Some(Column { foot, surface }) = is_inside.then(|| self.columns[self.index(cell)]).flatten() else {
            return place;
        };
        let above = |height: f32| self.bend * f64::from((surface - height).max(0.0));
        let rise = (above(foot).ln_1p() - above(place.y).ln_1p()) / self.bend;
        if place.y > foot { place.with_y((f64::from(foot) + rise) as f32) } else { place }
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
    fn each_body_of_water_has_its_own_level() {
        let mut scene = tank("wcsph");
        scene.solids.set(vec![Boundary::Box { low: Vec3::new(0.8, 0.0, -1.0), high: Vec3::new(1.2, 1.5, 2.0) }]);
        let block = |low, high| Block { low, high, ..Block::default() };
        let drop = block(Vec3::new(0.3, 1.2, 0.0), Vec3::new(0.5, 1.4, 1.0));
        scene.blocks = vec![
            block(Vec3::ZERO, Vec3::new(1.0, 1.0, 1.0)),
            block(Vec3::new(1.0, 0.0, 0.0), Vec3::new(2.0, 0.5, 1.0)),
            drop,
        ];
        let (water, resolution) = resting(&scene);
        let water = water.expect("it is at rest");
        let bend = 9.81 / f64::from(resolution.resting_sound).powi(2);
        for (x, y, depth) in [(0.4_f32, 0.45_f32, 1.0), (1.6, 0.45, 0.5), (0.4, 1.3, 0.0)] {
            let height = f64::from(y);
            let expected = bend * (depth * height - 0.5 * height * height).max(0.0);
            let fall = f64::from(y - water.settled(Vec3::new(x, y, 0.5)).y);
            assert!((fall - expected).abs() < 0.02 * expected + 1e-6, "at {x}, {y}: {fall} instead of {expected}");
        }
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
