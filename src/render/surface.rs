//! The triangles of a solid as drawn: a position and a normal for each corner, smooth across edges of rounded surfaces
//! and discontinuous at sharp edges.

use std::fmt::Debug;

use glam::{Vec2, Vec3};

/// Faces that meet at less than this angle in degrees are one rounded surface; the cylinders and balls of scenes turn
/// by less from face to face, and angular solids usually have right angles.
const CREASE_DEGREES: f32 = 40.0;

/// A surface of outward-facing triangles, which never changes.
pub trait Surface: Debug + Send + Sync {
    /// Corners, m, in the body frame that the pose of a drawn solid transforms.
    fn vertices(&self) -> &[Vec3];
    /// Indices of three vertices per triangle, counterclockwise as seen from outside.
    fn triangles(&self) -> &[[u32; 3]];
}

/// A corner of a triangle in the layout of `solid.wgsl`: the bits of its position, m, and its normal.
pub(super) type Corner = [u32; 4];

/// The corners of each triangle in turn. Triangles without area, with coordinates that are not finite or with missing
/// vertices are omitted.
pub(super) fn corners(surface: &dyn Surface) -> Vec<Corner> {
    let vertices = surface.vertices();
    let faces: Vec<Face> = surface.triangles().iter().filter_map(|&corners| Face::new(vertices, corners)).collect();
    let mut normals: Vec<[Vec3; 3]> = faces.iter().map(|face| [face.normal; 3]).collect();
    let mut around = Around::default();
    for meeting in corners_by_vertex(&faces, vertices.len()) {
        around.smooth(&faces, &meeting, &mut normals);
    }
    let corner = |(vertex, normal): (u32, &Vec3)| {
        let [x, y, z] = vertices[vertex as usize].to_array().map(f32::to_bits);
        [x, y, z, packed(*normal)]
    };
    faces.iter().zip(&normals).flat_map(|(face, normals)| face.corners.into_iter().zip(normals).map(corner)).collect()
}

/// Distance of the farthest corner from the origin, m.
pub(super) fn reach(surface: &dyn Surface) -> f32 {
    surface.vertices().iter().map(|vertex| vertex.length()).filter(|length| length.is_finite()).fold(0.0, f32::max)
}

struct Face {
    corners: [u32; 3],
    normal: Vec3,
    /// Angle at each corner, radians; the weight of the face among those that meet there.
    angles: [f32; 3],
}

impl Face {
    fn new(vertices: &[Vec3], corners: [u32; 3]) -> Option<Self> {
        let mut places = [Vec3::ZERO; 3];
        for (place, corner) in places.iter_mut().zip(corners) {
            *place = *vertices.get(corner as usize)?;
        }
        let [a, b, c] = places;
        // In double precision, because the normal of a sliver would otherwise be lost.
        let normal = (b - a).as_dvec3().cross((c - a).as_dvec3()).try_normalize()?.as_vec3();
        let angles = [(a, b, c), (b, c, a), (c, a, b)].map(|(at, to, other)| (to - at).angle_between(other - at));
        angles.iter().all(|angle| angle.is_finite()).then_some(Self { corners, normal, angles })
    }
}

/// A corner of a face: the face's index and which of its three corners it is.
type Place = (u32, u8);

/// The corners that meet at each vertex.
fn corners_by_vertex(faces: &[Face], vertex_count: usize) -> impl Iterator<Item = Vec<Place>> {
    let mut starts = vec![0; vertex_count + 1];
    for corner in faces.iter().flat_map(|face| face.corners) {
        starts[corner as usize + 1] += 1;
    }
    for vertex in 0..vertex_count {
        starts[vertex + 1] += starts[vertex];
    }
    let mut ends = starts.clone();
    let mut sorted = vec![(0, 0); 3 * faces.len()];
    for (number, face) in (0..).zip(faces) {
        for (which, corner) in (0..).zip(face.corners) {
            sorted[ends[corner as usize]] = (number, which);
            ends[corner as usize] += 1;
        }
    }
    (0..vertex_count).map(move |vertex| sorted[starts[vertex]..starts[vertex + 1]].to_vec())
}

/// Data about the faces around one vertex.
#[derive(Default)]
struct Around {
    /// The other end of each edge at the vertex, and the corner that the edge belongs to.
    edges: Vec<(u32, usize)>,
    /// Another corner of the same rounded surface, or the corner itself.
    joined: Vec<usize>,
}

impl Around {
    /// Assigns to the corners that rounded edges join the mean of their faces' normals.
    fn smooth(&mut self, faces: &[Face], meeting: &[Place], normals: &mut [[Vec3; 3]]) {
        let face = |corner: usize| &faces[meeting[corner].0 as usize];
        self.edges.clear();
        for (corner, &(_, which)) in meeting.iter().enumerate() {
            for step in [1, 2] {
                self.edges.push((face(corner).corners[(usize::from(which) + step) % 3], corner));
            }
        }
        self.edges.sort_unstable();
        self.joined.clear();
        self.joined.extend(0..meeting.len());
        let least = CREASE_DEGREES.to_radians().cos();
        for pair in 1..self.edges.len() {
            let [(end, one), (other_end, other)] = [self.edges[pair - 1], self.edges[pair]];
            if end == other_end && face(one).normal.dot(face(other).normal) > least {
                let (one, other) = (self.first_of(one), self.first_of(other));
                self.joined[one.max(other)] = one.min(other);
            }
        }
        let mut sums = vec![Vec3::ZERO; meeting.len()];
        for (corner, &(_, which)) in meeting.iter().enumerate() {
            sums[self.first_of(corner)] += face(corner).angles[usize::from(which)] * face(corner).normal;
        }
        for (corner, &(number, which)) in meeting.iter().enumerate() {
            let own = face(corner).normal;
            normals[number as usize][usize::from(which)] = sums[self.first_of(corner)].normalize_or(own);
        }
    }

    /// The first corner of the rounded surface that a corner belongs to.
    fn first_of(&mut self, corner: usize) -> usize {
        let mut first = corner;
        while self.joined[first] != first {
            self.joined[first] = self.joined[self.joined[first]];
            first = self.joined[first];
        }
        first
    }
}

/// A unit vector in two halves of 16 bits, unfolded onto the square of an octahedron (Cigolle and others, "A survey of
/// efficient representations for independent unit vectors", 2014). Accurate to 0.004 degrees.
fn packed(normal: Vec3) -> u32 {
    let flat = normal / (normal.x.abs() + normal.y.abs() + normal.z.abs());
    let sign = Vec2::new(1_f32.copysign(flat.x), 1_f32.copysign(flat.y));
    let square = if flat.z >= 0.0 { flat.truncate() } else { (1.0 - Vec2::new(flat.y, flat.x).abs()) * sign };
    let [x, y] = square.to_array().map(|value| (value.clamp(-1.0, 1.0) * 32767.0).round() as i16 as u16);
    u32::from(x) | u32::from(y) << 16
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3};

    use super::{Surface, corners};
    use crate::fluid::Mesh;

    /// The inverse of `packed`, as the shader computes it.
    fn unpacked(bits: u32) -> Vec3 {
        let [x, y] = [bits as u16, (bits >> 16) as u16].map(|half| (f32::from(half.cast_signed()) / 32767.0).max(-1.0));
        let z = 1.0 - x.abs() - y.abs();
        let folded = (-z).max(0.0);
        Vec3::new(x - folded * 1_f32.copysign(x), y - folded * 1_f32.copysign(y), z).normalize()
    }

    fn drawn(surface: &dyn Surface) -> Vec<(Vec3, Vec3)> {
        let corner = |[x, y, z, normal]: [u32; 4]| (Vec3::from_array([x, y, z].map(f32::from_bits)), unpacked(normal));
        corners(surface).into_iter().map(corner).collect()
    }

    #[test]
    fn the_faces_of_a_box_are_flat() {
        let corners = drawn(&Mesh::cuboid(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)));
        assert_eq!(corners.len(), 36);
        for triangle in corners.chunks_exact(3) {
            let face = (triangle[1].0 - triangle[0].0).cross(triangle[2].0 - triangle[0].0).normalize();
            for (_, normal) in triangle {
                assert!(normal.distance(face) < 1e-4, "{normal}, not {face}");
            }
        }
    }

    #[test]
    fn a_ball_and_the_side_of_a_cylinder_are_smooth_and_the_rims_are_sharp() {
        let center = Vec3::new(1.0, 2.0, -3.0);
        for (place, normal) in drawn(&Mesh::ball(center, 2.0, 3)) {
            // Not exactly radial, because the triangles around a vertex differ.
            assert!(normal.distance((place - center).normalize()) < 0.03, "{normal} at {place}");
        }
        for (place, normal) in drawn(&Mesh::cylinder(Vec3::ZERO, 1.0, 4.0, 48)) {
            let side = Vec3::new(place.x, 0.0, place.z).normalize_or_zero();
            let end = if place.y > 2.0 { Vec3::Y } else { Vec3::NEG_Y };
            let is_near = |expected: Vec3| normal.distance(expected) < 1e-3;
            assert!(is_near(side) || is_near(end), "{normal} at {place}");
        }
    }

    #[test]
    fn degenerate_triangles_are_left_out() {
        let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NAN, 2.0 * Vec3::X];
        let triangles = vec![[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 9], [1, 1, 2]];
        let corners = drawn(&Mesh { vertices, triangles });
        assert_eq!(corners.iter().map(|corner| corner.0).collect::<Vec<_>>(), [Vec3::ZERO, Vec3::X, Vec3::Y]);
        assert!(corners.iter().all(|corner| corner.1.distance(Vec3::Z) < 1e-4));
        assert!(drawn(&Mesh::default()).is_empty());
    }

    #[test]
    fn every_direction_survives_the_packing() {
        for index in 0..2_000 {
            // Evenly distributed over the sphere by the golden angle.
            let y = 1.0 - (index as f32 + 0.5) / 1_000.0;
            let across = Vec2::from_angle(2.399_963_2 * index as f32) * (1.0 - y * y).sqrt();
            let direction = Vec3::new(across.x, y, across.y);
            let found = unpacked(super::packed(direction));
            assert!(found.distance(direction) < 1e-4, "{found}, not {direction}");
        }
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for direction in [axis, -axis] {
                assert!(unpacked(super::packed(direction)).distance(direction) < 1e-4, "{direction}");
            }
        }
    }
}
