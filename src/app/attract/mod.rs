//! Attract mode: after half a minute without input the camera drifts slowly, and scenes and searches change with a
//! caption. Any input ends it and restores what the user had.
//!
//! The user's simulation is not touched: the driver keeps it beside the one that is shown, as it does for the examples
//! of the laboratory, and returns to it.

mod caption;
mod show;
mod systems;

pub(super) use caption::show_caption_ui;
pub(super) use show::AttractControls;
pub(super) use systems::{AttractPlugin, drift_camera};
