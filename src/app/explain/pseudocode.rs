//! Draws pseudocode, with the lines of the pass that has run last highlighted.

use bevy_egui::egui::text::{LayoutJob, TextFormat};
use bevy_egui::egui::{Align, Color32, FontId, Frame, Label, Margin, Sense, Ui};

use super::state::{current_pass, shown_code};
use crate::app::theme::{ACCENT, QUIET, TEXT, phase_color};
use crate::app::{Controls, Report};
use crate::explanation::{PassTag, PseudocodeLine};
use crate::gpu::Phase;

/// Words of the pseudocode that are drawn in color.
const KEYWORDS: [&str; 8] = ["foreach", "for", "if", "while", "do", "then", "group", "barrier"];
/// Indentation of a level, points.
const INDENT: i8 = 13;
/// Size of the text, points.
const SIZE: f32 = 12.0;

/// Indices of the lines that describe the pass that has run last; empty at full speed.
pub fn lit_lines(
    lines: impl Iterator<Item = &'static PseudocodeLine>,
    controls: &Controls,
    report: &Report,
) -> Vec<usize> {
    let Some(pass) = current_pass(controls, report) else { return Vec::new() };
    lines.enumerate().filter(|(_, line)| line.describes(&pass)).map(|(place, _)| place).collect()
}

/// Draws the pseudocode. A click on a line shows the code of its pass.
pub(super) fn pseudocode_ui(
    ui: &mut Ui,
    lines: impl Iterator<Item = &'static PseudocodeLine> + Clone,
    controls: &mut Controls,
    report: &Report,
) {
    let lit = lit_lines(lines.clone(), controls, report);
    let current = current_pass(controls, report);
    let is_new = current.is_some() && controls.explain.seen != current;
    controls.explain.seen = current;
    if is_new && !lit.is_empty() {
        // The code follows the passes again.
        controls.explain.chosen_code = None;
    }
    let phase = report.lab.stepping.current().map_or(Phase::Search, |pass| pass.phase);
    let shown = shown_code(controls, report).map(|shown| (shown.file, shown.entry_point));
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (place, line) in lines.enumerate() {
            let code = line.passes.first().map(PassTag::code);
            let is_shown = code.is_some_and(|(file, entry_point)| {
                shown.as_ref().is_some_and(|shown| shown.0 == file && shown.1.as_deref() == entry_point)
            });
            let fill =
                if lit.contains(&place) { phase_color(phase).gamma_multiply(0.33) } else { Color32::TRANSPARENT };
            let response = line_ui(ui, line, fill, is_shown);
            if lit.first() == Some(&place) && is_new {
                ui.scroll_to_rect(response.rect, Some(Align::Center));
            }
            if response.clicked() {
                controls.explain.chosen_code = code;
            }
        }
    });
}

fn line_ui(ui: &mut Ui, line: &PseudocodeLine, fill: Color32, is_shown: bool) -> bevy_egui::egui::Response {
    let left = 6 + INDENT * i8::try_from(line.indent).unwrap_or(i8::MAX / INDENT);
    let frame = Frame::new().fill(fill).inner_margin(Margin { left, right: 4, top: 1, bottom: 1 });
    let shown = frame.show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        let label = Label::new(job(line)).wrap();
        if line.passes.is_empty() {
            ui.add(label)
        } else {
            ui.add(label.sense(Sense::click())).on_hover_text("shows the code that runs")
        }
    });
    if is_shown {
        let edge = shown.response.rect;
        ui.painter().vline(edge.left() + 1.0, edge.y_range(), (2.0, ACCENT));
    }
    shown.inner
}

/// The text of a line, with the words of the language in color.
fn job(line: &PseudocodeLine) -> LayoutJob {
    let mut job = LayoutJob::default();
    let format = |color| TextFormat::simple(FontId::monospace(SIZE), color);
    if line.passes.is_empty() {
        job.append(line.text, 0.0, TextFormat::simple(FontId::proportional(SIZE), QUIET));
        return job;
    }
    for (place, word) in line.text.split(' ').enumerate() {
        if place > 0 {
            job.append(" ", 0.0, format(TEXT));
        }
        let is_keyword = KEYWORDS.contains(&word.trim_end_matches([';', ':', ',']));
        job.append(word, 0.0, format(if is_keyword { ACCENT } else { TEXT }));
    }
    job
}
