//! The caption of attract mode.

use bevy_egui::egui::{Align2, Area, Context, Id, Order, Rect, RichText, Vec2};

use crate::app::theme::{ACCENT, QUIET, TEXT, floating_frame};
use crate::app::{Controls, Report, format};

/// Height of the scene from which on the idea of the search is shown too, points.
const ROOMY: f32 = 420.0;

/// Draws what is shown, at the lower edge of the scene.
pub(in crate::app) fn show_caption_ui(context: &Context, water: Rect, controls: &Controls, report: &Report) {
    if !controls.attract.on {
        return;
    }
    let place = water.center_bottom() - Vec2::new(0.0, 14.0);
    let area = Area::new(Id::new("caption of attract mode")).order(Order::Foreground).interactable(false);
    area.pivot(Align2::CENTER_BOTTOM).fixed_pos(place).show(context, |ui| {
        floating_frame().show(ui, |ui| {
            ui.set_max_width((0.8 * water.width()).clamp(160.0, 640.0));
            ui.vertical_centered(|ui| {
                ui.label(RichText::new(&controls.scene.title).size(22.0).strong().color(TEXT));
                ui.label(RichText::new(facts(controls, report)).size(15.0).color(ACCENT));
                if water.height() > ROOMY {
                    ui.label(RichText::new(controls.settings.search.idea).color(TEXT));
                }
                ui.label(RichText::new("Nearwater · any key or mouse button returns").small().color(QUIET));
            });
        });
    });
}

fn facts(controls: &Controls, report: &Report) -> String {
    let solver = controls.settings.edits.applied_to(&controls.scene).solver;
    let running = report.running.as_ref().filter(|running| std::sync::Arc::ptr_eq(&running.scene, &controls.scene));
    let count =
        running.map(|running| format!("{} particles, ", format::count(running.resolution.particle_count.into())));
    format!("{}{}, {}", count.unwrap_or_default(), solver.label(), controls.settings.search.title)
}
