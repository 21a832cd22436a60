//! The panel of the lessons at the right of the window: the list, or the open lesson with its step and its buttons.
//!
//! Where the window is too narrow for the lesson beside the other panels, the others make room; folding the lesson to a
//! bar at the top brings them back.

use bevy_egui::egui::{self, Align, Button, Layout, Panel, RichText, ScrollArea, Ui};

use super::list_ui::list_ui;
use super::step_ui::{missing_parts, step_ui};
use crate::app::theme::{QUIET, TEXT, WARNING, panel_frame};
use crate::app::{Action, Controls, Report};

/// Width of the panel at first, and the range in which it can be dragged, points.
const WIDTH: f32 = 330.0;
const WIDTHS: std::ops::RangeInclusive<f32> = 260.0..=560.0;
/// The least width of the scene, points.
const SCENE: f32 = 240.0;
/// Width of a side panel of the window, points.
const SIDE: f32 = 280.0;

/// Which of the other panels have room beside the lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) struct Room {
    /// The panel at the left.
    pub(in crate::app) left: bool,
    /// The numbers of the laboratory at the right.
    pub(in crate::app) numbers: bool,
}

/// Draws the panel, or the folded bar, and returns which other panels have room.
pub(in crate::app) fn lessons_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) -> Room {
    let all = Room { left: true, numbers: true };
    if !controls.lessons.open {
        return all;
    }
    if controls.lessons.folded && controls.lessons.running.is_some() {
        Panel::top("lesson bar").resizable(false).frame(panel_frame()).show(ui, |ui| bar(ui, controls, report));
        return all;
    }
    let window = ui.max_rect().width();
    let most = (window - SCENE).max(*WIDTHS.start());
    let panel = Panel::right("lessons")
        .default_size(WIDTH.min(most))
        .size_range(*WIDTHS.start()..=WIDTHS.end().min(most))
        .resizable(true)
        .frame(panel_frame())
        .show(ui, |ui| {
            if controls.lessons.running.is_some() {
                lesson_ui(ui, controls, report);
            } else {
                list_ui(ui, controls, report);
            }
        });
    let free = window - panel.response.rect.width() - SCENE;
    let sides = if controls.lab.open { 2.0 } else { 1.0 };
    let room = Room { left: free >= sides * SIDE, numbers: free >= SIDE };
    controls.lessons.is_crowded = room != all && !controls.lab.presenting;
    room
}

/// The open lesson: its title, its step, and the buttons below.
fn lesson_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    head(ui, controls, report);
    Panel::bottom("lesson buttons").resizable(false).show_separator_line(true).frame(egui::Frame::new()).show(
        ui,
        |ui| {
            ui.add_space(6.0);
            buttons(ui, controls, report);
        },
    );
    let id = controls.lessons.running.as_ref().map(|running| (running.lesson.name.clone(), running.step));
    // Each step begins at its top.
    ScrollArea::vertical()
        .id_salt(id)
        .auto_shrink(false)
        .content_margin(egui::Margin { right: 10, ..egui::Margin::ZERO })
        .show(ui, |ui| step_ui(ui, controls, report));
}

fn head(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let Some(running) = controls.lessons.running.clone() else { return };
    let title = running.lesson.text(controls.lessons.language()).title.clone();
    ui.horizontal(|ui| {
        ui.label(RichText::new(format!("Step {} of {}", running.step + 1, running.lesson.steps.len())).color(QUIET));
        let done = controls.lessons.done_in(&running.lesson);
        ui.label(RichText::new(format!("({done} done)")).color(QUIET));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let leave = Button::new("Leave");
            if ui
                .add(leave)
                .on_hover_text("back to the list; your own scene returns, and your progress is kept")
                .clicked()
            {
                controls.leave_lesson(report);
            }
            if ui.button("Fold").on_hover_text("shows only a bar with the buttons").clicked() {
                controls.lessons.folded = true;
            }
        });
    });
    steps_line(ui, controls, report);
    ui.label(RichText::new(title).color(QUIET).small());
    if controls.lessons.is_crowded {
        ui.label(RichText::new("The window is narrow: Fold brings the other panels back.").color(WARNING).small());
    }
    ui.add_space(2.0);
}

/// A row with one box per step: filled if it is done, outlined if it is shown. A click goes to the step.
fn steps_line(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let Some(running) = controls.lessons.running.clone() else { return };
    let count = running.lesson.steps.len();
    let gap = 3.0;
    let width = ((ui.available_width() - 10.0 + gap) / count as f32 - gap).max(3.0);
    let (row, _) = ui.allocate_exact_size(egui::vec2(ui.available_width() - 10.0, 9.0), egui::Sense::hover());
    for step in 0..count {
        let left = row.left() + step as f32 * (width + gap);
        let rect = egui::Rect::from_min_size(egui::pos2(left, row.top()), egui::vec2(width, row.height()));
        let response = ui.interact(rect, ui.id().with(("lesson step", step)), egui::Sense::click());
        let is_done = controls.lessons.is_step_done(&running.lesson, step);
        let fill = if is_done { crate::app::theme::ACCENT } else { egui::Color32::from_rgb(52, 60, 71) };
        let stroke =
            if step == running.step { egui::Stroke::new(2.0, egui::Color32::WHITE) } else { egui::Stroke::NONE };
        ui.painter().rect(rect, 2, fill, stroke, egui::StrokeKind::Inside);
        let heading = &running.lesson.text(controls.lessons.language()).steps[step].heading;
        let state = if is_done { "done" } else { "not done yet" };
        if response.on_hover_text(format!("{}: {heading} ({state})", step + 1)).clicked() {
            controls.go_to_step(step, report);
        }
    }
}

/// The buttons of a step: what is missing, help, and the way to the other steps.
fn buttons(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let Some(running) = controls.lessons.running.clone() else { return };
    let missing = missing_parts(&running);
    // A line in every state, so that the buttons below it stay where they are.
    let (words, color) = match (missing.is_empty(), running.current().asks()) {
        (false, _) => (format!("Still to do: {}", missing.join(", ")), TEXT),
        (true, true) => ("Everything in this step is done.".to_owned(), QUIET),
        (true, false) => ("There is nothing to do in this step except to read and to look.".to_owned(), QUIET),
    };
    ui.label(RichText::new(words).color(color).small());
    ui.horizontal_wrapped(|ui| {
        let ready = !running.is_preparing();
        if running.current().can_show()
            && ui
                .add_enabled(ready, Button::new("Show me how"))
                .on_hover_text("carries out the tasks of this step, with the same keys and clicks as you would")
                .clicked()
        {
            controls.show_me_how();
        }
        let hover = "brings scene, settings, view and picked particle of this step back";
        if ui.button("Set this step up again").on_hover_text(hover).clicked() {
            controls.set_step_up(report);
        }
    });
    ways(ui, controls, report);
}

/// The buttons to the previous and the next step.
fn ways(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let Some(running) = controls.lessons.running.clone() else { return };
    let half = ((ui.available_width() - ui.spacing().item_spacing.x - 6.0) / 2.0).max(60.0);
    ui.horizontal(|ui| {
        let size = egui::vec2(half, 28.0);
        if ui.add_enabled(running.step > 0, Button::new("Previous").min_size(size)).clicked() {
            controls.go_to_step(running.step - 1, report);
        }
        let is_done = running.is_done() || controls.lessons.is_step_done(&running.lesson, running.step);
        if running.is_last() {
            let finish = Button::new("Finish").min_size(size).selected(is_done);
            if ui.add(finish).on_hover_text("back to the list of lessons").clicked() {
                controls.leave_lesson(report);
            }
            return;
        }
        let words = if is_done { "Next" } else { "Skip" };
        let next = Button::new(words).min_size(size).selected(is_done);
        let hover = if is_done { "the next step" } else { "the next step; this one stays open and counts as not done" };
        if ui.add(next).on_hover_text(hover).clicked() {
            controls.go_to_step(running.step + 1, report);
        }
    });
}

/// The folded lesson.
fn bar(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let Some(running) = controls.lessons.running.clone() else { return };
    let text = running.text(controls.lessons.language());
    let missing = missing_parts(&running);
    let state = if missing.is_empty() { "done".to_owned() } else { format!("to do: {}", missing.join(", ")) };
    let words = format!("{} of {}: {} ({state})", running.step + 1, running.lesson.steps.len(), text.heading);
    ui.horizontal(|ui| {
        if ui.button("Unfold").on_hover_text("shows the text of the lesson").clicked() {
            controls.lessons.folded = false;
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let is_done = running.is_done();
            let next = Button::new(if is_done { "Next" } else { "Skip" }).selected(is_done);
            if ui.add_enabled(!running.is_last(), next).clicked() {
                controls.go_to_step(running.step + 1, report);
            }
            if ui.add_enabled(running.step > 0, Button::new("Previous")).clicked() {
                controls.go_to_step(running.step.saturating_sub(1), report);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(egui::Label::new(RichText::new(words).color(TEXT)).truncate());
            });
        });
    });
}

/// The button that shows or hides the lessons, for the heads of panels.
pub(in crate::app) fn lessons_button(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let key = RichText::new(Action::ToggleLessons.key_label()).small();
    let button = Button::selectable(controls.lessons.open, "Lessons").frame_when_inactive(true).shortcut_text(key);
    if ui.add(button).on_hover_text("lessons that explain the searches and the fluid step by step").clicked() {
        controls.act(Action::ToggleLessons, report);
    }
}
