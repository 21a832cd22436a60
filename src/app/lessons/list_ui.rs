//! The list of the lessons with the progress in each.

use std::sync::Arc;

use bevy_egui::egui::{self, Align, Button, ComboBox, Frame, Layout, Margin, ProgressBar, RichText, ScrollArea, Ui};

use super::Lesson;
use super::markdown::{REMARK, markdown};
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING};
use crate::app::{Action, Controls, LessonControls, Report};

/// Draws the list.
pub(super) fn list_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal(|ui| {
        ui.heading(RichText::new("Lessons").strong());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = Button::new("Close").shortcut_text(Action::ToggleLessons.key_label());
            if ui.add(close).on_hover_text("hides the lessons").clicked() {
                controls.act(Action::ToggleLessons, report);
            }
        });
    });
    language_ui(ui, controls);
    let margin = Margin { right: 10, ..Margin::ZERO };
    ScrollArea::vertical().auto_shrink(false).content_margin(margin).show(ui, |ui| {
        for error in LessonControls::errors() {
            ui.colored_label(WARNING, error.to_string());
        }
        for (place, lesson) in controls.lessons.all().into_iter().enumerate() {
            card(ui, controls, report, place, &lesson);
            ui.add_space(4.0);
        }
    });
}

/// The languages in which any lesson is written, with the first one chosen by default.
fn language_ui(ui: &mut Ui, controls: &mut Controls) {
    let mut languages: Vec<String> =
        controls.lessons.all().iter().flat_map(|lesson| lesson.texts.keys().cloned()).collect();
    languages.sort_unstable();
    languages.dedup();
    if languages.len() < 2 {
        return;
    }
    ui.horizontal(|ui| {
        ui.label("Language");
        let mut language = controls.lessons.language().to_owned();
        ComboBox::from_id_salt("language").selected_text(&language).show_ui(ui, |ui| {
            for name in &languages {
                ui.selectable_value(&mut language, name.clone(), name);
            }
        });
        controls.lessons.language = language;
    });
}

fn card(ui: &mut Ui, controls: &mut Controls, report: &Report, place: usize, lesson: &Arc<Lesson>) {
    let text = lesson.text(controls.lessons.language()).clone();
    let (done, count) = (controls.lessons.done_in(lesson), lesson.steps.len());
    let frame =
        Frame::new().fill(egui::Color32::from_rgb(28, 34, 41)).corner_radius(5).inner_margin(Margin::symmetric(10, 8));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.label(RichText::new(format!("{}. {}", place + 1, text.title)).color(TEXT).size(14.5));
        markdown(ui, &text.introduction, REMARK);
        ui.add_space(3.0);
        if done > 0 {
            let bar = ProgressBar::new(done as f32 / count as f32).desired_height(6.0).fill(ACCENT);
            ui.add(bar);
        }
        ui.horizontal(|ui| {
            let word = match done {
                0 => "Start",
                done if done == count => "Take again",
                _ => "Continue",
            };
            let button = Button::new(format!("{word} lesson {}", place + 1)).min_size(egui::vec2(0.0, 26.0));
            if ui.add(button).clicked() {
                controls.open_lesson(Arc::clone(lesson), report);
            }
            ui.label(
                RichText::new(format!("{} min, {done} of {count} steps done", lesson.minutes)).small().color(QUIET),
            );
        });
    });
}
