//! The mark over the scene that shaders are edited, which stays as long as they are.

use bevy_egui::egui::{self, Align2, Context, Id, Order, Rect, RichText, Stroke};

use super::cost_sentence;
use crate::app::theme::{QUIET, TEXT, WARNING, floating_frame};
use crate::app::{Controls, Report};

/// Distance from the edge of the scene, points.
const MARGIN: f32 = 12.0;

/// Distance from the top of the scene where messages are shown there, points.
const BELOW_MESSAGES: f32 = 96.0;

/// Draws the mark at the right edge of the scene while a shader is edited, or checks are on because of edits.
pub(in crate::app) fn chip_ui(context: &Context, water: Rect, controls: &mut Controls, report: &Report) {
    let Some(sentences) = sentences(controls, report) else { return };
    // Messages and the sentence of a view come first at the top.
    let has_messages =
        report.shader_error.is_some() || report.news().is_some() || !controls.messages(report).is_empty();
    let top = if has_messages || controls.lab.open { BELOW_MESSAGES } else { MARGIN };
    let place = water.right_top() + egui::vec2(-MARGIN, top);
    egui::Area::new(Id::new("edited shaders")).order(Order::Foreground).pivot(Align2::RIGHT_TOP).fixed_pos(place).show(
        context,
        |ui| {
            floating_frame().stroke(Stroke::new(1.5, WARNING)).show(ui, |ui| {
                ui.set_max_width((0.45 * water.width()).clamp(160.0, 330.0));
                ui.label(RichText::new(sentences.headline).strong().color(WARNING));
                ui.label(RichText::new(sentences.checks).small().color(QUIET));
                // The code pane says it as well.
                if let Some(cost) = cost_sentence(report).filter(|_| !controls.code.open) {
                    ui.label(RichText::new(cost).small().color(TEXT));
                }
                let (opens, reverts) = (!controls.code.open, !controls.code.edited_files().is_empty());
                if opens || reverts {
                    ui.horizontal(|ui| {
                        if opens && ui.button("Show code").clicked() {
                            controls.code.open = true;
                        }
                        if reverts && ui.button("Revert all").on_hover_text("returns to all original shaders").clicked()
                        {
                            controls.code.revert_all();
                        }
                    });
                }
            });
        },
    );
}

struct Sentences {
    headline: String,
    checks: &'static str,
}

fn sentences(controls: &Controls, report: &Report) -> Option<Sentences> {
    let in_use = report.code.in_use.len();
    let edited = controls.code.edited_files().len();
    let files = |count: usize| if count == 1 { "1 shader".to_owned() } else { format!("{count} shaders") };
    let headline = if in_use > 0 && edited > in_use {
        format!("{} edited, {} in use", files(edited), in_use)
    } else if in_use > 0 {
        format!("{} edited", files(in_use))
    } else if report.code.measuring > 0 {
        format!("{} edited; the original runs to be measured", files(edited))
    } else if edited > 0 {
        format!("{} edited, none in use", files(edited))
    } else if report.code.has_written {
        "The original shaders run again".to_owned()
    } else if report.code.is_guarded {
        "Shaders can be edited".to_owned()
    } else {
        return None;
    };
    let checks = if in_use == 0 && edited == 0 && report.code.has_written {
        "Checks stay on, which costs time, until Reset replaces the particles that edited shaders have moved."
    } else {
        "All shaders run with bounds checks, which costs time."
    };
    Some(Sentences { headline, checks })
}
