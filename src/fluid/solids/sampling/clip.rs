//! The part of a triangle that lies in a box, so that a solid far larger than the tank costs no more than its part in
//! it.

use glam::DVec3;

/// A box, m; its edges may be infinite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub low: DVec3,
    pub high: DVec3,
}

impl Bounds {
    /// Whether a point lies in the box.
    pub(super) fn contains(&self, point: DVec3) -> bool {
        point.cmpge(self.low).all() && point.cmple(self.high).all()
    }

    /// Whether the smallest box around these corners has a point in common with the box.
    pub(super) fn may_meet(&self, corners: &[DVec3]) -> bool {
        let low = corners.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = corners.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        low.cmple(self.high).all() && high.cmpge(self.low).all()
    }

    /// The corners of the part of a polygon that lies in the box (Sutherland and Hodgman 1974); fewer than three where
    /// none does.
    pub(super) fn clip(&self, polygon: &[DVec3]) -> Vec<DVec3> {
        let mut corners = polygon.to_vec();
        for axis in 0..3 {
            for (limit, sign) in [(self.low[axis], 1.0), (self.high[axis], -1.0)] {
                if limit.is_finite() && corners.len() > 2 {
                    corners = half(&corners, |point| sign * (point[axis] - limit));
                }
            }
        }
        corners
    }

    /// The ends of the part of a segment that lies in the box, as fractions of the way; `None` where none does.
    pub(super) fn share(&self, from: DVec3, to: DVec3) -> Option<[f64; 2]> {
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        for axis in 0..3 {
            let along = to[axis] - from[axis];
            let (a, b) = ((self.low[axis] - from[axis]) / along, (self.high[axis] - from[axis]) / along);
            if along == 0.0 {
                if from[axis] < self.low[axis] || from[axis] > self.high[axis] {
                    return None;
                }
            } else {
                (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
            }
        }
        (first <= last).then_some([first, last])
    }
}

/// The part of a polygon on which `inside` is not negative; `inside` is linear.
fn half(corners: &[DVec3], inside: impl Fn(DVec3) -> f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(corners.len() + 1);
    for (number, &corner) in corners.iter().enumerate() {
        let previous = corners[(number + corners.len() - 1) % corners.len()];
        let (here, before) = (inside(corner), inside(previous));
        if (here >= 0.0) != (before >= 0.0) {
            kept.push(previous.lerp(corner, before / (before - here)));
        }
        if here >= 0.0 {
            kept.push(corner);
        }
    }
    kept
}

/// Area of a plane polygon, m².
pub(super) fn area(corners: &[DVec3]) -> f64 {
    let Some((&first, rest)) = corners.split_first() else { return 0.0 };
    let doubled: DVec3 = rest.windows(2).map(|pair| (pair[0] - first).cross(pair[1] - first)).sum();
    0.5 * doubled.length()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::{Bounds, area};

    #[test]
    fn a_large_triangle_is_cut_to_the_box() {
        let bounds = Bounds { low: DVec3::ZERO, high: DVec3::new(2.0, 1.0, 1.0) };
        let floor = [DVec3::new(-1e6, 0.5, -1e6), DVec3::new(1e6, 0.5, -1e6), DVec3::new(0.0, 0.5, 1e6)];
        assert!((area(&bounds.clip(&floor)) - 2.0).abs() < 1e-9, "{:?}", bounds.clip(&floor));
        let above = floor.map(|corner| corner + DVec3::Y);
        assert!(bounds.clip(&above).len() < 3);
        let inside = [DVec3::splat(0.2), DVec3::new(0.8, 0.2, 0.2), DVec3::new(0.2, 0.8, 0.2)];
        assert_eq!(bounds.clip(&inside), inside);
        let everywhere = Bounds { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };
        assert_eq!(everywhere.clip(&floor), floor);
    }

    #[test]
    fn corners_beside_the_box_are_told_from_those_in_it_or_around_it() {
        let bounds = Bounds { low: DVec3::ZERO, high: DVec3::new(2.0, 1.0, 1.0) };
        let around = [DVec3::splat(-9.0), DVec3::new(9.0, -9.0, 9.0), DVec3::splat(9.0)];
        assert!(bounds.may_meet(&around) && !around.iter().any(|&corner| bounds.contains(corner)));
        let above = around.map(|corner| corner.with_y(1.5));
        assert!(!bounds.may_meet(&above) && bounds.may_meet(&[DVec3::splat(0.5)]));
        assert!(bounds.contains(DVec3::new(2.0, 0.5, 0.0)) && !bounds.contains(DVec3::new(2.1, 0.5, 0.0)));
    }

    #[test]
    fn a_segment_is_cut_to_the_box() {
        let bounds = Bounds { low: DVec3::ZERO, high: DVec3::ONE };
        let share = bounds.share(DVec3::new(-1.0, 0.5, 0.5), DVec3::new(3.0, 0.5, 0.5)).expect("it passes through");
        assert_eq!(share.map(f64::to_bits), [0.25, 0.5].map(f64::to_bits));
        assert_eq!(bounds.share(DVec3::new(-1.0, 2.0, 0.5), DVec3::new(3.0, 2.0, 0.5)), None);
        assert!(bounds.share(DVec3::splat(0.1), DVec3::splat(0.9)).is_some_and(|[first, last]| last - first > 0.999));
    }
}
