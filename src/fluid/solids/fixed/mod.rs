//! Fixed solids: closed meshes, boxes, balls and cylinders.

mod boundary;
mod kind;

pub use boundary::Boundary;
