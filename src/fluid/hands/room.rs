//! Room for water in a part of the box: its volume without that of solids, from a coarse grid over the scene's box.

use std::ops::Range;

use glam::{DVec3, UVec3, Vec3};

use crate::fluid::solids::SampledSolids;
use crate::fluid::{Dimensions, Scene, Simulation};

/// Number of cells along each axis.
const CELLS: u32 = 28;
/// The same in two dimensions.
const CELLS_OF_PLANE: u32 = 96;

/// The free cells of a grid over the scene's box.
pub(super) struct Room {
    low: DVec3,
    /// Edges of a cell, m; 1 along z in two dimensions.
    cell: DVec3,
    counts: UVec3,
    /// Whether water can be in a cell, with x varying fastest; `None` where all are free.
    free: Option<Vec<bool>>,
}

impl Room {
    /// The room beside solids where they are at the scene's start.
    fn new(scene: &Scene, solids: &SampledSolids) -> Self {
        let is_plane = scene.dimensions == Dimensions::Two;
        let counts = if is_plane { UVec3::new(CELLS_OF_PLANE, CELLS_OF_PLANE, 1) } else { UVec3::splat(CELLS) };
        let low = scene.low.as_dvec3();
        let mut cell = (scene.high.as_dvec3() - low) / counts.as_dvec3();
        if is_plane {
            cell.z = 1.0;
        }
        let places = (0..counts.element_product()).map(|number| {
            let (x, rest) = (number % counts.x, number / counts.x);
            let place = low + cell * (UVec3::new(x, rest % counts.y, rest / counts.y).as_dvec3() + 0.5);
            if is_plane { place.with_z(scene.plane().into()) } else { place }
        });
        let free = (!solids.is_empty()).then(|| places.map(|place| !solids.takes(place)).collect());
        Self { low, cell, counts, free }
    }

    /// The room between these corners, m³; in two dimensions m².
    pub(super) fn within(&self, [low, high]: [Vec3; 2]) -> f64 {
        let parts: [Vec<(u32, f64)>; 3] = [0, 1, 2].map(|axis| {
            if self.counts[axis] == 1 {
                return vec![(0, 1.0)];
            }
            let from = (f64::from(low[axis]) - self.low[axis]) / self.cell[axis];
            let to = (f64::from(high[axis]) - self.low[axis]) / self.cell[axis];
            parts_of(from..to, self.counts[axis], self.cell[axis])
        });
        let [along_x, along_y, along_z] = &parts;
        let Some(free) = &self.free else {
            return parts.iter().map(|part| part.iter().map(|(_, length)| length).sum::<f64>()).product();
        };
        let mut sum = 0.0;
        for (z, depth) in along_z {
            for (y, height) in along_y {
                let row = ((z * self.counts.y + y) * self.counts.x) as usize;
                let width: f64 = along_x.iter().filter(|(x, _)| free[row + *x as usize]).map(|(_, width)| width).sum();
                sum += depth * height * width;
            }
        }
        sum
    }
}

/// The cells of a range, which is in cells, each with the length of its part, m.
fn parts_of(range: Range<f64>, count: u32, cell: f64) -> Vec<(u32, f64)> {
    let part = |index: u32| {
        let (from, to) = (f64::from(index).max(range.start), (f64::from(index) + 1.0).min(range.end));
        (to > from).then_some((index, (to - from) * cell))
    };
    (0..count).filter_map(part).collect()
}

impl Simulation {
    /// The room for water in the scene's box.
    pub(super) fn room(&self) -> &Room {
        self.hands.room.get_or_init(|| Room::new(&self.loaded, &self.samples))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::Room;
    use crate::fluid::solids::SampledSolids;
    use crate::fluid::{Boundary, Scene};

    #[test]
    fn the_room_is_the_volume_of_the_box_without_that_of_solids() {
        let mut scene = Scene::load("dam_break").expect("it ships with the program");
        let whole = f64::from((scene.high - scene.low).element_product());
        let empty = Room::new(&scene, &SampledSolids::default());
        assert!((empty.within([scene.low, scene.high]) / whole - 1.0).abs() < 1e-6);
        let half = scene.high.with_x(0.5 * (scene.low.x + scene.high.x));
        assert!((empty.within([scene.low, half]) / whole - 0.5).abs() < 1e-6);

        let (low, high) = (scene.low.with_x(half.x), scene.high);
        scene.solids = vec![Boundary::Box { low, high }].into();
        let solids = SampledSolids::new(&scene, 0.2).expect("it is sampled");
        let beside = Room::new(&scene, &solids);
        assert!((beside.within([scene.low, scene.high]) / whole - 0.5).abs() < 0.03);
        assert!(beside.within([low + Vec3::X * 0.5, high]) < 0.01 * whole, "there is no room in the block");
    }
}
