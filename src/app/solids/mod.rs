//! Meshes of an app that are solids for its water: entities marked with [`WaterBoundary`] or [`WaterBody`].
//!
//! In the main world, `book.rs` collects the marked entities of each water after transforms were propagated, with
//! their closed surfaces (`surface.rs`) and their place in the water's coordinates, and moves the entities of bodies
//! to where the simulation has moved them. `load.rs` tells the app what the water exerts on them. Extraction hands the
//! list to the render world, where the water's [`Driver`](super::Driver) adds, removes and moves bodies of the
//! simulation (`driver.rs`). A boundary is a body that is held, and that the simulation moves to the entity's place
//! while a frame's steps run.

mod book;
mod driver;
mod load;
mod marks;
mod surface;

pub use driver::SolidReport;
pub use load::WaterLoad;
pub use marks::{WaterBody, WaterBoundary, WaterSolidTrouble, Weight};

pub(super) use book::{SolidBook, collect_solids, move_marked_bodies, note_changed_meshes, tell_troubles};
pub(super) use driver::{SolidsDriver, WantedSolid};
pub(super) use load::measure_loads;
