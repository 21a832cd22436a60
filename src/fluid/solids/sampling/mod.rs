//! How solids act on the fluid: closed meshes and simple shapes are represented by a layer of particles that take
//! part in the search like the fluid's own. Particles of boundaries never move; those of bodies do
//! (`bodies/body.rs`), and have a velocity, which viscosity and predictions take into account.
//!
//! The layer lies half a spacing inside the surface. Fluid then rests half a spacing outside of it, as in front of
//! the walls of the box, and the solid displaces its own volume. Parts thinner than a spacing are represented by a
//! layer in their middle.
//!
//! The weight of a boundary particle follows N. Akinci, M. Ihmsen, G. Akinci, B. Solenthaler and M. Teschner,
//! Versatile rigid-fluid coupling for incompressible SPH, ACM Transactions on Graphics 31 (2012): its volume is g / Σ
//! W over the boundary particles around it, which compensates for uneven distances between them. The factor g
//! accounts for the layers that are missing behind the first; see `volumes.rs`.
//!
//! A pair of a fluid and a boundary particle is treated like a pair of fluid particles, where the second has the
//! fraction `weight` of a particle's mass. It has the pressure of the first, or with the plain mode of WCSPH one of its
//! own (`solvers/solid_pressures.rs`). The forces between fluid and boundary are
//! opposite to the last bit, so the force of the fluid on a solid is as exact as that of the solid on the fluid.
//!
//! On curved surfaces the particles are spread evenly (`outline.rs` in two dimensions, `relaxed.rs` in three).
//!
//! Memory per boundary particle: that of a fluid particle, and 28 bytes. Limitations: fluid cannot enter cavities and
//! gaps narrower than two spacings; and the force by mirrored pressure is not the derivative of an energy.

mod clip;
#[cfg(feature = "meshes")]
mod gltf_model;
#[cfg(feature = "meshes")]
mod gltf_numbers;
mod mesh;
mod model_file;
mod nearest;
#[cfg(feature = "meshes")]
mod obj_model;
mod outline;
mod point_grid;
mod relaxed;
mod samples;
mod section;
mod tree;
mod triangle;
mod volumes;
mod water_share;
mod welded;

pub use mesh::{Mesh, MeshError};
pub(in crate::fluid) use model_file::{model_names, read_model};
pub(in crate::fluid) use point_grid::PointGrid;
#[cfg(feature = "bodies")]
pub(in crate::fluid) use samples::MOST_SAMPLES;
pub use samples::SurfaceSamples;
pub(in crate::fluid) use samples::most_samples;
pub use volumes::{boundary_weights, layer_weight};
