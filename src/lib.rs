//! Nearwater.

pub mod fluid;
pub mod gpu;
pub mod primitives;
pub mod search;
