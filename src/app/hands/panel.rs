//! The panel's section of what the user does to the water: tools, gravity, walls, presets and undo.

use bevy_egui::egui::{self, Button, CollapsingHeader, DragValue, RichText, Slider, Ui};

use super::{HandsOrder, PRESETS, Tool};
use crate::app::theme::{self, remark};
use crate::app::{Action, Controls, Report, format};
use crate::fluid::Face;

/// Draws the section. The tools also have keys and script commands.
pub(in crate::app) fn hands_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    tools(ui, controls);
    gravity(ui, controls, report);
    presets(ui, controls, report);
    walls(ui, controls, report);
    ui.horizontal(|ui| {
        let undo = report.hands.undo.as_ref();
        let words = undo.map_or_else(|| "Undo".to_owned(), |what| format!("Undo: {what}"));
        let key = RichText::new(Action::Undo.key_label()).small();
        let hover = "undoes the last change of gravity, walls or presets, thrown or removed bodies, and drawn blocks";
        let button = ui.add_enabled(undo.is_some(), Button::new(words).shortcut_text(key));
        if button.on_hover_text(hover).on_disabled_hover_text("there is nothing to undo").clicked() {
            controls.act(Action::Undo, report);
        }
        if report.running.as_ref().is_some_and(|running| running.body_count > 0) {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                theme::key_cap(ui, &Action::RemoveBody.key_label());
                ui.label(RichText::new("removes a body").small().color(theme::QUIET))
                    .on_hover_text("the key removes the body under the pointer");
            });
        }
    });
    ui.horizontal(|ui| {
        let hover = "after half a minute without input the camera drifts, and scenes and searches change; any input \
                     returns to what you had";
        ui.checkbox(&mut controls.attract.enabled, "Attract mode when idle").on_hover_text(hover);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            theme::key_cap(ui, &Action::ToggleAttract.key_label());
        });
    });
}

fn tools(ui: &mut Ui, controls: &mut Controls) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for tool in Tool::ALL {
            let button = Button::selectable(controls.hands.tool == tool, tool.label()).frame_when_inactive(true);
            if ui.add(button).on_hover_text(tool.hover()).clicked() {
                controls.hands.tool = tool;
            }
        }
        let hands = &mut controls.hands;
        let percent = DragValue::new(&mut hands.reach).range(0.04..=0.5).speed(0.002);
        let percent = percent.custom_formatter(|size, _| format!("{:.0} %", 100.0 * size));
        ui.add(percent.custom_parser(|text| Some(0.01 * text.trim_end_matches([' ', '%']).parse::<f64>().ok()?)))
            .on_hover_text("reach in percent of the tank's shortest edge, which the ring shows; drag to change");
        let strength = DragValue::new(&mut hands.strength).range(0.1..=4.0).speed(0.01).max_decimals(1).prefix("x ");
        ui.add(strength).on_hover_text("strength of push and pull, and of what is poured; drag to change");
    });
}

fn gravity(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let hands = &report.hands;
    ui.horizontal(|ui| {
        let strength = format::number(f64::from(hands.gravity.length()));
        let tilt = hands.gravity.angle_between(hands.scene_gravity).to_degrees();
        let words = if tilt.is_finite() && tilt > 0.5 {
            format!("Gravity {strength} m/s², tilted by {tilt:.0}°")
        } else {
            format!("Gravity {strength} m/s²")
        };
        ui.label(words).on_hover_text("the arrow keys tilt it");
        if hands.is_tilted() {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let key = RichText::new(Action::SceneGravity.key_label()).small();
                let button = Button::new(RichText::new("Back").small()).shortcut_text(key);
                if ui.add(button).on_hover_text("back to the scene's gravity").clicked() {
                    controls.act(Action::SceneGravity, report);
                }
            });
        }
    });
}

fn presets(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for preset in PRESETS {
            let label = RichText::new(preset.label()).small();
            let button = Button::selectable(report.hands.preset == preset, label).frame_when_inactive(true);
            if ui.add(button).on_hover_text(preset.hover()).clicked() {
                controls.hands.order(HandsOrder::Preset(preset));
            }
        }
    });
}

fn walls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let hands = &report.hands;
    CollapsingHeader::new("Walls").show(ui, |ui| {
        for face in Face::of(controls.scene.dimensions) {
            let place = face.index();
            ui.horizontal(|ui| {
                ui.add_sized([44.0, ui.spacing().interact_size.y], egui::Label::new(face.name()));
                ui.spacing_mut().slider_width = (ui.available_width() - 64.0).max(60.0);
                let mut inset = hands.insets[place];
                let slider = Slider::new(&mut inset, 0.0..=hands.most_insets[place]).suffix(" m").max_decimals(2);
                let hover = "how far the wall is moved inward; it moves slowly enough to push the water";
                if ui.add(slider).on_hover_text(hover).changed() {
                    controls.hands.order(HandsOrder::Wall { face, inset });
                }
            });
        }
        if ui.button("All walls back").clicked() {
            controls.hands.order(HandsOrder::WallsBack);
        }
    });
    if let Some(stop) = &hands.stop {
        remark(ui, stop.clone());
    }
}
