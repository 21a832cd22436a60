//! Buttons and keys that several sections of the panel share.

use bevy_egui::egui::{self, Button, RichText, Ui};

use crate::app::theme::key_cap;
use crate::app::{Action, Controls, Report};

/// Draws a button with its key, which carries out an action.
pub(super) fn action_button(
    ui: &mut Ui,
    controls: &mut Controls,
    report: &Report,
    (action, words): (Action, &str),
    hover: &str,
) {
    let button = Button::new(words).shortcut_text(RichText::new(action.key_label()).small());
    if ui.add(button).on_hover_text(hover).clicked() {
        controls.act(action, report);
    }
}

/// Draws two buttons side by side.
pub(super) fn two_buttons(ui: &mut Ui, controls: &mut Controls, report: &Report, buttons: [(Action, &str, &str); 2]) {
    let half = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
    ui.horizontal(|ui| {
        for (action, words, hover) in buttons {
            let key = RichText::new(action.key_label()).small();
            let button = Button::new(words).min_size(egui::vec2(half, 0.0)).shortcut_text(key);
            if ui.add(button).on_hover_text(hover).clicked() {
                controls.act(action, report);
            }
        }
    });
}

/// Draws the key of an action at the right end of the row.
pub(super) fn key_at_the_right(ui: &mut Ui, action: Action) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        key_cap(ui, &action.key_label());
    });
}
