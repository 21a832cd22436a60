//! What appears over the scene on occasion: messages, and the list of keys.

use bevy_egui::egui::{self, Align2, Context, Grid, Id, Order, Rect, RichText};

use super::actions::{KEYS, MOUSE, key_name};
use super::theme::{QUIET, SURFACE, TEXT, WARNING, floating_frame, key_cap};
use super::{Action, Controls, Report};
use crate::render::color_fields::COLOR_FIELDS;

/// Draws messages over the scene: refused changes, errors in edited shaders, the state of the device, finished actions.
pub fn notices_ui(context: &Context, water: Rect, controls: &mut Controls, report: &Report) {
    let lasting = report.shader_error.iter().chain(&report.crowded);
    let passing = controls.messages(report);
    let messages: Vec<String> = lasting.chain(&passing).cloned().collect();
    let done = controls.noted().map(str::to_owned);
    if messages.is_empty() && report.news().is_none() && done.is_none() {
        return;
    }
    let width = (water.width() - 48.0).clamp(120.0, 620.0);
    egui::Area::new(Id::new("notices"))
        .order(Order::Foreground)
        .pivot(Align2::CENTER_TOP)
        .fixed_pos(water.center_top() + egui::vec2(0.0, 12.0))
        .show(context, |ui| {
            floating_frame().show(ui, |ui| {
                ui.set_max_width(width);
                for message in messages {
                    ui.label(message_text(&message));
                }
                if let Some(done) = done {
                    ui.label(RichText::new(done).color(TEXT));
                }
                if let Some(news) = report.news() {
                    ui.label(RichText::new(news).color(TEXT));
                }
                if !passing.is_empty() && ui.button("Dismiss").clicked() {
                    controls.act(Action::Close, report);
                }
            });
        });
}

/// Formats a message. Messages of several lines come from the shader compiler, which aligns its marks for a monospace
/// font.
fn message_text(message: &str) -> RichText {
    let text = RichText::new(message.trim_end()).color(WARNING);
    if message.trim_end().contains('\n') { text.monospace() } else { text }
}

/// Draws the list of all keys over the scene.
pub fn help_ui(context: &Context, water: Rect, controls: &mut Controls, report: &Report) {
    if !controls.help_open {
        return;
    }
    egui::Area::new(Id::new("help"))
        .order(Order::Foreground)
        .pivot(Align2::CENTER_CENTER)
        .fixed_pos(water.center())
        .show(context, |ui| {
            floating_frame().fill(SURFACE).show(ui, |ui| {
                ui.set_max_height((water.height() - 32.0).max(80.0));
                ui.horizontal(|ui| {
                    ui.heading("Keys");
                    ui.add_space(40.0);
                    if ui.button("Close").clicked() {
                        controls.act(Action::Close, report);
                    }
                });
                egui::ScrollArea::vertical().max_height((water.height() - 90.0).max(60.0)).show(ui, |ui| {
                    Grid::new("keys").num_columns(2).spacing([14.0, 4.0]).show(ui, key_rows);
                });
            });
        });
}

fn key_rows(ui: &mut egui::Ui) {
    for binding in KEYS {
        key_cap(ui, &key_name(binding.key));
        ui.label(RichText::new(binding.words).color(TEXT));
        ui.end_row();
    }
    key_cap(ui, &format!("1 – {}", COLOR_FIELDS.len()));
    ui.label(RichText::new("color field; in the laboratory, view").color(TEXT));
    ui.end_row();
    for (mouse, words) in MOUSE {
        ui.label(RichText::new(*mouse).color(QUIET));
        ui.label(RichText::new(*words).color(TEXT));
        ui.end_row();
    }
}
