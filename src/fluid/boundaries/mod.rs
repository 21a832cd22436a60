//! Solids in the water: closed meshes and simple shapes, felt through a layer of particles that take part in the search
//! like the fluid's own. Those of boundaries never move; those of bodies do (`bodies/mod.rs`), and carry a velocity, which
//! viscosity and PBF's prediction heed.
//!
//! The layer lies half a spacing inside the surface. Fluid then rests half a spacing outside it, as it does before the
//! walls of the box, and the solid displaces its own volume. Parts thinner than a spacing are felt as their middle.
//!
//! What a boundary particle is worth follows N. Akinci, M. Ihmsen, G. Akinci, B. Solenthaler and M. Teschner, Versatile
//! rigid-fluid coupling for incompressible SPH, ACM Transactions on Graphics 31 (2012): its volume is g / Σ W over the
//! boundary particles around it, which evens out that they lie closer in some places than in others. g stands for the
//! layers that are not there; see `volumes.rs`.
//!
//! A pair of fluid and boundary is a pair of fluid whose second particle has the share `weight` of a particle's mass and
//! the pressure of the first. Sums of fluid and boundary stay opposite to the last bit, so what the fluid does to a solid
//! is known as exactly as what the solid does to the fluid.
//!
//! Memory per boundary particle: as a particle of the fluid, and 20 bytes. Bad at: cavities and gaps narrower than two
//! spacings, which fluid cannot enter; and its mirrored pressure, which is not the derivative of an energy.

mod gltf_model;
mod mesh;
mod point_grid;
mod samples;
mod tree;
mod volumes;

use std::path::Path;
use std::sync::Arc;

use glam::{EulerRot, Mat3, Vec3};
use include_dir::{Dir, include_dir};
use serde::Deserialize;

pub use mesh::{Mesh, MeshError};
use point_grid::PointGrid;
pub(super) use samples::{BoundarySamples, SolidSamples};
use tree::TriangleTree;
pub(super) use volumes::boundary_weights;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/models");

/// Bytes of a mesh file at most.
const LARGEST_FILE: u64 = 256 << 20;

/// A solid that water flows around.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Boundary {
    /// A closed mesh: a Wavefront OBJ, or a glTF (.glb).
    Mesh {
        /// Its path from the scene's folder, or its name among the program's models.
        file: String,
        /// Size over that in the file.
        #[serde(default = "unchanged")]
        scale: f32,
        /// Degrees around x, then y, then z; after scaling.
        #[serde(default)]
        rotate: Vec3,
        /// Where the file's origin goes, m.
        #[serde(default)]
        translate: Vec3,
        /// What was read.
        #[serde(skip)]
        model: Arc<Mesh>,
    },
    /// An upright box.
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
    /// An upright cylinder.
    Cylinder {
        /// Middle of its lower end, m.
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
        let mut names: Vec<_> = EMBEDDED.files().filter_map(|file| file.path().to_str()).collect();
        names.sort_unstable();
        names
    }

    /// Reads the mesh file of a scene in `folder`.
    pub(super) fn load(&mut self, folder: Option<&Path>) -> Result<(), MeshError> {
        let Self::Mesh { file, model, .. } = self else { return Ok(()) };
        *model = Arc::new(read_model(file, folder)?);
        Ok(())
    }

    /// What is wrong with its numbers: the field and the reason.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let is_length = |length: f32| length.is_finite() && length > 0.0;
        match self {
            Self::Mesh { scale, .. } if !is_length(*scale) => Some(("scale", "must be positive and finite")),
            Self::Mesh { rotate, .. } if !rotate.is_finite() => Some(("rotate", "must be finite, in degrees")),
            Self::Mesh { translate, .. } if !translate.is_finite() => Some(("translate", "must be finite, in m")),
            Self::Box { low, high } if !(low.is_finite() && high.is_finite() && low.cmplt(*high).all()) => {
                Some(("high", "the box must be finite, and higher than its low corner along each axis"))
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

    /// Its surface where it stands.
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

/// The mesh of that name: a file from a scene's folder, or one of the program's models.
pub(super) fn read_model(file: &str, folder: Option<&Path>) -> Result<Mesh, MeshError> {
    let unreadable = |reason: String| MeshError::Unreadable { file: file.to_owned(), reason };
    let path = folder.unwrap_or(Path::new("")).join(file);
    let embedded = || EMBEDDED.get_file(file).map(|embedded| embedded.contents().to_vec());
    let bytes = match std::fs::metadata(&path) {
        Ok(found) if found.len() > LARGEST_FILE => {
            let (size, most) = (found.len() >> 20, LARGEST_FILE >> 20);
            return Err(unreadable(format!("it has {size} MiB, and at most {most} are read; simplify it")));
        }
        Ok(_) if folder.is_some() => std::fs::read(&path).map_err(|error| unreadable(error.to_string()))?,
        Ok(_) | Err(_) => embedded().ok_or_else(|| {
            let names = Boundary::model_names().join(", ");
            unreadable(format!("there is no file {}; the program's own models are {names}", path.display()))
        })?,
    };
    Mesh::from_file(file, &bytes)
}
