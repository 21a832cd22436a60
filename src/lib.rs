//! Nearwater.

pub mod gpu;
pub mod search;
