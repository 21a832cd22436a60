//! Real time on this device: what was chosen at the start, estimates for other choices, and what is learned while the
//! water runs.

mod background;
mod learning;
mod panel;
mod plugin;
mod state;
mod trial_run;

pub(super) use panel::{faster_search_ui, pace_ui};
pub use plugin::PaceOptions;
pub(super) use plugin::PacePlugin;
pub use state::PaceControls;
pub(super) use trial_run::TrialRunPlugin;
pub use trial_run::{TrialFrame, TrialResult, TrialRun, TrialSwitch};
