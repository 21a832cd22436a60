//! Nearwater.

pub mod gpu;
pub mod render;
pub mod search;
