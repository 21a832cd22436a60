//! Lattices over a triangle, below whose points samples are placed.

use glam::{DVec2, DVec3, Vec3};

use super::clip::Bounds;

/// Number of lattice places from which on only those of a triangle in and near the box are computed.
const LARGE: f64 = 4096.0;

/// A triangle with a frame along the sides of the corner nearest to a right angle, so that the lattices of the two
/// halves of a rectangle coincide.
pub(super) struct Triangle {
    origin: DVec3,
    /// Unit normal.
    pub normal: DVec3,
    /// Unit vectors in its plane, and its extents along them, m.
    axes: [DVec3; 2],
    reach: [f64; 2],
    /// Position of the third corner along the first axis, m.
    apex: f64,
}

impl Triangle {
    pub(super) fn new(corners: [Vec3; 3]) -> Option<Self> {
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        let normal = (b - a).cross(c - a).try_normalize()?;
        let slant = |[a, b, c]: [DVec3; 3]| (b - a).normalize().dot((c - a).normalize()).abs();
        let turned = [[a, b, c], [b, c, a], [c, a, b]];
        let [origin, u, v] = turned.into_iter().min_by(|&one, &other| slant(one).total_cmp(&slant(other)))?;
        let along = (u - origin).normalize();
        let across = normal.cross(along);
        let reach = [(u - origin).length(), (v - origin).dot(across)];
        Some(Self { origin, normal, axes: [along, across], reach, apex: (v - origin).dot(along) })
    }

    /// The corners, m.
    pub(super) fn corners(&self) -> [DVec3; 3] {
        let place = |x: f64, y: f64| self.origin + x * self.axes[0] + y * self.axes[1];
        [self.origin, place(self.reach[0], 0.0), place(self.apex, self.reach[1])]
    }

    /// Lowest and highest coordinates along the triangle's axes of its part in a box, m; `None` where none is in it.
    fn extent_in(&self, bounds: &Bounds) -> Option<[DVec2; 2]> {
        let part = bounds.clip(&self.corners());
        let flat = |place: &DVec3| DVec2::from(self.axes.map(|axis| (*place - self.origin).dot(axis)));
        (part.len() > 2).then(|| {
            let points = || part.iter().map(flat);
            [points().fold(DVec2::INFINITY, DVec2::min), points().fold(DVec2::NEG_INFINITY, DVec2::max)]
        })
    }

    /// Visits the points in `bounds` of a lattice with approximately this step, or the center of a triangle that
    /// contains no point of it.
    pub(super) fn for_each_place(&self, step: f64, bounds: &Bounds, mut visit: impl FnMut(DVec3)) {
        if !bounds.may_meet(&self.corners()) {
            return;
        }
        let mut visit = |place: DVec3| {
            if bounds.contains(place) {
                visit(place);
            }
        };
        let counts = self.reach.map(|reach| (reach / step).round().max(1.0));
        let steps = [self.reach[0] / counts[0], self.reach[1] / counts[1]];
        let apex = self.apex;
        let mut found = false;
        // An obtuse triangle extends beyond its frame.
        let mut first = (apex.min(0.0) / steps[0]).floor() as i64;
        let mut last = (apex.max(self.reach[0]) / steps[0]).ceil() as i64;
        let (mut first_row, mut last_row) = (0, counts[1] as i64);
        if (last - first) as f64 * counts[1] > LARGE {
            // Such a triangle contains points, whether or not they are in the box.
            found = true;
            let Some([low, high]) = self.extent_in(bounds) else { return };
            first = first.max((low.x / steps[0]).floor() as i64 - 1);
            last = last.min((high.x / steps[0]).ceil() as i64 + 1);
            first_row = first_row.max((low.y / steps[1]).floor() as i64 - 1);
            last_row = last_row.min((high.y / steps[1]).ceil() as i64 + 1);
        }
        for row in first_row..last_row {
            let t = (row as f64 + 0.5) / counts[1];
            let (from, to) = (t * apex, t * apex + (1.0 - t) * self.reach[0]);
            let slack = 1e-9 * self.reach[0];
            for column in first..last {
                let x = (column as f64 + 0.5) * steps[0];
                if x >= from - slack && x <= to + slack {
                    found = true;
                    visit(self.origin + x * self.axes[0] + t * self.reach[1] * self.axes[1]);
                }
            }
        }
        if !found {
            visit(self.origin + (self.reach[0] + apex) / 3.0 * self.axes[0] + self.reach[1] / 3.0 * self.axes[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::super::clip::Bounds;
    use super::Triangle;

    /// Solids far larger than the tank cost no more than their part in it.
    #[test]
    fn places_outside_of_the_box_are_not_visited() {
        let bounds = Bounds { low: DVec3::ZERO, high: DVec3::ONE };
        let visited = |corners: [Vec3; 3], step: f64| {
            let mut places = Vec::new();
            let triangle = Triangle::new(corners).expect("it has an area");
            triangle.for_each_place(step, &bounds, |place| places.push(place));
            places
        };
        // With fewer and with more places in the whole triangle than are looked at one by one.
        for step in [0.25, 0.01] {
            let floor = [Vec3::new(-2.0, 0.5, -2.0), Vec3::new(5.0, 0.5, -2.0), Vec3::new(-2.0, 0.5, 5.0)];
            let places = visited(floor, step);
            let expected = (1.0 / step).powi(2);
            assert!((places.len() as f64 / expected - 1.0).abs() < 0.3, "{} of {expected}", places.len());
            assert!(places.iter().all(|&place| bounds.contains(place)));
            assert!(visited(floor.map(|corner| corner + Vec3::Y), step).is_empty());
        }
        // Its center stands for a triangle that is too small for a place of the lattice.
        let sliver = [Vec3::splat(0.5), Vec3::new(0.6, 0.5, 0.5), Vec3::new(0.6, 0.501, 0.5)];
        assert_eq!(visited(sliver, 0.25).len(), 1);
    }
}
