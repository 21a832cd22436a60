//! A tree of bounding boxes over triangles, for the queries of sampling: distances to the surface, and whether a
//! point is inside.

use std::cell::Cell;

use glam::{DVec3, Vec3};

use super::mesh::Mesh;

/// Largest number of triangles in a leaf.
const LEAF: usize = 4;

/// Direction of the rays that count crossings of the surface, chosen to be parallel to no edge or face of a typical
/// mesh.
const ASKEW: DVec3 = DVec3::new(0.577_215_664_901, 0.661_707_182_267, 0.478_312_044_116);

/// The tree over a mesh's triangles.
pub(super) struct TriangleTree {
    nodes: Vec<Node>,
    /// Corners in m, in the order of the leaves.
    triangles: Vec<[DVec3; 3]>,
}

struct Node {
    low: DVec3,
    high: DVec3,
    /// For a leaf the first triangle, for other nodes the second child; the first child is the next node.
    place: usize,
    /// Number of triangles of a leaf; 0 for other nodes.
    count: usize,
}

impl TriangleTree {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let triangles = mesh.corners().map(|corners| corners.map(Vec3::as_dvec3)).collect();
        let mut tree = Self { nodes: Vec::new(), triangles };
        if !tree.triangles.is_empty() {
            tree.divide(0, tree.triangles.len());
        }
        tree
    }

    /// Adds the node over a range of triangles, and all nodes below it.
    fn divide(&mut self, first: usize, last: usize) {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for corner in self.triangles[first..last].iter().flatten() {
            (low, high) = (low.min(*corner), high.max(*corner));
        }
        let number = self.nodes.len();
        let is_leaf = last - first <= LEAF;
        self.nodes.push(Node { low, high, place: first, count: if is_leaf { last - first } else { 0 } });
        if is_leaf {
            return;
        }
        let extent = high - low;
        let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or_default();
        let middle = first.midpoint(last);
        let place = |triangle: &[DVec3; 3]| triangle.iter().map(|corner| corner[axis]).sum::<f64>();
        self.triangles[first..last].select_nth_unstable_by(middle - first, |a, b| place(a).total_cmp(&place(b)));
        self.divide(first, middle);
        self.nodes[number].place = self.nodes.len();
        self.divide(middle, last);
    }

    /// Calls `visit` with the triangles of all leaves whose nodes `enters` accepts, until it returns true.
    fn visit(&self, enters: impl Fn(&Node) -> bool, mut visit: impl FnMut(&[DVec3; 3]) -> bool) {
        let mut open: Vec<usize> = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while let Some(number) = open.pop() {
            let node = &self.nodes[number];
            if !enters(node) {
                continue;
            }
            if node.count == 0 {
                open.extend([node.place, number + 1]);
            } else if self.triangles[node.place..node.place + node.count].iter().any(&mut visit) {
                return;
            }
        }
    }

    /// Whether the surface is nearer to a point than `distance`.
    pub(super) fn is_near(&self, point: DVec3, distance: f64) -> bool {
        let squared = distance * distance;
        let mut found = false;
        self.visit(
            |node| point.clamp(node.low, node.high).distance_squared(point) < squared,
            |triangle| {
                found = nearest_on(triangle, point).distance_squared(point) < squared;
                found
            },
        );
        found
    }

    /// The point of the surface that is nearest to a point, if it is nearer than `limit`.
    pub(super) fn nearest(&self, point: DVec3, limit: f64) -> Option<DVec3> {
        let squared = Cell::new(limit * limit);
        let mut found = None;
        self.visit(
            |node| point.clamp(node.low, node.high).distance_squared(point) < squared.get(),
            |triangle| {
                let place = nearest_on(triangle, point);
                let away = place.distance_squared(point);
                if away < squared.get() {
                    squared.set(away);
                    found = Some(place);
                }
                false
            },
        );
        found
    }

    /// Distance from a point to the surface along a unit vector, if it is below `limit`.
    pub(super) fn distance_along(&self, point: DVec3, direction: DVec3, limit: f64) -> Option<f64> {
        let mut nearest = None;
        let inverse = direction.recip();
        self.visit(
            |node| ray_meets(node, point, inverse, limit),
            |triangle| {
                if let Some((distance, _)) = crossing(triangle, point, direction)
                    && distance < nearest.unwrap_or(limit)
                {
                    nearest = Some(distance);
                }
                false
            },
        );
        nearest
    }

    /// Whether a point lies in the solid, which is the case if a ray from it leaves more shells than it enters.
    pub(super) fn is_inside(&self, point: DVec3) -> bool {
        let Some(root) = self.nodes.first() else { return false };
        if point.cmplt(root.low).any() || point.cmpgt(root.high).any() {
            return false;
        }
        let mut left = 0;
        let inverse = ASKEW.recip();
        self.visit(
            |node| ray_meets(node, point, inverse, f64::INFINITY),
            |triangle| {
                if let Some((_, leaves)) = crossing(triangle, point, ASKEW) {
                    left += if leaves { 1 } else { -1 };
                }
                false
            },
        );
        left != 0
    }
}

/// Whether the ray intersects the node's box at a distance of at most `limit`.
fn ray_meets(node: &Node, point: DVec3, inverse: DVec3, limit: f64) -> bool {
    let (a, b) = ((node.low - point) * inverse, (node.high - point) * inverse);
    // Along an axis that is perpendicular to the ray the values are infinite. Where the ray also lies in a face they
    // are NaN, which must not make a comparison reject the box.
    let (enter, leave) = (0..3).fold((0.0_f64, limit), |(enter, leave), axis| {
        let (near, far) = (a[axis].min(b[axis]), a[axis].max(b[axis]));
        (enter.max(near), leave.min(far))
    });
    enter <= leave
}

/// The distance at which a ray crosses a triangle, and whether it goes from inside to outside (Möller and Trumbore
/// 1997).
fn crossing(&[a, b, c]: &[DVec3; 3], point: DVec3, direction: DVec3) -> Option<(f64, bool)> {
    let (ab, ac) = (b - a, c - a);
    let across = direction.cross(ac);
    let facing = ab.dot(across);
    if facing == 0.0 {
        return None;
    }
    let from_a = point - a;
    let u = from_a.dot(across) / facing;
    let along = from_a.cross(ab);
    let v = direction.dot(along) / facing;
    let distance = ac.dot(along) / facing;
    // `facing` is minus direction · normal.
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0).then_some((distance, facing < 0.0))
}

/// The point of a triangle that is nearest to a point (Ericson, Real-Time Collision Detection, section 5.1.5).
pub(super) fn nearest_on(&[a, b, c]: &[DVec3; 3], point: DVec3) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let scale = (va + vb + vc).recip();
    a + ab * (vb * scale) + ac * (vc * scale)
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::TriangleTree;
    use crate::fluid::Mesh;
    use crate::search::random::uniform;

    /// Points in the cube from -2 to 2.
    fn points() -> impl Iterator<Item = DVec3> {
        let coordinate = |number: u64| 4.0 * f64::from(uniform(5, number)) - 2.0;
        (0..2_000).map(move |i| DVec3::new(coordinate(3 * i), coordinate(3 * i + 1), coordinate(3 * i + 2)))
    }

    #[test]
    fn queries_of_a_box_match_its_formulas() {
        let (low, high) = (Vec3::new(-1.0, -0.5, -1.5), Vec3::new(1.0, 1.0, 0.5));
        let tree = TriangleTree::new(&Mesh::cuboid(low, high));
        let (low, high) = (low.as_dvec3(), high.as_dvec3());
        for point in points() {
            let beyond = (low - point).max(point - high);
            let is_inside = beyond.max_element() < 0.0;
            assert_eq!(tree.is_inside(point), is_inside, "{point}");
            let distance = if is_inside { -beyond.max_element() } else { beyond.max(DVec3::ZERO).length() };
            assert!(tree.is_near(point, distance + 1e-9) && !tree.is_near(point, distance - 1e-9), "{point}");
            let nearest = tree.nearest(point, distance + 1e-9).expect("the surface");
            assert!((nearest.distance(point) - distance).abs() < 1e-9, "{point}: {nearest}");
            assert_eq!(tree.nearest(point, distance - 1e-9), None);
            if is_inside {
                let found = tree.distance_along(point, DVec3::X, 10.0).expect("the wall");
                assert!((found - (high.x - point.x)).abs() < 1e-12);
                assert_eq!(tree.distance_along(point, DVec3::X, found - 1e-9), None);
            }
        }
        // Points from which axis-parallel rays would hit faces and edges exactly.
        assert!(tree.is_inside(DVec3::new(0.0, 0.0, 0.0)) && !tree.is_inside(DVec3::new(0.0, 1.5, 0.0)));
    }

    #[test]
    fn overlapping_shells_are_one_solid() {
        let mut both = Mesh::ball(Vec3::new(-0.4, 0.0, 0.0), 1.0, 4);
        let other = Mesh::cuboid(Vec3::splat(-0.7), Vec3::splat(0.9));
        let count = both.vertices.len() as u32;
        both.triangles.extend(other.triangles.iter().map(|corners| corners.map(|corner| corner + count)));
        both.vertices.extend(&other.vertices);
        let tree = TriangleTree::new(&both);
        for point in points() {
            let from_center = (point - DVec3::new(-0.4, 0.0, 0.0)).length();
            // Skip points between the ball and the inscribed polyhedron.
            if (0.99..=1.0).contains(&from_center) {
                continue;
            }
            let in_box = point.cmpgt(DVec3::splat(-0.7)).all() && point.cmplt(DVec3::splat(0.9)).all();
            assert_eq!(tree.is_inside(point), from_center < 1.0 || in_box, "{point}");
        }
    }
}
