//! Fixed solids: closed meshes, boxes, balls and cylinders.

mod boundary;
mod error;
mod kind;

pub use boundary::Boundary;
