//! Nearwater.

pub mod gpu;
pub mod primitives;
pub mod search;
