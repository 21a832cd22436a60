//! The point of a surface, or of its section with a plane, that is nearest to a point.

use glam::{DVec2, DVec3, Vec3};

use super::mesh::Mesh;
use super::section::section;
use super::tree::nearest_on;

/// Distance from the surface, relative to its extent, from which on the way to it defines the normal. Nearer points
/// have that of the face, because the way is rounded.
const APART: f64 = 1e-4;

impl Mesh {
    /// The point of the surface that is nearest to a point, m, and the unit normal out of the solid there; `None` for a
    /// mesh without faces.
    pub(in crate::fluid) fn nearest(&self, at: DVec3) -> Option<(DVec3, DVec3)> {
        let candidates = self.corners().filter_map(|corners| {
            let corners = corners.map(Vec3::as_dvec3);
            let [a, b, c] = corners;
            Some((nearest_on(&corners, at), (b - a).cross(c - a).try_normalize()?))
        });
        self.nearest_of(at, candidates)
    }

    /// The same for its section with the plane at `z`, m, and a point in that plane; `None` where the plane does not
    /// meet the surface.
    pub(in crate::fluid) fn nearest_in_section(&self, at: DVec2, z: f64) -> Option<(DVec3, DVec3)> {
        let lines = section(self, z);
        let candidates = lines.iter().map(|line| {
            let [from, to] = line.ends;
            let share = ((at - from).dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0);
            (from.lerp(to, share).extend(z), line.normal.extend(0.0))
        });
        self.nearest_of(at.extend(z), candidates)
    }

    fn nearest_of(&self, at: DVec3, candidates: impl Iterator<Item = (DVec3, DVec3)>) -> Option<(DVec3, DVec3)> {
        let away = |place: &(DVec3, DVec3)| place.0.distance_squared(at);
        let (place, normal) = candidates.min_by(|a, b| away(a).total_cmp(&away(b)))?;
        let (low, high) = self.bounds();
        let way = at - place;
        let is_apart = way.length() > APART * f64::from((high - low).length());
        // Beside an edge the way there is between the normals of both faces.
        Some((place, if is_apart { way.normalize() * normal.dot(way).signum() } else { normal }))
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec2, DVec3, Vec3};

    use crate::fluid::Mesh;

    #[test]
    fn points_beside_faces_edges_and_inside_find_the_surface_and_its_outside() {
        let cuboid = Mesh::cuboid(Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0));
        let cases = [
            (DVec3::new(0.5, 1.3, 0.5), DVec3::new(0.5, 1.0, 0.5), DVec3::Y),
            (DVec3::new(0.5, 0.9, 0.5), DVec3::new(0.5, 1.0, 0.5), DVec3::Y),
            (DVec3::new(2.0, 0.4, 0.5), DVec3::new(2.0, 0.4, 0.5), DVec3::X),
            (DVec3::new(2.3, 1.3, 0.5), DVec3::new(2.0, 1.0, 0.5), DVec3::new(1.0, 1.0, 0.0).normalize()),
        ];
        for (at, place, normal) in cases {
            let found = cuboid.nearest(at).expect("a place");
            assert!(found.0.distance(place) < 1e-6 && found.1.distance(normal) < 1e-6, "{at}: {found:?}");
            let found = cuboid.nearest_in_section(at.truncate(), 0.02).expect("a place");
            let place = place.truncate().extend(0.02);
            assert!(found.0.distance(place) < 1e-6 && found.1.distance(normal) < 1e-6, "{at}: {found:?}");
        }
        // The face at z = 0 is nearer to that plane than any other.
        let found = cuboid.nearest_in_section(DVec2::new(0.4, 0.5), 0.02).expect("a place");
        assert!(found.1.distance(DVec3::NEG_X) < 1e-6, "{found:?}");
        assert_eq!(cuboid.nearest_in_section(DVec2::ZERO, 2.0), None);
    }
}
