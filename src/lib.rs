//! Nearwater: an interactive particle fluid simulator (SPH and PBF) whose neighbor search can be exchanged, watched and
//! measured while the simulation runs.
//!
//! A frame is a list of passes, recorded into one encoder:
//!
//! 1. *Build*: the search sorts the particles and builds its tables ([`search`], on [`primitives`]).
//! 2. *Reorder*: the other particle arrays are permuted into the sorted order ([`fluid`]).
//! 3. *Density*: the search traverses the pairs of neighbors, and the density kernel sums their contributions.
//! 4. *Forces*: a second traversal sums pressure and viscosity forces; each particle is then integrated in time.
//!    Passes 1 to 4 are one time step. A frame contains as many steps as real time requires, or as many as fit.
//! 5. *Drawing*: spheres, floor and box, straight from the particle buffers ([`render`]).
//!
//! Each layer depends on those before it and on none after it:
//! [`gpu`] ▶ [`primitives`] ▶ [`search`] ▶ [`fluid`], [`render`] ▶ `app` (Bevy: window, panel, camera, keys).
//! [`files`], which [`fluid`] uses, writes and reads plain arrays; [`mod@bench`] times primitives, searches and steps;
//! [`validation`] compares simulations with experiments and theory; [`video`] encodes pictures into videos.
//! Everything except `app` is plain wgpu and builds without Bevy.
//!
//! Units are SI throughout: meters, kilograms, seconds; y points up.

#[cfg(feature = "app")]
pub mod app;
#[cfg(feature = "laboratory")]
pub mod bench;
#[cfg(all(feature = "fluid", feature = "render"))]
pub mod depiction;
pub mod explanation;
#[cfg(feature = "fluid")]
pub mod files;
#[cfg(feature = "fluid")]
pub mod fluid;
pub mod format;
pub mod gpu;
#[cfg(any(feature = "fluid", feature = "render"))]
mod identifier;
#[cfg(feature = "laboratory")]
pub mod laboratory;
#[cfg(feature = "export")]
pub mod lammps;
#[cfg(all(feature = "fluid", feature = "render"))]
pub mod legend;
#[cfg(feature = "laboratory")]
pub mod legend_picture;
#[cfg(feature = "laboratory")]
pub mod pace;
#[cfg(feature = "validation")]
mod picture_text;
#[cfg(feature = "export")]
pub mod playback;
pub mod primitives;
#[cfg(feature = "render")]
pub mod render;
pub mod search;
#[cfg(feature = "validation")]
pub mod validation;
#[cfg(feature = "video")]
pub mod video;
