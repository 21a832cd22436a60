//! Shapes of bodies, and their mass properties.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use glam::{DMat3, DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::fluid::Dimensions;
use crate::fluid::solids::sampling::{Mesh, MeshError, read_model};

/// The shape of a body in its own frame, whose origin is the center of mass.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub enum BodyShape {
    /// A box.
    Box {
        /// Edge lengths along x, y and z, m.
        size: Vec3,
    },
    /// A ball.
    Sphere {
        /// m.
        radius: f32,
    },
    /// A closed mesh: a Wavefront OBJ or glTF file. The fluid interacts with its surface; contacts use its convex
    /// hull, and its surface where the body is held.
    Mesh {
        /// Its path relative to the scene's folder, or its name among the program's models.
        file: String,
        /// Scale factor.
        #[serde(default = "unchanged")]
        scale: f32,
        /// The mesh that was read, scaled and centered at its center of mass.
        #[serde(skip)]
        model: Arc<Mesh>,
    },
}

fn unchanged() -> f32 {
    1.0
}

/// Mass and inertia of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MassProperties {
    /// kg; in two dimensions kg/m.
    pub mass: f64,
    /// Inertia about the center of mass in the body's frame, kg m²; in two dimensions kg m.
    pub inertia: DMat3,
}

/// Integrals over the volume that a surface encloses.
struct Moments {
    /// m³.
    volume: f64,
    /// Centroid, m.
    center: DVec3,
    /// Second moments about the center, m⁵.
    seconds: DMat3,
}

impl Moments {
    /// Sums the integrals over the tetrahedra that the triangles form with a common point.
    fn of(mesh: &Mesh) -> Self {
        let (low, _) = mesh.bounds();
        let (mut volume, mut first, mut seconds) = (0.0, DVec3::ZERO, DMat3::ZERO);
        let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        for corners in mesh.corners() {
            let [a, b, c] = corners.map(|corner| (corner - low).as_dvec3());
            let sixfold = a.dot(b.cross(c));
            volume += sixfold / 6.0;
            first += sixfold / 24.0 * (a + b + c);
            let sum = a + b + c;
            seconds += (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum)) * (sixfold / 120.0);
        }
        let center = first / volume;
        Self { volume, center: center + low.as_dvec3(), seconds: seconds - outer(center, center) * volume }
    }
}

/// Inertia of a solid with these second moments and a density of 1.
fn inertia(seconds: DMat3) -> DMat3 {
    let trace = seconds.x_axis.x + seconds.y_axis.y + seconds.z_axis.z;
    DMat3::IDENTITY * trace - seconds
}

impl BodyShape {
    /// Reads the mesh file of a scene in `folder`.
    pub(super) fn load(&mut self, folder: Option<&Path>) -> Result<(), MeshError> {
        let Self::Mesh { file, scale, model } = self else { return Ok(()) };
        let read = read_model(file, folder)?;
        let center = Moments::of(&read).center.as_vec3();
        *model = Arc::new(read.placed(glam::Mat3::from_diagonal(Vec3::splat(*scale)), -center * *scale));
        Ok(())
    }

    /// A shape from a mesh in memory; `name` identifies it in messages. Its center of mass becomes the origin.
    ///
    /// # Errors
    /// When the mesh is not closed, empty, flat or too large.
    pub fn of_mesh(name: &str, mesh: Mesh) -> Result<Self, MeshError> {
        let mesh = mesh.checked(name)?;
        let center = Moments::of(&mesh).center.as_vec3();
        let model = Arc::new(mesh.placed(glam::Mat3::IDENTITY, -center));
        Ok(Self::Mesh { file: name.to_owned(), scale: 1.0, model })
    }

    /// Sets the mesh of a mesh shape, as it was read before.
    pub(super) fn set_model(&mut self, mesh: Mesh) {
        if let Self::Mesh { model, .. } = self {
            *model = Arc::new(mesh);
        }
    }

    /// The field and the reason of an invalid value; `None` where all are valid.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let is_length = |length: f32| length.is_finite() && length > 0.0;
        match self {
            Self::Box { size } if !size.to_array().into_iter().all(is_length) => {
                Some(("shape.size", "must be positive and finite along each axis, in m"))
            }
            Self::Sphere { radius } if !is_length(*radius) => {
                Some(("shape.radius", "must be positive and finite, in m"))
            }
            Self::Mesh { scale, .. } if !is_length(*scale) => Some(("shape.scale", "must be positive and finite")),
            _ => None,
        }
    }

    /// Its surface around its center of mass, m.
    pub fn surface(&self) -> Arc<Mesh> {
        static BALL: OnceLock<Mesh> = OnceLock::new();
        match self {
            Self::Box { size } => Arc::new(Mesh::cuboid(-0.5 * *size, 0.5 * *size)),
            Self::Sphere { radius } => {
                let ball = BALL.get_or_init(|| Mesh::ball(Vec3::ZERO, 1.0, 4));
                Arc::new(ball.placed(glam::Mat3::from_diagonal(Vec3::splat(*radius)), Vec3::ZERO))
            }
            Self::Mesh { model, .. } => Arc::clone(model),
        }
    }

    /// Volume, m³.
    pub fn volume(&self) -> f64 {
        match self {
            Self::Box { size } => size.as_dvec3().element_product(),
            Self::Sphere { radius } => 4.0 / 3.0 * std::f64::consts::PI * f64::from(*radius).powi(3),
            Self::Mesh { model, .. } => Moments::of(model).volume,
        }
    }

    /// Volume, m³; in two dimensions the area of the section through the center, m². Meshes do not move freely there.
    pub(super) fn room(&self, dimensions: Dimensions) -> f64 {
        match (dimensions, self) {
            (Dimensions::Two, Self::Box { size }) => size.truncate().as_dvec2().element_product(),
            (Dimensions::Two, Self::Sphere { radius }) => std::f64::consts::PI * f64::from(*radius).powi(2),
            (Dimensions::Two, Self::Mesh { .. }) | (Dimensions::Three, _) => self.volume(),
        }
    }

    /// Area of the surface, m²; in two dimensions the circumference of the section through the center, m. Meshes do not
    /// move freely there.
    pub(super) fn surface_area(&self, dimensions: Dimensions) -> f64 {
        match (dimensions, self) {
            (Dimensions::Two, Self::Box { size }) => 2.0 * size.truncate().as_dvec2().element_sum(),
            (Dimensions::Two, Self::Sphere { radius }) => 2.0 * std::f64::consts::PI * f64::from(*radius),
            (Dimensions::Two, Self::Mesh { .. }) | (Dimensions::Three, _) => {
                let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).as_dvec3().cross((c - a).as_dvec3()).length();
                self.surface().corners().map(area).sum()
            }
        }
    }

    /// Mass and inertia at a density in kg/m³; in two dimensions those of a meter of depth, where a body turns around
    /// z only.
    pub(super) fn mass_properties(&self, density: f32, dimensions: Dimensions) -> MassProperties {
        let density = f64::from(density);
        let mass = density * self.room(dimensions);
        let square_around_z = match (dimensions, self) {
            (Dimensions::Two, Self::Box { size }) => Some(size.truncate().as_dvec2().length_squared() / 12.0),
            (Dimensions::Two, Self::Sphere { radius }) => Some(0.5 * f64::from(*radius).powi(2)),
            (Dimensions::Two, Self::Mesh { .. }) | (Dimensions::Three, _) => None,
        };
        if let Some(square) = square_around_z {
            return MassProperties { mass, inertia: DMat3::IDENTITY * (mass * square) };
        }
        let inertia = match self {
            Self::Box { .. } | Self::Mesh { .. } => inertia(Moments::of(&self.surface()).seconds) * density,
            Self::Sphere { radius } => DMat3::IDENTITY * (0.4 * mass * f64::from(*radius).powi(2)),
        };
        MassProperties { mass, inertia }
    }

    /// Longest edge of its bounding box, m.
    pub(super) fn extent(&self) -> f32 {
        let (low, high) = self.surface().bounds();
        (high - low).max_element()
    }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DVec3, Mat3, Vec3};

    use super::{BodyShape, Moments, inertia};
    use crate::fluid::{Dimensions, Mesh};

    #[test]
    fn moments_match_the_formulas_at_any_position() {
        let size = DVec3::new(0.4, 1.2, 0.7);
        let at = Vec3::new(3.0, -2.0, 5.0);
        let moments = Moments::of(&Mesh::cuboid(at - 0.5 * size.as_vec3(), at + 0.5 * size.as_vec3()));
        // Coordinates of a few meters are rounded to 2e-7 m.
        assert!((moments.volume / size.element_product() - 1.0).abs() < 3e-6);
        assert!((moments.center - at.as_dvec3()).length() < 1e-6);
        let mass = 1000.0 * size.element_product();
        let squares = size * size;
        let expected = mass / 12.0 * DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y);
        let found = BodyShape::Box { size: size.as_vec3() }.mass_properties(1000.0, Dimensions::Three);
        assert!((found.mass / mass - 1.0).abs() < 1e-6);
        let off = found.inertia - DMat3::from_diagonal(expected);
        assert!(off.to_cols_array().iter().all(|entry| entry.abs() < 1e-5 * expected.max_element()), "{found:?}");
        // Compare a rotated ball of triangles with the formula of the ball.
        let radius = 0.3_f32;
        let ball = Moments::of(&Mesh::ball(at, radius, 5).placed(Mat3::from_rotation_y(0.7), Vec3::ZERO));
        let sphere = BodyShape::Sphere { radius }.mass_properties(1.0, Dimensions::Three);
        assert!((ball.volume / sphere.mass - 1.0).abs() < 2e-3, "{}", ball.volume);
        let off = inertia(ball.seconds) - sphere.inertia;
        assert!(off.to_cols_array().iter().all(|entry| entry.abs() < 4e-3 * sphere.inertia.x_axis.x), "{off}");
    }

    /// A long bar along z has the section's mass and its inertia around z, divided by its length.
    #[test]
    fn a_section_has_the_mass_and_the_inertia_of_a_meter_of_a_long_bar() {
        let size = Vec3::new(0.4, 1.2, 3.0);
        let bar = BodyShape::Box { size };
        let [flat, long] =
            [Dimensions::Two, Dimensions::Three].map(|dimensions| bar.mass_properties(700.0, dimensions));
        assert!((flat.mass * f64::from(size.z) / long.mass - 1.0).abs() < 1e-6, "{flat:?}");
        let around_z = long.inertia.z_axis.z / f64::from(size.z);
        assert!((flat.inertia.z_axis.z / around_z - 1.0).abs() < 1e-5, "{flat:?} and not {around_z}");
        let disc = BodyShape::Sphere { radius: 0.5 }.mass_properties(1000.0, Dimensions::Two);
        assert!((disc.mass / 785.398 - 1.0).abs() < 1e-5 && (disc.inertia.z_axis.z / 98.1748 - 1.0).abs() < 1e-5);
    }

    #[test]
    fn surfaces_have_the_area_of_the_formulas() {
        let (bar, ball) = (BodyShape::Box { size: Vec3::new(0.4, 1.2, 3.0) }, BodyShape::Sphere { radius: 0.5 });
        let areas = |shape: &BodyShape| [Dimensions::Two, Dimensions::Three].map(|in_| shape.surface_area(in_));
        let [around, whole] = areas(&bar);
        assert!((around - 3.2).abs() < 1e-6 && (whole - 10.56).abs() < 1e-5, "{around} m, {whole} m²");
        let [around, whole] = areas(&ball);
        let pi = std::f64::consts::PI;
        assert!((around - pi).abs() < 1e-6 && (whole / pi - 1.0).abs() < 0.01, "{around} m, {whole} m²");
    }

    #[test]
    fn a_mesh_is_centered_at_its_center_of_mass() {
        let mesh = Mesh::cuboid(Vec3::ONE, Vec3::new(2.0, 3.0, 1.5));
        let (low, high) = BodyShape::of_mesh("brick", mesh).expect("it is closed").surface().bounds();
        assert!((low + high).length() < 1e-6 && (high - low - Vec3::new(1.0, 2.0, 0.5)).length() < 1e-6);
    }
}
