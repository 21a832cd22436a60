//! Points in a grid of cells, for queries of near points.

use glam::{DVec3, UVec3, Vec3};

/// Largest number of cells; where there would be more, they are made larger.
const MOST_CELLS: f64 = 1.6e7;
const NOBODY: u32 = u32::MAX;

/// Points in a grid of cells, for queries of near points.
pub(in crate::fluid) struct PointGrid {
    low: Vec3,
    cell_size: f32,
    counts: UVec3,
    /// The last point of each cell, and for each point the previous one in its cell.
    last: Vec<u32>,
    before: Vec<u32>,
    /// Positions, m, in the order in which they were added.
    pub points: Vec<Vec3>,
}

impl PointGrid {
    /// An empty grid for points in a box, and for queries with distances of about `distance`.
    pub(in crate::fluid) fn new(low: Vec3, high: Vec3, distance: f32) -> Self {
        let extent = (high.as_dvec3() - low.as_dvec3()).max(DVec3::ZERO);
        // Without an extent, or with one that is not finite, one cell serves.
        let extent = if extent.is_finite() { extent } else { DVec3::ZERO };
        let mut cell_size = f64::from(distance);
        let cells = |cell_size: f64| (extent / cell_size).floor() + 1.0;
        while cells(cell_size).element_product() > MOST_CELLS {
            cell_size *= 2.0;
        }
        let counts = cells(cell_size).as_uvec3();
        let last = vec![NOBODY; counts.element_product() as usize];
        Self { low, cell_size: cell_size as f32, counts, last, before: Vec::new(), points: Vec::new() }
    }

    fn cell_coord(&self, place: Vec3) -> UVec3 {
        // The conversion saturates, so a float out of range becomes the nearest representable integer.
        ((place - self.low) / self.cell_size).max(Vec3::ZERO).as_uvec3().min(self.counts - 1)
    }

    fn cell_index(&self, cell: UVec3) -> usize {
        ((cell.z * self.counts.y + cell.y) * self.counts.x + cell.x) as usize
    }

    pub(in crate::fluid) fn add(&mut self, point: Vec3) {
        let cell = self.cell_index(self.cell_coord(point));
        self.before.push(self.last[cell]);
        self.last[cell] = self.points.len() as u32;
        self.points.push(point);
    }

    /// Takes out all points but this number of those that were added first.
    pub(in crate::fluid) fn truncate(&mut self, count: usize) {
        while self.points.len() > count
            && let (Some(point), Some(before)) = (self.points.pop(), self.before.pop())
        {
            // A point that was added last is the last one of its cell.
            let cell = self.cell_index(self.cell_coord(point));
            self.last[cell] = before;
        }
    }

    /// Squared distances of all points that are nearer to a position than `distance`.
    pub(in crate::fluid) fn near(&self, place: Vec3, distance: f32) -> impl Iterator<Item = f32> {
        self.numbers_near(place, distance).map(move |point| self.points[point].distance_squared(place))
    }

    /// The numbers of these points.
    pub(in crate::fluid) fn numbers_near(&self, place: Vec3, distance: f32) -> impl Iterator<Item = usize> {
        let (low, high) = (self.cell_coord(place - distance), self.cell_coord(place + distance));
        let cells = (low.z..=high.z)
            .flat_map(move |z| (low.y..=high.y).flat_map(move |y| (low.x..=high.x).map(move |x| UVec3::new(x, y, z))));
        let points = cells.flat_map(|cell| {
            let first = self.last[self.cell_index(cell)];
            std::iter::successors((first != NOBODY).then_some(first), |&point| {
                Some(self.before[point as usize]).filter(|&before| before != NOBODY)
            })
        });
        let numbers = points.map(|point| point as usize);
        numbers.filter(move |&point| self.points[point].distance_squared(place) < distance * distance)
    }
}
