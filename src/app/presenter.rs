//! The presenter mode of the whole window: the scene with a caption, and the timings below.

use bevy_egui::egui::{self, Align2, Context, Id, Order, Rect, RichText};

use super::theme::{ACCENT, TEXT, floating_frame};
use super::{Controls, Report, format};

/// Draws the caption over the scene: what is seen, and by which methods.
pub(super) fn caption_ui(context: &Context, water: Rect, controls: &Controls, report: &Report) {
    let scene = &controls.scene;
    let solver = controls.settings.edits.applied_to(scene).solver;
    let count = report.running.as_ref().map(|running| running.resolution.particle_count);
    let count = count.map(|count| format!("{} particles, ", format::count(count.into()))).unwrap_or_default();
    let how = format!("{count}{}, {}", solver.label(), controls.settings.search.title);
    egui::Area::new(Id::new("caption"))
        .interactable(false)
        .order(Order::Middle)
        .pivot(Align2::LEFT_TOP)
        .fixed_pos(water.left_top() + egui::vec2(16.0, 16.0))
        .show(context, |ui| {
            floating_frame().show(ui, |ui| {
                ui.label(RichText::new(&scene.title).size(19.0).strong().color(ACCENT));
                ui.label(RichText::new(how).size(14.5).color(TEXT));
            });
        });
}
