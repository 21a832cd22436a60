//! What the user does to the water, to the box and to gravity: the tools of the pointer, the walls, gravity that is
//! tilted, presets that make waves, blocks that are drawn, removed bodies, and undo.
//!
//! What happens while a button is pressed is a value in [`HandsControls`] that the driver applies in every frame: the
//! push (`Controls::push`) and the spout. Everything else is an order with a number, which the driver carries out
//! once ([`HandsDriver`]), and which it can undo. What is in force is in the report, so that the panel also shows what
//! a loaded state has brought.

mod block;
mod command;
mod drawing;
mod driver;
mod gizmo;
mod orders;
mod panel;
mod presets;
mod reports;
mod tilt;
mod tools;

pub use block::BlockDraft;
pub(super) use command::{COMMANDS, HandsCommand};
pub(super) use drawing::draw;
pub(super) use driver::HandsDriver;
pub(super) use gizmo::gizmo_ui;
pub use orders::HandsOrder;
pub(super) use panel::hands_controls;
pub use presets::{PRESETS, Preset};
pub use reports::HandsReport;
pub use tilt::Toward;
pub use tools::{HandsControls, Tool};
