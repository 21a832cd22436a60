//! The section of the panel that opens scenes.

use bevy_egui::egui::{ComboBox, Ui};

use crate::app::{Controls, Report};
use crate::fluid::Scene;

/// Draws the menu of the built-in scenes.
pub(super) fn scene_control(ui: &mut Ui, controls: &mut Controls, _: &Report) {
    let title = controls.scene.title.clone();
    let combo = ComboBox::from_id_salt("scene").selected_text(title).width(ui.available_width());
    let mut chosen = None;
    combo.show_ui(ui, |ui| {
        for name in Scene::names() {
            if ui.selectable_label(controls.scene.name == name, name.replace('_', " ")).clicked() {
                chosen = Some(name);
            }
        }
    });
    if let Some(name) = chosen {
        controls.load_scene(name);
    }
}
