//! Buttons and keys that several sections of the panel share.

use bevy_egui::egui::{self, Button, RichText, Ui};

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

/// Width of a button that opens a file dialog, in points.
pub(super) const DIALOG: f32 = 26.0;

/// Draws the button that opens a file dialog beside a path, and returns whether it was clicked. Screen readers and
/// scripts know it by `name`.
pub(super) fn dialog_button(ui: &mut Ui, name: &str) -> bool {
    let response = ui.add(Button::new("...").min_size(egui::vec2(DIALOG, 0.0)));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, name));
    response.on_hover_text("opens the desktop's file dialog").clicked()
}
