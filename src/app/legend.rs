use bevy_egui::egui::{self, Color32, Mesh, Sense, Shape, Ui};

use super::theme::{QUIET, TEXT};
use super::{Report, words};
use crate::depiction::{field_range, shown_field};
use crate::render::{ColorField, ColorMap};

const HEIGHT: f32 = 12.0;
const STRIPS: usize = 64;

/// The colour map with the values at its ends.
pub fn legend_ui(ui: &mut Ui, field: ColorField, report: &Report) {
    let scene = report.running.as_ref().map(|running| running.settings.edits.applied_to(&running.scene));
    let field = scene.as_ref().map_or(field, |scene| shown_field(field, scene));
    let width = ui.available_width();
    let (rect, _) = ui.allocate_exact_size(egui::vec2(width, HEIGHT), Sense::hover());
    let map = field.color_map();
    let mut mesh = Mesh::default();
    let color = |t: f32| {
        let [red, green, blue] = map.sample(t);
        Color32::from_rgb(red, green, blue)
    };
    let strips = match map {
        ColorMap::Cells => ColorMap::CELL_COLORS,
        ColorMap::Classes => 2,
        _ => STRIPS,
    };
    for strip in 0..strips {
        let at = |edge: usize| edge as f32 / strips as f32;
        let (left, right) = (rect.left() + width * at(strip), rect.left() + width * at(strip + 1));
        let strip_rect = egui::Rect::from_x_y_ranges(left..=right, rect.y_range());
        mesh.add_colored_rect(strip_rect, color(f32::midpoint(at(strip), at(strip + 1))));
    }
    ui.painter().add(Shape::mesh(mesh));
    let (Some(running), Some(scene)) = (&report.running, &scene) else { return };
    ui.horizontal(|ui| {
        let quiet = |text: String| egui::RichText::new(text).small().color(QUIET);
        let name = egui::RichText::new(field.label()).small().color(TEXT);
        if map == ColorMap::Cells {
            ui.label(name);
            ui.label(quiet("each cell its own colour".into()));
            return;
        }
        if map == ColorMap::Classes {
            let has_classes = report.survey.is_none_or(|survey| survey.border.is_some());
            ui.label(name);
            ui.label(quiet(if has_classes { "inner left, border right" } else { "this search has no classes" }.into()));
            return;
        }
        let (low, high) = field_range(field, scene, &running.resolution);
        ui.label(quiet(words::number(low.into())));
        ui.label(name);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(quiet(format!("{} {}", words::number(high.into()), field.unit())));
        });
    });
}
