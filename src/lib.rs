//! Nearwater.

pub mod bench;
pub mod gpu;
pub mod primitives;
pub mod search;
