//! The section of the panel that selects the field that the colors of the particles show.

use bevy_egui::egui::{Button, RichText, Ui};

use super::filter;
use super::row::About;
use crate::app::{Action, Controls, Report};
use crate::render::ColorField;

/// Draws a button for each color field.
pub(super) fn color_controls(ui: &mut Ui, controls: &mut Controls, _: &Report) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (place, field) in ColorField::all().enumerate() {
            let argument = field.info().argument();
            if !filter::shows(ui, &[field.label(), field.unit(), &argument]) {
                continue;
            }
            let button = Button::selectable(controls.field == field, RichText::new(field.label()).small())
                .frame_when_inactive(true)
                .shortcut_text(RichText::new(Action::ColorField(place).key_label()).small());
            let hover = |ui: &mut Ui| {
                let about =
                    About { hover: "", unit: field.unit(), scene_key: "", option: &format!("--field {argument}") };
                about.tooltip(ui, "");
            };
            if ui.add(button).on_hover_ui(hover).clicked() {
                controls.field = field;
            }
        }
    });
}
