//! Pause, single steps, the return to the first frame, and slow motion.

use bevy_egui::egui::{self, Button, RichText, Ui};

use crate::app::{Action, Controls, Report};

pub(super) fn time_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.add_space(4.0);
    let (paused, slow) = (controls.paused, controls.slow_motion);
    let half = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
    let mut button = |ui: &mut Ui, selected: bool, action: Action, words: &str, hover: &str| {
        let button = Button::selectable(selected, words)
            .frame_when_inactive(true)
            .min_size(egui::vec2(half, 0.0))
            .shortcut_text(RichText::new(action.key_label()).small());
        if ui.add(button).on_hover_text(hover).clicked() {
            controls.act(action, report);
        }
    };
    ui.horizontal(|ui| {
        let words = if paused { "Resume" } else { "Pause" };
        button(ui, paused, Action::TogglePause, words, "pauses or resumes the simulation");
        button(ui, false, Action::StepOnce, "One step", "pauses the simulation and makes one time step");
    });
    ui.horizontal(|ui| {
        button(ui, false, Action::Reset, "Reset", "returns to the scene's first frame and pauses");
        button(
            ui,
            slow,
            Action::ToggleSlowMotion,
            "Slow motion",
            "a quarter of the steps per second, of the same length",
        );
    });
}
