//! Nearwater: an SPH fluid simulator in which the neighbor search is the star.
//!
//! A frame is a list of passes, recorded into one encoder:
//!
//! 1. *Build*: the search sorts the particles and builds its tables ([`search`], on [`primitives`]).
//! 2. *Reorder*: the other particle arrays follow into the sorted order ([`fluid`]).
//! 3. *Density*: the search traverses the pairs, the density kernel adds them up.
//! 4. *Forces*: it traverses them again for pressure and viscosity; each particle then takes its step.
//!    1 to 4 are one time step, and a frame holds as many as real time asks for or the device has time for.
//! 5. *Drawing*: spheres, floor and box, straight from the particle buffers ([`render`]).
//!
//! Each layer knows those before it and none after:
//! [`gpu`] ▶ [`primitives`] ▶ [`search`] ▶ [`fluid`], [`render`] ▶ `app` (Bevy: window, panel, camera, keys).
//! [`files`], which [`fluid`] knows, writes and reads plain arrays; [`mod@bench`] times primitives, searches and steps;
//! [`validation`] holds the water against experiments.
//! Everything but `app` is plain wgpu, and builds without Bevy (`--no-default-features`).
//!
//! Units are SI throughout: metres, kilograms, seconds; y points up.

#[cfg(feature = "app")]
pub mod app;
pub mod bench;
pub mod depiction;
pub mod files;
pub mod fluid;
pub mod gpu;
pub mod primitives;
pub mod render;
pub mod search;
pub mod validation;
