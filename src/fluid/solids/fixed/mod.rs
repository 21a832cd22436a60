//! Fixed solids: closed meshes, boxes, balls and cylinders.

mod boundary;
mod drawn;
mod kind;

pub use boundary::Boundary;
pub(in crate::fluid) use kind::INFO;
