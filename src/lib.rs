//! Nearwater: neighbor searches on the GPU, and an interactive particle fluid simulator (SPH and PBF) in which the
//! search can be exchanged, watched and measured while the simulation runs.
//!
//! # What to use
//!
//! | for | use | cargo features |
//! |---|---|---|
//! | neighbors, or sums over them, of particles in buffers of your own | [`neighbors::Neighbors`] | none |
//! | a pair kernel of your own | [`gpu::PairKernel::from_wgsl`] | none |
//! | which search to take | [`choosing_a_search`] | none |
//! | a simulation without a window | [`fluid::Simulation`], [`fluid::Scene`] | `fluid`, and `bodies`, `meshes` for more scenes |
//! | frames for other programs | [`files::FrameSeries`] | `export` |
//! | pictures and videos | [`depiction`], [`render::Canvas`], [`video::VideoRecorder`] | `render`, `video` |
//! | comparisons with experiments | [`validation`] | `validation` |
//! | water in a Bevy app | `app::NearwaterPlugin` | `app` |
//!
//! With `default-features = false` the crate is the neighbor search alone. The examples of the repository show all of
//! this.
//!
//! # How it works
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
//! [`gpu`] ▶ [`primitives`] ▶ [`search`] ▶ [`neighbors`], [`fluid`], [`render`] ▶ `app` (Bevy: window, panel, camera,
//! keys). [`files`], which [`fluid`] uses, writes and reads plain arrays; [`validation`] compares simulations with
//! experiments and theory; [`video`] encodes pictures into videos. Everything except `app` is plain wgpu and builds
//! without Bevy. The feature `laboratory` adds what app and command line share; it is not an interface for other
//! programs.
//!
//! Units are SI throughout: meters, kilograms, seconds; y points up.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "app")]
pub mod app;
mod attempt;
#[cfg(feature = "laboratory")]
#[doc(hidden)]
pub mod bench;
#[doc = include_str!("../docs/CHOOSING_A_SEARCH.md")]
pub mod choosing_a_search {}
#[cfg(all(feature = "fluid", feature = "render"))]
pub mod depiction;
pub mod explanation;
#[cfg(feature = "fluid")]
pub mod files;
#[cfg(feature = "fluid")]
pub mod fluid;
#[doc(hidden)]
pub mod format;
pub mod gpu;
#[cfg(any(feature = "fluid", feature = "render"))]
mod identifier;
#[cfg(feature = "laboratory")]
#[doc(hidden)]
pub mod laboratory;
#[cfg(feature = "export")]
pub mod lammps;
#[cfg(all(feature = "fluid", feature = "render"))]
pub mod legend;
#[cfg(feature = "laboratory")]
#[doc(hidden)]
pub mod legend_picture;
pub mod neighbors;
#[cfg(feature = "laboratory")]
#[doc(hidden)]
pub mod pace;
#[cfg(feature = "fluid")]
#[doc(hidden)]
pub mod panic_report;
#[cfg(feature = "validation")]
mod picture_text;
#[cfg(feature = "export")]
pub mod playback;
pub mod primitives;
#[cfg(feature = "laboratory")]
mod random_stream;
#[cfg(feature = "render")]
pub mod render;
pub mod search;
#[cfg(feature = "laboratory")]
#[doc(hidden)]
pub mod soak;
#[cfg(feature = "validation")]
pub mod validation;
#[cfg(feature = "laboratory")]
#[doc(hidden)]
pub mod verification;
#[cfg(feature = "video")]
pub mod video;
