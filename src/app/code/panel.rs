//! The code pane at the right of the window: the code of a pass of the running step.

use bevy_egui::egui::{Button, ComboBox, Layout, RichText, Ui};

use super::{PassCode, ShownCode, code_ui};
use crate::app::theme::{QUIET, remark};
use crate::app::{Action, Controls, Report};

/// Draws the choice of the pass and of its files, and the code.
pub(in crate::app) fn code_panel(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal(|ui| {
        ui.heading(RichText::new("Code of this pass").strong());
        ui.with_layout(Layout::right_to_left(bevy_egui::egui::Align::Center), |ui| {
            let close = Button::new("Close").shortcut_text(RichText::new(Action::ToggleCode.key_label()).small());
            if ui.add(close).on_hover_text("closes the pane; edits are kept").clicked() {
                controls.act(Action::ToggleCode, report);
            }
        });
    });
    let passes = report.code.passes.as_slice();
    let Some(pass) = shown_pass(controls, passes) else {
        remark(ui, "The passes appear here once the simulation runs.");
        return;
    };
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Pass").color(QUIET));
        ComboBox::from_id_salt("pass of the code").selected_text(pass.label).width(170.0).show_ui(ui, |ui| {
            for other in passes {
                if ui.selectable_label(other.label == pass.label, other.label).clicked() {
                    controls.code.pass = Some(other.label);
                    controls.code.file = None;
                }
            }
        });
        let file = shown_file(controls, pass);
        ui.label(RichText::new("File").color(QUIET));
        ComboBox::from_id_salt("file of the code").selected_text(&file).width(210.0).show_ui(ui, |ui| {
            // The pass's own file first, then those that it imports.
            for other in pass.files.iter().rev() {
                if ui.selectable_label(*other == file, other).clicked() {
                    controls.code.file = Some(other.clone());
                }
            }
        });
    });
    let file = shown_file(controls, pass);
    let entry_point = (file == pass.file).then(|| pass.entry_point.to_owned());
    code_ui(ui, controls, report, &ShownCode { file, entry_point, is_running: false });
}

/// The chosen pass, or the first traversal.
fn shown_pass<'a>(controls: &Controls, passes: &'a [PassCode]) -> Option<&'a PassCode> {
    let chosen = passes.iter().find(|pass| Some(pass.label) == controls.code.pass);
    chosen.or_else(|| passes.iter().find(|pass| pass.pair_file.is_some())).or(passes.first())
}

/// The chosen file, or that of the pass.
fn shown_file(controls: &Controls, pass: &PassCode) -> String {
    controls.code.file.clone().unwrap_or_else(|| pass.file.to_owned())
}
