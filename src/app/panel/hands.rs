//! The section of the panel for what the user does to the water; `app/hands/panel.rs` draws its rows.

use bevy_egui::egui::Ui;

use super::filter;
use crate::app::hands::hands_controls;
use crate::app::{Controls, Report};

/// The words that find the section.
const WORDS: [&str; 12] = [
    "push",
    "pull",
    "pour",
    "reach",
    "strength",
    "gravity",
    "walls",
    "presets",
    "wave maker",
    "storm",
    "undo",
    "attract mode",
];

/// Draws the section, with all of its rows where one of them is searched for.
pub(super) fn hands_section(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if !filter::is_active(ui) || filter::shows(ui, &WORDS) {
        hands_controls(ui, controls, report);
    }
}
