//! Nearwater.

pub mod fluid;
pub mod gpu;
pub mod search;
