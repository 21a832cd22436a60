//! The section of the panel that saves and loads the state.

use bevy_egui::egui::{TextEdit, Ui};

use super::buttons::{DIALOG, dialog_button, two_buttons};
use super::filter;
use crate::app::{Action, Controls, DialogWish, Report};

/// Draws the controls that save and load the state.
pub(super) fn state_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if !filter::shows(ui, &["save load resume file state"]) {
        return;
    }
    ui.horizontal(|ui| {
        let width = ui.available_width() - DIALOG - ui.spacing().item_spacing.x;
        ui.add(TextEdit::singleline(&mut controls.state_file).desired_width(width)).on_hover_text(
            "the file to which a state is saved and from which it is loaded; a state can also be dropped onto the window",
        );
        if dialog_button(ui, "Choose the file of the state") {
            controls.wanted_dialog = Some(DialogWish::StateFile);
        }
    });
    let save = (Action::SaveState, "Save", "saves the state of all particles, from which the simulation can resume");
    let load = (Action::LoadState, "Load", "resumes from the saved state, with its scene and settings");
    two_buttons(ui, controls, report, [save, load]);
}
