//! Lattices over a triangle, below whose points samples are placed.

use glam::{DVec3, Vec3};

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

    /// Visits the points of a lattice with approximately this step, or the center of a triangle that contains none of
    /// them.
    pub(super) fn for_each_place(&self, step: f64, mut visit: impl FnMut(DVec3)) {
        let counts = self.reach.map(|reach| (reach / step).round().max(1.0));
        let steps = [self.reach[0] / counts[0], self.reach[1] / counts[1]];
        let apex = self.apex;
        let mut found = false;
        // An obtuse triangle extends beyond its frame.
        let first = (apex.min(0.0) / steps[0]).floor() as i64;
        let last = (apex.max(self.reach[0]) / steps[0]).ceil() as i64;
        for row in 0..counts[1] as i64 {
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
