//! The step of a lesson in its panel: the explanation, the tasks, the question, and what the last answer was answered
//! with.

use bevy_egui::egui::{self, Align, Button, Color32, Frame, Layout, Margin, RichText, Sense, Stroke, TextEdit, Ui};

use super::expression::Source;
use super::interpolation::with_values;
use super::markdown::{Look, READING, REMARK, markdown, plain};
use super::state::RunningLesson;
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING};
use crate::app::{Controls, Report};

/// Color of what is right; it is always accompanied by a check mark or a word.
const RIGHT: Color32 = Color32::from_rgb(96, 200, 150);

/// What is still missing in a step, in words.
pub(super) fn missing_parts(running: &RunningLesson) -> Vec<String> {
    let mut parts = Vec::new();
    let tasks = running.ticked.len();
    let undone = running.ticked.iter().filter(|ticked| !**ticked).count();
    if undone > 0 {
        parts.push(if tasks == 1 { "the task".to_owned() } else { format!("{undone} of {tasks} tasks") });
    }
    if running.current().has_question() && !running.answered {
        parts.push("the question".to_owned());
    }
    parts
}

/// Draws the step that is shown.
pub(super) fn step_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let Some(running) = controls.lessons.running.clone() else { return };
    let language = controls.lessons.language().to_owned();
    let text = running.text(&language).clone();
    let written = {
        let source = Source { controls, report, starts: &running.starts };
        let write = |text: &str| with_values(text, source);
        Written {
            body: write(&text.body),
            tasks: text.tasks.iter().map(|task| write(task)).collect(),
            question: write(&text.question),
            options: text.options.iter().map(|option| (option.name.clone(), write(&option.text))).collect(),
            answer: write(&text.answer),
            verdict: running.verdict.as_ref().map(|verdict| (verdict.is_right, write(&verdict.sentence))),
        }
    };
    ui.label(RichText::new(&text.heading).heading().strong().color(ACCENT));
    ui.add_space(4.0);
    if let Some(error) = &running.error {
        note(ui, WARNING, "This step could not be set up", error);
        ui.add_space(6.0);
    } else if running.is_preparing() {
        ui.label(RichText::new("The program is being set up for this step.").color(QUIET));
    }
    markdown(ui, &written.body, READING);
    if !written.tasks.is_empty() {
        tasks_ui(ui, &running, &written);
    }
    if running.current().has_question() {
        question_ui(ui, controls, report, &running, &written);
    }
    if running.is_done() && running.current().asks() && !written.answer.is_empty() {
        ui.add_space(8.0);
        boxed(ui, RIGHT, |ui| {
            if running.current().number.is_some() {
                ui.label(RichText::new("Right").strong().color(RIGHT).size(13.5));
            }
            markdown(ui, &written.answer, READING);
        });
    }
    ui.add_space(12.0);
}

/// The texts of a step with present values.
struct Written {
    body: String,
    tasks: Vec<String>,
    question: String,
    /// Names and texts.
    options: Vec<(String, String)>,
    answer: String,
    /// Whether the last answer was right, and why.
    verdict: Option<(bool, String)>,
}

fn tasks_ui(ui: &mut Ui, running: &RunningLesson, written: &Written) {
    ui.add_space(8.0);
    title(ui, "Do this");
    for (task, ticked) in written.tasks.iter().zip(&running.ticked) {
        ui.horizontal_top(|ui| {
            icon(ui, if *ticked { Icon::Right } else { Icon::Open });
            ui.vertical(|ui| {
                let color = if *ticked { QUIET } else { TEXT };
                markdown(ui, task, Look { color, ..READING });
            });
        });
    }
}

fn question_ui(ui: &mut Ui, controls: &mut Controls, report: &Report, running: &RunningLesson, written: &Written) {
    ui.add_space(8.0);
    title(ui, "Question");
    markdown(ui, &written.question, READING);
    ui.add_space(4.0);
    if running.current().choice.is_some() {
        options_ui(ui, controls, report, running, written);
    } else {
        number_ui(ui, controls, report, running);
    }
    let Some((is_right, sentence)) = &written.verdict else { return };
    // A right number is confirmed by the answer below.
    if *is_right && sentence.is_empty() && !written.answer.is_empty() && running.is_done() {
        return;
    }
    ui.add_space(4.0);
    let (color, words) = if *is_right { (RIGHT, "Right") } else { (WARNING, "Not yet") };
    note(ui, color, words, sentence);
}

fn options_ui(ui: &mut Ui, controls: &mut Controls, report: &Report, running: &RunningLesson, written: &Written) {
    let is_right = running.verdict.as_ref().is_some_and(|verdict| verdict.is_right);
    for (name, text) in &written.options {
        let was_tried = running.tried.contains(name);
        let is_chosen = running.chosen.as_ref() == Some(name);
        ui.horizontal_top(|ui| {
            let shown = match (was_tried, is_chosen && is_right) {
                (_, true) => Icon::Right,
                (true, false) => Icon::Wrong,
                (false, false) => Icon::Open,
            };
            icon(ui, shown);
            ui.with_layout(Layout::top_down_justified(Align::Min), |ui| {
                let words = RichText::new(plain(text)).size(READING.size);
                let button = Button::selectable(is_chosen, words).frame_when_inactive(true).wrap();
                if ui.add_enabled(!running.is_preparing(), button).clicked() {
                    controls.choose_answer(name, report);
                }
            });
        });
    }
}

fn number_ui(ui: &mut Ui, controls: &mut Controls, report: &Report, running: &RunningLesson) {
    let unit = running.current().number.as_ref().map_or("", |number| number.of.unit());
    let mut is_given = false;
    ui.horizontal(|ui| {
        let Some(shown) = &mut controls.lessons.running else { return };
        let field = TextEdit::singleline(&mut shown.draft)
            .desired_width(110.0)
            .hint_text("a number")
            .font(egui::FontId::proportional(READING.size));
        let response = ui.add_enabled(!running.is_preparing(), field);
        is_given = response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if !unit.is_empty() {
            ui.label(RichText::new(unit).color(QUIET));
        }
        is_given |= ui.add_enabled(!running.is_preparing(), Button::new("Check")).clicked();
    });
    if is_given {
        controls.answer_number(report);
    }
}

fn title(ui: &mut Ui, words: &str) {
    ui.label(RichText::new(words).strong().color(ACCENT).size(13.0));
}

/// A box with a colored edge at its left.
fn boxed(ui: &mut Ui, color: Color32, add: impl FnOnce(&mut Ui)) {
    let frame =
        Frame::new().fill(Color32::from_rgb(28, 34, 41)).corner_radius(4).inner_margin(Margin::symmetric(10, 7));
    let shown = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        add(ui);
    });
    let rect = shown.response.rect;
    ui.painter().vline(rect.left() + 1.5, rect.y_range(), Stroke::new(3.0, color));
}

/// A word in color and a text.
fn note(ui: &mut Ui, color: Color32, word: &str, text: &str) {
    boxed(ui, color, |ui| {
        ui.label(RichText::new(word).strong().color(color).size(13.5));
        if !text.is_empty() {
            markdown(ui, text, Look { color: TEXT, ..REMARK });
        }
    });
}

/// The state of a task or of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Icon {
    Open,
    Right,
    Wrong,
}

/// Draws an empty box, a check mark or a cross.
fn icon(ui: &mut Ui, icon: Icon) {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(18.0, 20.0), Sense::hover());
    let middle = rect.center();
    let painter = ui.painter();
    let words = match icon {
        Icon::Open => {
            let square = egui::Rect::from_center_size(middle, egui::vec2(12.0, 12.0));
            painter.rect_stroke(square, 2, Stroke::new(1.2, QUIET), egui::StrokeKind::Inside);
            "open"
        }
        Icon::Right => {
            let points = [(-6.0, 0.0), (-2.0, 4.5), (6.0, -5.0)].map(|(x, y)| middle + egui::vec2(x, y));
            painter.add(egui::Shape::line(points.to_vec(), Stroke::new(2.4, RIGHT)));
            "done"
        }
        Icon::Wrong => {
            for [from, to] in [[(-4.5, -4.5), (4.5, 4.5)], [(-4.5, 4.5), (4.5, -4.5)]] {
                let at = |(x, y): (f32, f32)| middle + egui::vec2(x, y);
                painter.line_segment([at(from), at(to)], Stroke::new(2.2, WARNING));
            }
            "wrong"
        }
    };
    response.on_hover_text(words);
}
