//! The overlay at the bottom of the window: speed, the time of a frame by phases, and the time of every pass.

use bevy_egui::egui::{self, Align, Align2, Layout, Rect, RichText, ScrollArea, Sense, Ui};

use egui_plot::{Line, Plot, PlotPoints};

use super::code::{PassCost, cost_of, cost_sentence, percent};
use super::theme::{ACCENT, QUIET, TEXT, WARNING, phase_color, remark, sparkline, text_inside};
use super::{Controls, PassHistory, Report, format};
use crate::gpu::Phase;

/// Height of the stacked bar, points.
const BAR: f32 = 20.0;
/// Height of a pass's cell in the list, points.
const CELL_HEIGHT: f32 = 18.0;
/// Smallest and largest width of a cell, points.
const CELL_WIDTH: std::ops::RangeInclusive<f32> = 226.0..=310.0;
/// Width of the time at the right of a label, points.
const TIME: f32 = 56.0;
/// Distance between two columns of cells, points.
const GAP: f32 = 14.0;
/// Smallest height at which passes are listed, points; below it only the numbers and the bar are shown.
const ROOM_FOR_PASSES: f32 = 120.0;

/// Height of the overlay for a window of height `window`, points. It leaves room for the list of passes in tall
/// windows.
pub fn overlay_height(window: f32) -> f32 {
    if window >= 600.0 { 192.0 } else { 84.0 }
}

/// Draws the speed, the time of a frame by phases, and the time of each pass.
pub fn overlay_ui(ui: &mut Ui, controls: &Controls, report: &Report) {
    let has_room = ui.available_height() >= ROOM_FOR_PASSES;
    headline(ui, controls, report);
    ui.add_space(2.0);
    let frame = FrameTimes::of(report);
    if report.has_timestamps {
        stacked_bar(ui, &frame);
    } else {
        ui.label(RichText::new("pass times: not supported by this adapter").color(WARNING));
    }
    ui.add_space(2.0);
    if has_room {
        phase_line(ui, report, &frame);
        search_line(ui, report);
        figures_line(ui, report);
        ui.add_space(2.0);
        passes(ui, report);
    } else {
        search_line(ui, report);
        figures_line(ui, report);
    }
}

/// Times of a frame, ms: of all its steps, and of its drawing.
struct FrameTimes {
    phases: [(Phase, f32); 4],
    step: Option<f32>,
}

impl FrameTimes {
    fn of(report: &Report) -> Self {
        let steps = report.steps_per_frame as f32;
        let phases = Phase::ALL.map(|phase| {
            let each = report.timings.phase_milliseconds(phase);
            let foam = if phase == Phase::Physics { report.foam_cost.share_of_step() } else { 0.0 };
            (phase, if phase == Phase::Drawing { each } else { (each + foam) * steps })
        });
        let step = report.timings.step_milliseconds();
        Self { phases, step: step.map(|step| step + report.foam_cost.share_of_step()) }
    }

    fn total(&self) -> f32 {
        self.phases.iter().map(|(_, milliseconds)| milliseconds).sum()
    }
}

fn headline(ui: &mut Ui, controls: &Controls, report: &Report) {
    ui.horizontal(|ui| {
        let speed = report.speed;
        let figure = |ui: &mut Ui, number: String, unit: &str| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.label(RichText::new(number).strong().color(TEXT).size(15.0));
            ui.label(RichText::new(unit).color(QUIET));
            ui.add_space(10.0);
        };
        if controls.paused {
            ui.label(RichText::new("paused").strong().color(ACCENT).size(15.0));
            ui.add_space(10.0);
        } else {
            let factor = speed.real_time_factor;
            let digits = if factor < 0.095 { 3 } else { 2 };
            figure(ui, format!("{factor:.digits$}x"), "real time");
        }
        figure(ui, format!("{:.0}", speed.frames_per_second), "frames/s");
        figure(ui, format!("{:.0}", speed.steps_per_second), "steps/s");
        if let Some(running) = &report.running {
            figure(ui, format::count(running.resolution.particle_count.into()), "particles");
            figure(ui, format!("{:.2} s", report.time), "simulated");
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add(egui::Label::new(RichText::new(&report.adapter).small().color(QUIET)).truncate());
        });
    });
}

fn stacked_bar(ui: &mut Ui, frame: &FrameTimes) {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), BAR), Sense::hover());
    let painter = ui.painter();
    painter.rect_filled(rect, 3, ui.visuals().extreme_bg_color);
    let total = frame.total();
    if total <= 0.0 {
        text_inside(ui, rect, "no pass was timed yet", QUIET);
        return;
    }
    let mut left = rect.left();
    for (phase, milliseconds) in frame.phases {
        let width = rect.width() * milliseconds / total;
        let part = Rect::from_x_y_ranges(left..=left + width, rect.y_range());
        ui.painter().rect_filled(part, 2, phase_color(phase));
        let words = format!("{} {}", phase.label(), format::number(milliseconds.into()));
        text_inside(ui, part, &words, egui::Color32::from_rgb(12, 14, 18));
        left += width;
    }
    response.on_hover_text(
        "GPU time of a frame by phases, ms: build sorts the particles and builds the search's tables, search visits \
         the pairs, physics is the work per particle, drawing makes the picture",
    );
}

/// Draws the legend of the bar's colors, and the sum that gives the time of a frame.
fn phase_line(ui: &mut Ui, report: &Report, frame: &FrameTimes) {
    let Some(step) = frame.step else { return };
    ui.horizontal(|ui| {
        for (phase, milliseconds) in frame.phases {
            let (square, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), Sense::hover());
            ui.painter().rect_filled(square, 2, phase_color(phase));
            ui.label(format!("{} {}", phase.label(), format::number(milliseconds.into())));
            ui.add_space(6.0);
        }
        if let Some(cost) = cost_sentence(report) {
            ui.add(egui::Label::new(RichText::new(cost).color(WARNING)).truncate());
            return;
        }
        let drawing = frame.phases[3].1;
        let sum = format!(
            "{} ms = {} steps x {} ms + drawing {} ms",
            format::number(frame.total().into()),
            report.steps_per_frame,
            format::number(step.into()),
            format::number(drawing.into()),
        );
        ui.add(egui::Label::new(RichText::new(sum).color(QUIET)).truncate());
    });
}

fn search_line(ui: &mut Ui, report: &Report) {
    let mut parts = Vec::new();
    if let Some(running) = &report.running {
        parts.push(running.settings.search.title.to_owned());
    }
    if let (Some(survey), Some(running)) = (&report.survey, &report.running) {
        let each = |pairs: u64| format::number(pairs as f64 / f64::from(running.resolution.particle_count.max(1)));
        let pairs = survey.pairs;
        let overhead = pairs.overhead().map_or("no neighbors".to_owned(), |overhead| {
            format!("{} candidates per neighbor", format::number(overhead))
        });
        parts.push(format!("{overhead} ({} / {} per particle)", each(pairs.candidates), each(pairs.neighbors)));
        if running.settings.edits.applied_to(&running.scene).solver.is_fluid() {
            parts.push(format!("compressed by {} %", format::number(survey.mean_compression.into())));
        }
        if survey.not_finite > 0 || survey.outside > 0 {
            parts.push(format!("{} not finite, {} outside the box", survey.not_finite, survey.outside));
        }
    }
    if let Some(foam) = report.foam {
        let [spray, flat, bubbles] =
            [foam.spray, foam.foam, foam.bubbles].map(|count| format::short_count(count.into()));
        let cost = report.foam_cost.words().map_or_else(String::new, |words| format!(" ({words})"));
        parts.push(format!("{spray} spray, {flat} foam, {bubbles} bubbles{cost}"));
    }
    if let Some(running) = &report.running {
        parts.push(format!("search memory {}", format::bytes(running.search_bytes)));
    }
    ui.add(egui::Label::new(RichText::new(parts.join("   ·   ")).color(QUIET)).truncate());
}

/// Draws the numbers that the running solver computes while it runs; nothing where it has none.
fn figures_line(ui: &mut Ui, report: &Report) {
    let (Some(survey), Some(running)) = (&report.survey, &report.running) else { return };
    let figures = running.settings.edits.applied_to(&running.scene).solver.figures;
    if figures.is_empty() {
        return;
    }
    let live = || figures.iter().zip(survey.figures).filter(|(figure, _)| figure.is_live);
    let text = |warned: bool| {
        let some = live().filter(|(figure, value)| figure.is_warning(*value) == warned);
        let words =
            some.map(|(figure, value)| format!("{} {} {}", figure.name, format::number(value.into()), figure.unit));
        words.collect::<Vec<_>>().join("   ·   ")
    };
    let hover = live().map(|(figure, _)| format!("{}: {}", figure.name, figure.hover)).collect::<Vec<_>>().join("\n");
    ui.horizontal(|ui| {
        let warnings = text(true);
        if !warnings.is_empty() {
            ui.label(RichText::new(warnings).color(WARNING)).on_hover_text(&hover);
        }
        ui.add(egui::Label::new(RichText::new(text(false)).color(QUIET)).truncate()).on_hover_text(hover);
    });
}

fn passes(ui: &mut Ui, report: &Report) {
    if report.timings.passes().is_empty() {
        remark(ui, "pass times appear here once they have been measured");
        return;
    }
    let rows = ((ui.available_height() - 8.0) / (CELL_HEIGHT + 1.0)).floor().max(1.0) as usize;
    let columns = report.timings.passes().len().div_ceil(rows) as f32;
    let width = (ui.available_width() / columns - GAP).clamp(*CELL_WIDTH.start(), *CELL_WIDTH.end());
    ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing = egui::vec2(GAP, 1.0);
        ui.horizontal_top(|ui| {
            for column in report.timings.passes().chunks(rows) {
                ui.vertical(|ui| column.iter().for_each(|pass| pass_row(ui, pass, cost_of(report, pass), width)));
            }
        });
    });
}

fn pass_row(ui: &mut Ui, pass: &PassHistory, cost: Option<PassCost>, width: f32) {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(width, CELL_HEIGHT), Sense::hover());
    let middle = rect.center().y;
    let color = phase_color(pass.phase);
    let line =
        Rect::from_x_y_ranges(rect.right() - width * 0.18..=rect.right(), rect.y_range()).shrink2(egui::vec2(0.0, 3.0));
    let time_right = line.left() - 6.0;
    let dot = Rect::from_center_size(egui::pos2(rect.left() + 4.0, middle), egui::vec2(7.0, 7.0));
    ui.painter().rect_filled(dot, 2, color);
    let font = egui::FontId::proportional(12.0);
    let label_room = Rect::from_x_y_ranges(rect.left() + 13.0..=time_right - TIME, rect.y_range());
    ui.painter().with_clip_rect(label_room).text(
        label_room.left_center(),
        Align2::LEFT_CENTER,
        pass.label,
        font.clone(),
        TEXT,
    );
    let median = format!("{:.3} ms", pass.median());
    // What an edited shader costs takes the place of the small curve.
    if let Some(cost) = cost {
        let words = percent(cost.change());
        ui.painter().text(line.right_center(), Align2::RIGHT_CENTER, words, font.clone(), WARNING);
    }
    ui.painter().text(egui::pos2(time_right, middle), Align2::RIGHT_CENTER, &median, font, TEXT);
    ui.painter().line_segment([line.left_bottom(), line.right_bottom()], ui.visuals().widgets.noninteractive.bg_stroke);
    if cost.is_none() {
        sparkline(ui, line, pass.milliseconds.iter().copied(), color);
    }
    response.on_hover_ui(|ui| {
        if let Some(PassCost { original, edited, has_edited_code, .. }) = cost {
            let code = if has_edited_code { "edited" } else { "unchanged" };
            ui.label(format!("{code} code: {edited:.3} ms; before the edit, with the same checks: {original:.3} ms"));
        }
        pass_history(ui, pass, &median);
    });
}

/// Plots the stored times of a pass over the frames, larger than the sparkline and with an axis.
fn pass_history(ui: &mut Ui, pass: &PassHistory, median: &str) {
    ui.label(format!(
        "{} ({}): median {median} of {} timed frames",
        pass.label,
        pass.phase.label(),
        pass.milliseconds.len()
    ));
    let points = pass.milliseconds.iter().enumerate().map(|(frame, &time)| [frame as f64, time.into()]);
    let line = Line::new(pass.label, points.collect::<PlotPoints<'_>>()).color(phase_color(pass.phase)).fill(0.0);
    Plot::new(pass.label)
        .height(110.0)
        .include_y(0.0)
        .show_x(false)
        .show_axes([false, true])
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .show(ui, |plot| plot.line(line));
}
