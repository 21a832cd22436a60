//! The section of the panel for the bodies that are dropped and shot into the water.

use bevy_egui::egui::{Button, DragValue, Ui};

use super::buttons::two_buttons;
use crate::app::theme::remark;
use crate::app::{Action, Controls, Report, format};

/// Draws the controls of the bodies that are dropped and shot into the water.
pub(super) fn body_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if !controls.takes_bodies() {
        remark(ui, "bodies require a three-dimensional scene");
        return;
    }
    ui.horizontal(|ui| {
        let missile = &mut controls.missile;
        for (is_ball, words) in [(false, "Box"), (true, "Ball")] {
            let button = Button::selectable(missile.is_ball == is_ball, words).frame_when_inactive(true);
            if ui.add(button).clicked() {
                missile.is_ball = is_ball;
            }
        }
        let percent = DragValue::new(&mut missile.size).range(0.05..=0.6).speed(0.005);
        let percent = percent.custom_formatter(|size, _| format!("{:.0} %", 100.0 * size));
        ui.add(percent.custom_parser(|text| Some(0.01 * text.trim_end_matches([' ', '%']).parse::<f64>().ok()?)))
            .on_hover_text("edge length or diameter in percent of the tank's shortest edge; drag to change");
        let density = DragValue::new(&mut missile.relative_density).range(0.05..=20.0).speed(0.01);
        ui.add(density.max_decimals(2).suffix(" x water"))
            .on_hover_text("density relative to water: bodies below 1 float; drag to change");
    });
    let count = report.running.as_ref().map_or(0, |running| running.body_count);
    if count > 0 {
        remark(ui, format!("{} in the scene", format::count(count as u64)));
    }
    let drop = (Action::DropBody, "Drop", "lets a body fall from the top of the tank, above the pointer");
    let shoot = (Action::ShootBody, "Shoot", "shoots a body from the camera toward the pointer");
    two_buttons(ui, controls, report, [drop, shoot]);
}
