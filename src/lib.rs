//! Nearwater.

#[cfg(feature = "app")]
pub mod app;
pub mod fluid;
pub mod gpu;
pub mod primitives;
pub mod render;
pub mod search;
