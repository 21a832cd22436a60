//! The section of the panel that opens scenes, and writes the running one to a file or as a command line.

use std::path::Path;

use bevy_egui::egui::text::{LayoutJob, TextFormat};
use bevy_egui::egui::{self, Button, ComboBox, FontId, Image, TextEdit, Ui};

use super::buttons::{DIALOG, dialog_button};
use super::filter;
use crate::app::command_line::CommandKind;
use crate::app::scene_menu::SceneEntry;
use crate::app::theme::{QUIET, TEXT};
use crate::app::{Controls, DialogWish, Report};
use crate::fluid::Scene;

/// Width of the menu, in points.
const MENU: f32 = 400.0;
/// Largest height of the menu, in points.
const MENU_HEIGHT: f32 = 460.0;
/// Width and height of a still in the menu, in points.
const STILL: [f32; 2] = [96.0, 60.0];

/// Draws the menu of the built-in scenes, and what can be done with the running one.
pub(super) fn scene_control(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if filter::shows(ui, &Scene::names()) {
        menu(ui, controls);
    }
    if filter::shows(ui, &["open file recent"]) {
        open_row(ui, controls);
    }
    if filter::shows(ui, &["save as scene file .ron"]) {
        save_row(ui, controls, report);
    }
    if filter::shows(ui, &["copy as command line clipboard"]) {
        copy_row(ui, controls, report);
    }
}

fn menu(ui: &mut Ui, controls: &mut Controls) {
    let mut chosen = None;
    let combo = ComboBox::from_id_salt("scene").selected_text(controls.scene.title.clone());
    combo.width(ui.available_width()).height(MENU_HEIGHT).show_ui(ui, |ui| {
        ui.set_width(MENU.min(0.9 * ui.ctx().content_rect().width()));
        for entry in SceneEntry::all() {
            let selected = controls.scene_file.is_none() && controls.scene.name == entry.name;
            if entry_button(ui, entry, selected) {
                chosen = Some(entry.name);
            }
        }
    });
    if let Some(name) = chosen {
        controls.load_scene(name);
    }
}

/// Draws a scene of the menu, and returns whether it was clicked.
fn entry_button(ui: &mut Ui, entry: &SceneEntry, selected: bool) -> bool {
    let still = entry.texture(ui.ctx());
    let mut text = LayoutJob::default();
    let format = |size, color| TextFormat { font_id: FontId::proportional(size), color, ..TextFormat::default() };
    text.append(&entry.title, 0.0, format(13.5, TEXT));
    text.append("\n", 0.0, format(4.0, TEXT));
    text.append(&entry.description, 0.0, format(11.5, QUIET));
    let button = match &still {
        Some(texture) => {
            let image = Image::new(texture).fit_to_exact_size(egui::vec2(STILL[0], STILL[1])).corner_radius(3);
            Button::image_and_text(image, text)
        }
        None => Button::new(text),
    };
    let size = egui::vec2(ui.available_width(), if still.is_some() { STILL[1] + 6.0 } else { 0.0 });
    let response = ui.add(button.selected(selected).frame_when_inactive(selected).wrap().min_size(size));
    let info = || egui::WidgetInfo::selected(egui::WidgetType::SelectableLabel, true, selected, &entry.title);
    response.widget_info(info);
    response.clicked()
}

fn open_row(ui: &mut Ui, controls: &mut Controls) {
    ui.horizontal(|ui| {
        let hover = "opens a scene (.ron) or a saved state; a file can also be dropped onto the window";
        if ui.button("Open file ...").on_hover_text(hover).clicked() {
            controls.wanted_dialog = Some(DialogWish::Open);
        }
        if controls.recent.is_empty() {
            return;
        }
        let chosen = ui.menu_button("Recent files", |ui| {
            let mut names = controls.recent.iter().enumerate();
            let clicked = names.find(|(_, name)| {
                let short = Path::new(name).file_name().map_or(name.as_str().into(), |name| name.to_string_lossy());
                ui.button(short).on_hover_text(name.as_str()).clicked()
            });
            clicked.map(|(place, _)| place)
        });
        if let Some(place) = chosen.inner.flatten() {
            controls.open_recent(place);
        }
    });
}

fn save_row(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal(|ui| {
        let button = Button::new("Save as scene");
        let hover = "writes the running scene, with the changes of solver, material, settings and number of particles, \
                     to this file, with the comments of the scene's own file; search and kernel are not part of scenes";
        let wants = ui.add(button).on_hover_text(hover).clicked();
        let width = ui.available_width() - DIALOG - ui.spacing().item_spacing.x;
        let path = TextEdit::singleline(&mut controls.panel.scene_path).desired_width(width);
        ui.add(path).on_hover_text("the file, whose name ends in .ron");
        if dialog_button(ui, "Choose the file of the scene") {
            controls.wanted_dialog = Some(DialogWish::SaveScene);
        }
        if wants {
            controls.save_scene(report);
        }
    });
}

fn copy_row(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal(|ui| {
        let window = "copies the command that opens this scene with every setting";
        let without = "copies the command that simulates this scene with every setting without a window, for as long \
                       as it has run here";
        let kinds = [
            ("Copy as command line", window, CommandKind::Window),
            ("simulate", without, CommandKind::Simulate(report.time.max(1.0))),
        ];
        for (words, hover, kind) in kinds {
            if ui.button(words).on_hover_text(hover).clicked() {
                match controls.command_line(kind) {
                    Ok(command) => {
                        ui.ctx().copy_text(command.clone());
                        controls.note(format!("copied to the clipboard: {command}"));
                    }
                    Err(sentence) => controls.load_error = Some(sentence),
                }
            }
        }
    });
}
