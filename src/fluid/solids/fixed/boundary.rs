//! A fixed solid in the form of scene files.

use std::path::Path;
use std::sync::Arc;

use glam::{EulerRot, Mat3, Vec3};
use serde::Deserialize;

use crate::fluid::solids::Obstacle;
use crate::fluid::solids::sampling::{Mesh, MeshError, model_names, read_model};

/// A fixed solid.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Boundary {
    /// A closed mesh: a Wavefront OBJ, or a glTF (.glb).
    Mesh {
        /// Its path relative to the scene's folder, or its name among the program's models.
        file: String,
        /// Scale factor.
        #[serde(default = "unchanged")]
        scale: f32,
        /// Rotation after scaling: degrees around x, then y, then z.
        #[serde(default)]
        rotate: Vec3,
        /// Position of the file's origin, m.
        #[serde(default)]
        translate: Vec3,
        /// The mesh that was read.
        #[serde(skip)]
        model: Arc<Mesh>,
    },
    /// An axis-aligned box.
    Box {
        /// Lowest corner, m.
        low: Vec3,
        /// Highest corner, m.
        high: Vec3,
    },
    /// A ball.
    Sphere {
        /// m.
        center: Vec3,
        /// m.
        radius: f32,
    },
    /// A vertical cylinder.
    Cylinder {
        /// Center of its lower end, m.
        foot: Vec3,
        /// m.
        radius: f32,
        /// m.
        height: f32,
    },
}

fn unchanged() -> f32 {
    1.0
}

impl Boundary {
    /// The names of the program's models, sorted.
    pub fn model_names() -> Vec<&'static str> {
        model_names()
    }

    /// Reads the mesh file of a scene in `folder`.
    pub(super) fn load(&mut self, folder: Option<&Path>) -> Result<(), MeshError> {
        let Self::Mesh { file, model, .. } = self else { return Ok(()) };
        *model = Arc::new(read_model(file, folder)?);
        Ok(())
    }

    /// The field and the reason of an invalid value; `None` where all are valid.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let is_length = |length: f32| length.is_finite() && length > 0.0;
        match self {
            Self::Mesh { scale, .. } if !is_length(*scale) => Some(("scale", "must be positive and finite")),
            Self::Mesh { rotate, .. } if !rotate.is_finite() => Some(("rotate", "must be finite, in degrees")),
            Self::Mesh { translate, .. } if !translate.is_finite() => Some(("translate", "must be finite, in m")),
            Self::Box { low, high } if !(low.is_finite() && high.is_finite() && low.cmplt(*high).all()) => {
                Some(("high", "the box must be finite, and high must be greater than low along each axis"))
            }
            Self::Sphere { center, .. } if !center.is_finite() => Some(("center", "must be finite, in m")),
            Self::Cylinder { foot, .. } if !foot.is_finite() => Some(("foot", "must be finite, in m")),
            Self::Sphere { radius, .. } | Self::Cylinder { radius, .. } if !is_length(*radius) => {
                Some(("radius", "must be positive and finite, in m"))
            }
            Self::Cylinder { height, .. } if !is_length(*height) => {
                Some(("height", "must be positive and finite, in m"))
            }
            _ => None,
        }
    }

    /// Its shape for collisions.
    pub(super) fn obstacle(&self) -> Obstacle {
        match *self {
            Self::Box { low, high } => Obstacle::Box { low, high },
            Self::Sphere { center, radius } => Obstacle::Ball { center, radius },
            Self::Cylinder { foot, radius, height } => Obstacle::Cylinder { foot, radius, height },
            Self::Mesh { .. } => Obstacle::Surface(self.surface()),
        }
    }

    /// Its surface at its place in the scene.
    pub fn surface(&self) -> Mesh {
        match self {
            Self::Mesh { scale, rotate, translate, model, .. } => {
                let angles = rotate * std::f32::consts::PI / 180.0;
                let turn = Mat3::from_euler(EulerRot::ZYX, angles.z, angles.y, angles.x);
                model.placed(turn * *scale, *translate)
            }
            Self::Box { low, high } => Mesh::cuboid(*low, *high),
            Self::Sphere { center, radius } => Mesh::ball(*center, *radius, 4),
            Self::Cylinder { foot, radius, height } => Mesh::cylinder(*foot, *radius, *height, 64),
        }
    }
}
