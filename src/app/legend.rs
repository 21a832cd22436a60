//! Draws the color legend with egui.

use bevy_egui::egui::{self, Color32, Mesh, RichText, Sense, Shape, Ui};

use super::Report;
use super::theme::{QUIET, TEXT};
use crate::legend::{Legend, LegendWords, legend_colors};
use crate::render::ColorField;

const HEIGHT: f32 = 12.0;

/// Draws a field's color map with the values at its ends.
pub fn legend_ui(ui: &mut Ui, field: ColorField, report: &Report) {
    range_legend_ui(ui, field, None, report);
}

/// Draws the legend as [`legend_ui`] does, with `range` instead of the field's default range.
pub(super) fn range_legend_ui(ui: &mut Ui, field: ColorField, range: Option<(f32, f32)>, report: &Report) {
    let legend = report.running.as_ref().map(|running| {
        let scene = running.settings.edits.applied_to(&running.scene);
        let has_classes = report.survey.is_none_or(|survey| survey.border.is_some());
        let legend = Legend::of(field, &scene, &running.resolution, has_classes);
        range.map_or(legend.clone(), |range| legend.with_range(range, field.unit()))
    });
    match &legend {
        Some(legend) => bar(ui, &legend.colors),
        None => bar(ui, &legend_colors(field.color_map())),
    }
    let Some(legend) = legend else { return };
    let quiet = |text: &str| RichText::new(text).small().color(QUIET);
    let name = RichText::new(legend.name).small().color(TEXT);
    ui.horizontal(|ui| match &legend.words {
        LegendWords::Remark(remark) => {
            ui.label(name);
            ui.label(quiet(remark));
        }
        LegendWords::Range(low, high) => {
            ui.label(quiet(low));
            ui.label(name);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.label(quiet(high)));
        }
    });
}

/// Draws colors from left to right over the available width.
fn bar(ui: &mut Ui, colors: &[[u8; 3]]) {
    let width = ui.available_width();
    let (rect, _) = ui.allocate_exact_size(egui::vec2(width, HEIGHT), Sense::hover());
    let mut mesh = Mesh::default();
    let place = |strip: usize| rect.left() + width * strip as f32 / colors.len() as f32;
    for (strip, &[red, green, blue]) in colors.iter().enumerate() {
        let strip_rect = egui::Rect::from_x_y_ranges(place(strip)..=place(strip + 1), rect.y_range());
        mesh.add_colored_rect(strip_rect, Color32::from_rgb(red, green, blue));
    }
    ui.painter().add(Shape::mesh(mesh));
}
