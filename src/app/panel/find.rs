//! The text field that filters the panel.

use bevy_egui::egui::{Key, TextEdit, Ui};

use super::PanelControls;
use crate::app::Action;

/// Draws the field. Escape clears it.
pub(super) fn find_field(ui: &mut Ui, panel: &mut PanelControls) {
    ui.add_space(4.0);
    let hint = format!("Find a control ({})", Action::FindControl.key_label());
    let field = TextEdit::singleline(&mut panel.query).hint_text(hint).desired_width(f32::INFINITY);
    let response = ui.add(field).on_hover_text(
        "shows only the controls whose title, tooltip, key in scene files or option on the command line contains every \
         word; Esc shows all again",
    );
    if std::mem::take(&mut panel.wants_query) {
        response.request_focus();
    }
    if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
        panel.query.clear();
    }
}
