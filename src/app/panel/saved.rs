//! The section of the panel that saves and loads the state.

use bevy_egui::egui::{TextEdit, Ui};

use super::buttons::two_buttons;
use crate::app::{Action, Controls, Report};

/// Draws the controls that save and load the state.
pub(super) fn state_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let name = TextEdit::singleline(&mut controls.state_file).desired_width(f32::INFINITY);
    ui.add(name).on_hover_text(
        "the file to which a state is saved and from which it is loaded; a state can also be dropped onto the window",
    );
    let save = (Action::SaveState, "Save", "saves the state of all particles, from which the simulation can resume");
    let load = (Action::LoadState, "Load", "resumes from the saved state, with its scene and settings");
    two_buttons(ui, controls, report, [save, load]);
}
