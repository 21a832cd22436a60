//! WGSL that can be edited while the water moves.
//!
//! [`CodeControls`] hold the texts that the user types and the texts that are to be used; the [`LiveCode`] of the
//! driver brings the shader library in line with them and keeps the old pipelines while a text does not compile;
//! [`CodeReport`] says what is in use, what is wrong, and what it costs. [`code_ui`] shows and edits one file. Nothing
//! is ever written to a file, except a patch on request.

mod chip;
mod controls;
mod cost;
mod diff;
mod editor;
mod highlight;
mod live;
mod panel;
mod report;

pub(super) use chip::chip_ui;
pub use controls::CodeControls;
pub use cost::{PassCost, cost_sentence, pass_costs};
pub(super) use cost::{cost_of, percent};
pub use diff::{patch, patch_of};
pub(super) use editor::{ShownCode, code_ui};
pub(super) use live::{EditTarget, LiveCode};
pub(super) use panel::code_panel;
pub use report::{CodeReport, PassCode};
